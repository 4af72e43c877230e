/** Interceptors: their order, what they see, add, answer and decode. */
import { AsyncLocalStorage } from 'node:async_hooks';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import {
  ApiError, bytes, created, defineEndpoint, integerId, type OperationOptions, reply, stringId, type AnyDecoder, type Answer, type ApiServer,
  type InterceptedCall, type Interceptor, type Interceptors,
} from '../../../src/index.ts';
import { bearer } from '../../../src/auth/index.ts';
import { ndjson, ranges } from '../../../src/formats/index.ts';
import { Gate, until } from '../../support/gate.ts';
import { BODY, Recorder, ROWS, TYPED } from '../../support/kinds.ts';
import { message, problemIn } from '../../support/messages.ts';
import { RawClient, rawRequest } from '../../support/raw-client.ts';
import { serving } from '../../support/serving.ts';

type Around = Interceptor<any>['around'];

const listing = (
  use: Interceptors, run: (request: any) => unknown = () => 'plain', members: OperationOptions & { readonly query?: AnyDecoder } = {},
) => (server: ApiServer): void => server.registerEndpoint('/pet', { id: stringId, list: { use, run, ...members } });
const LIST = message('GET', '/v1/pet?limit=3&tag=a');

const notingIn = (seen: string[]) => (name: string): Interceptor => ({
  around: async (_call, run) => {
    seen.push(`${name} in`);
    const result = await run();
    seen.push(`${name} out`);
    return result;
  },
});

const order = suite('interceptors');
order('run from the endpoint\'s first to the operation\'s last, and back', async () => {
  const seen: string[] = [];
  const noting = notingIn(seen);
  await serving((server) => server.registerEndpoint('/pet', {
    id: stringId, use: [noting('endpoint 1'), noting('endpoint 2')], list: { use: [noting('own 1'), noting('own 2')], run: () => seen.push('run') }, get: () => seen.push('get'),
  }), async ({ port }) => {
    assert.is((await rawRequest(port, LIST)).body, '5');
    const names = ['endpoint 1', 'endpoint 2', 'own 1', 'own 2'];
    assert.equal(seen.splice(0), [...names.map((name) => `${name} in`), 'run', ...names.reverse().map((name) => `${name} out`)]);
    await rawRequest(port, message('GET', '/v1/pet/1'));
    assert.equal(seen, ['endpoint 1 in', 'endpoint 2 in', 'get', 'endpoint 2 out', 'endpoint 1 out']);
  });
});
for (const [method, path, body, , , , [name, ...given]] of ROWS) {
  order(`see the call of ${method} ${path}`, async () => {
    const calls: InterceptedCall[] = [];
    const use: Interceptor = { around: (call, run) => (calls.push(call), run()) };
    const recorder = new Recorder();
    await serving((server) => {
      server.registerEndpoint('/pet', { ...recorder.items, use } as never);
      server.registerEndpoint('/settings', { ...recorder.single, use } as never);
    }, async ({ port, server }) => {
      await rawRequest(port, message(method, `/v1${path}`, body, TYPED));
      const [{ id, input, kind, route, target, contentType, name: own, request } = assert.unreachable() as never] = calls;
      assert.equal([id, input].filter((value) => value !== undefined), given);
      assert.ok(server.routes.some((each) => each.method === route.method && each.path === route.path) && route.method === method);
      assert.is(own === '' ? String(name).replace(/^search of all$|^search in it$/, 'search') : kind.replace(/^.*ustom$/, own), own === '' ? kind : name);
      assert.equal([typeof request.raw, target, contentType], ['object', `/v1${path}`, 'application/json']);
    });
  });
}
order('are called as methods of their objects', async () => {
  class Counting {
    count = 0;
    around(_call: InterceptedCall, run: () => Promise<unknown>): Promise<unknown> {
      this.count += 1;
      return run();
    }
  }
  const counting = new Counting();
  await serving(listing(counting), async ({ port }) => {
    await rawRequest(port, LIST);
    assert.is(counting.count, 1);
  });
});
order('run in the async context of the request', async () => {
  const storage = new AsyncLocalStorage<string>();
  const seen: unknown[] = [];
  const around: Around = async (_call, run) => {
    await null;
    seen.push(storage.getStore());
    return storage.run('inner', () => run());
  };
  await serving((server) => {
    server.use((_request, _response, next) => storage.run('outer', next));
    listing({ around }, () => seen.push(storage.getStore()))(server);
  }, async ({ port }) => {
    await rawRequest(port, LIST);
    assert.equal(seen, ['outer', 'inner']);
  });
});
order('share the deadline of the operation', async () => {
  const around: Around = ({ request }) => new Promise((_resolve, reject) => request.signal.addEventListener('abort', () => reject(request.signal.reason)));
  await serving(listing({ around }, undefined, { limits: { operationMs: 50 } }), async ({ port, errors }) => {
    assert.is(problemIn(await rawRequest(port, LIST)).status, 503);
    assert.match(errors[0]?.message ?? '', /took longer than 50 ms/);
  });
});
order('that run the operation after the client has left: it is not invoked', async () => {
  const gate = new Gate();
  let [invoked, failed, entered] = [0, 0, 0];
  const around: Around = async (_call, run) => {
    entered += 1;
    await gate.passed;
    return run().catch(() => (failed += 1));
  };
  await serving(listing({ around }, () => (invoked += 1)), async ({ port }) => {
    const client = await RawClient.connect(port);
    client.send(LIST);
    await until(() => entered === 1, 'the interceptor');
    client.destroy();
    await new Promise((resolve) => setTimeout(resolve, 20));
    gate.open();
    await until(() => failed === 1, 'the refusal');
    assert.is(invoked, 0);
  });
});
order.run();

