/** The commands that the zoo prints at its start, to paste in their order. */
import { randomBytes } from 'node:crypto';
import { fileURLToPath } from 'node:url';
import { ConflictError, type Store } from './store/store.ts';

// From `build/examples/zoo`, where this file is compiled to.
const PHOTO = fileURLToPath(new URL('../../../examples/zoo/rex.png', import.meta.url));
const JSON_TYPE = `-H 'Content-Type: application/json'`;
const FIRST = { take: 1 };
const REX = { name: 'Rex', legs: 4, lethal: false };

/** The ids in the commands. */
export interface FirstPet {
  readonly zoo: number;
  readonly pet: number;
}

/** The first commands to try. `token` is as a shell reads it between double quotes. */
export function firstSuggestions({ zoo, pet }: FirstPet, url: string, token: string): string {
  const keeper = `-H "Authorization: Bearer ${token}"`;
  const pets = `${url}/v1/zoo/${zoo}/pet`;
  return `
Paste these. npm start -- --all prints a command for each feature, and npm run page opens a page.

curl -i '${pets}'
curl -i '${pets}' ${keeper} ${JSON_TYPE} -d '{"name":"Asp","legs":0,"lethal":true}'
curl -i '${pets}/${pet}/feed' ${keeper} ${JSON_TYPE} -d '{"grams":250}'
`;
}

/** A command for each feature. */
export function suggestions({ zoo, pet }: FirstPet, url: string, token: string): string {
  const keeper = `-H "Authorization: Bearer ${token}"`;
  const pets = `${url}/v1/zoo/${zoo}/pet`;
  // No zoo has this name yet. The second time, the response is 409.
  const name = `Zoo ${randomBytes(4).toString('hex')}`;
  return `
For keepers:

curl -i '${url}/v1/keeper/me' ${keeper}
curl -i '${url}/v1/zoo' ${keeper} ${JSON_TYPE} -d '{"name":"${name}","city":"Utrecht"}'
curl -i '${pets}' ${keeper} ${JSON_TYPE} -d '{"name":"Asp","legs":0,"lethal":true}'
curl -i -X PATCH '${pets}/${pet}' ${keeper} ${JSON_TYPE} -d '{"legs":3}'
curl -i '${pets}/${pet}/feed' ${keeper} ${JSON_TYPE} -d '{"grams":250}'
curl -i -T ${quoted(PHOTO)} '${pets}/${pet}/photo' ${keeper} -H 'Content-Type: image/png'

For anyone. The last one waits until there are two events, which the commands for keepers make. Without the limit, it does not end.

curl -i '${url}/v1/animal/ant'
curl -i '${url}/v1/zoo?limit=1'
curl -i '${pets}?limit=1'
curl -i '${pets}/${pet}' -H 'If-None-Match: *'
curl -i '${pets}/${pet}/appetite'
curl -i '${pets}/search' ${JSON_TYPE} -d '{"name":"Asp"}'
curl -i '${pets}.csv'
curl -I '${pets}/${pet}/photo'
curl -i '${url}/openapi.json'
curl -i '${url}/health'
curl -i -N '${url}/v1/event?after=0&limit=2'
`;
}

/** The ids of the first zoo and its first pet. Stores them if they do not exist, so that the commands find something. */
export async function firstPet(store: Store): Promise<FirstPet> {
  const zoo = (await store.zoos.list(FIRST))[0]?.id;
  if (zoo === undefined) return newZoo(store);
  return { zoo, pet: (await store.pets.list(zoo, FIRST))[0]?.id ?? await store.pets.insert(zoo, REX) };
}

async function newZoo(store: Store): Promise<FirstPet> {
  try {
    // In one transaction, so that a second process over the same database, which starts now too, does not find the zoo without its pet.
    return await store.transaction(async ({ zoos, pets }) => {
      const zoo = await zoos.insert({ name: 'The zoo', city: 'Utrecht' });
      return { zoo, pet: await pets.insert(zoo, REX) };
    });
  } catch (thrown) {
    // The other process was faster.
    if (thrown instanceof ConflictError) return firstPet(store);
    throw thrown;
  }
}

function quoted(path: string): string {
  return `'${path.replaceAll(`'`, `'\\''`)}'`;
}
