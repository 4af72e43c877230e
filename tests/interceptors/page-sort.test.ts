/** `pages` with `sort`, `prev` and `envelope`: orders, hostile cursors, ways back, and lists that change meanwhile. */
import { client } from '../../src/client/index.ts';
import { ApiError, type ApiServer, defineEndpoint, defineFormat, integerId, problem, reply, stringId } from '../../src/index.ts';
import { dateKey, pages } from '../../src/interceptors/index.ts';
import { call } from '../mcp/serve-tools.ts';
import { mcpHandler } from '../../src/mcp/index.ts';
import { ndjson } from '../../src/formats/index.ts';
import { makeDocument, makeJsonSchema, findOperation } from '../support/make-document.ts';
import { Random } from '../support/random.ts';
import { assertRejected } from '../support/rejected-endpoint.ts';
import { assert, message, RawClient, readProblem, rejections, send, serve, suite } from '../support/facts.ts';

interface Pet {
  readonly id: number;
  readonly name: string;
  readonly legs: number;
  readonly born: Date;
}
type Run = (request: any) => unknown;

const pet = (id: number, name: string, legs: number, day: number): Pet => ({ id, name, legs, born: new Date(Date.UTC(2026, 0, day)) });
const PETS: readonly Pet[] = [pet(1, 'Rex', 4, 3), pet(2, 'Asp', 0, 1), pet(3, 'Boa', 0, 2), pet(4, 'Asp', 0, 3), pet(5, 'Éà "x"', 4, 2)];
const byId = ({ id }: Pet): number => id;
const compareValues = (one: unknown, other: unknown): number => (one === other ? 0 : (one as string) < (other as string) ? -1 : 1);

/** Sorts and cuts as a database does by `WHERE (key, id) > ($1, $2) ORDER BY key, id LIMIT $3`. */
const selectPage = (pets: () => readonly Pet[], calls: unknown[] = []): Run => ({ page }) => {
  calls.push(page);
  const { take, after, by, descending } = page;
  const keyOf = (each: any): unknown => (by === undefined ? 0 : each[by] instanceof Date ? each[by].getTime() : each[by]);
  const order = (one: readonly [unknown, unknown], other: readonly [unknown, unknown]): number => {
    return (compareValues(one[0], other[0]) || compareValues(one[1], other[1])) * (descending ? -1 : 1);
  };
  const last = after === undefined ? undefined : [by === undefined ? 0 : after.key instanceof Date ? after.key.getTime() : after.key, after.id] as const;
  return pets().filter((each) => last === undefined || order([keyOf(each), each.id], last) > 0)
    .sort((one, other) => order([keyOf(one), one.id], [keyOf(other), other.id])).slice(0, take);
};
const OPTIONS = { cursor: byId, codec: integerId, sort: { name: stringId, legs: integerId, born: dateKey }, default: 2 } as const;
const declareList = (options: object, run: Run = selectPage(() => PETS), properties: object = {}) => (server: ApiServer): void => {
  server.registerEndpoint('/pet', { id: integerId, list: { use: pages({ ...OPTIONS, ...options } as never), run, ...properties } } as never);
};
const cursor = (...parts: readonly unknown[]): string => Buffer.from(JSON.stringify(parts)).toString('base64url');

interface Page {
  readonly ids: readonly number[];
  readonly links: Readonly<Record<string, string>>;
}

/** Gets a page, over a new connection to a port or over this one. Its links are by their relations. */
async function getPage(to: number | RawClient, query: string): Promise<Page> {
  const request = message('GET', `/v1/pet${query}`);
  const { status, headers, body } = await (typeof to === 'number' ? send(to, request) : (to.send(request), to.response()));
  assert.is(status, 200, body);
  const json = JSON.parse(body) as readonly Pet[] | { readonly items: readonly Pet[] };
  const links = [...(headers.get('link') ?? '').matchAll(/<([^>]*)>; rel="(\w+)"/g)].map(([, url = '', relation = '']) => [relation, url]);
  return { ids: ('items' in json ? json.items : json).map(byId), links: Object.fromEntries(links) as Page['links'] };
}