const answers = suite('what an interceptor gives is answered as if the operation had given it');
for (const [what, around, status, expected] of [
  ['the result of the operation', (_call, run) => run(), 200, '"plain"'],
  ['another value', async (_call, run) => `not ${await run()}`, 200, '"not plain"'],
  ['a value at once, and the operation does not run', () => 'mine', 200, '"mine"'],
  ['a reply', () => reply(202, 'later'), 202, '"later"'],
  ['an ApiError', () => { throw ApiError.status(429, 'slow down'); }, 429, 'slow down'],
  ['what it makes of an error', async (_call, run) => run().then(() => assert.unreachable(), () => 'caught'), 200, '"caught"'],
  ['the result of a second run', async (_call, run) => { await run().catch(() => {}); return run().catch(() => 'twice'); }, 200, '"twice"'],
  ['a failure: 404 by isNotFound', () => { throw Object.assign(new Error(), { notFound: true }); }, 404, 'Not found.'],
] as const satisfies readonly (readonly [string, Around, number, string])[]) {
  answers(what, async () => {
    const fails = /caught|twice/.test(expected);
    const run = (): string => {
      if (fails) throw new Error('no');
      return 'plain';
    };
    await serving(listing({ around }, run), async ({ port }) => {
      const answer = await rawRequest(port, LIST);
      assert.equal([answer.status, status >= 400 ? problemIn(answer).detail : answer.body], [status, expected]);
    });
  });
}
answers('through output', async () => {
  await serving(listing({ around: () => 5 }, undefined, { output: (value: number) => ({ value }) }), async ({ port }) => {
    assert.is((await rawRequest(port, LIST)).body, '{"value":5}');
  });
});
answers('a plain object in the form of an Answer is a result', async () => {
  await serving(listing({ around: () => ({ status: 201, headers: { Evil: '1' }, body: 'a' }) }), async ({ port }) => {
    const { status, body } = await rawRequest(port, LIST);
    assert.equal([status, body], [200, '{"status":201,"headers":{"Evil":"1"},"body":"a"}']);
  });
});
answers('a stream as input cannot run again: 500', async () => {
  const around: Around = async (_call, run) => {
    await run();
    return run();
  };
  await serving((server) => server.registerEndpoint('/pet', { id: stringId, custom: { put: { input: bytes(), use: { around }, run: () => 1 } } }), async ({ port, errors }) => {
    assert.is((await rawRequest(port, message('POST', '/v1/pet/put', 'abc'))).status, 500);
    assert.match(errors[0]?.message ?? '', /its input is a stream, which has been read/);
  });
});
answers.run();

