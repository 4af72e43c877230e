/** `idempotent` in a declaration: beside other properties, for callers, in a document, and rejected. */
import { ApiError, type ApiServerOptions, bytes, defineEndpoint, defineFormat, integerId, type Interceptor, reply } from '../../src/index.ts';
import { events, ndjson } from '../../src/formats/index.ts';
import { idempotent, type IdempotencyStore, memoryIdempotencyStore, pages } from '../../src/interceptors/index.ts';
import { postgresIdempotencyStore, transaction } from '../../src/postgres/index.ts';
import { FakePool } from '../support/fake-pool.ts';
import { makeDocument, makeJsonSchema, findOperation } from '../support/make-document.ts';
import { byUser, KEY, pay, Payments, type Run, servePayments } from '../support/idempotent-payments.ts';
import { assertRejected } from '../support/rejected-endpoint.ts';
import { assert, Gate, readProblem, rejections, serve, suite, waitUntil } from '../support/facts.ts';

const declaring = suite('O18 K6 K9: idempotent, for an operation that declares its errors and its output');
const Report = ({ balance }: { readonly balance?: unknown }): object => {
  if (typeof balance !== 'number') throw new Error('expected a balance');
  return { balance };
};
declaring('its declared errors are schemas, and each returns its code', () => {
  const { errors } = idempotent(memoryIdempotencyStore());
  assert.equal(errors[409]['~standard'].validate({}), { value: { code: 'idempotency_key_in_use' } });
  assert.equal(errors[422]['~standard'].validate({}), { value: { code: 'idempotency_key_reused' } });
});
declaring('its own 409 and 422 have a code, and are not compared with the errors of the operation', async () => {
  const gate = new Gate();
  const payments = new Payments(async () => (await gate.passed, 'paid'), { errors: { 409: Report, 422: Report } });
  await servePayments(payments, async ({ port, errors }) => {
    const first = pay(port);
    await waitUntil(() => payments.count === 1, 'the first');
    assert.equal(readProblem(await pay(port)),
      { type: 'about:blank', title: 'Conflict', status: 409, detail: 'A request with this idempotency key is running.', code: 'idempotency_key_in_use' });
    gate.open();
    await first;
    const { status, code } = readProblem(await pay(port, '2'));
    assert.equal([status, code], [422, 'idempotency_key_reused']);
    // The operation, whose failures are logged, has not failed.
    assert.equal(errors, []);
  });
});
for (const [status, keys] of [[429, memoryIdempotencyStore({ maxPerCaller: 1 })], [503, memoryIdempotencyStore({ max: 1, maxPerCaller: 2 })]] as const) {
  declaring(`the ${status} of memoryIdempotencyStore has no properties, and is sent`, async () => {
    const gate = new Gate();
    const payments = new Payments(async () => (await gate.passed, 'paid'), { ...byUser, keys, errors: { 429: Report, 503: Report } });
    await servePayments(payments, async ({ port, errors }) => {
      const first = pay(port, '1', [KEY, 'X-User: ann']);
      await waitUntil(() => payments.count === 1, 'the first');
      assert.is((await pay(port, '1', ['Idempotency-Key: two', 'X-User: ann'])).status, status);
      assert.is(errors.length, status === 503 ? 1 : 0);
      assert.not.match(errors[0]?.message ?? '', 'declares');
      gate.open();
      await first;
    });
  });
}
for (const [what, type, body] of [['bytes', 'application/octet-stream', Buffer.from('x')], ['a string', 'text/plain', 'x']] as const) {
  declaring(`whole bytes as its output: ${what} of a reply is stored, and replayed`, async () => {
    const payments = new Payments(() => reply(200, body, { 'Content-Type': type }), { output: bytes() });
    await servePayments(payments, async ({ port }) => {
      for (const replayed of [undefined, 'true']) {
        const response = await pay(port);
        assert.equal([response.status, response.body, response.headers.get('content-type')], [200, 'x', type]);
        assert.is(response.headers.get('idempotent-replayed'), replayed);
      }
      assert.is(payments.count, 1);
    });
  });
}
const plain: Interceptor = { around: (_call, run) => run() };
for (const [what, around] of [['alone', []], ['among others', [plain]]] as const) {
  declaring(`${what}: the errors of the operation are checked`, async () => {
    let extensions: Record<string, unknown> = { balance: 7 };
    const run: Run = () => { throw ApiError.status(409, 'too little', { extensions }); };
    const payments = new Payments(run, { errors: { 409: Report }, use: [...around, idempotent(memoryIdempotencyStore()), ...around] });
    await servePayments(payments, async ({ port, errors }) => {
      assert.equal([(await pay(port)).status, readProblem(await pay(port))['balance']], [409, 7]);
      extensions = {};
      assert.is((await pay(port)).status, 409);
      assert.match(errors.at(-1)?.message ?? '', /the error does not match errors\.409/);
    });
  });
}
declaring('an error of a different status that an interceptor throws is checked as that of the operation', async () => {
  const strict: Interceptor = { around: () => { throw ApiError.status(402, 'too little'); }, errors: { 409: null } };
  await servePayments(new Payments(undefined, { errors: { 402: Report }, use: [strict, idempotent(memoryIdempotencyStore())] }), async ({ port, errors }) => {
    assert.equal([(await pay(port)).status, errors.length], [402, 1]);
    assert.match(errors[0]?.message ?? '', /the error does not match errors\.402/);
  });
});