const sorted = suite('G3: the sort of a list in pages');
for (const [query, ids, next] of [
  ['', [1, 2], `?after=${cursor('', '2')}`],
  ['?limit=9', [1, 2, 3, 4, 5], undefined],
  [`?after=${cursor('', '2')}`, [3, 4], `?after=${cursor('', '4')}`],
  ['?sort=name', [2, 4], `?sort=name&after=${cursor('name', '4', 'Asp')}`],
  ['?sort=-name', [5, 1], `?sort=-name&after=${cursor('-name', '1', 'Rex')}`],
  [`?sort=-name&after=${cursor('-name', '1', 'Rex')}&limit=3`, [3, 4, 2], undefined],
  ['?sort=-name&limit=1', [5], `?sort=-name&limit=1&after=${cursor('-name', '5', 'Éà "x"')}`],
  ['?limit=1&legs=4&sort=-legs', [5], `?limit=1&legs=4&sort=-legs&after=${cursor('-legs', '5', '4')}`],
  [`?sort=legs&after=${cursor('legs', '2', '0')}`, [3, 4], `?sort=legs&after=${cursor('legs', '4', '0')}`],
  ['?sort=born', [2, 3], `?sort=born&after=${cursor('born', '3', '2026-01-02T00:00:00.000Z')}`],
  // Of an item that was deleted, or of one that never was.
  [`?sort=name&after=${cursor('name', '9', 'Boa')}`, [1, 5], undefined],
] as const) {
  sorted(`${query || 'none'} -> ${ids.join(' ')}`, () => serve(declareList({}), async ({ port }) => {
    assert.equal(await getPage(port, query), { ids, links: next === undefined ? {} : { next } });
  }));
}
sorted('is what the operation gets, with keys as the codecs parse them', async () => {
  const calls: unknown[] = [];
  await serve(declareList({}, selectPage(() => PETS, calls)), async ({ port }) => {
    await getPage(port, '?sort=-born');
    await getPage(port, `?sort=born&after=${cursor('born', '2', '2026-01-01T00:00:00.000Z')}`);
    await getPage(port, `?limit=7&after=${cursor('', '2')}`);
  });
  assert.equal(calls, [
    { take: 3, after: undefined, descending: true, by: 'born' },
    { take: 3, after: { id: 2, key: new Date('2026-01-01') }, descending: false, by: 'born' },
    { take: 8, after: { id: 2, key: undefined }, descending: false, by: undefined },
  ]);
});
sorted('by a list of names has keys that are strings, a date in ISO 8601', async () => {
  const calls: any[] = [];
  await serve(declareList({ sort: ['legs', 'born'], codec: undefined }, (request) => (calls.push(request.page), PETS)), async ({ port }) => {
    for (const first of ['?sort=-legs&limit=1', '?sort=born&limit=1', '?limit=1']) await getPage(port, (await getPage(port, first)).links['next'] ?? '');
  });
  assert.equal(calls.filter(({ after }) => after !== undefined).map(({ after }) => after), [
    { id: '1', key: '4' }, { id: '1', key: '2026-01-03T00:00:00.000Z' }, { id: '1', key: undefined },
  ]);
});
for (const [query, detail] of [
  ['sort=', 'sort: expected one of name, -name, legs, -legs, born, -born'],
  ['sort=id', 'sort: expected one of name, -name, legs, -legs, born, -born'],
  ['sort=--name', 'sort: expected one of name, -name, legs, -legs, born, -born'],
  ['sort=Name', 'sort: expected one of name, -name, legs, -legs, born, -born'],
  ['sort=name;DROP%20TABLE%20pet', 'sort: expected one of name, -name, legs, -legs, born, -born'],
  ['sort=__proto__', 'sort: expected one of name, -name, legs, -legs, born, -born'],
  ['sort=name&sort=legs', 'sort: expected one of name, -name, legs, -legs, born, -born'],
  ['sort=x&after=y', 'sort: expected one of name, -name, legs, -legs, born, -born'],
] as const) {
  sorted(`?${query} -> 400, and the list is not read`, () => serve(declareList({}, () => assert.unreachable()), async ({ port }) => {
    assert.equal(readProblem(await send(port, message('GET', `/v1/pet?${query}`))).errors, [{ detail, parameter: 'sort' }]);
  }));
}
for (const [what, value, type] of [['null', null, 'null'], ['missing', undefined, 'undefined'], ['an object', {}, 'object']] as const) {
  sorted(`by a key that is ${what} -> 500, logged`, () => serve(declareList({ sort: ['name'] }, () => PETS.map((each) => ({ ...each, name: value }))), async ({ port, errors }) => {
    assert.is((await send(port, message('GET', '/v1/pet?sort=name'))).status, 500);
    assert.match(errors[0]?.message ?? '', `the sort key "name" of an item: a sort key must be a string, a number or a Date: ${type}`);
  }));
}
for (const [what, value] of [['infinity, as pg reads it', Infinity], ['not a date', new Date(NaN)], ['a date that is too late', new Date(8e15)]] as const) {
  sorted(`by dateKey, of a key that is ${what} -> 500, and the log names the key`, () => serve(declareList({}, () => PETS.map((each) => ({ ...each, born: value }))), async ({ port, errors }) => {
    assert.is((await send(port, message('GET', '/v1/pet?sort=born'))).status, 500);
    assert.match(errors[0]?.message ?? '', 'the sort key "born" of an item: expected a date in ISO 8601');
  }));
}
const short = { parse: String, format: (name: string): string => {
  if (name.length > 20) throw new TypeError('too long');
  return name;
} };
// The third of five, by the name of a client.
for (const [what, sort, name, reason] of [
  ['too long for a URL', ['name'], `Bz${'x'.repeat(3100)}`, 'the sort key of an item is too long for a URL: limit the length of the stored property'],
  ['rejected by its codec', { name: short }, `Bz${'x'.repeat(30)}`, 'the sort key "name" of an item: too long'],
] as const) {
  sorted(`by a string that is ${what}: its page has no link there, which is logged, and others have theirs`, () => {
    const pets = PETS.map((each) => (each.id === 1 ? { ...each, name } : each));
    return serve(declareList({ sort, prev: true }, selectPage(() => pets)), async ({ port, errors }) => {
      assert.equal(await getPage(port, '?sort=name&limit=4'), { ids: [2, 4, 3, 1], links: {} });
      const after = cursor('name', '3', 'Boa');
      assert.equal(await getPage(port, `?sort=name&limit=1&after=${after}`), { ids: [1], links: {} });
      assert.equal(await getPage(port, `?sort=name&limit=2&after=${after}`), { ids: [1, 5], links: {} });
      assert.equal((await getPage(port, '?sort=name&limit=3')).links, { next: `?sort=name&limit=3&after=${after}` });
      assert.equal(errors.map(({ message: line }) => line),
        ['next', 'next', 'prev', 'prev'].map((relation) => `GET /v1/pet: a page has no link with rel="${relation}": ${reason}`));
    });
  });
}
sorted('with an id that its codec rejects: the page has no link, which is logged', () => {
  return serve(declareList({ cursor: ({ name }: Pet) => name, codec: { parse: String, format: (id: string) => assert.unreachable(id) } }), async ({ port, errors }) => {
    assert.equal(await getPage(port, ''), { ids: [1, 2], links: {} });
    assert.match(errors[0]?.message ?? '', 'GET /v1/pet: a page has no link with rel="next": the cursor of an item: Asp');
  });
});
sorted('with an id that no query can have: the page has no link, and no URL in its envelope', () => {
  return serve(declareList({ cursor: ({ id }: Pet) => `${id}\ud800`, codec: undefined, envelope: true }), async ({ port, errors }) => {
    assert.equal(await getPage(port, ''), { ids: [1, 2], links: {} });
    assert.match(errors[0]?.message ?? '', 'GET /v1/pet: a page has no link with rel="next": the cursor of an item has half a surrogate pair');
  });
});

