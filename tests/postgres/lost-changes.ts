/** Compares the contents of the database with the responses that the writers received. */
import type { Pool, Row } from '../../examples/zoo/store/postgres/pg.ts';
import type { ConfirmedPet, Writers } from './writers.ts';

/** Changes with a response that were lost, and those that were made but not asked for. `own` are the zoo and the pet of the test. */
export async function lostChanges(pool: Pool, writers: Writers, own: { readonly zoo: string; readonly pet: string }): Promise<string[]> {
  const pets = await byName(pool, 'pet');
  const zoos = await byName(pool, 'zoo');
  const eaten = Number(pets.get(own.pet)?.[0]?.['eaten']);
  const { confirmed, unconfirmed } = writers.meals;
  return [
    ...lostPets(pets, writers.pets),
    ...findUnrequested(pets, [own.pet, ...writers.unconfirmedPets, ...writers.pets.map(({ name }) => name)]),
    ...[...writers.zoos].flatMap(([name, id]) => lostZoo(zoos.get(name), name, id)),
    ...findUnrequested(zoos, [own.zoo, ...writers.unconfirmedZoos, ...writers.zoos.keys()]),
    ...(eaten >= confirmed && eaten <= confirmed + unconfirmed ? [] : [`${confirmed} meals confirmed, ${unconfirmed} not, and ${eaten} eaten`]),
  ];
}

async function byName(pool: Pool, table: 'pet' | 'zoo'): Promise<Map<string, Row[]>> {
  const rows = new Map<string, Row[]>();
  for (const row of (await pool.query(`SELECT * FROM ${table}`)).rows) {
    const name = String(row['name']);
    rows.set(name, [...(rows.get(name) ?? []), row]);
  }
  return rows;
}

function lostPets(stored: ReadonlyMap<string, readonly Row[]>, confirmed: readonly ConfirmedPet[]): string[] {
  return confirmed.flatMap((pet) => {
    const [row, ...others] = stored.get(pet.name) ?? [];
    const isRight = row === undefined ? pet.is !== 'there' : (
      pet.is !== 'gone' && others.length === 0 && Number(row['id']) === pet.id && pet.legs.includes(Number(row['legs']))
    );
    return isRight ? [] : [`pet ${JSON.stringify(pet)} is stored as ${JSON.stringify(stored.get(pet.name))}`];
  });
}

function lostZoo(rows: readonly Row[] = [], name: string, id: number | undefined): string[] {
  const isRight = rows.length === 1 && (id === undefined || Number(rows[0]?.['id']) === id);
  return isRight ? [] : [`${name}, with the id ${id}, is stored as ${JSON.stringify(rows)}`];
}

/** Rows that were stored without a request, or stored twice. */
function findUnrequested(stored: ReadonlyMap<string, readonly Row[]>, requested: readonly string[]): string[] {
  const names = new Set(requested);
  return [...stored].filter(([name, rows]) => !names.has(name) || rows.length > 1).map(([name, rows]) => `${name} is stored ${rows.length} times`);
}
