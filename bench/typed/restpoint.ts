import { ApiServer, defineEndpoint, integerId } from 'restpoint';

const server = new ApiServer('/v1');
// each
interface Pet_N { readonly name: string; readonly legs_N: number }
function asPet_N(value: unknown): Pet_N {
  if (typeof value !== 'object' || value === null || !('name' in value) || !('legs_N' in value)) throw new TypeError('a pet');
  const { name, legs_N } = value;
  if (typeof name !== 'string' || typeof legs_N !== 'number') throw new TypeError('a pet');
  return { name, legs_N };
}
const pets_N = new Map<number, Pet_N>();
server.registerEndpoint('/pet_N', defineEndpoint({
  id: integerId,
  schema: asPet_N,
  create: (pet) => { pets_N.set(1, pet); return 1; },
  get: (id) => pets_N.get(id) ?? { name: '', legs_N: 0 },
  update: (id, pet) => { pets_N.set(id, pet); },
  delete: (id) => { pets_N.delete(id); },
  custom: { feed: { input: asPet_N, run: (pet) => ({ fed: pet.name }) } },
}));
// end