const hostile = suite('G3: a hostile cursor');
const deep = '['.repeat(1500) + ']'.repeat(1500);
const base64 = (text: string): string => Buffer.from(text).toString('base64url');
for (const [what, sort, value] of [
  ['a plain id', 'name', '2'],
  ['a plain id without a sort', '', '2'],
  ['no cursor', 'name', ''],
  ['not Base64url', 'name', 'WyJuYW1lIl0='],
  ['Base64 of another alphabet', 'name', 'Wy+/'],
  ['a bit more than the bytes', 'name', `${cursor('name', '2', 'Asp').slice(0, -1)}B`],
  ['bytes that are not UTF-8', 'name', Buffer.from('["name","2","\xff"]', 'latin1').toString('base64url')],
  ['no JSON', 'name', base64('["name","2"')],
  ['JSON with white space', 'name', base64('["name", "2", "Asp"]')],
  ['another spelling in JSON', 'name', base64('["name","2","\\u0041sp"]')],
  ['not a list', 'name', base64('{"0":"name","1":"2","2":"Asp","length":3}')],
  ['null', 'name', base64('null')],
  ['a prototype', 'name', base64('{"__proto__":["name","2","Asp"]}')],
  ['a number as a key', 'name', cursor('name', '2', 7)],
  ['null as a key', 'name', cursor('name', '2', null)],
  ['a list as a key', 'name', cursor('name', '2', ['Asp'])],
  ['an object as an id', 'name', cursor('name', { $gt: '' }, 'Asp')],
  ['a missing key', 'name', cursor('name', '2')],
  ['a part too many', 'name', cursor('name', '2', 'Asp', '')],
  ['a key without a sort', '', cursor('', '2', 'Asp')],
  ['another sort', 'name', cursor('legs', '2', '0')],
  ['the reverse sort', 'name', cursor('-name', '2', 'Asp')],
  ['a sort where there is none', '', cursor('name', '2', 'Asp')],
  ['no sort where there is one', 'name', cursor('', '2')],
  ['an id that its codec rejects', 'name', cursor('name', '2 OR 1=1', 'Asp')],
  ['a key that its codec rejects', 'legs', cursor('legs', '2', '0; DROP TABLE pet')],
  ['a number that is not one', 'legs', cursor('legs', '2', 'NaN')],
  ['a date that is not one', 'born', cursor('born', '2', 'yesterday')],
  ['a date in another spelling', 'born', cursor('born', '2', '2026-01-02')],
  ['a date that no month has', 'born', cursor('born', '2', '2026-02-31T00:00:00.000Z')],
  ['a date before databases begin', 'born', cursor('born', '2', '-271821-04-20T00:00:00.000Z')],
  ['depth', 'name', base64(deep)],
  ['depth in a list of three', 'name', base64(`["name","2",${deep}]`)],
  ['length', 'name', cursor('name', '2', 'x'.repeat(3100))],
] as const) {
  hostile(`${what}, as after and as before -> 400, and the list is not read`, () => serve(declareList({ prev: true }, () => assert.unreachable()), async ({ port }) => {
    for (const [parameter, relation] of [['after', 'next'], ['before', 'previous']] as const) {
      const query = new URLSearchParams({ ...(sort && { sort }), [parameter]: value });
      assert.equal(readProblem(await send(port, message('GET', `/v1/pet?${query}`))).errors, [
        { detail: `${parameter}: expected a cursor from a link to a ${relation} page of the same sort`, parameter },
      ]);
    }
  }));
}
hostile('twice, or in both directions -> 400', () => serve(declareList({ prev: true }, () => assert.unreachable()), async ({ port }) => {
  const one = cursor('', '2');
  for (const [query, parameter] of [[`after=${one}&after=${one}`, 'after'], [`before=${one}&before=${one}`, 'before'], [`after=${one}&before=${one}`, 'before']] as const) {
    const { detail } = readProblem(await send(port, message('GET', `/v1/pet?${query}`)));
    assert.match(String(detail), ` ${parameter}: `);
  }
}));
hostile('in both directions says so', () => serve(declareList({ prev: true }, () => assert.unreachable()), async ({ port }) => {
  const { errors } = readProblem(await send(port, message('GET', `/v1/pet?after=${cursor('', '2')}&before=${cursor('', '3')}`)));
  assert.equal(errors, [{ detail: 'before: not allowed with after', parameter: 'before' }]);
}));
for (const text of ['-000001-01-01T00:00:00.000Z', '0000-12-31T23:59:59.999Z', '+010000-01-01T00:00:00.000Z', '+275760-09-13T00:00:00.000Z', '2026-01-03T00:00:00Z', 'infinity']) {
  hostile(`of the date ${text} is rejected by dateKey`, () => {
    assert.throws(() => dateKey.parse(text),
      (thrown: unknown) => thrown instanceof Error && /^expected a date in ISO 8601|^Invalid time value/.test(thrown.message));
  });
}
hostile('of a date is that of a year from 1 to 9999', () => {
  for (const text of ['0001-01-01T00:00:00.000Z', '9999-12-31T23:59:59.999Z']) assert.is(dateKey.format(dateKey.parse(text)), text);
  for (const date of [new Date('0000-12-31T23:59:59.999Z'), new Date('+010000-01-01T00:00:00.000Z')]) {
    assert.throws(() => dateKey.format(date), 'expected a date in ISO 8601, in UTC, with milliseconds, from the year 1 to 9999');
  }
});
hostile('with a key that is SQL is only a key', async () => {
  const calls: any[] = [];
  await serve(declareList({}, selectPage(() => PETS, calls)), async ({ port }) => void await getPage(port, `?sort=name&after=${cursor('name', '2', "'); DROP TABLE pet; --")}`));
  assert.equal(calls[0].after, { id: 2, key: "'); DROP TABLE pet; --" });
});
hostile('that the codec rejects by an ApiError keeps its status', () => {
  const sort = { name: { parse: () => { throw ApiError.status(410, 'Gone.'); }, format: String } };
  return serve(declareList({ sort }), async ({ port }) => {
    assert.is((await send(port, message('GET', `/v1/pet?sort=name&after=${cursor('name', '2', 'x')}`))).status, 410);
  });
});

