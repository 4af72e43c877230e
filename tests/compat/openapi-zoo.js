/**
 * A server with every kind of operation, whose schemas are those of three libraries: with dates, unions, defaults and recursion. It
 * stores nothing: each response is made from the request, or is a constant.
 */
import './openapi-arktype.js';
import { toStandardJsonSchema } from '@valibot/to-json-schema';
import { scope } from 'arktype';
import * as v from 'valibot';
import { z } from 'zod';
import { basic, bearer } from '../../dist/auth/index.js';
import { events, form, ndjson } from '../../dist/formats/index.js';
import { idempotent, memoryIdempotencyStore, pages } from '../../dist/interceptors/index.js';
import { ApiError, ApiServer, bytes, defineEndpoint, integerId, problem, reply, stringId, uint64Id, uuidId } from '../../dist/index.js';

export const KEEPER_ID = '123e4567-e89b-12d3-a456-426614174000';
const BORN = '2026-01-02T03:04:05.000Z';

const Kind = z.discriminatedUnion('is', [
  z.object({ is: z.literal('cat'), lives: z.number().int().default(9) }),
  z.strictObject({ is: z.literal('dog') }),
]).meta({ id: 'Kind' });
const Pet = z.object({
  name: z.string().min(1),
  legs: z.number().int().default(4),
  born: z.coerce.date(),
  kind: Kind,
  get children() {
    return z.array(Pet).optional();
  },
});
const Page = z.object({ limit: z.coerce.number().int().max(100).default(10), tag: z.array(z.string()).optional() });
const Report = z.object({ balance: z.number() }).meta({ id: 'Report' });

const Keeper = v.object({
  name: v.string(),
  since: v.pipe(v.string(), v.isoTimestamp(), v.transform((text) => new Date(text))),
  role: v.optional(v.picklist(['vet', 'cook']), 'cook'),
  boss: v.nullish(v.lazy(() => Keeper)),
});
const keeper = toStandardJsonSchema(Keeper);
const names = toStandardJsonSchema(v.union([v.array(v.string()), v.object({ prefix: v.string() })]));

const { ticket } = scope({
  ticket: { price: 'number >= 0', 'valid?': 'string.date.iso.parse', kind: "'day' | 'year'", count: 'number.integer = 1', 'group?': 'guest' },
  guest: { name: 'string', 'with?': 'guest[]' },
}).export();

/** The schemas of dates, in the options of each library. */
const LIBRARY_OPTIONS = {
  zod: {
    unrepresentable: 'any',
    override: ({ zodSchema, jsonSchema }) => {
      if (zodSchema._zod.def.type === 'date') Object.assign(jsonSchema, { type: 'string', format: 'date-time' });
    },
  },
  valibot: { errorMode: 'ignore' },
};

/** The messages about schemas that failed. */
export const schemaFailures = [];

/** The options of `openApi` for this server. */
export const OPTIONS = {
  info: { title: 'Zoo', version: '1', license: { name: 'MIT', identifier: 'MIT' } },
  servers: [{ url: 'http://127.0.0.1:8080' }],
  tags: [{ name: 'zooPet' }],
};

const SERVER_OPTIONS = {
  logger: { info() {}, error: ({ message }) => void (message.includes('JSON Schema') && schemaFailures.push(message)) },
  jsonSchema: (decoder, side) => {
    const { vendor, jsonSchema } = decoder['~standard'] ?? {};
    return jsonSchema?.[side]({ target: 'draft-2020-12', libraryOptions: LIBRARY_OPTIONS[vendor] });
  },
};

const pup = { name: 'Pup', legs: 3, born: BORN, kind: { is: 'cat', lives: 8 } };
export const rex = { name: 'Rex', born: BORN, kind: { is: 'dog' }, children: [pup] };
export const ann = { name: 'Ann', since: BORN, boss: { name: 'Bob', since: BORN, boss: null } };
export const day = { price: 3, valid: BORN, kind: 'day', group: { name: 'Cid', with: [{ name: 'Dan' }] } };

const decoded = (schema, value) => schema['~standard'].validate(value).value;
const found = (id, item) => (id === 1 || id === 1n || id === KEEPER_ID ? item : undefined);
const missing = () => {
  throw ApiError.notFound();
};

/** Creates the server. With `wrong`, it deviates from its declaration. */
export function zooServer({ wrong = false } = {}) {
  const server = new ApiServer('/v1', { ...SERVER_OPTIONS, limits: { bodyBytes: 10_000 } });
  server.registerEndpoint('/zoo/:zoo/pet', pets(wrong));
  server.registerEndpoint('/zoo/:zoo/keeper', keepers());
  server.registerEndpoint('/ticket', tickets(wrong));
  server.registerEndpoint('/settings', settings());
  server.registerEndpoint('/seat', seats());
  return server;
}

/** Sends what the declaration does not allow: the bytes of a reply are not checked. */
const replyUnchecked = (value) => reply(200, Buffer.from(JSON.stringify(value)), { 'Content-Type': 'application/json' });