const adds = suite('what an interceptor adds to the request');
adds('is there for the operation and for what is between, for one run alone', async () => {
  const outer: Around = async (_call, run) => [await run({ tx: 1 }), await run({ tx: 2, more: 3 }), await run({})];
  const inner: Around = (call, run) => run({ seen: call.request.tx });
  const run = (request: any): unknown => [request.tx ?? null, request.more ?? null, request.seen ?? null, 'tx' in request, request.route.path, request.signal.aborted];
  await serving(listing([{ around: outer }, { around: inner }], run), async ({ port }) => {
    const route = '/v1/pet';
    assert.equal(JSON.parse((await rawRequest(port, LIST)).body), [[1, null, 1, true, route, false], [2, 3, 2, true, route, false], [null, null, null, false, route, false]]);
  });
});
for (const name of ['query', 'signal', 'raw', 'context', 'constructor']) {
  adds(`cannot be ${name}: 500, logged`, async () => {
    await serving(listing({ around: (_call: unknown, run: (adds: object) => unknown) => run({ [name]: 1 }) }), async ({ port, errors }) => {
      assert.is((await rawRequest(port, LIST)).status, 500);
      assert.match(errors[0]?.message ?? '', new RegExp(`an interceptor cannot add ${name}: the request has it`));
    });
  });
}
adds.run();

