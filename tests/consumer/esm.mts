/** A program that imports the package as it was installed: serves, asks, stops. */
import assert from 'node:assert/strict';
import {
  ApiError,
  ApiServer,
  defineEndpoint,
  integerId,
  stringId,
  type ApiRequest,
  type Logger,
  type StartResult,
} from 'restpoint';

interface Pet {
  name: string;
  legs: number;
}

function decodePet(json: unknown): Pet {
  const { name, legs } = Object(json) as Partial<Record<keyof Pet, unknown>>;
  if (typeof name !== 'string' || typeof legs !== 'number') throw new TypeError('expected a pet');
  return { name, legs };
}

const pets = new Map<number, Pet>();
const lines: string[] = [];
const logger: Logger = { info: (line) => lines.push(line), error: (error) => lines.push(error.message) };
const server = new ApiServer('/v1', { logger });

server.registerEndpoint('/animal', defineEndpoint({ id: stringId, get: (name) => ({ name: name.toUpperCase() }) }));
server.registerEndpoint('/pet', defineEndpoint({
  id: integerId,
  schema: decodePet,
  create: (pet) => pets.set(pets.size + 1, pet).size,
  get: (id) => {
    const pet = pets.get(id);
    if (pet === undefined) throw ApiError.notFound();
    return pet;
  },
  custom: {
    legs: { input: decodePet, run: (pet, request: ApiRequest) => pet.legs + Number(request.query.get('more')) },
  },
}));

// The types are there, and are not `any`.
// @ts-expect-error an id of integerId is a number
defineEndpoint({ id: integerId, get: (id) => id.toUpperCase() });
// @ts-expect-error `create` needs a schema
defineEndpoint({ id: integerId, create: () => 1 });

const started: StartResult = await server.start('127.0.0.1:0');
assert.ok(started.ok);
try {
  const post = (path: string, body: unknown): Promise<Response> => {
    return fetch(started.url + path, { method: 'POST', body: JSON.stringify(body), headers: { 'Content-Type': 'application/json' } });
  };
  assert.equal(await (await fetch(`${started.url}/v1/animal/ant`)).text(), '{"name":"ANT"}');
  assert.equal(await (await post('/v1/pet', { name: 'Rex', legs: 4 })).text(), '1');
  assert.equal(await (await fetch(`${started.url}/v1/pet/1`)).text(), '{"name":"Rex","legs":4}');
  assert.equal((await fetch(`${started.url}/v1/pet/2`)).status, 404);
  assert.equal(await (await post('/v1/pet/legs?more=2', { name: 'Rex', legs: 4 })).text(), '6');
} finally {
  await server.stop();
}
assert.equal(lines[0], 'route: GET /v1/animal/:id');
console.log('imported');
