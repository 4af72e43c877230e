/** O11: The mistakes of a beginner. Each gets a message that says what to do: at registration, in the log, or in the response. None hangs. */
import { Readable } from 'node:stream';
import { bearer, firstOf } from '../src/auth/index.ts';
import { ApiError, ApiServer, created, type InterceptedCall, integerId, reply, stringId, type ApiServerOptions, type Middleware } from '../src/index.ts';
import { ServerLog } from './support/server-log.ts';
import { assert, suite } from './support/facts.ts';

const run = (): string => 'ran';
const schema = (json: unknown): unknown => json;
const pet = { id: integerId, get: run };

/** Registers an endpoint as a program in JavaScript does, which no compiler has rejected. */
function declare(server: ApiServer, path: string, endpoint: unknown): void {
  server.registerEndpoint(path, endpoint as never);
}

function serverWith(options: object = {}): ApiServer {
  return new ApiServer('/v1', { logger: new ServerLog().logger, ...options });
}

function endpoint(properties: object, path = '/pet', options: object = {}): () => void {
  return () => declare(serverWith(options), path, properties);
}

class Kitchen {
  feed(): string {
    return 'fed';
  }
}

const rejected = suite('A10: a mistake that is rejected at registration');
for (const [what, act, message] of [
  ['the root "/"', () => new ApiServer('/'), 'root must be "" for no prefix, or a path such as "/v1": "/"'],
  ['a path without a slash in front', endpoint(pet, 'pet'), 'sub-path must begin with "/": "pet"'],
  ['a parameter as OpenAPI writes it', endpoint(pet, '/pet/{id}'), 'sub-path has a parameter in braces, where ":id" is meant: "/pet/{id}"'],
  ['the id in the path', endpoint(pet, '/pet/:id'), 'sub-path "/pet/:id" must not have ":id", which endpoint.id adds: register "/pet"'],
  ['the id as a parameter', endpoint({ ...pet, params: { id: integerId } }, '/pet/:id'),
    'endpoint.params must not have "id": endpoint.id declares it, and operations get it as their first argument'],
  ['a parameter without a codec', endpoint(pet, '/zoo/:zoo/pet'),
    'sub-path "/zoo/:zoo/pet" has the parameter ":zoo": declare endpoint.params: { zoo: stringId }'],
  ['a codec without a parameter', endpoint({ ...pet, params: { zoo: integerId } }),
    'endpoint.params.zoo is not a parameter of the sub-path "/pet": it must have ":zoo"'],
  ['a misspelt operation', endpoint({ ...pet, delet: run }), 'unknown option endpoint.delet: did you mean delete? It can be one of id, '],
  ['a misspelt option of an operation', endpoint({ ...pet, get: { sumary: 'A pet', run } }),
    'unknown option endpoint.get.sumary: did you mean summary? It can be one of run, '],
  ['an operation named as a method', endpoint({ ...pet, post: run }), 'unknown option endpoint.post: it can be one of '],
  ['no operation', endpoint({ id: integerId }), 'endpoint declares no operation: it needs one of create, list, '],
  ['an endpoint that is not there, as after a circular import', endpoint(undefined as never), 'endpoint must be an object: undefined'],
  ['a function that is called', endpoint({ id: integerId, get: run() }), 'endpoint.get must be a function: string'],
  ['an operation as an object without run', endpoint({ id: integerId, get: { query: schema } }), 'endpoint.get.run is required'],
  ['create without a schema', endpoint({ id: integerId, create: run }), 'endpoint.create needs endpoint.schema, or its own decoder: '],
  ['patch as a function', endpoint({ id: integerId, patch: run }),
    'endpoint.patch must be an object, not a function: patch: { input: Part, run: (…) => … }'],
  ['a JSON Schema as the schema', endpoint({ id: integerId, schema: { type: 'object' }, create: run }),
    "endpoint.schema must be a Standard Schema such as Zod's, or a function: a JSON Schema"],
  ['a JSON Schema as the input', endpoint({ id: integerId, patch: { input: { properties: {} }, run } }),
    "endpoint.patch.input must be a Standard Schema such as Zod's, or a function: a JSON Schema"],
  ['a class as the schema', endpoint({ id: integerId, schema: Kitchen, create: run }),
    'endpoint.schema must be a function, not the class Kitchen: (json) => new Kitchen(json)'],
  ['one endpoint for registerEndpoints', () => { new ApiServer('/v1').registerEndpoints('/pet' as never, pet as never); },
    'registerEndpoints takes an object. For one endpoint, write registerEndpoint("/pet", endpoint)'],
  ['several endpoints for registerEndpoint', () => { new ApiServer('/v1').registerEndpoint({ '/pet': pet } as never, undefined as never); },
    'registerEndpoint takes a sub-path and one endpoint. For several, write registerEndpoints({ … })'],
  ['a function as an interceptor', endpoint({ ...pet, use: run }), 'endpoint.use must be an interceptor, such as { around: run }: function run'],
  ['an interceptor of a different form', endpoint({ get: { use: { before: run }, run } }), 'unknown option endpoint.get.use.before: it can be one of around, '],
  ['a different value as an interceptor', endpoint({ ...pet, use: 'log' }),
    'endpoint.use must be an interceptor, such as { around: (call, run) => run() }: "log"'],
  ['extensions that are set on an error', () => { Object.assign(ApiError.notFound(), { extensions: { animal: 'ant' } }); },
    'the extensions of an ApiError are read-only: throw error.with({ extensions })'],
  ['a class as the codec of an id', endpoint({ id: Number, get: run }), 'endpoint.id must be a codec with parse and format, such as integerId: '],
  ['a list without ids', endpoint({ list: run }), 'endpoint.list needs endpoint.id'],
  ['a body of get', endpoint({ id: integerId, get: { input: schema, run } }), 'endpoint.get.input is not allowed: GET has no body. Use query, or custom'],
  ['a list of parameters that nothing decodes', endpoint({ id: integerId, list: { lists: ['tag'], run } }),
    'endpoint.list.lists needs endpoint.list.query: without it, the query is not decoded'],
  ['an error in output', endpoint({ id: integerId, get: { output: { 404: schema }, run } }),
    'endpoint.get.output must not have the status 404: declare it in errors'],
  ['an instance of a class as custom', endpoint({ custom: new Kitchen() }),
    'endpoint.custom must be a plain object of operations, not an instance of Kitchen: { feed: (id) => store.feed(id) }'],
  ['an operation whose name is not a path', endpoint({ custom: { 'feed all': run } }), 'operation name must consist of A-Z a-z 0-9 - . _ ~: "feed all"'],
  ['an operation that anyone may call, where a context is required', endpoint(pet, '/pet', { requireContext: true }),
    'endpoint.get needs a context, because of the option requireContext: declare it in the endpoint or here. For everyone, declare anyone of restpoint/auth'],
  ['scopes that no context knows', endpoint({ ...pet, scopes: ['pet:read'], context: () => 7 }),
    'endpoint.get.scopes needs a context that knows the scopes of callers: '],
  ['an endpoint in place of endpoints', () => serverWith().registerEndpoints(pet as never),
    "registerEndpoints takes endpoints by their sub-paths: { '/pet': pet }. For one, write registerEndpoint('/pet', pet)"],
  ['one route twice', () => {
    const server = serverWith();
    declare(server, '/pet', pet);
    declare(server, '/pet', pet);
  }, 'route GET /v1/pet/:id conflicts with GET /v1/pet/:id: get of "/pet" and get of "/pet". Declare it once, or under a different sub-path'],
  ['a path for middleware', () => serverWith().use('/admin' as never),
    'use takes one listener for all paths, not a path: "/admin". For the requests below a path, use mount'],
  ['middleware that is not called', () => serverWith().use({} as never), 'middleware must be a function: object'],
  ['an error handler of Express', () => serverWith().use(((_error: unknown, _request: unknown, _response: unknown, _next: unknown) => {}) as never),
    'middleware takes (request, response, next): '],
  ['a router as a handler', () => serverWith().mount('/admin', {} as never), 'handler must be a function: object'],
  ['no handler of an upgrade', () => serverWith().registerUpgrade('/chat', undefined as never), 'handler must be a function: undefined'],
  ['an option that does not exist', () => new ApiServer('', { port: 8080 } as ApiServerOptions), 'unknown option port: it can be one of '],
  ['a limit as a string', () => serverWith({ limits: { bodyBytes: '1mb' } }), 'limits.bodyBytes must be a whole number from '],
  ['a host with its port', () => serverWith({ allowedHosts: ['localhost:8080'] }),
    'allowedHosts must have names or addresses without a port: "localhost:8080"'],
  ['a token instead of its check', () => bearer('secret' as never), 'verify must be a function: string'],
] as readonly (readonly [what: string, act: () => unknown, message: string])[]) {
  rejected(`${what} -> TypeError: ${message}`, () => assert.throws(act, (error: unknown) => error instanceof TypeError && error.message.includes(message)));
}
rejected('the root in a sub-path -> a hint in the log: the routes begin with both', () => {
  const log = new ServerLog();
  const server = new ApiServer('/v1', { logger: log.logger });
  for (const path of ['/v1/pet', '/v1', '/v10', '/pet/v1']) declare(server, path, { get: run });
  assert.equal(log.infos.filter((line) => !line.startsWith('route: ')), [
    'registerEndpoint: the sub-path "/v1/pet" has the root in it, so its routes begin with /v1/v1/pet. If that is not meant, register "/pet"',
    'registerEndpoint: the sub-path "/v1" has the root in it, so its routes begin with /v1/v1. If that is not meant, register "/"',
  ]);
});
rejected('a number as the address -> ok: false, with the forms that an address has', async () => {
  const started = await serverWith().start(8080 as never);
  assert.match(started.ok ? '' : started.error, 'malformed address: 8080. It is "127.0.0.1:8080"');
});
rejected('start twice -> ok: false, with the reason', async () => {
  const server = serverWith();
  await server.start('127.0.0.1:0');
  assert.equal(await server.start('127.0.0.1:0'), { ok: false, error: 'the server is already started: stop it first' });
  await server.stop();
});