const encoded = suite('call.encode');
const encoding: Around = async (call, run) => call.encode(await run());
for (const [method, path, body] of ROWS) {
  encoded(`of ${method} ${path}: the same bytes as without it`, async () => {
    const answerOf = async (use: readonly Interceptor[]): Promise<unknown> => {
      const recorder = new Recorder();
      let answer: unknown;
      await serving((server) => {
        server.registerEndpoint('/pet', { ...recorder.items, use } as never);
        server.registerEndpoint('/settings', { ...recorder.single, use } as never);
      }, async ({ port }) => {
        const { status, headers, body: sent } = await rawRequest(port, message(method, `/v1${path}`, body, TYPED));
        answer = [status, [...headers].filter(([name]) => name !== 'date').sort(), sent];
      });
      return answer;
    };
    assert.equal(await answerOf([{ around: encoding }]), await answerOf([]));
  });
}
for (const [what, run, members] of [
  ['a reply', () => reply(202, { a: 1 }, { ETag: '"1"', Link: ['<a>', '<b>'] }), {}],
  ['a reply without a body', () => reply(204), {}],
  ['a reply of text', () => reply(200, 'a,b', { 'Content-Type': 'text/csv' }), {}],
  ['a reply of bytes', () => reply(200, Buffer.from('\xff', 'latin1')), {}],
  ['a stream with its length', () => reply(200, (async function* () { yield 'abc'; })(), { 'Content-Length': '3' }), {}],
  ['a part', () => reply(200, ranges({ size: 3, read: (from, to) => Buffer.from('abc').subarray(from, to + 1) })), {}],
  ['a format', () => [1, 2], { output: ndjson(Number) }],
  ['a reply in a format', () => reply(200, [1, 2], { 'X-A': 'b' }), { output: ndjson(Number) }],
  ['output', () => ({ a: 1 }), { output: async (value: object) => ({ ...value, b: 2 }) }],
  ['a reply through output', () => reply(200, { a: 1 }), { output: (value: object) => ({ ...value, b: 2 }) }],
  ['a reply whose output is bytes', () => reply(200, { a: 1 }), { output: () => Buffer.from('a') }],
  ['stringify', () => ({ a: 1 }), { stringify: () => '{"a": 1}' }],
] as const) {
  encoded(`of ${what}: the same bytes as without it`, async () => {
    const answerOf = async (use: readonly Interceptor[]): Promise<unknown> => {
      let answer: unknown;
      await serving(listing(use, run, members), async ({ port }) => {
        const { status, headers, body } = await rawRequest(port, message('GET', '/v1/pet', '', ['Range: bytes=1-1']));
        answer = [status, [...headers].filter(([name]) => name !== 'date').sort(), body];
      });
      return answer;
    };
    assert.equal(await answerOf([{ around: encoding }]), await answerOf([]));
  });
}
encoded('of an item that is missing rejects with a 404', async () => {
  await serving((server) => server.registerEndpoint('/pet', { id: stringId, get: { use: { around: encoding }, run: () => undefined } }), async ({ port }) => {
    assert.is(problemIn(await rawRequest(port, message('GET', '/v1/pet/1'))).status, 404);
  });
});
encoded('of what output refuses rejects: 500, logged', async () => {
  const output = { '~standard': { version: 1 as const, vendor: 'tests', validate: () => ({ issues: [{ message: 'a secret' }] }) } };
  await serving(listing({ around: encoding }, undefined, { output }), async ({ port, errors }) => {
    assert.is((await rawRequest(port, LIST)).status, 500);
    assert.match(errors[0]?.message ?? '', /the result is not what output says/);
  });
});
for (const [what, target, members, text] of [
  ['created() of a Custom', '/v1/pet/buy', { custom: { buy: { use: { around: encoding }, run: () => created(7) } } }, /only a create of an endpoint with ids can give created\(\)/],
  ['created() of a Create without ids', '/v1/pet', { id: undefined, create: { use: { around: encoding }, run: () => created(7) } }, /only a create of an endpoint with ids can give created\(\)/],
  ['a Create that returns nothing', '/v1/pet', { create: { use: { around: encoding }, run: () => {} } }, /create must return the id of the new item: it returned undefined/],
  ['a Create that returns null', '/v1/pet', { create: { use: { around: encoding }, run: () => null } }, /create must return the id of the new item: it returned null/],
] as const) {
  encoded(`of ${what} rejects: 500, logged`, async () => {
    await serving((server) => server.registerEndpoint('/pet', { id: integerId, schema: Number, ...members } as never), async ({ port, errors }) => {
      const { status, headers } = await rawRequest(port, message('POST', target, '1', TYPED));
      assert.equal([status, headers.get('location')], [500, undefined]);
      assert.match(errors[0]?.message ?? '', text);
    });
  });
}
encoded('decodes after a timeout too, since the answer may be kept', async () => {
  const gate = new Gate();
  let kept: Promise<Answer> | undefined;
  const around: Around = async (call) => {
    await gate.passed;
    return (kept = call.encode({ secret: 1 }));
  };
  await serving(listing({ around }, undefined, { output: () => ({ a: 1 }) }), async ({ port, errors }) => {
    assert.is((await rawRequest(port, LIST)).status, 503);
    gate.open();
    await until(() => kept !== undefined, 'the answer');
    assert.is((await kept)?.body, '{"a":1}');
    assert.is(errors.length, 1);
  }, { limits: { operationMs: 20 } });
});
encoded('gives an answer that can be stored, and sent again', async () => {
  let stored = '';
  const around: Around = async (call, run) => {
    if (stored === '') stored = JSON.stringify(await call.encode(await run()));
    return call.answer(JSON.parse(stored) as Answer);
  };
  let invoked = 0;
  const create = { use: { around }, run: () => (invoked += 1) };
  await serving((server) => server.registerEndpoint('/pet', { id: integerId, schema: Number, create }), async ({ port }) => {
    for (let count = 0; count < 3; count += 1) {
      const { status, headers, body } = await rawRequest(port, message('POST', '/v1/pet', '1'));
      assert.equal([status, headers.get('location'), headers.get('content-type'), body], [201, '/v1/pet/1', 'text/plain; charset=utf-8', '1']);
    }
    assert.equal([invoked, JSON.parse(stored)], [1, { status: 201, headers: { 'Content-Type': 'text/plain; charset=utf-8', Location: '/v1/pet/1' }, body: '1' }]);
  });
});
encoded('of what an inner interceptor has encoded is the same', async () => {
  await serving(listing([{ around: encoding }, { around: encoding }], () => ({ a: 1 })), async ({ port }) => {
    assert.is((await rawRequest(port, LIST)).body, '{"a":1}');
  });
});
encoded('of JSON is a text, and of bytes is bytes', async () => {
  const bodies: unknown[] = [];
  const around: Around = async (call, run) => {
    const answer = await call.encode(await run());
    bodies.push(answer.body);
    return answer;
  };
  for (const run of [() => ({ a: 1 }), () => reply(200, { a: 1 }), () => reply(200, Buffer.from('a')), () => reply(204)]) {
    await serving(listing({ around }, run), async ({ port }) => void await rawRequest(port, LIST));
  }
  assert.equal(bodies, ['{"a":1}', '{"a":1}', Buffer.from('a'), undefined]);
});
for (const [answer, text] of [
  [{ status: 404, headers: {}, body: 'a' }, /the status of a reply must be from 200 to 399: 404/],
  [{ status: 200, headers: { 'A\n': 'b' }, body: 'a' }, /header name is not valid/],
  [{ status: 200, headers: { Connection: 'close' }, body: 'a' }, /header Connection cannot be set/],
] as const) {
  encoded(`of ${JSON.stringify(answer)}, stored: 500`, async () => {
    await serving(listing({ around: (call: InterceptedCall) => call.answer(answer) }), async ({ port, errors }) => {
      assert.is((await rawRequest(port, LIST)).status, 500);
      assert.match(errors[0]?.message ?? '', text);
    });
  });
}
encoded('an ETag of an encoded answer is compared: 304', async () => {
  await serving(listing({ around: encoding }, () => reply(200, 1, { ETag: '"1"' })), async ({ port }) => {
    assert.is((await rawRequest(port, message('GET', '/v1/pet', '', ['If-None-Match: "1"']))).status, 304);
  });
});
encoded.run();

