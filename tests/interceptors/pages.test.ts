/** `pages`: the query of a list, its links to next pages, and lists that change while they are read. */
import { type ApiServer, type IdCodec, integerId, reply, uuidId } from '../../src/index.ts';
import { pages } from '../../src/interceptors/index.ts';
import { makeDocument, findOperation } from '../support/make-document.ts';
import { Random } from '../support/random.ts';
import { assertRejected } from '../support/rejected-endpoint.ts';
import { assert, facts, message, readProblem, rejections, send, serve, suite } from '../support/facts.ts';

interface Item {
  readonly id: number;
}
type Run = (request: any) => unknown;

const SEVEN: readonly Item[] = [1, 2, 3, 4, 5, 6, 7].map((id) => ({ id }));
const byId = ({ id }: Item): number => id;
const listAfter: Run = ({ page: { take, after = 0 } }) => SEVEN.filter(({ id }) => id > Number(after)).slice(0, take);
const declareList = (use: object, run: Run = listAfter, properties: object = {}) => (server: ApiServer): void => {
  server.registerEndpoint('/pet', { id: integerId, list: { use, run, ...properties } } as never);
};

async function listItems(use: object, target: string, run?: Run, properties?: object): Promise<{ status: number; ids: readonly number[]; link: string | undefined }> {
  let result = { status: 0, ids: [] as readonly number[], link: undefined as string | undefined };
  await serve(declareList(use, run, properties), async ({ port }) => {
    const { status, headers, body } = await send(port, message('GET', target));
    result = { status, ids: (JSON.parse(body) as Item[]).map(byId), link: headers.get('link') };
  });
  return result;
}

const queries = suite('G1: the query of a list in pages');
for (const [query, ids, link] of [
  ['', [1, 2, 3], '<?after=3>; rel="next"'],
  ['?', [1, 2, 3], '<?after=3>; rel="next"'],
  ['?limit=2', [1, 2], '<?limit=2&after=2>; rel="next"'],
  ['?limit=02&after=2', [3, 4], '<?limit=02&after=4>; rel="next"'],
  ['?after=4', [5, 6, 7], undefined],
  ['?after=3', [4, 5, 6], '<?after=6>; rel="next"'],
  ['?after=7', [], undefined],
  ['?limit=5', [1, 2, 3, 4, 5], '<?limit=5&after=5>; rel="next"'],
  ['?limit=6', [1, 2, 3, 4, 5], '<?limit=6&after=5>; rel="next"'],
  [`?limit=${'9'.repeat(400)}`, [1, 2, 3, 4, 5], `<?limit=${'9'.repeat(400)}&after=5>; rel="next"`],
  ['?after=2&tag=b&limit=1&tag=a', [3], '<?tag=b&limit=1&tag=a&after=3>; rel="next"'],
  ['?tag=%3E%22%2C%C3%A9+x&%61fter=2&limit=1', [3], '<?tag=%3E%22%2C%C3%A9+x&limit=1&after=3>; rel="next"'],
  ['?tag=">,', [1, 2, 3], '<?tag=%22%3E%2C&after=3>; rel="next"'],
] as const) {
  queries(`${query.slice(0, 60) || 'none'} -> ${ids.join(' ')}, ${link?.slice(0, 60) ?? 'no link'}`, async () => {
    assert.equal(await listItems(pages({ cursor: byId, max: 5, default: 3 }), `/v1/pet${query}`), { status: 200, ids, link });
  });
}
const LIMIT = { detail: 'limit: expected an integer from 1', parameter: 'limit' };
const AFTER = { detail: 'after: expected a cursor from a link to a next page', parameter: 'after' };
facts(queries, declareList(pages({ cursor: byId, codec: integerId }), () => assert.unreachable()), ([
  ['limit=0', LIMIT], ['limit=000', LIMIT], ['limit=-1', LIMIT], ['limit=1.5', LIMIT],
  ['limit=1e1', LIMIT], ['limit=0x1', LIMIT], ['limit=', LIMIT], ['limit', LIMIT],
  ['limit=%201', LIMIT], ['limit=1&limit=1', LIMIT], ['after=x', AFTER], ['after=', AFTER], ['after=1&after=1', AFTER], ['limit=x&after=x', LIMIT, AFTER],
] as const).map(([query, ...errors]) => [
  'the list is not read', `GET /v1/pet?${query}`, `400 Bad arguments: ${errors.map(({ detail }) => detail).join('; ')} ${errors.map(({ parameter }) => `@${parameter}`).join(' ')}`,
]));
queries('the rest of it is decoded by the operation', async () => {
  const query = ({ tag, ...others }: any): unknown => [tag, Object.keys(others)];
  await serve(declareList(pages({ cursor: byId }), (request) => [{ id: request.query, page: request.page }], { query }), async ({ port }) => {
    assert.equal(JSON.parse((await send(port, message('GET', '/v1/pet?tag=a&limit=3&after=x'))).body), [{ id: ['a', []], page: { take: 4, after: 'x' } }]);
  });
});
queries('has other names, if the user gives them', async () => {
  const use = pages({ cursor: byId, limit: 'first', after: 'cursor', default: 2 });
  assert.equal(await listItems(use, '/v1/pet?limit=7&cursor=1&after=5'), { status: 200, ids: [2, 3], link: '<?limit=7&after=5&cursor=3>; rel="next"' });
  assert.equal((await listItems(use, '/v1/pet?first=1')).ids, [1]);
});
queries('has 20 as its limit, or max if that is less', async () => {
  const run: Run = ({ page }) => [{ id: page.take }];
  for (const [options, take] of [[{}, 21], [{ max: 7 }, 8], [{ max: 7, default: 3 }, 4]] as const) {
    assert.equal((await listItems(pages({ cursor: byId, ...options }), '/v1/pet', run)).ids, [take]);
  }
  assert.equal((await listItems(pages({ cursor: byId }), '/v1/pet?limit=1000', run)).ids, [101]);
});