const callers = suite('K5: callers');
callers('that use the same key do not get the responses of each other', async () => {
  const payments = new Payments((body, { context }) => `${body} by ${context}`, byUser);
  await servePayments(payments, async ({ port }) => {
    for (const user of ['ann', 'bob', 'ann", "bob', '']) {
      for (let again = 0; again < 2; again += 1) assert.is(JSON.parse((await pay(port, '1', [KEY, `X-User: ${user}`])).body), `1 by ${user}`);
    }
    assert.is(payments.count, 4);
  });
});
callers('cannot shift text between caller and key', async () => {
  const payments = new Payments(undefined, byUser);
  await servePayments(payments, async ({ port }) => {
    for (const [user, key] of [['a', 'b:c'], ['a:b', 'c'], ['a","b', 'c']] as const) await pay(port, '1', [`X-User: ${user}`, `Idempotency-Key: ${key}`]);
    assert.is(payments.count, 3);
  });
});
callers('that have no name: 500, logged, and the operation does not run', async () => {
  const payments = new Payments(undefined, byUser);
  await servePayments(payments, async ({ port, errors }) => {
    assert.is((await pay(port)).status, 500);
    assert.match(errors[0]?.message ?? '', /idempotent: caller must return a string: undefined/);
    assert.is(payments.count, 0);
  });
});
callers('do not wait for each other: a key that one has claimed is free for another', async () => {
  const gate = new Gate();
  const payments = new Payments(async (_body, { context }) => (context === 'ann' && await gate.passed, context), byUser);
  await servePayments(payments, async ({ port }) => {
    const first = pay(port, '1', [KEY, 'X-User: ann']);
    await waitUntil(() => payments.count === 1, 'the first');
    assert.equal([(await pay(port, '2', [KEY, 'X-User: bob'])).body, payments.count], ['"bob"', 2]);
    gate.open();
    assert.is((await first).body, '"ann"');
  });
});
callers('are asked for again before a replay: who is rejected gets no stored response', async () => {
  let isAdmitted = true;
  const context = (): string => {
    if (!isAdmitted) throw ApiError.status(403, 'no');
    return 'ann';
  };
  await servePayments(new Payments(undefined, { ...byUser, context }), async ({ port }) => {
    await pay(port);
    isAdmitted = false;
    assert.is((await pay(port)).status, 403);
  });
});