const sent = suite('call.sent');
sent('resolves when the reply has been sent, and not before', async () => {
  const seen: string[] = [];
  const gate = new Gate();
  const around: Around = async (call, run) => {
    void call.sent.then(() => seen.push('sent'));
    return run();
  };
  const stream = async function* (): AsyncGenerator<string> {
    yield 'a';
    await gate.passed;
    seen.push('last');
    yield 'b';
  };
  await serving(listing({ around }, () => reply(200, stream())), async ({ port }) => {
    const client = await RawClient.connect(port);
    client.send(LIST);
    await until(() => client.unread.includes('a\r\n'), 'the first byte');
    assert.equal(seen, []);
    gate.open();
    assert.is((await client.response()).body, 'ab');
    await until(() => seen.length === 2, 'sent');
    assert.equal(seen, ['last', 'sent']);
    client.destroy();
  });
});
sent('resolves when the client leaves', async () => {
  let [isSent, entered] = [false, false];
  const around: Around = async (call) => {
    void call.sent.then(() => (isSent = true));
    entered = true;
    return new Promise(() => {});
  };
  await serving(listing({ around }), async ({ port }) => {
    const client = await RawClient.connect(port);
    client.send(LIST);
    await until(() => entered, 'the interceptor');
    client.destroy();
    await until(() => isSent, 'sent');
  });
});
sent.run();

const body = suite('call.body');
for (const [what, members, readsBody, path, expected] of [
  ['of JSON', { input: Number }, false, 'put', '[ 1]'],
  ['without an input', {}, false, 'put', 'none'],
  ['of a format', { input: bytes() }, false, 'put', 'none'],
  ['of a format, if it reads the body', { input: bytes() }, true, 'put', '[ 1]'],
] as const) {
  body(`${what}: ${expected}`, async () => {
    const around: Around = async (call, run) => [call.body === undefined ? 'none' : `[${Buffer.from(call.body)}]`, await run()];
    const run = async (input: any): Promise<string> => {
      if (!Object.hasOwn(members, 'input') || typeof input === 'number') return String(typeof input);
      let text = '';
      for await (const chunk of input) text += chunk;
      return text;
    };
    const declared = { ...members, use: [{ around, readsBody }, { around: (_call: unknown, next: () => unknown) => next() }], run };
    await serving((server) => server.registerEndpoint('/pet', { custom: { [path]: declared } } as never), async ({ port }) => {
      const answer = await rawRequest(port, message('POST', '/v1/pet/put', ' 1', TYPED));
      assert.is(JSON.parse(answer.body)[0], expected);
      if ('input' in members && members.input !== Number) assert.is(JSON.parse(answer.body)[1], ' 1');
    });
  });
}
body.run();