const previous = suite('G4: the previous page of a list');
for (const [query, ids, links] of [
  ['', [1, 2], { next: `?after=${cursor('', '2')}` }],
  [`?after=${cursor('', '2')}`, [3, 4], { next: `?after=${cursor('', '4')}`, prev: `?before=${cursor('', '3')}` }],
  [`?after=${cursor('', '4')}`, [5], { prev: `?before=${cursor('', '5')}` }],
  [`?before=${cursor('', '5')}`, [3, 4], { next: `?after=${cursor('', '4')}`, prev: `?before=${cursor('', '3')}` }],
  [`?before=${cursor('', '3')}`, [1, 2], { next: `?after=${cursor('', '2')}` }],
  [`?before=${cursor('', '1')}`, [], {}],
  [`?after=${cursor('', '5')}`, [], {}],
  [`?tag=a&before=${cursor('-legs', '3', '0')}&sort=-legs&limit=1`, [4], {
    next: `?tag=a&sort=-legs&limit=1&after=${cursor('-legs', '4', '0')}`, prev: `?tag=a&sort=-legs&limit=1&before=${cursor('-legs', '4', '0')}`,
  }],
] as const) {
  previous(`${query || 'none'} -> ${ids.join(' ') || 'no items'}`, () => serve(declareList({ prev: true }), async ({ port }) => {
    assert.equal(await getPage(port, query), { ids, links });
  }));
}
previous('is the next one in the reverse order, for the operation', async () => {
  const calls: unknown[] = [];
  await serve(declareList({ prev: true }, selectPage(() => PETS, calls)), async ({ port }) => {
    for (const sort of ['legs', '-legs']) await getPage(port, `?sort=${sort}&before=${cursor(sort, '3', '0')}`);
  });
  assert.equal(calls, [
    { take: 3, after: { id: 3, key: 0 }, descending: true, by: 'legs' },
    { take: 3, after: { id: 3, key: 0 }, descending: false, by: 'legs' },
  ]);
});
previous('of a list that cannot be sorted has plain cursors', async () => {
  const calls: unknown[] = [];
  const run: Run = ({ page: { take, after, descending } }) => {
    calls.push({ take, after, descending });
    return PETS.filter(({ id }) => after === undefined || (descending ? id < after : id > after)).sort((one, other) => (one.id - other.id) * (descending ? -1 : 1)).slice(0, take);
  };
  await serve(declareList({ prev: true, sort: undefined, before: 'until' }, run), async ({ port }) => {
    assert.equal(await getPage(port, '?after=2'), { ids: [3, 4], links: { next: '?after=4', prev: '?until=3' } });
    assert.equal(await getPage(port, '?until=4'), { ids: [2, 3], links: { next: '?after=3', prev: '?until=2' } });
    const { errors } = readProblem(await send(port, message('GET', '/v1/pet?until=x')));
    assert.equal(errors, [{ detail: 'until: expected a cursor from a link to a previous page', parameter: 'until' }]);
  });
  assert.equal(calls, [{ take: 3, after: 2, descending: false }, { take: 3, after: 4, descending: true }]);
});