const results = suite('G2: the result of a list in pages');
for (const [what, run, properties, expected, link] of [
  ['a promise', async () => SEVEN, {}, '[{"id":1}]', '<?limit=1&after=1>; rel="next"'],
  ['a list without items', () => [], {}, '[]', undefined],
  ['a reply', () => reply(200, SEVEN, { 'X-Total': '7' }), {}, '[{"id":1}]', '<?limit=1&after=1>; rel="next"'],
  ['a reply with links', () => reply(200, SEVEN, { link: ['</a>; rel="up"', '</b>; rel="help"'] }),
    {}, '[{"id":1}]', '</a>; rel="up", </b>; rel="help", <?limit=1&after=1>; rel="next"'],
  ['what output makes of it', () => SEVEN, { output: (items: readonly Item[]) => items.map(({ id }) => `id ${id}`) },
    '["id 1"]', '<?limit=1&after=1>; rel="next"'],
] as const) {
  results(`${what} -> ${expected}`, () => serve(declareList(pages({ cursor: byId }), run, properties), async ({ port }) => {
    const { status, headers, body } = await send(port, message('GET', '/v1/pet?limit=1'));
    assert.equal([status, body, headers.get('link'), headers.get('content-type')], [200, expected, link, 'application/json']);
  }));
}
results('a reply keeps its headers, and its ETag is compared: 304', async () => {
  await serve(declareList(pages({ cursor: byId }), () => reply(200, SEVEN, { 'X-Total': '7', ETag: '"1"' })), async ({ port }) => {
    assert.is((await send(port, message('GET', '/v1/pet'))).headers.get('x-total'), '7');
    assert.is((await send(port, message('GET', '/v1/pet', '', ['If-None-Match: "1"']))).status, 304);
  });
});
results('a reply without a body is left as it is', async () => {
  await serve(declareList(pages({ cursor: byId }), () => reply(303, undefined, { Location: '/v1/other' })), async ({ port }) => {
    const { status, headers } = await send(port, message('GET', '/v1/pet'));
    assert.equal([status, headers.get('location'), headers.get('link')], [303, '/v1/other', undefined]);
  });
});
facts(results, declareList(pages({ cursor: byId, default: 2 })), [['HEAD has the link too', 'HEAD /v1/pet', '200 length 19 | Link: <?after=2>; rel="next"']]);
for (const [what, cursor, run, text] of [
  ['no array', byId, () => ({ items: [] }), /a list in pages must return an array: object/],
  ['an item without a cursor', () => undefined, () => SEVEN, /the cursor of an item must be a string or a number: undefined/],
] as const) {
  facts(results, declareList(pages({ cursor: cursor as never, default: 1 }), run), [[what, 'GET /v1/pet', '500', text]]);
}