const checks = suite('check');
checks('is called for each operation that will run in it, as a method, and with what is known of it', async () => {
  const seen: unknown[] = [];
  const use = { around: (_call: unknown, run: () => unknown) => run(), check(this: unknown, operation: object) { seen.push([this === use, operation]); } };
  await serving((server) => server.registerEndpoint('/pet', {
    id: stringId, use, list: () => [], get: { context: () => 1, run: () => 1 }, custom: { find: () => 1 }, itemCustom: { feed: () => 1 },
  }), async () => {
    assert.equal(seen, [
      [true, { path: 'endpoint.list', kind: 'list', name: '', hasContext: false }],
      [true, { path: 'endpoint.get', kind: 'get', name: '', hasContext: true }],
      [true, { path: 'endpoint.custom.find', kind: 'custom', name: 'find', hasContext: false }],
      [true, { path: 'endpoint.itemCustom.feed', kind: 'itemCustom', name: 'feed', hasContext: false }],
    ]);
  });
});
checks.run();

const fields = suite('query and headers');
const limitOf = ({ limit }: any): { limit: number } => {
  if (limit !== undefined && !/^\d+$/.test(limit)) throw new Error('no limit');
  return { limit: Number(limit ?? 7) };
};
const strict = (names: readonly string[]) => ({
  '~standard': {
    version: 1 as const, vendor: 'tests',
    validate: (value: any) => {
      const other = Object.keys(value).find((name) => !names.includes(name));
      return other === undefined ? { value } : { issues: [{ message: `no ${other}`, path: [other] }] };
    },
  },
});
fields('an interceptor takes its names out of the query before the operation decodes it', async () => {
  const use = { query: limitOf, around: async (call: InterceptedCall, run: () => Promise<unknown>) => [call.query, await run()] };
  await serving(listing(use, ({ query }) => query, { query: strict(['tag']) }), async ({ port }) => {
    assert.is((await rawRequest(port, LIST)).body, '[{"limit":3},{"tag":"a"}]');
    assert.is((await rawRequest(port, message('GET', '/v1/pet'))).body, '[{"limit":7},{}]');
    assert.equal(problemIn(await rawRequest(port, message('GET', '/v1/pet?other=1'))).errors, [{ detail: 'no other', parameter: 'other' }]);
    assert.is(problemIn(await rawRequest(port, message('GET', '/v1/pet?limit=x'))).detail, 'Bad arguments: no limit');
  });
});
fields('without query, the operation has the whole query', async () => {
  const use = { query: limitOf, around: (_call: unknown, run: () => unknown) => run() };
  await serving(listing(use, ({ query }) => String(query)), async ({ port }) => {
    assert.is((await rawRequest(port, LIST)).body, '"limit=3&tag=a"');
  });
});
fields('two interceptors, one of them asynchronous, each have their own', async () => {
  const own = (name: string, isAsync: boolean): Interceptor => ({
    query: (query: any) => (isAsync ? Promise.resolve({ [name]: query[name] }) : { [name]: query[name] }),
    headers: (headers: any) => ({ [`x-${name}`]: headers[`x-${name}`] ?? 'none' }),
    around: async (call: InterceptedCall, run: () => Promise<unknown>) => [call.query, call.headers, await run()],
  });
  await serving(listing([own('limit', true), own('tag', false)], () => 1), async ({ port }) => {
    const answer = await rawRequest(port, message('GET', '/v1/pet?limit=3&tag=a', '', ['X-Tag: b']));
    assert.is(answer.body, '[{"limit":"3"},{"x-limit":"none"},[{"tag":"a"},{"x-tag":"b"},1]]');
  });
});
for (const [headers, status, expected] of [
  [['X-Tenant: a'], 200, '{"x-tenant":"a"}'],
  [['x-TENANT: a', 'X-Tenant: b'], 200, '{"x-tenant":"a, b"}'],
  [['X-Tenant: a', '__proto__: b'], 200, '{"x-tenant":"a"}'],
  [[], 400, 'x-tenant'],
] as const) {
  fields(`headers of an operation: ${headers.join(', ') || 'none'} -> ${status} ${expected}`, async () => {
    const decoder = {
      '~standard': {
        version: 1 as const, vendor: 'tests',
        validate: (value: any) => {
          const { 'x-tenant': tenant } = value;
          return tenant === undefined ? { issues: [{ message: 'no tenant', path: ['x-tenant'] }] } : { value: { 'x-tenant': tenant } };
        },
      },
    };
    await serving(listing([], (request) => request.headers, { headers: decoder }), async ({ port }) => {
      const answer = await rawRequest(port, message('GET', '/v1/pet', '', headers));
      assert.is(answer.status, status);
      if (status === 200) assert.is(answer.body, expected);
      else assert.equal(problemIn(answer).errors, [{ detail: 'no tenant', header: expected }]);
    });
  });
}
fields('are refused before the body is read', async () => {
  const members = { input: String, headers: () => { throw new Error('no tenant'); }, run: (): unknown => assert.unreachable() };
  await serving((server) => server.registerEndpoint('/pet', { id: stringId, custom: { feed: members } }), async ({ port }) => {
    assert.is(problemIn(await rawRequest(port, message('POST', '/v1/pet/feed', BODY, ['Content-Type: text/csv']))).detail, 'Bad arguments: no tenant');
  });
});
fields.run();