const walks = suite('G3: a walk through all pages');
/** Follows links. Returns the ids of each page, in order of the list. */
async function walk(client: RawClient, from: string, relation: string, onPage: () => void = () => {}): Promise<Page[]> {
  const all: Page[] = [];
  for (let query: string | undefined = from; query !== undefined && all.length < 200;) {
    const page = await getPage(client, query);
    all.push(page);
    query = page.links[relation];
    onPage();
  }
  return all;
}
const SORTS = ['', 'name', '-name', 'legs', '-legs', 'born', '-born'];
const makeRandomPet = (random: Random, id: number): Pet => pet(id, ['Rex', 'Asp', '', 'é', 'ab', 'a'][random.below(6)]!, random.below(3), 1 + random.below(3));
for (const sort of SORTS) {
  for (const envelope of [false, true]) {
    walks(`by ${sort || 'id'} forwards and back, ${envelope ? 'in envelopes' : 'in lists'}: no item is lost, and none comes twice`, async () => {
      for (const seed of [1, 2]) {
        const random = new Random(seed);
        const pets = Array.from({ length: 23 }, (_, at) => makeRandomPet(random, at + 1));
        await serve(declareList({ prev: true, envelope }, selectPage(() => pets)), async ({ port }) => {
          const client = await RawClient.connect(port);
          const first = `?limit=${1 + random.below(5)}${sort && `&sort=${sort}`}`;
          const { ids } = await getPage(client, `?limit=100${sort && `&sort=${sort}`}`);
          assert.equal([...ids].sort((one, other) => one - other), pets.map(byId));
          const there = await walk(client, first, 'next');
          assert.equal(there.flatMap((page) => page.ids), ids);
          const last = there.at(-1)!;
          const back = await walk(client, last.links['prev']!, 'prev');
          assert.equal([...back.reverse().flatMap((page) => page.ids), ...last.ids], ids);
        });
      }
    });
  }
  walks(`by ${sort || 'id'}, of a list that changes meanwhile: no item comes twice, and none that stays is left out`, async () => {
    for (const seed of [1, 2, 3]) {
      const random = new Random(seed);
      let pets = Array.from({ length: 20 }, (_, at) => makeRandomPet(random, (at + 1) * 1000));
      let stayed = pets.map(byId);
      const change = (): void => {
        const kept = pets.filter(() => random.below(12) > 0);
        pets = [...kept, ...Array.from({ length: 2 }, () => makeRandomPet(random, random.below(60_000) * 2 + 1))];
        stayed = stayed.filter((id) => kept.some((each) => each.id === id));
      };
      await serve(declareList({ prev: true }, selectPage(() => pets)), async ({ port }) => {
        const client = await RawClient.connect(port);
        const there = await walk(client, `?limit=3${sort && `&sort=${sort}`}`, 'next', change);
        const read = there.flatMap(({ ids }) => ids);
        assert.is(new Set(read).size, read.length);
        assert.equal(stayed.filter((id) => !read.includes(id)), []);
        const filled = there.findLast(({ links }) => links['prev'] !== undefined)!;
        const back = (await walk(client, filled.links['prev']!, 'prev', change)).flatMap(({ ids }) => ids);
        assert.is(new Set(back).size, back.length);
        const before = read.slice(0, read.indexOf(filled.ids[0]!));
        assert.equal(stayed.filter((id) => before.includes(id) && !back.includes(id)), []);
        assert.ok(stayed.length > 0);
      });
    }
  });
}