const documented = suite('K9: idempotent in a document');
const noErrors: IdempotencyStore = { once: async (_claim, run) => (await run({}), 'done') };
const ofStore: IdempotencyStore = { ...noErrors, errors: { 507: null }, callerErrors: { 402: null } };
const caller = (): string => 'ann';
for (const [what, keys, options, statuses] of [
  ['400, 409 and 422', noErrors, {}, ['400', '409', '413', '415', '422']],
  ['400, 409 and 422, where it is required', noErrors, { required: true }, ['400', '409', '413', '415', '422']],
  ['400, 409 and 422, and the statuses of the store', ofStore, {}, ['400', '409', '413', '415', '422', '507']],
  ['400, 409 and 422, and with a caller the statuses of its quotas too', ofStore, { caller }, ['400', '402', '409', '413', '415', '422', '507']],
  ['400, 409 and 422, and 503 of memoryIdempotencyStore', memoryIdempotencyStore(), {}, ['400', '409', '413', '415', '422', '503']],
  ['400, 409 and 422, and with a caller 429 and 503 of memoryIdempotencyStore',
    memoryIdempotencyStore(), { caller }, ['400', '409', '413', '415', '422', '429', '503']],
] as const) {
  documented(`is a header parameter, ${what}`, () => {
    const { parameters, responses } = findOperation(makeDocument(new Payments(undefined, { keys, options }).register), 'accountPay');
    assert.equal(parameters?.map(({ name, in: place, required: isRequired }) => [name, place, isRequired]),
      [['Idempotency-Key', 'header', 'required' in options || undefined]]);
    assert.equal(Object.keys(responses), ['200', ...statuses, 'default']);
  });
}
documented('with a 409 that the operation declares: one of both, which its code distinguishes, if errors are problems', () => {
  const properties = { type: 'object', properties: { balance: { type: 'integer' } }, required: ['balance'] };
  const declared = new Payments(undefined, { errors: { 409: makeJsonSchema(properties) } }).register;
  const contentOf = (server: ApiServerOptions = {}): unknown => (findOperation(makeDocument(declared, { server }), 'accountPay').responses['409'] as { content?: unknown }).content;
  const problem = { $ref: '#/components/schemas/Problem' };
  const inUse = { type: 'object', required: ['code'], properties: { code: { type: 'string', const: 'idempotency_key_in_use' } } };
  assert.equal(contentOf(), { 'application/problem+json': { schema: { anyOf: [{ allOf: [problem, inUse] }, { allOf: [problem, properties] }] } } });
  const schema = { $id: 'Failure', type: 'object' };
  const failure = { $ref: '#/components/schemas/Failure' };
  assert.equal(contentOf({ formatProblem: { schema, format: () => ({ body: 1 }) } }), { 'application/json': { schema: failure } });
});
documented('with validationStatus 422: the 422 of a value has no code', () => {
  const schemaOf = (server: ApiServerOptions): unknown => {
    const { content } = findOperation(makeDocument(new Payments(undefined, {}).register, { server }), 'accountPay').responses['422'] as any;
    return content['application/problem+json'].schema;
  };
  const problem = { $ref: '#/components/schemas/Problem' };
  const reused = { allOf: [problem, { type: 'object', required: ['code'], properties: { code: { type: 'string', const: 'idempotency_key_reused' } } }] };
  assert.equal([schemaOf({}), schemaOf({ validationStatus: 422 })], [reused, { anyOf: [reused, problem] }]);
});

