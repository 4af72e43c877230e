/** Right services in which the checks find nothing wrong, though each has something that a stricter check would fail for. */
import { assert, suite } from '../support/facts.ts';
import { bearer } from '../../src/auth/index.ts';
import { checks, type ChecksOptions } from '../../src/checks/index.ts';
import { events } from '../../src/formats/index.ts';
import { ApiError, ApiServer, type ApiServerOptions, integerId, reply, wildcardId } from '../../src/index.ts';
import { idempotent, memoryIdempotencyStore, pages } from '../../src/interceptors/index.ts';
import { failuresOf, standard } from './pet-server.ts';

const open = (properties: object): any => standard({ type: 'object', properties });
const TEXT = { type: 'string' };
const NUMBER = { type: 'integer' };
const PET = open({ name: TEXT });

/** Waits for turns of the event loop. */
async function pause(turns: number): Promise<void> {
  for (let turn = 0; turn < turns; turn += 1) await new Promise((resolve) => setImmediate(resolve));
}

interface Row { readonly name: string; readonly revision: number; readonly deleted?: boolean }

/** A store whose updates compare the version. */
class Rows {
  readonly rows = new Map<number, Row>();

  readonly create = ({ name }: Row): number => this.rows.set(this.rows.size + 1, { name, revision: 1 }).size;
  readonly get = (id: number): Row | undefined => (this.rows.get(id)?.deleted === true ? undefined : this.rows.get(id));

  /** Changes a row, if it has one of the versions. */
  change(id: number, change: Partial<Row>, { ifMatch }: any = {}): void {
    const row = this.rows.get(id);
    if (row === undefined) throw ApiError.notFound();
    if (Array.isArray(ifMatch) && !ifMatch.includes(String(row.revision))) throw ApiError.status(412);
    this.rows.set(id, { ...row, ...change, revision: row.revision + 1 });
  }
}

/** The checks of a service, by its declaration. */
type Service = readonly [endpoint: object, options: ChecksOptions, serverOptions?: ApiServerOptions];

const VERSIONED = { version: ({ revision }: Row) => revision, requireIfMatch: true };
const SHOWN = open({ name: TEXT, revision: NUMBER, deleted: { type: 'boolean' } });
const BODY = { body: { name: 'Rex' } };
const SAMPLES = { petCreate: BODY };