const envelopes = suite('G4: the envelope of a list in pages');
const declareEnvelopes = (run?: Run, properties: object = {}): ((server: ApiServer) => void) => declareList({ envelope: true, prev: true }, run, properties);
const { '~standard': described } = makeJsonSchema({ type: 'array', items: { type: 'object', properties: { id: { type: 'integer' } } } });
const CSV = defineFormat({ types: ['text/csv'], encode: (items: readonly Pet[]) => items.map(byId).join(',') } as never);
const PET = { '~standard': { ...described, validate: (items: any) => ({ value: items.map(({ id }: Pet) => ({ id })) }) } };
envelopes('has the items, and the links that the headers have', () => serve(declareEnvelopes(undefined, { output: PET }), async ({ port }) => {
  const get = async (query: string): Promise<readonly [string, string | undefined, string | undefined]> => {
    const { headers, body } = await send(port, message('GET', `/v1/pet${query}`));
    return [body, headers.get('content-type'), headers.get('link')];
  };
  const next = `?sort=name&limit=1&after=${cursor('name', '2', 'Asp')}`;
  assert.equal(await get('?sort=name&limit=1'), [`{"items":[{"id":2}],"next":"${next}"}`, 'application/json', `<${next}>; rel="next"`]);
  const prev = `?limit=3&before=${cursor('', '4')}`;
  assert.equal(await get(`?limit=3&after=${cursor('', '3')}`), [`{"items":[{"id":4},{"id":5}],"prev":"${prev}"}`, 'application/json', `<${prev}>; rel="prev"`]);
  assert.equal(await get(`?after=${cursor('', '5')}`), ['{"items":[]}', 'application/json', undefined]);
}));
for (const [what, run, expected] of [
  ['a reply', () => reply(200, PETS.slice(0, 1), { 'X-Total': '1' }), '{"items":[{"id":1}]}'],
  ['a reply without a body', () => reply(303, undefined, { Location: '/v1/other' }), ''],
] as const) {
  envelopes(`${what} -> ${expected || 'no envelope'}`, () => serve(declareEnvelopes(run, { output: { 200: PET, 303: null } }), async ({ port }) => {
    assert.is((await send(port, message('GET', '/v1/pet'))).body, expected);
  }));
}
envelopes('is not around a problem', () => serve(declareEnvelopes(() => problem(402), { errors: { 402: null } }), async ({ port }) => {
  assert.is(readProblem(await send(port, message('GET', '/v1/pet'))).status, 402);
}));
envelopes('needs JSON: 500, logged', () => serve(declareEnvelopes(undefined, { output: CSV }), async ({ port, errors }) => {
  assert.is((await send(port, message('GET', '/v1/pet'))).status, 500);
  assert.match(errors[0]?.message ?? '', 'pages with envelope need JSON: text/csv');
}));
envelopes('is read by the client, page after page, even without Link', async () => {
  const pets = defineEndpoint({ id: integerId, list: { use: pages({ ...OPTIONS, envelope: true }), run: selectPage(() => PETS) as () => Pet[] } });
  await serve((server) => server.registerEndpoint('/pet', pets), async ({ url }) => {
    const asked: string[] = [];
    const withoutLinks = async (target: string, init: RequestInit): Promise<Response> => {
      asked.push(new URL(target).search);
      const response = await fetch(target, init);
      return new Response(response.body, { status: response.status, headers: { 'content-type': 'application/json' } });
    };
    const names: string[] = [];
    for await (const { name } of client<{ '/pet': typeof pets }>(`${url}/v1`, { fetch: withoutLinks })('/pet').each({ query: { sort: '-name' } })) names.push(name);
    assert.equal(names, ['Éà "x"', 'Rex', 'Boa', 'Asp', 'Asp']);
    assert.is(asked.length, 3);
  });
});
envelopes('is in the document, around the schema of the output', () => {
  const { responses } = findOperation(makeDocument(declareEnvelopes(undefined, { output: PET })), 'petList') as any;
  const { type, required, properties } = responses[200].content['application/json'].schema;
  assert.equal([type, required, Object.keys(properties), properties.items.type], ['object', ['items'], ['items', 'next', 'prev'], 'array']);
  const withoutOutput = findOperation(makeDocument(declareList({ envelope: true })), 'petList') as any;
  assert.equal(Object.keys(withoutOutput.responses[200].content['application/json'].schema.properties), ['items', 'next']);
  assert.equal(withoutOutput.responses[200].content['application/json'].schema.properties.items, { type: 'array' });
  const plain = findOperation(makeDocument(declareList({}, undefined, { output: { 200: PET, 204: null } })), 'petList') as any;
  assert.is(plain.responses[200].content['application/json'].schema.type, 'array');
});
envelopes('is the result of a tool, as its schema says', () => serve((server) => {
  declareEnvelopes(undefined, { output: PET, tool: true })(server);
  server.mount('/mcp', mcpHandler(server, { info: { name: 'zoo', version: '1' } } as never) as never);
}, async ({ url }) => {
  const { json: { result: { tools: [tool] } } } = await call(url, 'tools/list') as any;
  assert.equal(tool.outputSchema.anyOf[0].required, ['items']);
  const { json } = await call(url, 'tools/call', { name: 'petList', arguments: { query: { sort: '-legs', limit: 1 } } }) as any;
  assert.equal(json.result.structuredContent, { items: [{ id: 5 }], next: `?sort=-legs&limit=1&after=${cursor('-legs', '5', '4')}` });
}));