const rejected = suite('K5 K6: a wrong use of idempotent');
for (const [make, text] of [
  [() => idempotent({} as never), 'idempotent needs a store with once(), such as memoryIdempotencyStore()'],
  [() => idempotent(undefined as never), 'idempotent needs a store with once(), such as memoryIdempotencyStore()'],
  [() => idempotent(memoryIdempotencyStore(), { caller: 'ann' } as never), 'options.caller must be a function: string'],
  [() => idempotent(memoryIdempotencyStore(), { required: 1 } as never), 'options.required must be a boolean: 1'],
  [() => idempotent(memoryIdempotencyStore(), { require: true } as never),
    'unknown option options.require: did you mean required? It can be one of caller, required'],
  [() => memoryIdempotencyStore({ max: 0 }), 'options.max must be a whole number from 1 to 9007199254740991: 0'],
  [() => memoryIdempotencyStore({ maxPerCaller: 0 }), 'options.maxPerCaller must be a whole number from 1 to 9007199254740991: 0'],
  [() => memoryIdempotencyStore({ maxBytes: 511 }), 'options.maxBytes must be a whole number from 512 to 9007199254740991: 511'],
  [() => memoryIdempotencyStore({ ttlMs: 0.5 }), 'options.ttlMs must be a whole number from 1 to 9007199254740991: 0.5'],
  [() => memoryIdempotencyStore({ size: 1 } as never), 'unknown option options.size: it can be one of max, maxPerCaller, maxBytes, ttlMs'],
] as const) rejections(rejected, [['', make, text]]);
const use = idempotent(memoryIdempotencyStore());
const pool = new FakePool();
const inTransaction = transaction(pool);
const paged = pages({ cursor: (item: string) => item });
for (const [declared, text] of [
  [{ id: integerId, get: { use, run: () => 1 } }, 'endpoint.get must not use idempotent(…): only create, custom (POST), itemCustom (POST) and patch can'],
  [{ id: integerId, use, delete: () => {} }, 'endpoint.delete must not use idempotent(…): only create, custom (POST), itemCustom (POST) and patch can'],
  [{ context: () => 'ann', custom: { pay: { use, run: () => 1 } } },
    'endpoint.custom.pay has a context, so idempotent needs caller: ({ context }) => context.id'],
  [{ custom: { pay: { use, context: () => 'ann', run: () => 1 } } },
    'endpoint.custom.pay has a context, so idempotent needs caller: ({ context }) => context.id'],
  [{ custom: { pay: { use: [use, { onRequest: () => {} }, use], run: () => 1 } } },
    'endpoint.custom.pay.use[2] must not be used with endpoint.custom.pay.use[0]: both add request.idempotencyKey'],
  [{ use, custom: { pay: { use, run: () => 1 } } }, 'endpoint.custom.pay.use must not be used with endpoint.use: both add request.idempotencyKey'],
  [{ custom: { pay: { use: [inTransaction, inTransaction], run: () => 1 } } },
    'endpoint.custom.pay.use[1] must not be used with endpoint.custom.pay.use[0]: both add request.tx'],
  [{ custom: { pay: { use: [inTransaction, idempotent(postgresIdempotencyStore(pool))], run: () => 1 } } },
    'endpoint.custom.pay.use[1] must not be used with endpoint.custom.pay.use[0]: both add request.tx'],
  [{ id: integerId, list: { use: [paged, paged], run: () => [] } }, 'endpoint.list.use[1] must not be used with endpoint.list.use[0]: both add request.page'],
  ...[events(Number), ndjson(Number), defineFormat({ isSequence: true, encode: String }), { 200: Number, 202: events(Number) }].map((output) => [
    { custom: { pay: { use, output, run: () => 1 } } }, 'endpoint.custom.pay must not use idempotent(…): its output is a stream, and streams are not stored',
  ] as const),
] as const) {
  rejected(`TypeError at registration: ${text}`, () => assertRejected(declared, text));
}
rejected('a store without a transaction may be used with one, and keys for two operations of an endpoint', async () => {
  const claims = idempotent(postgresIdempotencyStore(pool, { transaction: false }));
  await serve((server) => server.registerEndpoint('/a', defineEndpoint({ custom: { pay: { use: [claims, inTransaction], run: () => 1 }, take: { use, run: () => 1 } } })), async () => {});
});