const services: Readonly<Record<string, () => Service>> = {
  'a patch and a named operation with idempotent, under version': () => {
    const rows = new Rows();
    const use = idempotent(memoryIdempotencyStore(), { required: true });
    return [{
      ...VERSIONED, id: integerId, create: { input: PET, run: rows.create }, get: { output: SHOWN, run: rows.get },
      patch: { use, input: PET, run: (id: number, change: Partial<Row>, request: unknown) => rows.change(id, change, request) },
      itemCustom: { rename: { use, input: PET, output: open({}), run: (id: number, { name }: Row) => (rows.change(id, { name }), {}) } },
    }, { samples: { ...SAMPLES, petPatch: BODY, petItemRename: { ...BODY, headers: { 'Idempotency-Key': 'the-same' } } } }];
  },
  'a patch of what get does not show': () => {
    const rows = new Rows();
    const patch = { input: open({ note: TEXT }), run: (id: number) => rows.change(id, {}) };
    return [{ id: integerId, create: { input: PET, run: rows.create }, get: { output: PET, run: (id: number) => rows.get(id) && { name: 'Rex' } }, patch }, {
      samples: { ...SAMPLES, petPatch: { body: { note: 'asleep' } } },
    }];
  },
  'an id of the request in each error': () => {
    const rows = new Rows();
    const deleted = () => ({ ...BODY, params: { id: rows.rows.set(rows.rows.size + 1, { name: 'Rex', revision: 1, deleted: true }).size } });
    return [
      { id: integerId, get: { output: SHOWN, run: rows.get },
        itemCustom: { restore: { input: PET, output: open({}), run: (id: number) => (rows.change(id, { deleted: false }), {}) } } },
      { samples: { petItemRestore: deleted, petGet: () => ({ params: { id: rows.create({ name: 'Rex', revision: 1 }) } }) } },
      { requestId: true,
        formatProblem: { type: 'application/problem+json', format: (problem, { id }) => ({ body: { ...problem, instance: `urn:uuid:${id}` } }) } },
    ];
  },
  'a sample that makes an item, which a list shows': () => {
    const rows = new Rows();
    const made = () => ({ params: { id: rows.create({ name: 'Rex', revision: 1 }) } });
    const list = { output: standard({ type: 'array', items: SHOWN['~standard'].jsonSchema.output() }), run: () => [...rows.rows.values()] };
    return [
      { id: integerId, list, get: { output: SHOWN, run: rows.get }, update: { input: PET, run: (id: number, pet: Row) => rows.change(id, pet) },
        itemCustom: { pat: { output: open({}), run: () => ({}) } } },
      { samples: { petGet: made, petUpdate: () => ({ ...made(), ...BODY }), petItemPat: made } },
    ];
  },
  'a body that makes an item slowly': () => {
    const rows = new Rows();
    const list = { output: standard({ type: 'array', items: SHOWN['~standard'].jsonSchema.output() }), run: () => [...rows.rows.values()] };
    const body = async () => {
      await pause(1);
      return { name: `Rex ${rows.create({ name: 'Ann', revision: 1 })}` };
    };
    return [{ id: integerId, list, custom: { pat: { use: idempotent(memoryIdempotencyStore()), input: PET, output: open({}), run: () => ({}) } } }, { samples: { petPat: { body } } }];
  },
  'an operation that restores a deleted item, under version': () => {
    const rows = new Rows();
    const deleted = () => ({ params: { id: rows.rows.set(rows.rows.size + 1, { name: 'Rex', revision: 1, deleted: true }).size } });
    return [{
      version: VERSIONED.version, id: integerId, currentVersion: (id: number) => rows.rows.get(id)?.revision, get: { output: SHOWN, run: rows.get },
      itemCustom: { restore: { output: open({}), run: (id: number, request: unknown) => (rows.change(id, { deleted: false }, request), {}) } },
    }, { samples: { petItemRestore: deleted, petGet: () => ({ params: { id: rows.create({ name: 'Rex', revision: 1 }) } }) } }];
  },
  'a counter of revisions, and a history, of an item that is put': () => {
    const histories = new Map<number, string[]>();
    const output = open({ name: TEXT, revision: NUMBER, tag: TEXT, history: { type: 'array', items: TEXT } });
    const get = (id: number) => {
      const history = histories.get(id);
      return history && { name: history.at(-1), revision: history.length, tag: `r${history.length}`, history };
    };
    return [
      { id: integerId, schema: PET, create: ({ name }: Row) => histories.set(histories.size + 1, [name]).size,
        get: { output, run: get }, update: (id: number, { name }: Row) => void histories.get(id)?.push(name) },
      { samples: SAMPLES },
    ];
  },
  'a header of a sample in a different case than that of the check': () => {
    const rows = new Rows();
    const use = idempotent(memoryIdempotencyStore(), { required: true, caller: () => 'ann' });
    return [{
      ...VERSIONED, context: bearer((token) => (token === 'all' ? {} : undefined)), id: integerId, create: { input: PET, run: rows.create }, get: { output: SHOWN, run: rows.get },
      patch: { use, input: PET, run: (id: number, change: Partial<Row>, request: unknown) => rows.change(id, change, request) },
    }, {
      headers: { AUTHORIZATION: 'Bearer all' },
      samples: { ...SAMPLES, petPatch: { ...BODY, headers: { 'IF-MATCH': '*', 'IDEMPOTENCY-KEY': 'a', 'If-None-Match': '"none"' } } },
    }];
  },
  'numbers that are the time, and a time that each change takes': () => {
    let [now, running, pats, hasOverlapped] = [Date.now(), 0, 0, false];
    const items = new Map<number, { at: number; tookMs: number }>();
    return [{
      id: integerId, create: { input: PET, run: () => items.set(items.size + 1, { at: now, tookMs: 0 }).size }, get: { output: open({ at: NUMBER, tookMs: NUMBER }), run: (id: number) => items.get(id) },
      itemCustom: { pat: { output: open({}), run: async (id: number) => {
        hasOverlapped ||= running > 0;
        // Two at once are in one millisecond.
        now += running === 0 ? 1 : 0;
        running += 1;
        const at = now;
        await pause(3);
        running -= 1;
        pats += 1;
        // By chance, the first ones all take the same time.
        items.set(id, { at, tookMs: (items.get(id)?.tookMs ?? 0) + (hasOverlapped ? pats : 1) });
        return {};
      } } },
    }, { samples: { ...SAMPLES, petItemPat: {} } }];
  },
  'a map, which nothing interrupts, and updates that compare nothing': () => {
    const pets = new Map<number, Row>();
    return [{
      ...VERSIONED, id: integerId, schema: PET, create: ({ name }: Row) => pets.set(pets.size + 1, { name, revision: 1 }).size, get: { output: SHOWN, run: (id: number) => pets.get(id) },
      update: (id: number, { name }: Row) => void pets.set(id, { name, revision: (pets.get(id)?.revision ?? 0) + 1 }),
    }, { samples: SAMPLES }];
  },
  'a list in pages': () => {
    const rows = new Rows();
    const list = { use: pages({ cursor: ({ id }: { id: number }) => id, codec: integerId, max: 5 }), output: standard({ type: 'array', items: { type: 'object' } }), run: ({ page: { after = 0, take } }: any) => [...rows.rows.keys()].filter((id) => id > after).slice(0, take).map((id) => ({ id })) };
    return [{ id: integerId, list, create: { input: PET, run: rows.create }, get: { output: SHOWN, run: rows.get }, delete: (id: number) => rows.rows.delete(id) }, { samples: SAMPLES }];
  },
  'an update that makes an item where there is none': () => {
    const rows = new Rows();
    const put = async (id: number, { name }: Row): Promise<void> => pause(5).then(() => void rows.rows.set(id, { name, revision: 1 }));
    return [{ id: integerId, schema: PET, create: rows.create, get: { output: SHOWN, run: rows.get }, update: put, delete: (id: number) => rows.rows.delete(id) }, { samples: SAMPLES }];
  },
  'a store that rejects one of two at once': () => {
    const rows = new Rows();
    let running = 0;
    const alone = async (work: () => unknown): Promise<unknown> => {
      running += 1;
      const isFirst = running === 1;
      await pause(2);
      running -= 1;
      if (!isFirst) throw ApiError.status(409, 'Busy.');
      return work();
    };
    return [{
      id: integerId, create: { input: PET, run: rows.create }, get: { output: SHOWN, run: rows.get },
      patch: { input: PET, run: (id: number, { name }: Row) => alone(() => rows.change(id, { name })) }, delete: (id: number) => alone(() => rows.rows.delete(id)),
      itemCustom: { pat: { output: open({}), run: (id: number) => alone(() => (rows.change(id, {}), {})) } },
    }, { samples: { ...SAMPLES, petPatch: BODY, petItemPat: {} } }];
  },
  'places that are given to the first ten': () => {
    let left = 10;
    const take = () => {
      if (left === 0) throw ApiError.status(409, 'Full.');
      left -= 1;
      return { left };
    };
    return [{ get: { output: open({ left: NUMBER }), run: () => ({ left }) }, custom: { take: { output: open({ left: NUMBER }), run: take }, free: { output: open({}), run: () => ((left = 10), {}) } } }, { samples: { petTake: {} } }];
  },
  'a delete that is done later than its response': () => {
    const rows = new Rows();
    return [
      { id: integerId, create: { input: PET, run: rows.create }, get: { output: SHOWN, run: rows.get },
        delete: { output: { 202: null }, run: () => reply(202) } },
      { samples: SAMPLES },
    ];
  },
};