const documented = suite('G1: the sort of pages in a document');
documented('is one of the names, each with a -; before is a cursor', () => {
  const { parameters = [] } = findOperation(makeDocument(declareList({ prev: true })), 'petList');
  assert.equal(parameters.map(({ name, schema }) => [name, schema['type'], schema['enum']]), [
    ['limit', 'integer', undefined], ['after', 'string', undefined], ['before', 'string', undefined],
    ['sort', 'string', ['name', '-name', 'legs', '-legs', 'born', '-born']],
  ]);
});

const rejected = suite('G4: wrong options of sort, prev and envelope');
for (const [options, text] of [
  [{ sort: [] }, 'options.sort must have a name, such as ["name"]'],
  [{ sort: {} }, 'options.sort must have a name, such as ["name"]'],
  [{ sort: 'name' }, 'options.sort must be an object: name'],
  [{ sort: ['-name'] }, 'options.sort must be names of properties: -name'],
  [{ sort: [''] }, 'options.sort must be names of properties: '],
  [{ sort: [7] }, 'options.sort must be names of properties: 7'],
  [{ sort: { name: 'string' } }, 'options.sort.name must be an object: string'],
  [{ sort: { name: {} } }, 'options.sort.name must have parse and format'],
  [{ prev: 'before' }, 'options.prev must be a boolean: before'],
  [{ before: 'until' }, 'options.before needs options.prev: true'],
  [{ prev: true, before: 'after' }, 'options must name each parameter differently: "after" is used twice'],
  [{ limit: 'sort' }, 'options must name each parameter differently: "sort" is used twice'],
  [{ envelope: 1 }, 'options.envelope must be a boolean: 1'],
] as const) rejections(rejected, [['', () => pages({ cursor: byId, sort: ['name'], ...options } as never), text]]);
rejected('TypeError at registration: an envelope of a stream', () => {
  return assertRejected({ id: integerId, list: { use: pages({ cursor: byId, envelope: true }), output: ndjson((item: unknown) => item), run: () => [] } }, 'endpoint.list must not have pages with envelope: its output is a stream');
});