const forgetful = { around: async (_call: unknown, next: () => Promise<unknown>): Promise<void> => void await next() };
const hasty = { around: (_call: unknown, next: () => Promise<unknown>): void => void next() };
const makeGone = (): ApiError => ApiError.status(410, 'gone', { extensions: { since: 1 } });
const item = { id: 1, name: 'Rex' };
const NO_ID = 'create must return the id of the new item, or created(id, body): it returned';
const LOST = 'around returned undefined, not the result of run(): return await run()';

/** A Standard Schema whose validation has a result. */
const standard = (result: object): object => ({ '~standard': { version: 1, vendor: 'a', validate: () => result } });

const circle: { self?: object } = {};
circle.self = circle;

const logged = suite('A10: a mistake that the log explains');
for (const [what, properties, method, message] of [
  ['create without return', { id: integerId, schema, create: () => {} }, 'POST', `${NO_ID} undefined`],
  ['create that returns the item', { id: integerId, schema, create: () => item }, 'POST', `${NO_ID} object (id: expected a decimal integer from `],
  ['the same, where the id is a string', { id: stringId, schema, create: () => item },
    'POST', `${NO_ID} object (format of a codec must return a string: it returned object)`],
  ['the same, with a codec that writes anything',
    { id: { parse: String, format: String }, schema, create: () => item }, 'POST', `${NO_ID} object ([object Object])`],
  ['the same, with a codec that fails', { id: { parse: String, format: (id: string) => id.trim() }, schema, create: () => item }, 'POST',
    `${NO_ID} object (id.trim is not a function)`],
  ['create that returns a number, where the id is a string', { id: stringId, schema, create: () => 7 },
    'POST', `${NO_ID} number (format of a codec must return a string: it returned number)`],
  ['create that returns the id as a string', { id: integerId, schema, create: () => '7' }, 'POST', `${NO_ID} string (id: expected a decimal integer from `],
  ['created() with the item', { id: integerId, schema, create: () => created(item, item) }, 'POST',
    'created takes the id of the new item: it got object (id: expected a decimal integer from '],
  ['an error that is returned', { get: makeGone }, 'GET', 'the result is an error: throw it, or return problem(status)'],
  ['an error that update returns', { schema, update: makeGone }, 'PUT', 'the result is an error: throw it, or return problem(status)'],
  ['an error that create returns', { id: integerId, schema, create: makeGone }, 'POST', 'the result is an error: throw it, or return problem(status)'],
  ['an error that is thrown as a copy', { get: () => { throw { ...makeGone(), more: 1 }; } }, 'GET',
    'a copy of an ApiError was thrown, without its message and its extensions: throw error.with({ extensions })'],
  ['mapError that returns a copy', { mapError: () => ({ ...makeGone() }), get: () => { throw new Error('no disk'); } }, 'GET',
    'Internal error: no disk (mapError must return an ApiError or undefined: it returned object)'],
  ['mapError that is async', { mapError: async () => makeGone(), get: () => { throw new Error('no disk'); } }, 'GET',
    'no disk (mapError must return an ApiError or undefined: it returned a promise, which is not awaited)'],
  ['mapError that fails', { mapError: ({ cause }: Error) => (cause as Error).message, get: () => { throw new Error('no disk'); } }, 'GET',
    "no disk (mapError failed: Cannot read properties of undefined (reading 'message'))"],
  ['an interceptor without return', { get: { use: forgetful, run } }, 'GET', `endpoint.get.use.${LOST}`],
  ['an interceptor without return and await', { use: [hasty], get: async () => item }, 'GET', `endpoint.use[0].${LOST}`],
  ['an interceptor without return, of an update', { schema, update: { use: forgetful, run: () => false } }, 'PUT', `endpoint.update.use.${LOST}`],
  ['a list without return', { id: integerId, list: () => {} }, 'GET', 'the result is undefined: return a value, or reply(204)'],
  ['a bigint in a result', { get: () => ({ legs: 4n }) }, 'GET', 'legs is a bigint: return a string or a number'],
  ['a result that contains itself', { get: () => circle }, 'GET', 'refers to an object that contains it'],
  ['a Map as a result', { get: () => new Map([['legs', 4]]) as never }, 'GET',
    'the result cannot be written as JSON: it is a Map. Return Object.fromEntries(map)'],
  ['a Set as a result', { id: integerId, list: () => new Set([1]) as never }, 'GET',
    'the result cannot be written as JSON: it is of type Set, and JSON leaves out its items. Return [...items]'],
  ['an iterator as the body of a reply', { get: () => reply(200, new Map().keys() as never) }, 'GET',
    'the result cannot be written as JSON: it is of type Map Iterator, and JSON leaves out its items. Return [...items]'],
  ['a function as a result', { get: () => run }, 'GET', 'the result cannot be written as JSON: it is of type function'],
  ['a stream as a result', { get: () => Readable.from(['a']) }, 'GET', 'a stream can only be sent as the body of a reply: reply(200, stream)'],
  ['an error as a reply', { get: () => reply(404 as 200, 'gone') }, 'GET',
    "the status of a reply must be from 200 to 399: 404. Return problem(404, 'why'), or throw ApiError.status(404, 'why')"],
  ['a reply whose body is not there', { get: () => reply(200, undefined as never) }, 'GET',
    'the body of a reply must not be undefined: leave it out, or throw ApiError.notFound()'],
  ['a string that is thrown', { get: () => { throw 'no disk'; } }, 'GET', 'Internal error: no disk'],
  ['a decoder without return', { schema: () => {}, update: run }, 'PUT', 'the decoder returned undefined: it must return a value, or throw'],
  ['a schema that returns nothing of the standard', { schema: standard({}), update: run }, 'PUT', 'the schema returned neither a value nor issues'],
  ['a schema with an issue without words', { schema: standard({ issues: [{ message: 7 }] }), update: run }, 'PUT',
    'the message of a schema issue must be a string: number'],
  ['an interceptor that adds a number', { get: { use: { around: (_call: unknown, next: (added: unknown) => unknown) => next(7) }, run } }, 'GET',
    'the properties that an interceptor adds must be an object: 7'],
  ['a context that returns a response', { context: () => reply(302, undefined, { Location: '/' }), get: run }, 'GET',
    'a context must not be a reply: to reject the caller, throw an ApiError'],
  ['a context that returns a function', { context: () => () => 'Ann', get: run }, 'GET',
    'a context must not be a function: write context: signedIn, not context: () => signedIn'],
  ['a context that resolves to a class', { context: async () => Map, get: run }, 'GET', 'a context must not be a function: write context: signedIn'],
  ['a context that returns an error', { context: () => new Error('who?'), get: run }, 'GET',
    'a context must not be an error: to reject the caller, throw an ApiError'],
  ['a context that returns a symbol', { context: () => Symbol('Ann'), get: run }, 'GET', 'a context must not be a symbol'],
  ['a context of an operation that returns a function', { get: { context: () => () => 'Ann', run } }, 'GET', 'a context must not be a function'],
  ['a verify that returns a function', { context: firstOf(() => () => 'Ann'), get: run }, 'GET', 'a context must not be a function'],
  ['created() of an endpoint without ids', { get: () => ({ ' internal': 'reply' }) }, 'GET', 'the reply was made by a different copy of restpoint'],
] as readonly (readonly [what: string, properties: object, method: string, message: string])[]) {
  logged(`${what} -> 500, and the log says: ${message}`, async () => {
    const log = new ServerLog();
    const server = new ApiServer('/v1', { logger: log.logger });
    declare(server, '/pet', properties);
    const body = method === 'GET' ? {} : { body: '{}', headers: { 'Content-Type': 'application/json' } };
    const response = await server.fetch('/v1/pet', { method, ...body });
    assert.is(response.status, 500);
    assert.equal(await response.json(), { type: 'about:blank', title: 'Internal Server Error', status: 500 });
    assert.match(log.errors.map((error) => error.message).join('\n'), message);
    await server.stop();
  });
}

