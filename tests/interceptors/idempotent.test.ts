/** `idempotent` with `memoryKeys`: replays, refusals, claims, and what can go wrong between a claim and its answer. */
import { Readable } from 'node:stream';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { ApiError, type ApiRequest, type ApiServer, type ApiServerOptions, bytes, created, defineFormat, integerId, type Interceptor, reply } from '../../src/index.ts';
import { mergePatch } from '../../src/formats/index.ts';
import { type Claim, idempotent, type Kept, type KeptAnswer, type Keys, memoryKeys } from '../../src/interceptors/index.ts';
import { describe, jsonSchemaOf, operationOf } from '../support/describing.ts';
import { Gate, until } from '../support/gate.ts';
import { chunkedMessage, message, problemIn } from '../support/messages.ts';
import { RawClient, type RawResponse, rawRequest } from '../support/raw-client.ts';
import { type Served, serving } from '../support/serving.ts';

type Run = (...args: any[]) => unknown;

const JSON_TYPE = 'Content-Type: application/json';
const KEY = 'Idempotency-Key: "one"';

/** An endpoint whose `pay` is idempotent. `count` is how often it ran. */
class Payments {
  count = 0;
  readonly keys: Keys;
  readonly #run: Run;
  readonly #options: object;
  readonly #members: object;

  constructor(run: Run = (body) => ({ paid: body }), { keys = memoryKeys(), options = {}, ...members }: { keys?: Keys; options?: object; [name: string]: unknown } = {}) {
    this.keys = keys;
    this.#run = run;
    this.#options = options;
    this.#members = members;
  }

