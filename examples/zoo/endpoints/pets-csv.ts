/** The pets of a zoo as CSV (RFC 4180), for spreadsheets. Pets are read from the store as fast as the client takes them. */
import { defineEndpoint, defineFormat, integerId } from 'restpoint';
import type { Pets, Store, StoredPet } from '../store/store.ts';

const PETS_AT_ONCE = 100;

/** Lists of pets as CSV, which clients read as strings. */
const csv = defineFormat<AsyncIterable<readonly StoredPet[]>, string>({
  types: ['text/csv'],
  headers: { 'Content-Type': 'text/csv; charset=utf-8; header=present', 'Content-Disposition': 'attachment; filename="pets.csv"' },
  encode: rowsOf,
});

export function petCsvEndpoint({ zoos, pets }: Store) {
  return defineEndpoint({
    params: { zoo: integerId },
    get: {
      summary: 'The pets of a zoo, as CSV',
      output: csv,
      run: async ({ params }) => {
        // A stream that fails cannot be a 404 any more.
        await zoos.find(params.zoo);
        return allOf(pets, params.zoo);
      },
    },
  });
}

async function* allOf(pets: Pets, zoo: number): AsyncGenerator<readonly StoredPet[]> {
  for (let after = 0; ;) {
    const found = await pets.list(zoo, { take: PETS_AT_ONCE, after });
    const last = found.at(-1);
    if (last === undefined) return;
    yield found;
    after = last.id;
  }
}

async function* rowsOf(lists: AsyncIterable<readonly StoredPet[]>): AsyncGenerator<string> {
  yield 'id,name,legs,lethal,eaten\r\n';
  for await (const pets of lists) yield pets.map(rowOf).join('');
}

function rowOf({ id, name, legs, lethal, eaten }: StoredPet): string {
  return `${id},${cellOf(name)},${legs},${lethal},${eaten}\r\n`;
}

function cellOf(text: string): string {
  // A spreadsheet would take such a string for a formula.
  const shown = /^[=+\-@]/.test(text) ? `'${text}` : text;
  return /[",]/.test(shown) ? `"${shown.replaceAll('"', '""')}"` : shown;
}