const END: Middleware = (_request, response, next) => {
  response.write('mine');
  next();
  response.end();
};
const READ: Middleware = (request, _response, next) => {
  request.resume().once('end', () => next());
};
for (const [what, middleware, status, message] of [
  ['a body parser in front', READ, 500, 'the body was read before the operation could: by a body parser in front of the server'],
  ['middleware that does nothing', () => {}, 503, 'neither responded nor called next within 20 ms'],
  ['middleware that replies and goes on', END, 200, 'next was called after a response was begun, and does nothing: do one of the two'],
  ['middleware that throws a string', () => { throw 'no session'; }, 500, 'no session'],
] as readonly (readonly [what: string, middleware: Middleware, status: number, message: string])[]) {
  logged(`${what} -> ${status}, and the log says: ${message}`, async () => {
    const log = new ServerLog();
    const server = new ApiServer('/v1', { logger: log.logger, limits: { operationMs: 20 } });
    server.use(middleware);
    declare(server, '/pet', { schema, update: () => {} });
    const response = await server.fetch('/v1/pet', { method: 'PUT', body: '{}', headers: { 'Content-Type': 'application/json' } });
    assert.is(response.status, status);
    await response.text();
    assert.match(log.errors.map((error) => error.message).join('\n'), message);
    await server.stop();
  });
}
logged('a changed copy of a response, from an interceptor -> is a response, and no JSON of one', async () => {
  const marking = {
    around: async (call: InterceptedCall, next: () => Promise<unknown>) => {
      const response = await call.encode(await next());
      return { ...response, headers: { ...response.headers, 'X-Made-By': 'ant' } };
    },
  };
  const server = serverWith();
  declare(server, '/pet', { use: marking, get: () => item });
  const response = await server.fetch('/v1/pet');
  assert.equal([response.status, response.headers.get('x-made-by'), await response.json()], [200, 'ant', item]);
  await server.stop();
});
logged('an operation that never ends -> 503, and the log says how long it may take', async () => {
  const log = new ServerLog();
  const server = new ApiServer('/v1', { logger: log.logger, limits: { operationMs: 20 } });
  declare(server, '/pet', { get: () => new Promise(() => {}) });
  const response = await server.fetch('/v1/pet');
  assert.equal([response.status, (await response.json() as { detail: string }).detail], [503, 'The operation took too long.']);
  assert.match(log.errors.map((error) => error.message).join('\n'), 'GET /v1/pet: the operation took longer than 20 ms');
  await server.stop();
});