const cursors = suite('G1: cursors');
for (const [what, cursor] of [['a string', 'a b&c=é/"<>'], ['a number', -1.5], ['a bigint', 2n ** 70n]] as const) {
  cursors(`${what} comes back as text`, async () => {
    const seen: unknown[] = [];
    const run: Run = ({ page }) => (seen.push(page.after), SEVEN);
    await serve(declareList(pages({ cursor: () => cursor, default: 1 }), run), async ({ port }) => {
      const link = (await send(port, message('GET', '/v1/pet'))).headers.get('link') ?? '';
      await send(port, message('GET', `/v1/pet${link.slice(1, link.indexOf('>'))}`));
      assert.equal(seen, [undefined, String(cursor)]);
    });
  });
}
cursors('of several parts are what the codec makes of them', async () => {
  const codec: IdCodec<readonly [string, number]> = {
    parse: (text) => JSON.parse(text) as [string, number],
    format: JSON.stringify,
  };
  const seen: unknown[] = [];
  const run: Run = ({ page }) => (seen.push(page.after), SEVEN);
  await serve(declareList(pages({ cursor: ({ id }: Item) => ['a', id] as const, codec, default: 2 }), run), async ({ port }) => {
    const { headers } = await send(port, message('GET', '/v1/pet'));
    assert.is(headers.get('link'), '<?after=%5B%22a%22%2C2%5D>; rel="next"');
    await send(port, message('GET', '/v1/pet?after=%5B%22a%22%2C2%5D'));
    assert.equal(seen, [undefined, ['a', 2]]);
    assert.equal(readProblem(await send(port, message('GET', '/v1/pet?after=%5B'))).errors, [AFTER]);
  });
});

const changing = suite('G2: a list that changes while it is read');
/** Reads all pages, and changes the list after each. Returns what a client has got, and which of the items were there all the time. */
async function readWhileChanging(use: object, run: (items: readonly Item[]) => Run, seed: number): Promise<{ read: readonly number[]; stayed: readonly number[] }> {
  const random = new Random(seed);
  // New items get an id between others too, so that they appear before what was read already.
  let items: readonly Item[] = Array.from({ length: 60 }, (_, at) => ({ id: (at + 1) * 1000 }));
  let stayed = new Set(items.map(byId));
  const read: number[] = [];
  await serve(declareList(use, (request) => run(items)(request)), async ({ port }) => {
    for (let query = '?limit=7'; query !== '';) {
      const { headers, body } = await send(port, message('GET', `/v1/pet${query}`));
      read.push(...(JSON.parse(body) as Item[]).map(byId));
      const link = headers.get('link');
      query = link === undefined ? '' : link.slice(1, link.indexOf('>'));
      const kept = items.filter(() => random.below(10) > 0);
      const added = Array.from({ length: 3 }, () => ({ id: random.below(60_000) * 2 + 1 }));
      items = [...new Map([...kept, ...added].map((item) => [item.id, item])).values()].sort((one, two) => one.id - two.id);
      stayed = new Set([...stayed].filter((id) => items.some((item) => item.id === id)));
    }
  });
  return { read, stayed: [...stayed] };
}
const SEEDS = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10];
changing('by ids: no item comes twice, and none of those that stay is left out', async () => {
  for (const seed of SEEDS) {
    const run = (items: readonly Item[]): Run => ({ page: { take, after = 0 } }) => items.filter(({ id }) => id > after).slice(0, take);
    const { read, stayed } = await readWhileChanging(pages({ cursor: byId, codec: integerId }), run, seed);
    assert.is(new Set(read).size, read.length);
    assert.equal(stayed.filter((id) => !read.includes(id)), []);
    assert.ok(stayed.length > 5 && stayed.length < 60, String(stayed.length));
  }
});
changing('by offsets, which are not cursors: items come twice, and others are left out', async () => {
  let [twice, leftOut] = [0, 0];
  for (const seed of SEEDS) {
    let offset = 0;
    const use = pages({ cursor: () => offset, codec: integerId });
    const run = (items: readonly Item[]): Run => ({ page: { take, after = 0 } }) => {
      offset = after + take - 1;
      return items.slice(after, after + take);
    };
    const { read, stayed } = await readWhileChanging(use, run, seed);
    twice += read.length - new Set(read).size;
    leftOut += stayed.filter((id) => !read.includes(id)).length;
  }
  assert.ok(twice > 0 && leftOut > 0, `${twice} twice, ${leftOut} left out`);
});