  readonly register = (server: ApiServer): void => {
    const run: Run = (...args) => {
      this.count += 1;
      return this.#run(...args);
    };
    server.registerEndpoint('/account', { custom: { pay: { input: (body: unknown) => body, use: idempotent(this.keys, this.#options as never), run, ...this.#members } } } as never);
  };
}

const pay = (port: number, body = '1', headers: readonly string[] = [KEY], target = '/v1/account/pay'): Promise<RawResponse> => (
  rawRequest(port, message('POST', target, body, [JSON_TYPE, ...headers]))
);
const served = (payments: Payments, use: (served: Served) => Promise<void>, options?: ApiServerOptions): Promise<void> => serving(payments.register, use, options);

/** The lines of an answer that do not depend on when it was sent, and its body. */
function shown({ head, body }: RawResponse): readonly string[] {
  return [...head.split('\r\n').filter((line) => !/^Date:/i.test(line)), body];
}

const replays = suite('a request that is sent again');
for (const [what, run, members] of [
  ['JSON', () => ({ paid: 'é' }), {}],
  ['JSON by stringify', () => 1, { stringify: () => '{"paid": 1}' }],
  ['what output makes of it', () => ({ paid: 1, secret: 2 }), { output: ({ paid }: any) => ({ paid }) }],
  ['a reply with a status and header fields', () => reply(202, { queued: true }, { 'X-A': 'b', 'Set-Cookie': ['c=1', 'd=2'] }), {}],
  ['a reply without a body', () => reply(204), {}],
  ['a reply with an empty body', () => reply(200, Buffer.alloc(0)), {}],
  ['a redirection', () => reply(303, undefined, { Location: '/v1/account' }), {}],
  ['text', () => reply(200, 'a,é', { 'Content-Type': 'text/csv; charset=utf-8' }), {}],
  ['bytes', () => reply(200, Buffer.from([0, 255, 10]), { 'Content-Type': 'image/png' }), {}],
  ['a format', () => 7, { output: defineFormat<number>({ types: ['text/plain'], encode: (value) => `is ${value}` }) }],
] as const) {
  replays(`${what}: the same bytes, with Idempotent-Replayed, and the operation has run once`, async () => {
    const payments = new Payments(run, members);
    await served(payments, async ({ port }) => {
      const first = await pay(port);
      assert.ok(first.status < 400);
      assert.is(first.headers.get('idempotent-replayed'), undefined);
      for (let again = 0; again < 3; again += 1) {
        const second = await pay(port);
        assert.is(second.headers.get('idempotent-replayed'), 'true');
        assert.equal(shown(second).filter((line) => line !== 'Idempotent-Replayed: true'), shown(first));
      }
      assert.is(payments.count, 1);
    });
  });
}
for (const [what, declared, method, path, body] of [
  ['create', { schema: String, create: { run: 'id' } }, 'POST', '', '"a"'],
  ['create with a body', { schema: String, create: { run: 'created' } }, 'POST', '', '"a"'],
  ['patch', { patch: { input: String, run: 'nothing' } }, 'PATCH', '/1', '"a"'],
  ['patch in a format', { patch: { input: mergePatch(Object), run: 'nothing' } }, 'PATCH', '/1', '{"a":1}'],
  ['itemCustom', { itemCustom: { feed: { input: String, run: 'id' } } }, 'POST', '/1/feed', '"a"'],
  ['custom without a body', { custom: { go: { run: 'id' } } }, 'POST', '/go', ''],
] as const) {
  replays(`to ${what}`, async () => {
    let count = 0;
    const results = { id: () => count, created: () => created(count, { id: count }), nothing: () => undefined };
    const use = idempotent(memoryKeys());
    const finished = (form: any): unknown => ({ ...form, use, run: () => ((count += 1), results[form.run as keyof typeof results]()) });
    const members = Object.fromEntries(Object.entries(declared).map(([name, form]: [string, any]) => {
      if (typeof form === 'function') return [name, form];
      return [name, 'run' in form ? finished(form) : Object.fromEntries(Object.entries(form).map(([own, each]) => [own, finished(each)]))];
    }));
    await serving((server) => server.registerEndpoint('/pet', { id: integerId, ...members } as never), async ({ port }) => {
      const send = (): Promise<RawResponse> => rawRequest(port, message(method, `/v1/pet${path}`, body, [JSON_TYPE, KEY]));
      const [first, second] = [await send(), await send()];
      assert.ok(first.status < 300);
      assert.equal(shown(second).filter((line) => line !== 'Idempotent-Replayed: true'), shown(first));
      assert.is(count, 1);
    });
  });
}
replays('in pieces, or over another connection, is the same request', async () => {
  const payments = new Payments();
  await served(payments, async ({ port }) => {
    await pay(port, '{"cents":100}');
    const again = await rawRequest(port, chunkedMessage('POST', '/v1/account/pay', '{"cents":100}', [JSON_TYPE, KEY]));
    assert.equal([again.body, payments.count], ['{"paid":{"cents":100}}', 1]);
  });
});
replays('gets the header fields of middleware anew, and those that are not stored', async () => {
  const payments = new Payments();
  let request = 0;
  await serving((server) => {
    server.use((_request, response, next) => {
      response.setHeader('X-Request', String((request += 1)));
      next();
    });
    payments.register(server);
  }, async ({ port }) => {
    assert.equal([(await pay(port)).headers.get('x-request'), (await pay(port)).headers.get('x-request')], ['1', '2']);
  });
});
replays('without a key runs again', async () => {
  const payments = new Payments();
  await served(payments, async ({ port }) => {
    for (let count = 1; count < 4; count += 1) {
      const { headers } = await pay(port, '1', []);
      assert.equal([payments.count, headers.get('idempotent-replayed')], [count, undefined]);
    }
  });
});
replays.run();

const fields = suite('the field Idempotency-Key');
for (const [one, other] of [
  ['"one"', 'one'],
  ['"8e03978e-40d5-43dd-bc93-6894a57f9324"', '8e03978e-40d5-43dd-bc93-6894a57f9324'],
  ['"a:b/c*~!"', 'a:b/c*~!'],
  ['"a \\"b\\" \\\\ , ;"', '"a \\"b\\" \\\\ , ;"'],
  [`"${'\\"'.repeat(255)}"`, `"${'\\"'.repeat(255)}"`],
  ['x'.repeat(255), `"${'x'.repeat(255)}"`],
] as const) {
  fields(`${one.slice(0, 60)} and ${other.slice(0, 60)} are one key`, async () => {
    const payments = new Payments();
    await served(payments, async ({ port }) => {
      assert.is((await pay(port, '1', [`Idempotency-Key: ${one}`])).status, 200);
      assert.is((await pay(port, '1', [`idempotency-key: ${other}`])).headers.get('idempotent-replayed'), 'true');
      assert.is(payments.count, 1);
    });
  });
}
const MALFORMED = { detail: 'Idempotency-Key: expected a string in quotes, or a token, of 1 to 255 characters', header: 'idempotency-key' };
for (const [what, ...headers] of [
  ['empty', 'Idempotency-Key: '],
  ['an empty string', 'Idempotency-Key: ""'],
  ['no end', 'Idempotency-Key: "one'],
  ['no beginning', 'Idempotency-Key: one"'],
  ['an escape of another character', 'Idempotency-Key: "o\\ne"'],
  ['text behind it', 'Idempotency-Key: "one" two'],
  ['two tokens', 'Idempotency-Key: one two'],
  ['a list', 'Idempotency-Key: "one", "two"'],
  ['two lines', 'Idempotency-Key: "one"', 'Idempotency-Key: "two"'],
  ['bytes outside ASCII', 'Idempotency-Key: "\xe9"'],
  ['256 characters', `Idempotency-Key: ${'x'.repeat(256)}`],
  ['256 characters in quotes', `Idempotency-Key: "${'x'.repeat(256)}"`],
] as const) {
  fields(`${what} -> 400, and the operation does not run`, async () => {
    const payments = new Payments();
    await served(payments, async ({ port }) => {
      assert.equal(problemIn(await pay(port, '1', headers)).errors, [MALFORMED]);
      assert.is(payments.count, 0);
    });
  });
}
fields('malformed, or missing where it is required -> 400 also with validationStatus: 422, which is for the values of others', async () => {
  const refuse = (): never => { throw new Error('no'); };
  const payments = new Payments(undefined, { options: { required: true }, input: refuse });
  await served(payments, async ({ port }) => {
    for (const headers of [[], ['Idempotency-Key: "one']]) {
      const problem = problemIn(await pay(port, '1', headers));
      assert.equal([problem.status, problem.errors], [400, [MALFORMED]]);
    }
    assert.is((await pay(port)).status, 422);
  }, { validationStatus: 422 });
});
fields('missing where it is required -> 400, before the body is read', async () => {
  const payments = new Payments(undefined, { options: { required: true } });
  await served(payments, async ({ port }) => {
    assert.equal(problemIn(await rawRequest(port, message('POST', '/v1/account/pay', 'no JSON', ['Content-Type: text/csv']))).errors, [MALFORMED]);
    assert.is((await pay(port)).status, 200);
    assert.is(payments.count, 1);
  });
});
fields.run();

const others = suite('another request under a key');
for (const [what, ...request] of [
  ['another body', '2', [JSON_TYPE, KEY], '/v1/account/pay'],
  ['a body that means the same', ' 1', [JSON_TYPE, KEY], '/v1/account/pay'],
  ['another query', '1', [JSON_TYPE, KEY], '/v1/account/pay?a=1'],
  ['another Content-Type', '1', ['Content-Type: application/problem+json', KEY], '/v1/account/pay'],
] as const) {
  others(`${what} -> 422, and the operation does not run`, async () => {
    const payments = new Payments();
    await served(payments, async ({ port, errors }) => {
      await pay(port);
      const [body, headers, target] = request;
      const answer = await rawRequest(port, message('POST', target, body, headers));
      assert.is(problemIn(answer).detail, 'The idempotency key was used for another request.');
      assert.is(answer.status, 422);
      assert.is((await pay(port)).body, '{"paid":1}');
      assert.is(payments.count, 1);
      // Each failure of a Custom operation is logged.
      assert.is(errors.length, 1);
    });
  });
}
others('another body in a format -> 422', async () => {
  let count = 0;
  const pets = { patch: { input: mergePatch(Object), use: idempotent(memoryKeys()), run: () => void (count += 1) } };
  await serving((server) => server.registerEndpoint('/pet', { id: integerId, ...pets }), async ({ port }) => {
    const send = async (body: string): Promise<number> => (await rawRequest(port, message('PATCH', '/v1/pet/1', body, [JSON_TYPE, KEY]))).status;
    assert.equal([await send('{"a":1}'), await send('{"a":2}'), await send('{"a":1}'), count], [204, 422, 204, 1]);
  });
});
others('a body that a format gets as bytes is read before it, and no longer than allowed', async () => {
  const run = async (body: AsyncIterable<Uint8Array>): Promise<string> => {
    const chunks: Uint8Array[] = [];
    for await (const chunk of body) chunks.push(chunk);
    return Buffer.concat(chunks).toString();
  };
  const payments = new Payments(run, { input: bytes(), limits: { bodyBytes: 5 } });
  await served(payments, async ({ port, errors }) => {
    const send = (body: string, key = KEY): Promise<RawResponse> => rawRequest(port, chunkedMessage('POST', '/v1/account/pay', body, ['Content-Type: image/png', key]));
    assert.equal([(await send('12345')).body, (await send('12345')).body, (await send('54321')).status, (await send('123456')).status], ['"12345"', '"12345"', 422, 413]);
    assert.is((await send('', 'Idempotency-Key: two')).body, '""');
    assert.equal([payments.count, errors.length], [2, 1]);
  });
});
for (const [what, method, target] of [['item', 'POST', '/v1/pet/2/feed'], ['operation', 'POST', '/v1/pet/1/wash']] as const) {
  others(`the same key for another ${what} -> ${what === 'item' ? '422' : 'both run'}`, async () => {
    const ran: string[] = [];
    const named = (name: string): object => ({ input: Number, use: idempotent(keys), run: (id: number) => ran.push(`${name} ${id}`) });
    const keys = memoryKeys();
    await serving((server) => server.registerEndpoint('/pet', { id: integerId, itemCustom: { feed: named('feed'), wash: named('wash') } } as never), async ({ port, errors }) => {
      await rawRequest(port, message('POST', '/v1/pet/1/feed', '1', [JSON_TYPE, KEY]));
      const { status } = await rawRequest(port, message(method, target, '1', [JSON_TYPE, KEY]));
      assert.equal([status, ran, errors.length], what === 'item' ? [422, ['feed 1'], 1] : [200, ['feed 1', 'wash 1'], 0]);
    });
  });
}
others.run();

const declaring = suite('idempotent, for an operation that declares the members of its errors');
const Report = ({ balance }: { readonly balance?: unknown }): object => {
  if (typeof balance !== 'number') throw new Error('expected a balance');
  return { balance };
};
declaring('its own 409 and 422 have no members, and are sent', async () => {
  const gate = new Gate();
  const payments = new Payments(async () => (await gate.passed, 'paid'), { errors: { 409: Report, 422: Report } });
  await served(payments, async ({ port, errors }) => {
    const first = pay(port);
    await until(() => payments.count === 1, 'the first');
    assert.equal(problemIn(await pay(port)), { type: 'about:blank', title: 'Conflict', status: 409, detail: 'A request with this idempotency key is running.' });
    gate.open();
    await first;
    assert.is(problemIn(await pay(port, '2')).status, 422);
    assert.equal(errors.map(({ message: text }) => text), [
      'POST /v1/account/pay: A request with this idempotency key is running.', 'POST /v1/account/pay: The idempotency key was used for another request.',
    ]);
  });
});
const plain: Interceptor = { around: (_call, run) => run() };
for (const [what, around] of [['alone', []], ['among others', [plain]]] as const) {
  declaring(`${what}: the errors of the operation are checked`, async () => {
    let members: Record<string, unknown> = { balance: 7 };
    const run: Run = () => { throw ApiError.status(409, 'too little', { members }); };
    const payments = new Payments(run, { errors: { 409: Report }, use: [...around, idempotent(memoryKeys()), ...around] });
    await served(payments, async ({ port, errors }) => {
      assert.equal([(await pay(port)).status, problemIn(await pay(port))['balance']], [409, 7]);
      members = {};
      assert.is((await pay(port)).status, 500);
      assert.match(errors.at(-1)?.message ?? '', /the error is not what errors\.409 declares/);
    });
  });
}
declaring('an error of another status that an interceptor throws is checked as that of the operation', async () => {
  const strict: Interceptor = { around: () => { throw ApiError.status(402, 'too little'); }, errors: { 409: null } };
  await served(new Payments(undefined, { errors: { 402: Report }, use: [strict, idempotent(memoryKeys())] }), async ({ port, errors }) => {
    assert.equal([(await pay(port)).status, errors.length], [500, 1]);
  });
});
declaring.run();

const callers = suite('callers');
const byUser = { context: ({ raw }: ApiRequest) => raw.headers['x-user'], options: { caller: ({ context }: ApiRequest<string>) => context } };
callers('that use the same key do not get the answers of each other', async () => {
  const payments = new Payments((body, { context }) => `${body} by ${context}`, byUser);
  await served(payments, async ({ port }) => {
    for (const user of ['ann', 'bob', 'ann", "bob', '']) {
      for (let again = 0; again < 2; again += 1) assert.is(JSON.parse((await pay(port, '1', [KEY, `X-User: ${user}`])).body), `1 by ${user}`);
    }
    assert.is(payments.count, 4);
  });
});
callers('cannot shift text between caller and key', async () => {
  const payments = new Payments(undefined, byUser);
  await served(payments, async ({ port }) => {
    for (const [user, key] of [['a', 'b:c'], ['a:b', 'c'], ['a","b', 'c']] as const) await pay(port, '1', [`X-User: ${user}`, `Idempotency-Key: ${key}`]);
    assert.is(payments.count, 3);
  });
});
callers('that have no name: 500, logged, and the operation does not run', async () => {
  const payments = new Payments(undefined, byUser);
  await served(payments, async ({ port, errors }) => {
    assert.is((await pay(port)).status, 500);
    assert.match(errors[0]?.message ?? '', /idempotent: caller must return a text: undefined/);
    assert.is(payments.count, 0);
  });
});
callers('do not wait for each other: a key that one has claimed is free for another', async () => {
  const gate = new Gate();
  const payments = new Payments(async (_body, { context }) => (context === 'ann' && await gate.passed, context), byUser);
  await served(payments, async ({ port }) => {
    const first = pay(port, '1', [KEY, 'X-User: ann']);
    await until(() => payments.count === 1, 'the first');
    assert.equal([(await pay(port, '2', [KEY, 'X-User: bob'])).body, payments.count], ['"bob"', 2]);
    gate.open();
    assert.is((await first).body, '"ann"');
  });
});
callers('are asked for again before a replay: who is refused gets no stored answer', async () => {
  let isAdmitted = true;
  const context = (): string => {
    if (!isAdmitted) throw ApiError.status(403, 'no');
    return 'ann';
  };
  await served(new Payments(undefined, { ...byUser, context }), async ({ port }) => {
    await pay(port);
    isAdmitted = false;
    assert.is((await pay(port)).status, 403);
  });
});
callers.run();

const running = suite('while the first request runs');
running('the second is 409 with Retry-After, and then gets the answer', async () => {
  const gate = new Gate();
  const payments = new Payments(async () => (await gate.passed, 'paid'));
  await served(payments, async ({ port, errors }) => {
    const first = pay(port);
    await until(() => payments.count === 1, 'the first');
    for (const body of ['1', '2']) {
      const { status, headers } = await pay(port, body);
      assert.equal([status, headers.get('retry-after')], [409, '1']);
    }
    gate.open();
    assert.equal([(await first).body, (await pay(port)).body, payments.count, errors.length], ['"paid"', '"paid"', 1, 2]);
  });
});
running('of a hundred at the same time, one runs', async () => {
  const payments = new Payments(async () => new Promise((resolve) => setTimeout(resolve, 5, 'paid')));
  await served(payments, async ({ port, errors }) => {
    const statuses = await Promise.all(Array.from({ length: 100 }, async () => (await pay(port)).status));
    assert.equal([payments.count, [...new Set(statuses)].every((status) => status === 200 || status === 409)], [1, true]);
    assert.is(errors.length, statuses.filter((status) => status === 409).length);
  });
});
running('after its deadline: 503, then 409 until it settles, then its answer', async () => {
  const gate = new Gate();
  const payments = new Payments(async () => (await gate.passed, 'paid'), { limits: { operationMs: 20 } });
  await served(payments, async ({ port, errors }) => {
    assert.equal([(await pay(port)).status, (await pay(port)).status], [503, 409]);
    gate.open();
    await until(async () => (await pay(port)).status === 200, 'the answer');
    assert.equal([(await pay(port)).body, payments.count], ['"paid"', 1]);
    assert.match(errors[0]?.message ?? '', /took longer than 20 ms/);
  });
});
running('after its client has left: its answer is there for the client\'s retry', async () => {
  const gate = new Gate();
  const payments = new Payments(async () => (await gate.passed, 'paid'));
  await served(payments, async ({ port }) => {
    const client = await RawClient.connect(port);
    client.send(message('POST', '/v1/account/pay', '1', [JSON_TYPE, KEY]));
    await until(() => payments.count === 1, 'the first');
    client.destroy();
    gate.open();
    await new Promise((resolve) => setTimeout(resolve, 20));
    assert.equal([(await pay(port)).headers.get('idempotent-replayed'), payments.count], ['true', 1]);
  });
});
running.run();

const failing = suite('a request that fails');
for (const [what, fail, status] of [
  ['an ApiError', () => { throw ApiError.status(402, 'no money'); }, 402],
  ['any error', () => { throw new Error('no'); }, 500],
  ['a rejection', async () => { throw new Error('no'); }, 500],
  ['a result that output refuses', () => 'refused', 500],
  ['a result that JSON cannot carry', () => 1n, 500],
  ['a stream', () => reply(200, Readable.from(['a'])), 500],
] as const) {
  failing(`${what} -> ${status}, and the retry runs again`, async () => {
    let isFailing = true;
    const output = (value: unknown): unknown => {
      if (value === 'refused') throw new Error('refused');
      return value;
    };
    const payments = new Payments(() => (isFailing ? fail() : 'paid'), { output });
    await served(payments, async ({ port, errors }) => {
      assert.is((await pay(port)).status, status);
      isFailing = false;
      const { body, headers } = await pay(port);
      assert.equal([body, headers.get('idempotent-replayed'), payments.count, errors.length], ['"paid"', undefined, 2, 1]);
      if (what === 'a stream') assert.match(errors[0]?.message ?? '', /an answer that is a stream cannot be stored/);
    });
  });
}
failing('before the operation, such as a body that is refused, uses no key', async () => {
  const payments = new Payments(undefined, { input: (body: unknown) => { if (body === 'no') throw new Error('no'); return body; } });
  await served(payments, async ({ port, errors }) => {
    assert.equal([(await pay(port, '"no"')).status, (await pay(port, '"yes"')).status, errors.length], [400, 200, 0]);
  });
});
failing('an item that is missing is 404, and may be there for the retry', async () => {
  let isThere = false;
  const patch = { input: String, use: idempotent(memoryKeys()), run: () => isThere };
  await serving((server) => server.registerEndpoint('/pet', { id: integerId, patch }), async ({ port }) => {
    const send = async (): Promise<number> => (await rawRequest(port, message('PATCH', '/v1/pet/1', '1', [JSON_TYPE, KEY]))).status;
    const first = await send();
    isThere = true;
    assert.equal([first, await send()], [404, 204]);
  });
});
failing.run();

/** A store that notes its claims, and what happens in it. */
class NotingKeys implements Keys<{ readonly tx: string[] }> {
  readonly claims: (Claim | undefined)[] = [];
  readonly committed: string[] = [];
  readonly #kept = new Map<string, Kept>();

  async once(claim: Claim | undefined, run: (adds: { readonly tx: string[] }) => Promise<KeptAnswer>): Promise<Kept | 'done'> {
    this.claims.push(claim);
    const kept = this.#kept.get(claim?.key ?? '');
    if (kept !== undefined) return kept;
    const tx: string[] = [];
    const answer = await run({ tx });
    if (claim !== undefined) this.#kept.set(claim.key, { fingerprint: claim.fingerprint, answer });
    this.committed.push(...tx);
    return 'done';
  }
}

const stores = suite('a store of the host');
stores('adds its transaction, also without a key, and what fails is not committed', async () => {
  const keys = new NotingKeys();
  const payments = new Payments((body, { tx }) => {
    tx.push(body);
    if (body === 'no') throw new Error('no');
    return tx;
  }, { keys: keys as never });
  await served(payments, async ({ port, errors }) => {
    for (const headers of [[KEY], [KEY], []]) assert.is((await pay(port, '"a"', headers)).body, '["a"]');
    assert.is((await pay(port, '"no"', [])).status, 500);
    assert.equal([keys.committed, payments.count, errors.length], [['a', 'a'], 3, 1]);
  });
});
stores('gets digests, which hold neither the caller nor the key, and are the same in each process', async () => {
  const keys = new NotingKeys();
  await served(new Payments(undefined, { ...byUser, keys: keys as never }), async ({ port }) => {
    await pay(port, '1', [KEY, 'X-User: ann']);
    await pay(port, '1', ['X-User: ann']);
    // SHA-256 of ["ann","POST","/v1/account/pay","one"], and of ["POST","/v1/account/pay","application/json"] with the body behind it.
    assert.equal(keys.claims, [
      { key: 'N8TmnIxlxUCu-aPK83NdzvyVVDNqe-nJJN6SKEAWQq0', fingerprint: 'oqUfOryIgKFZp-ML4YSaSa_8AiuzWc4ppf3z_WxaBCc' },
      undefined,
    ]);
  });
});
stores('that fails: 500, logged', async () => {
  const payments = new Payments(undefined, { keys: { once: async () => { throw new Error('no disk'); } } as never });
  await served(payments, async ({ port, errors }) => {
    assert.is((await pay(port)).status, 500);
    assert.match(errors[0]?.message ?? '', /no disk/);
  });
});
stores.run();

const memory = suite('memoryKeys');
memory('keeps an answer until it expires, and then the key is free for any request', async () => {
  const payments = new Payments(undefined, { keys: memoryKeys({ ttlMs: 50 }) });
  await served(payments, async ({ port, errors }) => {
    await pay(port);
    await until(async () => (await pay(port, '2')).status === 200, 'the expiry');
    assert.is(payments.count, 2);
    assert.ok(errors.every(({ message: text }) => text.includes('used for another request')));
  });
});
memory('keeps the bytes that were sent, whatever the operation does with them later', async () => {
  const shared = Buffer.from('first');
  const payments = new Payments(() => reply(200, shared), { keys: memoryKeys() });
  await served(payments, async ({ port }) => {
    assert.is((await pay(port)).body, 'first');
    shared.fill('x');
    assert.is((await pay(port)).body, 'first');
  });
});
memory('runs a request that has lasted longer than the keys of others are kept once', async () => {
  const gate = new Gate();
  const payments = new Payments(async (body) => (body === 1 && await gate.passed, 'paid'), { keys: memoryKeys({ ttlMs: 20 }) });
  await served(payments, async ({ port, errors }) => {
    const first = pay(port);
    await until(() => payments.count === 1, 'the first');
    await pay(port, '2', ['Idempotency-Key: two']);
    await until(async () => (await pay(port, '3', ['Idempotency-Key: two'])).status === 200, 'the expiry of another key');
    const before = payments.count;
    assert.is((await pay(port)).status, 409);
    gate.open();
    assert.equal([(await first).status, payments.count], [200, before]);
    assert.ok(errors.length > 0);
  });
});
memory('does not depend on the clock of the day, which may go back and forth', async () => {
  const { now } = Date;
  const payments = new Payments();
  await served(payments, async ({ port }) => {
    try {
      await pay(port);
      for (const shift of [-1, 1, -400, 400]) {
        Date.now = () => now() + shift * 24 * 60 * 60 * 1000;
        assert.is((await pay(port)).headers.get('idempotent-replayed'), 'true');
      }
    } finally {
      Date.now = now;
    }
    assert.is(payments.count, 1);
  });
});
memory('that is full refuses new keys with 503 until the oldest expires, and still replays', async () => {
  const payments = new Payments(undefined, { keys: memoryKeys({ max: 2, ttlMs: 60_000 }) });
  const key = (name: string): readonly string[] => [`Idempotency-Key: ${name}`];
  await served(payments, async ({ port, errors }) => {
    for (const name of ['one', 'two']) assert.is((await pay(port, '1', key(name))).status, 200);
    const { status, headers } = await pay(port, '1', key('three'));
    assert.is(status, 503);
    assert.ok(Number(headers.get('retry-after')) >= 59 && Number(headers.get('retry-after')) <= 60);
    for (const name of ['one', 'two']) assert.is((await pay(port, '1', key(name))).headers.get('idempotent-replayed'), 'true');
    assert.is((await pay(port, '1', [])).status, 200, 'without a key');
    assert.equal([payments.count, errors.length], [3, 1]);
  });
});
memory('counts keys whose requests run', async () => {
  const gate = new Gate();
  const payments = new Payments(() => gate.passed.then(() => 1), { keys: memoryKeys({ max: 1 }) });
  await served(payments, async ({ port, errors }) => {
    const first = pay(port);
    await until(() => payments.count === 1, 'the first');
    const { status, headers } = await pay(port, '1', ['Idempotency-Key: two']);
    assert.equal([status, headers.get('retry-after'), errors.length], [503, '1', 1]);
    gate.open();
    assert.is((await first).status, 200);
  });
});
memory('that expires has room again', async () => {
  const payments = new Payments(undefined, { keys: memoryKeys({ max: 1, ttlMs: 30 }) });
  await served(payments, async ({ port, errors }) => {
    await pay(port);
    await until(async () => (await pay(port, '1', ['Idempotency-Key: two'])).status === 200, 'room');
    assert.ok(payments.count === 2 && errors.every(({ message: text }) => text.includes('too many idempotency keys')));
  });
});
memory('frees what has expired, and nothing else, also after all of it was free', async () => {
  const { now } = performance;
  const keys = memoryKeys({ max: 2, ttlMs: 10 });
  const outcomes: unknown[] = [];
  try {
    for (const [at, key] of [[0, 'a'], [5, 'b'], [9, 'a'], [10, 'a'], [14, 'b'], [15, 'b'], [19, 'a'], [40, 'c'], [41, 'd'], [49, 'c'], [50, 'c'], [50, 'd'], [51, 'e']] as const) {
      performance.now = () => at;
      const outcome = await keys.once({ key, fingerprint: 'f' }, async () => ({ status: 204, headers: {}, body: undefined }));
      outcomes.push(`${key}${at} ${outcome === 'done' ? 'done' : 'kept'}`);
    }
  } finally {
    performance.now = now;
  }
  assert.equal(outcomes, [
    'a0 done', 'b5 done', 'a9 kept', 'a10 done', 'b14 kept', 'b15 done', 'a19 kept', 'c40 done', 'd41 done', 'c49 kept', 'c50 done', 'd50 kept', 'e51 done',
  ]);
});
memory('keeps only keys whose requests were done', async () => {
  const payments = new Payments(() => { throw new Error('no'); }, { keys: memoryKeys({ max: 1 }) });
  await served(payments, async ({ port, errors }) => {
    for (const name of ['one', 'two', 'three']) assert.is((await pay(port, '1', [`Idempotency-Key: ${name}`])).status, 500);
    assert.equal([payments.count, errors.length], [3, 3]);
  });
});
memory.run();

const documented = suite('idempotent in a document');
for (const required of [false, true]) {
  documented(`is a header parameter${required ? ', which is required' : ''}, 400, 409 and 422`, () => {
    const { parameters, responses } = operationOf(describe(new Payments(undefined, { options: { required } }).register), 'accountPay');
    assert.equal(parameters?.map(({ name, in: place, required: isRequired }) => [name, place, isRequired]), [['Idempotency-Key', 'header', required || undefined]]);
    assert.equal(Object.keys(responses), ['200', '400', '409', '413', '415', '422', 'default']);
  });
}
documented('with a 409 that the operation declares: one of both', () => {
  const members = { type: 'object', properties: { balance: { type: 'integer' } }, required: ['balance'] };
  const declared = new Payments(undefined, { errors: { 409: jsonSchemaOf(members) } }).register;
  const contentOf = (server: ApiServerOptions = {}): unknown => (operationOf(describe(declared, { server }), 'accountPay').responses['409'] as { content?: unknown }).content;
  const problem = { $ref: '#/components/schemas/Problem' };
  assert.equal(contentOf(), { 'application/problem+json': { schema: { anyOf: [{ allOf: [problem, members] }, problem] } } });
  assert.equal(contentOf({ formatProblem: () => ({ body: 1 }) }), { 'application/json': { schema: {} } });
});
documented.run();

const refused = suite('a wrong use of idempotent');
for (const [make, text] of [
  [() => idempotent({} as never), 'keys must have once'],
  [() => idempotent(undefined as never), 'keys must have once'],
  [() => idempotent(memoryKeys(), { caller: 'ann' } as never), 'options.caller must be a function: string'],
  [() => idempotent(memoryKeys(), { required: 1 } as never), 'options.required must be one of false, true: 1'],
  [() => idempotent(memoryKeys(), { require: true } as never), 'unknown member options.require: it can be one of caller, required'],
  [() => memoryKeys({ max: 0 }), 'options.max must be a whole number from 1 to 9007199254740991: 0'],
  [() => memoryKeys({ ttlMs: 0.5 }), 'options.ttlMs must be a whole number from 1 to 9007199254740991: 0.5'],
  [() => memoryKeys({ size: 1 } as never), 'unknown member options.size: it can be one of max, ttlMs'],
] as const) {
  refused(`TypeError: ${text}`, () => {
    assert.throws(make, (thrown: unknown) => thrown instanceof TypeError && thrown.message === text);
  });
}
const use = idempotent(memoryKeys());
for (const [declared, text] of [
  [{ id: integerId, get: { use, run: () => 1 } }, 'endpoint.get cannot be idempotent(…): only create, custom, itemCustom, patch can'],
  [{ id: integerId, use, delete: () => {} }, 'endpoint.delete cannot be idempotent(…): only create, custom, itemCustom, patch can'],
  [{ context: () => 'ann', custom: { pay: { use, run: () => 1 } } }, 'endpoint.custom.pay has a context, so idempotent needs caller: ({ context }) => context.id'],
  [{ custom: { pay: { use, context: () => 'ann', run: () => 1 } } }, 'endpoint.custom.pay has a context, so idempotent needs caller: ({ context }) => context.id'],
] as const) {
  refused(`TypeError at registration: ${text}`, async () => {
    await serving(() => {}, async ({ server }) => {
      assert.throws(() => server.registerEndpoint('/pet', declared as never), (thrown: unknown) => thrown instanceof TypeError && thrown.message === text);
      assert.equal(server.routes, []);
    });
  });
}
refused.run();
