/** A program that imports the installed package, serves, sends requests and stops. */
import assert from 'node:assert/strict';
import {
  ApiError,
  ApiServer,
  defineEndpoint,
  endpointWith,
  integerId,
  stringId,
  type ApiRequest,
  type ContextRequest,
  type Interceptor,
  type Logger,
  type StartResult,
} from 'restpoint';
import { checks } from 'restpoint/checks';
import { client, integerId as clientIntegerId, ProblemError } from 'restpoint/client';
import { mcpHandler } from 'restpoint/mcp';
import { openApi, openApiHandler, type OpenApiDocument } from 'restpoint/openapi';
import { apiKey, basic, bearer, secretsEqual, type Authentication } from 'restpoint/auth';

interface Pet {
  name: string;
  legs: number;
}

function decodePet(json: unknown): Pet {
  const { name, legs } = Object(json) as Partial<Record<keyof Pet, unknown>>;
  if (typeof name !== 'string' || typeof legs !== 'number') throw new TypeError('expected a pet');
  return { name, legs };
}

/** A wrapper that counts calls, as a user may write one. It is generic in arguments and results. */
function counted<A extends unknown[], T>(run: (...args: A) => T): (...args: A) => T {
  return (...args) => {
    calls += 1;
    return run(...args);
  };
}

let calls = 0;
const pets = new Map<number, Pet>();
const lines: string[] = [];
const logger: Logger = { info: (line) => lines.push(line), error: (error) => lines.push(error.message) };
const server = new ApiServer('/v1', { logger });

server.registerEndpoint('/animal', defineEndpoint({ id: stringId, get: (name) => ({ name: name.toUpperCase() }) }));
export const petEndpoint = defineEndpoint({
  id: integerId,
  schema: decodePet,
  create: counted((pet) => pets.set(pets.size + 1, pet).size),
  get: { run: (id) => pets.get(id) },
  delete: (id) => {
    if (!pets.delete(id)) throw ApiError.notFound();
  },
  custom: {
    legs: { input: decodePet, run: (pet, request: ApiRequest) => pet.legs + Number(request.query.get('more')) },
    wings: { input: decodePet, run: counted((pet, request) => pet.legs / 2 + Number(request.query.get('more'))) },
    method: { run: counted((request) => request.raw.method ?? null) },
    count: (request) => pets.size + Number(request.query.get('more')),
  },
});
server.registerEndpoint('/pet', petEndpoint);
// Its type can be emitted: it has only public names.
export const keepers = defineEndpoint({ params: { zoo: stringId }, get: ({ params }) => params.zoo });
const numbered: Interceptor<{ readonly serial: number }> = { around: (_call, run) => run({ serial: 7 }) };
export const defineNumbered = endpointWith({ use: numbered });
export const serialEndpoint = defineNumbered({ get: ({ serial }) => serial + 1 });
server.registerEndpoint('/serial', serialEndpoint);
server.registerEndpoint('/found', { id: integerId, get: { run: async (id) => pets.get(id) } });

const signedIn: Authentication<{ user: string }> = bearer(async (token) => (secretsEqual(token, 'secret') ? { user: 'ann' } : undefined));
assert.deepEqual(signedIn.security, { name: 'bearer', scheme: { type: 'http', scheme: 'bearer' } });
assert.equal(basic((user, password) => user + password)({ raw: { rawHeaders: ['Authorization', 'Basic YTpi'] } } as ContextRequest), 'ab');
assert.throws(() => apiKey('X-API-Key', () => true)({ raw: { rawHeaders: [] as string[] } } as ContextRequest), ApiError);

// The types exist, and are not `any`.
// @ts-expect-error a token is text
bearer((token: number) => token);
// @ts-expect-error an id of integerId is a number
defineEndpoint({ id: integerId, get: (id) => id.toUpperCase() });
// @ts-expect-error `create` needs a schema
defineEndpoint({ id: integerId, create: () => 1 });
// @ts-expect-error a wrapped function takes the output of `input`
defineEndpoint({ id: integerId, custom: { legs: { input: decodePet, run: counted((pet: { wings: number }) => pet.wings) } } });
// @ts-expect-error without `input`, a wrapped function takes the request
defineEndpoint({ id: integerId, custom: { legs: { run: counted((pet: Pet) => pet.legs) } } });
// @ts-expect-error `get` returns the schema's output, or undefined
defineEndpoint({ id: integerId, schema: decodePet, get: (id) => pets.get(id)?.name });

const document: OpenApiDocument = openApi(server, { info: { title: 'Pets', version: '1' } });
assert.equal(document.paths['/v1/pet/{id}']?.['get']?.operationId, 'petGet');
assert.ok(checks(server).some(({ isSkipped }) => !isSkipped));
server.mount('/mcp', mcpHandler(server, { info: { name: 'Pets', version: '1' } }));
server.mount('/openapi.json', openApiHandler(server, { info: { title: 'Pets', version: '1' } }));

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
  assert.equal(await (await fetch(`${started.url}/v1/serial`)).text(), '8');
  assert.equal(await (await fetch(`${started.url}/v1/found/1`)).text(), '{"name":"Rex","legs":4}');
  assert.equal((await fetch(`${started.url}/v1/found/2`)).status, 404);
  assert.equal((await fetch(`${started.url}/v1/pet/2`, { method: 'DELETE' })).status, 404);
  assert.equal(await (await post('/v1/pet/legs?more=2', { name: 'Rex', legs: 4 })).text(), '6');
  assert.equal(await (await post('/v1/pet/wings?more=2', { name: 'Rex', legs: 4 })).text(), '4');
  assert.equal(await (await fetch(`${started.url}/v1/pet/method`, { method: 'POST' })).text(), '"POST"');
  assert.deepEqual(await (await fetch(`${started.url}/openapi.json`)).json(), document);
  assert.equal(await (await fetch(`${started.url}/v1/pet/count?more=2`, { method: 'POST' })).text(), '3');
  assert.equal(calls, 3);

  const at = client<{ readonly '/pet': typeof petEndpoint }>(`${started.url}/v1`);
  const api = at('/pet', {}, { id: clientIntegerId });
  const id: number = await api.create({ name: 'Asp', legs: 0 });
  const { name, legs }: Pet = await api.get(id);
  assert.deepEqual([name, legs, await api.custom.legs({ name, legs: 2 }, { query: { more: 3 } })], ['Asp', 0, 5]);
  await api.delete(id);
  await assert.rejects(api.get(id), (error) => error instanceof ProblemError && error.status === 404);
  // @ts-expect-error an id is a number
  await assert.rejects(api.get('x'), TypeError);
  // @ts-expect-error the endpoint has no list
  await assert.rejects(api.list(), ProblemError);
  // @ts-expect-error a path that the API does not have
  at('/pets');
} finally {
  await server.stop();
}
assert.equal(lines[0], 'route: GET /v1/animal/:id');
console.log('imported');