const shared = suite('interceptors of registerEndpoints');
shared('run outside of those of each endpoint, the first outermost', async () => {
  const seen: string[] = [];
  const noting = notingIn(seen);
  const pets = defineEndpoint({ id: stringId, use: noting('endpoint'), list: { use: noting('own'), run: () => [seen.push('list')] }, get: (id) => id });
  const settings = defineEndpoint({ get: () => seen.push('get') });
  await serving((server) => void server.registerEndpoints({ '/pet': pets, '/settings': settings }, { use: [noting('all 1'), noting('all 2')] }), async ({ port }) => {
    assert.is((await rawRequest(port, LIST)).body, '[5]');
    const names = ['all 1', 'all 2', 'endpoint', 'own'];
    assert.equal(seen.splice(0), [...names.map((name) => `${name} in`), 'list', ...names.reverse().map((name) => `${name} out`)]);
    await rawRequest(port, message('GET', '/v1/settings'));
    assert.equal(seen, ['all 1 in', 'all 2 in', 'get', 'all 2 out', 'all 1 out']);
  });
});
shared('hold for the endpoints of that call alone', async () => {
  const endpoint = defineEndpoint({ get: () => 'plain' });
  await serving((server) => {
    server.registerEndpoints({ '/a': endpoint }, { use: { around: () => 'changed' } });
    server.registerEndpoints({ '/b': endpoint });
    server.registerEndpoint('/c', endpoint);
  }, async ({ port }) => {
    const bodies = ['a', 'b', 'c'].map(async (name) => (await rawRequest(port, message('GET', `/v1/${name}`))).body);
    assert.equal(await Promise.all(bodies), ['"changed"', '"plain"', '"plain"']);
  });
});
shared('decode their own query and header fields, and add to the request of inner ones', async () => {
  const use: Interceptor<{ readonly tenant: string }> = {
    query: limitOf, headers: ({ 'x-tenant': tenant }: any) => ({ 'x-tenant': tenant }),
    around: async (call, run) => [call.query.limit, await run({ tenant: call.headers['x-tenant'] })],
  };
  const inner: Interceptor = { around: async (call, run) => [call.request.tenant, await run()] };
  const pets = defineEndpoint({ id: stringId, list: { use: inner, query: strict(['tag']), run: ({ query }) => query } });
  await serving((server) => void server.registerEndpoints({ '/pet': pets }, { use }), async ({ port }) => {
    assert.is((await rawRequest(port, message('GET', '/v1/pet?limit=3&tag=a', '', ['X-Tenant: b']))).body, '[3,["b",{"tag":"a"}]]');
    assert.is(problemIn(await rawRequest(port, message('GET', '/v1/pet?limit=x'))).status, 422);
  }, { validationStatus: 422 });
});
for (const [options, text] of [
  [{ use: {} }, 'options.use must have around'],
  [{ use: [{ around: () => 1 }, 7] }, 'options.use[1] must be an object: 7'],
] as const) {
  shared(`TypeError, and none is registered: ${text}`, async () => {
    await serving(() => {}, async ({ server }) => {
      const register = (): unknown => Reflect.apply(server.registerEndpoints, server, [{ '/a': defineEndpoint({ get: () => 1 }) }, options]);
      assert.throws(register, (thrown: unknown) => thrown instanceof TypeError && thrown.message === text);
      assert.equal(server.routes, []);
    });
  });
}
shared.run();