const documented = suite('G1: pages in a document');
documented('are two parameters, before those of the operation', () => {
  const use = pages({ cursor: () => '', codec: uuidId, max: 7 });
  const { parameters } = findOperation(makeDocument(declareList(use, listAfter, { query: String })), 'petList');
  assert.equal(parameters?.map(({ name, in: place, required, schema }) => ({ name, place, required, type: schema['type'], format: schema['format'], minimum: schema['minimum'], standard: schema['default'] })), [
    { name: 'limit', place: 'query', required: undefined, type: 'integer', format: undefined, minimum: 1, standard: 7 },
    { name: 'after', place: 'query', required: undefined, type: 'string', format: 'uuid', minimum: undefined, standard: undefined },
    { name: 'query', place: 'query', required: undefined, type: undefined, format: undefined, minimum: undefined, standard: undefined },
  ]);
  assert.is(parameters?.[0]?.description, 'The maximum of items in the page, up to 7.');
  assert.is(parameters?.[0]?.schema['x-maximum'], 7);
});

const rejected = suite('G1: a wrong use of pages');
for (const [options, text] of [
  [{}, 'pages needs options.cursor: (item) => item.id'],
  [undefined, 'pages needs options.cursor: (item) => item.id'],
  [{ cursor: 'id' }, 'options.cursor must be a function: string'],
  [{ cursor: byId, size: 7 }, 'unknown option options.size: it can be one of max, default, limit, after, cursor, codec, sort, prev, before, envelope'],
  [{ cursor: byId, max: 0 }, 'options.max must be a whole number from 1 to 9007199254740990: 0'],
  [{ cursor: byId, max: 7, default: 8 }, 'options.default must be a whole number from 1 to 7: 8'],
  [{ cursor: byId, limit: 7 }, 'options.limit must be a string: 7'],
  [{ cursor: byId, limit: 'after' }, 'options.limit and options.after must be different: "after"'],
  [{ cursor: byId, codec: Number }, 'options.codec must be an object: function Number() { [native code] }'],
  [{ cursor: byId, codec: { parse: Number } }, 'options.codec must have parse and format'],
] as const) rejections(rejected, [['', () => pages(options as never), text]]);
for (const [declared, text] of [
  [{ get: { use: pages({ cursor: byId }), run: () => 1 } }, 'endpoint.get must not have pages: only custom (GET), itemCustom (GET) and list can have them'],
  [{ create: { use: pages({ cursor: byId }), run: () => 1 } }, 'endpoint.create must not have pages: only custom (GET), itemCustom (GET) and list can have them'],
  [{ use: pages({ cursor: byId }), custom: { find: () => 1 } },
    'endpoint.custom.find must not have pages: only custom (GET), itemCustom (GET) and list can have them. '
      + 'A search by POST takes after and limit in its input, and returns next'],
] as const) {
  rejected(`TypeError at registration: ${text}`, () => assertRejected(declared, text));
}