function pets(wrong) {
  const wrongRex = { ...decoded(Pet, rex), legs: 'four' };
  return defineEndpoint({
    id: integerId,
    params: { zoo: stringId },
    context: bearer((token) => (token === 'secret' ? { name: 'Ann' } : undefined)),
    schema: Pet,
    create: () => 1,
    list: {
      query: Page,
      lists: ['tag'],
      output: z.array(Pet),
      summary: 'The pets of a zoo',
      run: ({ query }) => (wrong ? replyUnchecked([wrongRex]) : [decoded(Pet, rex)].slice(0, query.limit)),
    },
    get: (id) => found(id, wrong ? replyUnchecked(wrongRex) : decoded(Pet, rex)),
    update: (id) => found(id, 'done') ?? missing(),
    patch: {
      input: Pet.pick({ name: true, legs: true }).partial(),
      output: { 200: Pet, 202: null },
      errors: { 409: null },
      run: (id, { name, legs }) => {
        if (name === 'taken') throw ApiError.status(409, 'the name is taken');
        return name === undefined ? reply(202) : reply(200, { ...decoded(Pet, rex), name, legs: legs ?? 4 });
      },
    },
    delete: (id) => found(id, 'done') ?? missing(),
    custom: {
      search: {
        input: names,
        output: toStandardJsonSchema(v.array(v.string())),
        deprecated: true,
        run: (input) => (Array.isArray(input) ? input : [input.prefix]),
      },
      count: { run: () => 1 },
    },
    itemCustom: {
      feed: {
        input: Kind,
        optional: true,
        errors: { 402: Report, 404: null },
        run: (id, kind) => {
          if (kind?.is === 'cat') throw ApiError.status(402, 'no money', { extensions: { balance: kind.lives } });
          return { fed: id };
        },
      },
      picture: {
        input: bytes({ types: ['image/*'] }),
        output: { 200: bytes({ types: ['image/png'] }) },
        run: async (id, image) => {
          const chunks = [];
          for await (const chunk of image) chunks.push(chunk);
          return reply(200, Buffer.concat(chunks), { 'Content-Type': 'image/png' });
        },
      },
    },
  });
}

function keepers() {
  return defineEndpoint({
    id: uuidId,
    params: { zoo: stringId },
    context: basic((user, password) => user === 'ann' && password === 'secret'),
    schema: keeper,
    create: () => KEEPER_ID,
    get: { description: 'One keeper.', tags: ['people'], operationId: 'keeper', run: (id) => found(id, decoded(keeper, ann)) },
    update: (id) => found(id, 'done') ?? missing(),
  });
}

function tickets(wrong) {
  return defineEndpoint({
    id: uint64Id,
    name: 'ticket',
    schema: ticket,
    create: () => 1n,
    get: (id) => found(id, decoded(ticket, day)),
    delete: () => (wrong ? reply(202, { queued: true }) : undefined),
    custom: { fail: { run: () => Promise.reject(new Error('the printer is on fire')) } },
  });
}

const Seat = z.object({ row: z.int(), number: z.int() }).meta({ id: 'Seat' });
const Taken = z.object({ code: z.literal('taken'), seat: z.string() });
const Closed = z.strictObject({ code: z.literal('closed'), opens: z.string() }).meta({ id: 'Closed' });
const Broken = z.discriminatedUnion('code', [z.object({ code: z.literal('broken'), since: z.string() }), z.object({ code: z.literal('gone'), at: z.int() })]).meta({ id: 'Broken' });
const SEATS = [1, 2, 3].map((number) => ({ row: 1, number }));

/** What generators read in different ways: several errors of a status, unions in intersections, keys, pages, versions, files and events. */
function seats() {
  return defineEndpoint({
    id: stringId,
    schema: Seat,
    version: () => '7',
    get: (id) => (id < 'A3' ? SEATS[0] : undefined),
    requireIfMatch: true,
    update: { errors: { 409: Broken }, run: (id) => (id === 'A1' ? problem(409, 'It is broken.', { code: 'broken', since: id }) : undefined) },
    list: { use: pages({ cursor: ({ number }) => number, codec: integerId, envelope: true }), output: z.array(Seat), run: ({ page }) => SEATS.slice(page.after ?? 0).slice(0, page.take) },
    custom: {
      buy: {
        use: idempotent(memoryIdempotencyStore()), input: Seat, errors: { 409: [Taken, Closed] }, output: z.object({ row: z.int() }).and(Broken),
        run: ({ row, number }) => {
          if (row === 1) return problem(409, 'It is taken.', { code: 'taken', seat: String(number) });
          return row === 2 ? problem(409, 'It is closed.', { code: 'closed', opens: BORN }) : { row, code: 'gone', at: number };
        },
      },
      near: { method: 'GET', query: z.object({ row: z.coerce.number().int() }), output: Seat, run: ({ query }) => ({ ...SEATS[0], row: query.row }) },
      view: {
        input: form(z.object({ caption: z.string(), photo: z.file() }), { files: { photo: { types: ['image/png'] } } }), output: z.object({ caption: z.string(), bytes: z.int() }),
        run: ({ caption, photo }) => ({ caption, bytes: photo.size }),
      },
      sales: { method: 'GET', output: events({ sold: Seat, freed: z.string() }), run: async function* () { yield { event: 'sold', data: SEATS[1], id: '1' }; } },
    },
  });
}

function settings() {
  return defineEndpoint({
    schema: keeper,
    create: () => {},
    get: () => decoded(keeper, ann),
    update: () => {},
    patch: { input: (json) => json, run: () => {} },
    delete: () => {},
    custom: { reset: { run: () => ({ at: new Date() }) } },
  });
}

/** The same server, with sequences. */
export function makeSequenceServer() {
  const server = zooServer();
  const Reading = z.object({ celsius: z.number() });
  server.registerEndpoint('/reading', defineEndpoint({
    get: { output: events(Reading), run: () => [] },
    custom: { export: { output: ndjson(Reading), run: () => [] } },
  }));
  return server;
}