const scopes = suite('the scopes of interceptors');
const signedIn = bearer((token) => ({ scopes: token.split('.') }), { scopesOf: (user) => user.scopes });
const needing = (...needed: string[]): Interceptor => ({ around: (_call, run) => run(), scopes: needed });
const guarded = defineEndpoint({
  id: stringId, context: signedIn, use: needing('endpoint'),
  list: () => [], get: { scopes: ['own'], use: [needing('a'), needing('b', 'own')], run: (id) => id }, delete: { scopes: [], run: () => {} },
});
for (const [method, path, needed] of [
  ['GET', '/v1/pet', ['shared', 'all', 'endpoint']],
  ['GET', '/v1/pet/1', ['own', 'all', 'endpoint', 'a', 'b']],
  ['DELETE', '/v1/pet/1', ['all', 'endpoint']],
] as const) {
  scopes(`${method} ${path} needs ${needed.join(', ')}: those of the operation, and of each interceptor`, async () => {
    await serving((server) => void server.registerEndpoints({ '/pet': guarded }, { scopes: ['shared'], use: needing('all') }), async ({ port }) => {
      const statusWith = async (held: readonly string[]): Promise<number> => {
        return (await rawRequest(port, message(method, path, '', [`Authorization: Bearer ${held.join('.')}`]))).status;
      };
      assert.ok(await statusWith(needed) < 300);
      for (const lacking of needed) assert.is(await statusWith(needed.filter((each) => each !== lacking)), 403, lacking);
    });
  });
}
scopes('where the context knows none: TypeError', async () => {
  await serving(() => {}, async ({ server }) => {
    assert.throws(() => listing(needing('a'))(server), /endpoint\.list\.scopes needs a context that knows the scopes of callers/);
  });
});
scopes.run();

const registration = suite('a wrong interceptor');
for (const [use, text] of [
  [1, 'endpoint.list.use must be an object: 1'],
  [{}, 'endpoint.list.use must have around'],
  [{ around: 1 }, 'endpoint.list.use.around must be a function: number'],
  [[{ around: () => 1 }, { around: () => 1, before: 1 }], 'unknown member endpoint.list.use[1].before: it can be one of around, query, headers, errors, scopes, readsBody, check'],
  [{ around: () => 1, query: 1 }, 'endpoint.list.use.query must be a Standard Schema or a function'],
  [{ around: () => 1, headers: bytes() }, 'endpoint.list.use.headers cannot be a format'],
  [{ around: () => 1, scopes: 'a' }, 'endpoint.list.use.scopes must be a list of texts: a'],
  [{ around: () => 1, readsBody: 1 }, 'endpoint.list.use.readsBody must be one of false, true: 1'],
  [{ around: () => 1, check: 1 }, 'endpoint.list.use.check must be a function: number'],
  [{ around: () => 1, check: () => { throw new TypeError('not here'); } }, 'not here'],
] as const) {
  registration(`TypeError: ${text}`, async () => {
    await serving(() => {}, async ({ server }) => {
      assert.throws(() => listing(use as never)(server), (thrown: unknown) => thrown instanceof TypeError && thrown.message === text);
      assert.equal(server.routes, []);
    });
  });
}
registration.run();
