/** Each bug of a server is found by the check that is for it. */
import { assert, suite } from '../support/facts.ts';
import { anyone } from '../../src/auth/index.ts';
import { ApiError, integerId, reply, type ApiServer, type Middleware } from '../../src/index.ts';
import { memoryIdempotencyStore, pages } from '../../src/interceptors/index.ts';
import { checksOf, failuresOf, type Parts, type Pet, standard } from './pet-server.ts';

type Bug = (parts: Parts, server: ApiServer) => void;

/** Replaces an operation. `run` gets the right one. */
function operation(name: string, change: (right: any, parts: Parts) => any): Bug {
  return (parts) => {
    parts.endpoint = { ...parts.endpoint, [name]: change(parts.endpoint[name], parts) };
  };
}

/** Replaces the function of a long form. */
function replaceRun(name: string, run: (parts: Parts, ...args: any[]) => unknown): Bug {
  return operation(name, (right, parts) => ({ ...(typeof right === 'object' && right), run: (...args: any[]) => run(parts, ...args) }));
}

function breakResponses(when: (method: string, url: string) => boolean, listener: Middleware): Bug {
  return (_, server) => server.use((request, response, next) => {
    if (when(request.method ?? '', request.url ?? '')) listener(request, response, next);
    else next();
  });
}

const isItem = (url: string): boolean => /^\/v1\/pet\/\d+$/.test(url);
const respond = (status: number, headers: Record<string, string>, body = ''): Middleware => (request, response) => {
  request.resume();
  response.writeHead(status, headers).end(body);
};
const changeContext = (change: object): Bug => (parts) => Object.assign(parts.endpoint, { context: Object.assign((...args: any[]) => parts.context(args[0]), parts.context, change) });

/** Responds to the requests that have a header, or do not have it. */
function interceptByHeader(field: string, when: (value: string | undefined, method: string, url: string) => boolean, listener: Middleware): Bug {
  return (_, server) => server.use((request, response, next) => {
    const { method = '', url = '', headers: { [field]: value } } = request;
    if (when(value?.toString(), method, url)) listener(request, response, next);
    else next();
  });
}

/** Replaces the list of the pets behind a cursor. */
const breakList = (listed: (all: [number, Pet][], after: number, take: number) => [number, Pet][]): Bug =>
  replaceRun('list', ({ pets }, { page: { after = '0', take } }) => listed([...pets], Number(after), take).map(([, pet]) => pet));
const DIFFERENT = 'PUT /v1/pet/:id: one with a different body changes GET /v1/pet/:id';
const PAGES = 'GET /v1/pet: its pages of one item are the whole list';
const LISTED = standard({ type: 'array', items: { type: 'object', properties: { id: { type: 'integer' }, name: { type: 'string' }, legs: { type: 'integer' } } } });
/** A list that clients can sort, with a bug. */
const breakSort = (listed: (all: readonly [number, Pet][], page: any) => readonly [number, Pet][], envelope = false): Bug => (parts) => {
  const use = pages({ cursor: ({ id }: { readonly id: number; readonly legs: number }) => id, codec: integerId, sort: { legs: integerId }, prev: true, envelope });
  Object.assign(parts.endpoint, { list: { context: anyone, use, output: LISTED, run: ({ page }: any) => listed([...parts.pets], page).map(([id, pet]) => ({ ...pet, id })) } });
};
const selectPets = (all: readonly [number, Pet][], { after, by, descending, take }: any, least = 1): [number, Pet][] => {
  const position = ([id, { legs }]: readonly [number, Pet]): number => (by === undefined ? 0 : legs * 1000) + id;
  const last = after === undefined ? undefined : (after.key ?? 0) * 1000 + after.id;
  const sign = descending ? -1 : 1;
  return all.filter((each) => last === undefined || (position(each) - last) * sign >= least).sort((one, other) => (position(one) - position(other)) * sign).slice(0, take);
};
/** A list that clients can sort, whose pages are all the same. */
const sortedAs = (page: string, envelope = false): Bug => (parts, server) => {
  breakSort(selectPets, envelope)(parts, server);
  breakResponses((method, url) => method === 'GET' && url.startsWith('/v1/pet?'), respond(200, { 'Content-Type': 'application/json' }, page))(parts, server);
};
const BY_LEGS = `${PAGES}, by legs`;
const BACK = 'GET /v1/pet: its previous pages have the items before';
const TAG = 'GET /v1/pet/:id: an ETag, and 304 to If-None-Match with it';
const CHANGE = 'PATCH /v1/pet/:id: If-Match with the version of GET /v1/pet/:id -> success, and 412 once that has changed';
const REPEATED = 'POST /v1/pet: a repeated Idempotency-Key -> the first response again, and changes nothing';

