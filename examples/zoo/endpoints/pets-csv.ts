/** The pets of a zoo as CSV (RFC 4180), for spreadsheets. Pets are read from the store as fast as the client takes them. */
import { bytes, defineEndpoint, integerId, reply } from 'restpoint';
import type { Pets, Store, StoredPet } from '../store/store.ts';

const CSV = { 'Content-Type': 'text/csv; charset=utf-8; header=present', 'Content-Disposition': 'attachment; filename="pets.csv"' };
const PETS_AT_ONCE = 100;

export function petsAsCsv({ zoos, pets }: Store) {
  return defineEndpoint({
    params: { zoo: integerId },
    get: {
      summary: 'The pets of a zoo, as CSV',
      output: { 200: bytes({ types: ['text/csv'] }) },
      run: async ({ params }) => {
        // A stream that fails cannot be a 404 any more.
        await zoos.find(params.zoo);
        return reply(200, rowsOf(pets, params.zoo), CSV);
      },
    },
  });
}

async function* rowsOf(pets: Pets, zoo: number): AsyncGenerator<string> {
  yield 'id,name,legs,lethal,eaten\r\n';
  for (let after = 0; ;) {
    const found = await pets.list(zoo, { limit: PETS_AT_ONCE, after });
    const last = found.at(-1);
    if (last === undefined) return;
    yield found.map(rowOf).join('');
    after = last.id;
  }
}

function rowOf({ id, name, legs, lethal, eaten }: StoredPet): string {
  return `${id},${cellOf(name)},${legs},${lethal},${eaten}\r\n`;
}

function cellOf(text: string): string {
  // A spreadsheet would take such a text for a formula.
  const shown = /^[=+\-@]/.test(text) ? `'${text}` : text;
  return /[",]/.test(shown) ? `"${shown.replaceAll('"', '""')}"` : shown;
}