const JSON_TYPE = { 'Content-Type': 'application/json' };
const explained = suite('a mistake that the response explains');
for (const [what, method, path, headers, body, status, detail] of [
  ['a string, as fetch sends it', 'POST', '/v1/pet', {}, '{}', 415, 'The body must be application/json in UTF-8.'],
  ['a form', 'POST', '/v1/pet', { 'Content-Type': 'application/x-www-form-urlencoded' }, 'name=Rex', 415,
    'The body must be application/json in UTF-8.'],
  ['text that is not JSON', 'POST', '/v1/pet', JSON_TYPE, "{'name':1}", 400, 'Bad arguments: the body is not JSON: it has an error at byte 1'],
  ['no body', 'POST', '/v1/pet', JSON_TYPE, '', 400, 'Bad arguments: the body is empty'],
  ['a number that a double cannot hold', 'POST', '/v1/pet', JSON_TYPE, '{"id":18446744073709551615}', 400,
    'Bad arguments: the body has a number that cannot be represented exactly'],
  ['a body that is too long', 'POST', '/v1/pet', JSON_TYPE, JSON.stringify('x'.repeat(100)), 413, 'The body must not be longer than 64 bytes.'],
  ['an id of a different form', 'GET', '/v1/pet/one', {}, undefined, 400, 'Bad arguments: id: expected a decimal integer from '],
  ['an item that is not there', 'GET', '/v1/pet/2', {}, undefined, 404, 'Not found.'],
  ['a path without the root', 'GET', '/pet/1', {}, undefined, 404, 'Nothing is served at this path.'],
  ['no token', 'GET', '/v1/secret/1', {}, undefined, 401, 'The request needs a bearer token.'],
  ['a token without its scheme', 'GET', '/v1/secret/1', { Authorization: 'letmein' }, undefined, 401, 'The request needs a bearer token.'],
  ['a wrong token', 'GET', '/v1/secret/1', { Authorization: 'Bearer wrong' }, undefined, 401, 'The token is not valid.'],
] as const) {
  explained(`${what} -> ${status}: ${detail}`, async () => {
    const server = serverWith({ limits: { bodyBytes: 64 } });
    declare(server, '/pet', { id: integerId, schema, create: () => 1, get: (id: number) => (id === 1 ? 'Rex' : undefined) });
    declare(server, '/secret', { id: stringId, context: bearer((token) => token === 'letmein'), get: run });
    const response = await server.fetch(path, { method, headers, ...(body === undefined ? {} : { body }) });
    assert.is(response.status, status);
    assert.match((await response.json() as { detail: string }).detail, detail);
    await server.stop();
  });
}
explained('a method that the path does not take -> 405, which names those that it does', async () => {
  const server = serverWith();
  declare(server, '/pet', pet);
  const response = await server.fetch('/v1/pet/1', { method: 'POST', headers: JSON_TYPE, body: '{}' });
  assert.equal([response.status, response.headers.get('allow')], [405, 'GET, HEAD, OPTIONS']);
  await server.stop();
});