/** Serves an endpoint at `/pet`. `declare` is called before it is registered. */
function serve(endpoint: object, options: ApiServerOptions = {}, declare: (server: ApiServer) => void = () => {}): ApiServer {
  const server = new ApiServer('/v1', { logger: { info: () => {}, error: () => {} }, ...options });
  declare(server);
  server.registerEndpoint('/pet', endpoint as never);
  return server;
}

const alarms = suite('a right service');
for (const [what, make] of Object.entries(services)) {
  alarms(`with ${what} fails no check`, async () => {
    const [endpoint, options, serverOptions] = make();
    const all = checks(serve(endpoint, serverOptions), options);
    assert.equal([...await failuresOf(all)], []);
    assert.ok(all.filter(({ isSkipped }) => !isSkipped).length > 4, `${all.length} checks`);
  });
}

/** Rejects each second request with a 429. */
const limit = (headers: Record<string, string>) => (server: ApiServer): void => {
  let count = 0;
  server.use((request, response, next) => {
    count += 1;
    if (count % 2 === 1) return next();
    request.resume();
    return void response.writeHead(429, { 'Content-Type': 'application/problem+json', ...headers }).end('{}');
  });
};
const limited = (): object => {
  const rows = new Rows();
  return { id: integerId, create: { input: PET, run: rows.create }, get: { output: SHOWN, run: rows.get }, delete: (id: number) => rows.rows.delete(id) };
};
alarms('that limits the rate of requests fails no check: a 429 is sent again after its Retry-After', async () => {
  const all = checks(serve(limited(), {}, limit({ 'Retry-After': '0' })), { samples: SAMPLES });
  assert.equal([...await failuresOf(all)], []);
  assert.ok(all.some(({ name }) => name === 'GET /v1/pet/:id: the response is as the document says'));
});
for (const [what, headers] of [['without Retry-After', {}], ['with a Retry-After over timeoutMs', { 'Retry-After': '60' }]] as const) {
  alarms(`is not waited for by a 429 ${what}`, async () => {
    const all = checks(serve(limited(), {}, limit(headers as {})), { samples: SAMPLES, timeoutMs: 10_000 });
    const failed = [...await failuresOf(all)].map(([, message]) => message);
    assert.ok(failed.some((message) => /returned 429/.test(message)), failed.join('\n'));
  });
}
alarms('with items that may have one tag each fails no check', async () => {
  const rows = new Rows();
  const tagged = new Set<number>();
  const create = (_: Row, { params: { pet } }: any): number => {
    if (tagged.has(pet)) throw ApiError.status(409);
    tagged.add(pet);
    return pet;
  };
  const server = serve({ id: integerId, create: { input: PET, run: rows.create }, get: { output: SHOWN, run: rows.get } }, {}, (pets) => {
    pets.registerEndpoint('/pet/:pet/tag' as never, {
      params: { pet: integerId }, id: integerId, create: { input: PET, run: create },
      get: { output: open({}), run: (id: number) => (tagged.has(id) ? {} : undefined) },
    } as never);
  });
  assert.equal([...await failuresOf(checks(server, { samples: { ...SAMPLES, petTagCreate: BODY } }))], []);
});
alarms('with items below a wildcard and a last slash fails no check, and finds them', async () => {
  const rows = new Rows();
  const server = serve(limited(), {}, (pets) => pets.registerEndpoint('/zoo/*name/pet/' as never, {
    params: { name: wildcardId }, id: integerId, schema: PET, create: rows.create, get: { output: SHOWN, run: rows.get },
    update: (id: number, pet: Row) => rows.change(id, pet),
  } as never));
  const at = (name: string): object => ({ params: { name } });
  const all = checks(server, { samples: { ...SAMPLES, zooPetCreate: { ...BODY, ...at('a/b c') }, zooPetGet: at('a'), zooPetUpdate: at('a/pet') } });
  assert.equal([...await failuresOf(all)], []);
  const names = all.flatMap(({ name, isSkipped }) => (isSkipped || !name.includes('/zoo/*name/pet') ? [] : name));
  for (const what of ['POST /v1/zoo/*name/pet/: Location leads to an item', 'PUT /v1/zoo/*name/pet/:id: one with a different body changes']) {
    assert.ok(names.some((name) => name.startsWith(what)), names.join('\n'));
  }
});
alarms('of events has no check of the same response twice', () => {
  const names = checks(serve({ get: { output: events(PET), run: () => [] } })).map(({ name }) => name);
  assert.ok(names.some((name) => name.startsWith('GET /v1/pet: the response')));
  assert.equal(names.filter((name) => name.includes('same response twice')), []);
});
alarms('with a named POST that anybody may call, and that nothing shows, fails no check', async () => {
  const rows = new Rows();
  const context = bearer((token) => (['ann', 'bob'].includes(token) ? token : undefined));
  const greet = { output: open({}), run: () => ({}) };
  const server = serve({ context, id: integerId, create: { input: PET, run: rows.create }, get: { output: SHOWN, run: rows.get }, custom: { greet } });
  const strangers = { petGreet: { authorization: 'Bearer bob' } };
  const all = checks(server, { headers: { authorization: 'Bearer ann' }, strangers, samples: { ...SAMPLES, petGreet: {} } });
  assert.ok(all.some(({ name, isSkipped }) => name.startsWith('POST /v1/pet/greet by a caller') && !isSkipped));
  assert.equal([...await failuresOf(all)], []);
});