/** The request, its response, what was expected, and which declaration says so. */
const FORM = /^[A-Z]+ \/v1\/\S+(?: with .+)? (?:returned \d{3}.* Expected: .+ \(\w+, [\w.]+ of "\/pet"\)|got no complete response.*: [\w.]+ of "\/pet")$/s;

const bugs = suite('Y1 Y2 Y3: a planted bug');
for (const [what, bug, check, message] of [
  ['a Get that changes its item', replaceRun('get', ({ pets }, id) => {
    const pet = pets.get(id);
    if (pet !== undefined) pets.set(id, { ...pet, legs: pet.legs + 1 });
    return pet;
  }), 'GET /v1/pet/:id: has the same response twice, and changes nothing', /nothing changes, but GET \/v1\/pet\/1 has a different response than before: 200 \{"name":"Rex","legs":\d+\}, then 200 \{"name":"Rex","legs":\d+\} /],
  ['a Get that adds to the list', replaceRun('get', (parts, id) => {
    if (parts.pets.has(id)) parts.insert({ name: 'ghost', legs: 0 });
    return parts.pets.get(id);
  }), 'GET /v1/pet/:id: has the same response twice, and changes nothing', /nothing changes, but GET \/v1\/pet has a different response/],
  ['an update that is not idempotent', replaceRun('update', (parts, id, pet: Pet) => parts.change(id, { ...pet, legs: (parts.pets.get(id)?.legs ?? 0) + 1 })),
    'PUT /v1/pet/:id: a repeated one does not change GET /v1/pet/:id', /Expected: the same GET \/v1\/pet\/:id as after the first \(RFC 9110 section 9.2.2\)/],
  ['an update that works once', replaceRun('update', (parts, id, pet: Pet) => {
    if (parts.log.includes(String(id))) throw ApiError.status(409);
    parts.log.push(String(id));
    return parts.change(id, pet);
  }), 'PUT /v1/pet/:id: a repeated one does not change GET /v1/pet/:id', /409.*Expected: success, as for the first/],
  ['an update that changes nothing', replaceRun('update', () => true), DIFFERENT,
    'PUT /v1/pet/1 with {"name":"Rex","legs":3} returned 204. Expected: a different GET /v1/pet/:id than before, since the body is different (petUpdate, update of "/pet")'],
  ['an update that notes its time alone', (parts, server) => {
    const seen = new Map<number, string>();
    const own = standard({ type: 'object', properties: { name: { type: 'string' }, legs: { type: 'integer' }, changed: { type: 'string' } } });
    replaceRun('update', (_, id) => void seen.set(id, new Date(seen.size).toISOString()))(parts, server);
    operation('get', () => ({ context: anyone, output: own, run: (id: number) => parts.pets.has(id) && { ...parts.pets.get(id), changed: seen.get(id) ?? '' } }))(parts, server);
  }, DIFFERENT, /Expected: a different GET \/v1\/pet\/:id than before, since the body is different/],
  ['a status that is not documented', operation('custom', () => ({ count: { run: () => reply(202, { pets: 1 }) } })),
    'POST /v1/pet/count: the response is as the document says', 'POST /v1/pet/count returned 202. Expected: one of the statuses 200, 401, 403, default (petCount, custom.count of "/pet")'],
  ['a leaked secret', replaceRun('get', ({ pets }, id) => pets.has(id) && { ...pets.get(id), secret: 's3cret' }),
    'GET /v1/pet/:id: the response is as the document says', 'GET /v1/pet/1 returned 200. Expected: only properties that the document names, but #/secret is not named by the schema (petGet, get of "/pet")'],
  ['a property of a different type', replaceRun('get', ({ pets }, id) => pets.has(id) && { ...pets.get(id), legs: 'four' }),
    'GET /v1/pet/:id: the response is as the document says', /a body as the document says, but #\/legs is not integer/],
  ['a property that is missing', replaceRun('list', ({ pets }) => [...pets.values()].map(({ name }) => ({ name }))),
    'GET /v1/pet: the response is as the document says', /#\/0\/legs is missing/],
  ['a scope that is not asked', changeContext({ ' internal': { checkScopes: () => undefined } }),
    'POST /v1/pet without pet:write -> 403, and changes nothing', /returned 201/],
  ['credentials that are not asked', (parts, server) => changeContext({})(Object.assign(parts, { context: Object.assign(() => ({ scopes: ['pet:write'] }), parts.context) }), server),
    'DELETE /v1/pet/:id without credentials -> 401, and changes nothing', /DELETE \/v1\/pet\/1 returned 204\. Expected: 401/],
  ['a 401 that is a 403', breakResponses((method) => method === 'DELETE', (request, _, next) => (request.headers.authorization === undefined ? next(ApiError.status(403)) : next())),
    'DELETE /v1/pet/:id without credentials -> 401, and changes nothing', /403 .*Expected: 401/],
  ['a 401 without a challenge', breakResponses((method) => method === 'DELETE', (request, response, next) => {
    if (request.headers.authorization === undefined) respond(401, { 'Content-Type': 'application/problem+json' }, '{}')(request, response, next);
    else next();
  }), 'DELETE /v1/pet/:id without credentials -> 401, and changes nothing', /Expected: the header WWW-Authenticate/],
  ['a rejected caller who has changed something', (parts, server) => {
    const right = parts.context;
    Object.assign(parts, { context: Object.assign((request: any) => {
      if (request.raw.headers.authorization === undefined) parts.insert({ name: 'ghost', legs: 0 });
      return right(request);
    }, right) });
    changeContext({})(parts, server);
  }, 'POST /v1/pet without credentials -> 401, and changes nothing', /but GET \/v1\/pet has a different response than before/],
  ['a Location of no item', replaceRun('create', (parts, pet) => parts.insert(pet) + 1000),
    'POST /v1/pet: Location leads to an item, at GET /v1/pet/:id', /GET \/v1\/pet\/1001 returned 404.*Expected: the item that was created/],
  ['no Location', replaceRun('create', (parts, pet) => reply(201, String(parts.insert(pet)), { 'Content-Type': 'text/plain' })),
    'POST /v1/pet: the response is as the document says', /Expected: the header Location/],
  ['a create without a Location to go to', operation('create', () => ({ output: { 201: standard({ type: 'object' }) }, run: () => reply(201, {}) })),
    'PUT /v1/pet/:id: the response is as the document says', /POST \/v1\/pet with \{"name":"Rex","legs":4\} returned 201\. Expected: 201 with Location/],
  ['a create that gives no text', replaceRun('create', (parts, pet) => reply(201, { id: parts.insert(pet) }, { Location: '/v1/pet/1' })),
    'POST /v1/pet: the response is as the document says', /Expected: the media type text\/plain/],
  ['a delete that deletes nothing', operation('delete', () => () => true),
    'DELETE /v1/pet/:id: GET /v1/pet/:id returns 404 after it', /Expected: 404 after DELETE \/v1\/pet\/:id/],
  ['a delete that finds nothing', operation('delete', () => () => false),
    'DELETE /v1/pet/:id: GET /v1/pet/:id returns 404 after it', /Expected: success for an item that exists/],
  ['a Get that finds nothing', replaceRun('get', () => undefined),
    'GET /v1/pet/:id: the response is as the document says', /Expected: success for an item that exists/],
  ['an operation that fails', operation('itemCustom', ({ feed }) => ({ feed: { ...feed, run: () => { throw new Error('no food'); } } })),
    'POST /v1/pet/:id/feed: the response is as the document says', /500 .*Expected: success for the sample/],
  ['an error that is not a problem', breakResponses((method, url) => method === 'PATCH' && isItem(url), respond(500, { 'Content-Type': 'text/html' }, '<p>')),
    'PATCH /v1/pet/:id: the response is as the document says', /Expected: the media type application\/problem\+json/],
  ['JSON that is none', breakResponses((method, url) => method === 'GET' && url === '/v1/pet', respond(200, { 'Content-Type': 'application/json' }, '[')),
    'GET /v1/pet: the response is as the document says', /Expected: JSON/],
  ['a decoder that accepts what its schema rejects', operation('patch', ({ run }) => ({ input: standard({ type: 'object' }, (value) => ({ value })), run })),
    'PATCH /v1/pet/:id: null, which its schema rejects -> 400, and changes nothing', /returned 204\. Expected: 400/],
  ['a decoder that writes before it rejects', (parts) => {
    const { validate } = parts.schema['~standard'];
    parts.schema['~standard'].validate = (value: unknown) => {
      const result = validate(value);
      if ('issues' in result) parts.insert({ name: 'ghost', legs: 0 });
      return result;
    };
  }, 'POST /v1/pet: null, which its schema rejects -> 400, and changes nothing', /but GET \/v1\/pet has a different response than before/],
  ['a response that never comes', breakResponses((method) => method === 'PATCH', () => {}), 'PATCH /v1/pet/:id: the response is as the document says',
    /PATCH \/v1\/pet\/1 with \{"legs":3\} got no complete response after 200 ms: patch of "\/pet"/],
  ['a connection that is closed', breakResponses((method) => method === 'PATCH', (request) => request.destroy()),
    'PATCH /v1/pet/:id: the response is as the document says', /PATCH \/v1\/pet\/1 with \{"legs":3\} got no complete response: patch of "\/pet"/],
  ['a page that is left out', breakList((all, after, take) => all.filter(([id]) => id > after + Number(after > 0)).slice(0, take)),
    PAGES, /Expected: all 3 items of the list: 2 were sent/],
  ['an item on two pages', breakList((all, after, take) => all.filter(([id]) => id >= after).slice(0, take)),
    PAGES, /Expected: no item at position 3 of the list/],
  ['a list without a link to its next page', breakList((all, after, take) => all.filter(([id]) => id > after).slice(0, take - 1)),
    PAGES, /Expected: all 3 items of the list: 1 were sent/],
  ['items with one key on one page', breakSort((all, page) => (page.by === undefined ? selectPets(all, page) : selectPets(all, page, 999))),
    BY_LEGS, /Expected: all 3 items of the list: 1 were sent/],
  ['a sort that leaves items out', breakSort((all, page) => selectPets(page.by === undefined ? all : all.slice(0, -1), page)),
    BY_LEGS, /Expected: all 3 items of the list: 2 were sent/],
  ['a sort that is never descending', breakSort((all, page) => selectPets(all, { ...page, descending: false })),
    `${PAGES}, by -legs`, /Expected: .* at position 0 of the list, not/],
  ['a previous page that is the next', breakSort((all, page) => selectPets(all, { ...page, descending: false })),
    BACK, /at position 0 of the list, not|Expected: all 2 items/],
  ['previous pages that leave items out', breakSort((all, page) => selectPets(page.descending ? all.filter(([id]) => id !== 2) : all, page)),
    BACK, /Expected: all 2 items before the last page: 1 were sent/],
  ['a list without links to previous pages', sortedAs('[]'), BACK, /Expected: a Link with rel="prev", to the page before the last one/],
  ['an envelope without its Link', sortedAs('{"items":[],"next":"?after=1"}', true),
    PAGES, /Expected: the same next in the body as in Link: undefined, not \?after=1/],
  ['a list that is none', replaceRun('list', () => reply(200, {})), PAGES, /500/],
  ['a lost ETag', replaceRun('get', ({ pets }, id) => reply(200, pets.get(id) ?? {})), TAG, /Expected: a strong ETag, not undefined/],
  ['a weak ETag', replaceRun('get', ({ pets }, id) => reply(200, pets.get(id) ?? {}, { ETag: 'W/"1"' })), TAG, /Expected: a strong ETag, not W\/"1"/],
  ['an If-None-Match that is ignored', interceptByHeader('if-none-match', (value, method) => value !== undefined && method === 'GET', respond(200, { 'Content-Type': 'application/json' }, '{"name":"Rex","legs":4}')),
    TAG, /Expected: 304 to If-None-Match: "Rex/],
  ['a version that never changes', (parts) => Object.assign(parts.endpoint, { version: () => 1 }), CHANGE, /Expected: a different ETag than before PATCH/],
  ['a version that is compared with an old one', (parts) => Object.assign(parts.endpoint, { currentVersion: () => 'Rex 4' }),
    CHANGE, /Expected: 412 to If-Match: .*, the version before the change/],
  ['a version that nothing matches', (parts) => Object.assign(parts.endpoint, { currentVersion: () => 'none' }),
    CHANGE, /412 .*Expected: success for If-Match: .*, the version of GET/],
  ['an If-Match that is ignored', interceptByHeader('if-match', (value, method) => value !== undefined && method === 'PUT', respond(204, {})),
    'PUT /v1/pet/:id: If-Match with a different version -> 412, and changes nothing', /204\. Expected: 412/],
  ['a key that is forgotten', (parts) => { parts.keys = { once: async (_, run) => (await run({}), 'done') }; },
    REPEATED, /Expected: 201 with the body of the first response/],
  ['a key that is another request', (parts) => {
    const right = parts.keys;
    parts.keys = { once: async (claim, run) => {
      const kept = await right.once(claim, run);
      return typeof kept === 'string' ? kept : { ...kept, fingerprint: claim?.fingerprint ?? '' };
    } };
  }, 'POST /v1/pet: a different body with the same Idempotency-Key -> 422, and changes nothing', /201\. Expected: 422/],
  ['a response that does not say that it is an old one', (parts) => {
    parts.keys = memoryIdempotencyStore();
    const { use } = parts.endpoint['create'];
    parts.endpoint['create'].use = { ...use, around: async (call: any, run: any) => {
      const { headers: { 'Idempotent-Replayed': _, ...headers }, ...rest } = Object(await use.around(call, run)) as any;
      return call.response({ ...rest, headers });
    } };
  }, REPEATED, /Expected: Idempotent-Replayed: true/],
] as readonly (readonly [string, Bug, string, string | RegExp])[]) {
  bugs(`${what} is found by "${check}"`, async () => {
    const all = checksOf(bug, what === 'a response that never comes' ? { timeoutMs: 200 } : {});
    const found = all.find(({ name }) => name === check);
    assert.ok(found, all.map(({ name }) => name).join('\n'));
    const failed = await failuresOf([found]);
    assert.match(failed.get(check) ?? 'no failure', FORM);
    if (typeof message === 'string') assert.is(failed.get(check), message);
    else assert.match(failed.get(check) ?? 'no failure', message);
  });
}
