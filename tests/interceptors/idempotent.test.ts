/** `idempotent`: replays, rejections, and what can go wrong between a claim and its response. */
import { Readable } from 'node:stream';
import { client, toFormData } from '../../src/client/index.ts';
import { ApiError, bytes, created, defineEndpoint, defineFormat, integerId, problem, reply, stringId } from '../../src/index.ts';
import { form, mergePatch } from '../../src/formats/index.ts';
import { idempotent, type IdempotencyStore, memoryIdempotencyStore } from '../../src/interceptors/index.ts';
import { KEY, pay, Payments, servePayments, withoutDate } from '../support/idempotent-payments.ts';
import { assert, chunkedMessage, facts, Gate, message, RawClient, type RawResponse, send, serve, suite, waitUntil } from '../support/facts.ts';

const JSON_TYPE = 'Content-Type: application/json';
const PAY = `POST /v1/account/pay 1\n${KEY}`;

const replays = suite('Q9 K1: a request that is sent again');
for (const [what, run, properties] of [
  ['JSON', () => ({ paid: 'é' }), {}],
  ['what output makes of it', () => ({ paid: 1, secret: 2 }), { output: ({ paid }: any) => ({ paid }) }],
  ['a reply with a status and headers', () => reply(202, { queued: true }, { 'X-A': 'b', 'Set-Cookie': ['c=1', 'd=2'] }), {}],
  ['a reply without a body', () => reply(204), {}],
  ['a reply with an empty body', () => reply(200, Buffer.alloc(0)), {}],
  ['a redirection', () => reply(303, undefined, { Location: '/v1/account' }), {}],
  ['text', () => reply(200, 'a,é', { 'Content-Type': 'text/csv; charset=utf-8' }), {}],
  ['bytes', () => reply(200, Buffer.from([0, 255, 10]), { 'Content-Type': 'image/png' }), {}],
  ['a format', () => 7, { output: defineFormat<number>({ types: ['text/plain'], encode: (value) => `is ${value}` }) }],
] as const) {
  replays(`${what}: the same bytes, with Idempotent-Replayed, and the operation has run once`, async () => {
    const payments = new Payments(run, properties);
    await servePayments(payments, async ({ port }) => {
      const first = await pay(port);
      assert.ok(first.status < 400);
      assert.is(first.headers.get('idempotent-replayed'), undefined);
      for (let again = 0; again < 3; again += 1) {
        const second = await pay(port);
        assert.is(second.headers.get('idempotent-replayed'), 'true');
        assert.equal(withoutDate(second).filter((line) => line !== 'Idempotent-Replayed: true'), withoutDate(first));
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
    const use = idempotent(memoryIdempotencyStore());
    const finished = (form: any): unknown => ({ ...form, use, run: () => ((count += 1), results[form.run as keyof typeof results]()) });
    const properties = Object.fromEntries(Object.entries(declared).map(([name, form]: [string, any]) => {
      if (typeof form === 'function') return [name, form];
      return [name, 'run' in form ? finished(form) : Object.fromEntries(Object.entries(form).map(([own, each]) => [own, finished(each)]))];
    }));
    await serve((server) => server.registerEndpoint('/pet', { id: integerId, ...properties } as never), async ({ port }) => {
      const sendWithKey = (): Promise<RawResponse> => send(port, message(method, `/v1/pet${path}`, body, [JSON_TYPE, KEY]));
      const [first, second] = [await sendWithKey(), await sendWithKey()];
      assert.ok(first.status < 300);
      assert.equal(withoutDate(second).filter((line) => line !== 'Idempotent-Replayed: true'), withoutDate(first));
      assert.is(count, 1);
    });
  });
}
for (const [what, declared] of [
  ['version, and get', { get: 'get', version: ({ revision }: { revision: number }) => revision }],
  ['currentVersion', { currentVersion: 'revision' }],
] as const) {
  replays(`with the If-Match of the version that it has changed: ${what}`, async () => {
    const item = { revision: 5 };
    let count = 0;
    const functions = { get: () => item, revision: () => item.revision };
    const properties = Object.fromEntries(Object.entries(declared).map(([name, its]) => [name, typeof its === 'string' ? functions[its as 'get'] : its]));
    const change = { use: idempotent(memoryIdempotencyStore()), run: () => ((count += 1), (item.revision += 1), { ...item }) };
    const patch = { ...change, input: Object, output: { 200: Object } };
    await serve((server) => server.registerEndpoint('/pet', { id: integerId, ...properties, itemCustom: { feed: change }, patch } as never), async ({ port }) => {
      for (const [method, path] of [['POST', '/v1/pet/1/feed'], ['PATCH', '/v1/pet/1']] as const) {
        const sendWithKey = (...headers: readonly string[]): Promise<RawResponse> => send(port, message(method, path, '{}', [JSON_TYPE, ...headers]));
        const tag = `If-Match: "${item.revision}"`;
        const [first, second] = [await sendWithKey(KEY, tag), await sendWithKey(KEY, tag)];
        assert.ok(first.status < 300);
        assert.equal(withoutDate(second).filter((line) => line !== 'Idempotent-Replayed: true'), withoutDate(first));
        // With a new key it is a new change, of a version that is no more.
        assert.is((await sendWithKey('Idempotency-Key: "two"', tag)).status, 412);
        assert.is((await sendWithKey('Idempotency-Key: "two"', `If-Match: "${item.revision}"`)).status, 200);
      }
      assert.is(count, 4);
    });
  });
}
replays('in pieces, or over another connection, is the same request', async () => {
  const payments = new Payments();
  await servePayments(payments, async ({ port }) => {
    await pay(port, '{"cents":100}');
    const again = await send(port, chunkedMessage('POST', '/v1/account/pay', '{"cents":100}', [JSON_TYPE, KEY]));
    assert.equal([again.body, payments.count], ['{"paid":{"cents":100}}', 1]);
  });
});
let requests = 0;
facts(replays, (server) => {
  server.use((_request, response, next) => {
    response.setHeader('X-Request', String((requests += 1)));
    next();
  });
  new Payments().register(server);
}, [['gets the headers of middleware anew, and those that are not stored', [PAY, PAY], ['200 {"paid":1} | X-Request: 1', '200 {"paid":1} | X-Request: 2 | Idempotent-Replayed: true']]]);
const unkeyed = new Payments();
facts(replays, unkeyed.register, [['without a key runs again', Array(3).fill('POST /v1/account/pay 1'), Array(3).fill('200 {"paid":1}')]],
  { after: () => assert.is(unkeyed.count, 3) });

const allHeaders = suite('K2: the header Idempotency-Key');
for (const [one, other] of [
  ['"one"', 'one'],
  ['"8e03978e-40d5-43dd-bc93-6894a57f9324"', '8e03978e-40d5-43dd-bc93-6894a57f9324'],
  ['"a:b/c*~!"', 'a:b/c*~!'],
  ['"a \\"b\\" \\\\ , ;"', '"a \\"b\\" \\\\ , ;"'],
  [`"${'\\"'.repeat(255)}"`, `"${'\\"'.repeat(255)}"`],
  ['x'.repeat(255), `"${'x'.repeat(255)}"`],
] as const) {
  const payments = new Payments();
  facts(allHeaders, payments.register, [
    ['one key', [`POST /v1/account/pay 1\nIdempotency-Key: ${one}`, `POST /v1/account/pay 1\nidempotency-key: ${other}`],
      ['200 {"paid":1}', '200 {"paid":1} | Idempotent-Replayed: true']],
  ], { after: () => assert.is(payments.count, 1) });
}
const MALFORMED = '400 Bad arguments: Idempotency-Key: expected a string in quotes, or a token, of 1 to 255 characters @idempotency-key';
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
  const payments = new Payments();
  facts(allHeaders, payments.register, [[`${what}: the operation does not run`, ['POST /v1/account/pay 1', ...headers].join('\n'), MALFORMED]],
    { after: () => assert.is(payments.count, 0) });
}
facts(allHeaders, new Payments(undefined, { options: { required: true }, input: () => { throw new Error('no'); } }).register, [
  ['missing where it is required, also with validationStatus: 422, which is for the values of others', 'POST /v1/account/pay 1', MALFORMED],
  ['malformed, with validationStatus: 422', 'POST /v1/account/pay 1\nIdempotency-Key: "one', MALFORMED],
  ['a value of others', PAY, '422 Bad arguments: no @#'],
], { validationStatus: 422 });
const required = new Payments(undefined, { options: { required: true } });
facts(allHeaders, required.register, [
  ['missing where it is required, before the body is read', ['POST /v1/account/pay no JSON\nContent-Type: text/csv', PAY], [MALFORMED, '200 {"paid":1}']],
], { after: () => assert.is(required.count, 1) });
for (const [sent, key] of [
  ['"8e03978e"', '8e03978e'],
  ['8e03978e', '8e03978e'],
  ['"a \\"b\\" \\\\"', 'a "b" \\'],
  [undefined, undefined],
] as const) {
  const run = (_body: unknown, request: object & { idempotencyKey?: string }): unknown => ['idempotencyKey' in request, request.idempotencyKey ?? null];
  facts(allHeaders, new Payments(run).register, [
    ['request.idempotencyKey', `POST /v1/account/pay 1${sent === undefined ? '' : `\nIdempotency-Key: ${sent}`}`, `200 ${JSON.stringify([true, key ?? null])}`],
  ]);
}

const again = suite('K1: a request that is sent again in other bytes');
const Form = form((fields: any) => fields, { files: { photo: {} } } as never);
const formPayments = (input: object = Form, run: (body: any) => unknown = () => ({ paid: 1 })): Payments => new Payments(run, { input });
const makeForm = (name = 'Rex', file = 'a.png', content = 'x', type = 'image/png'): FormData => {
  const data = new FormData();
  data.append('name', name);
  data.append('photo', new File([content], file, { type }));
  return data;
};
/** The bytes of `makeForm()` without the delimiter between its parts: a field whose value has the head of a part. */
const makeUndelimited = (): FormData => {
  const data = new FormData();
  data.append('name', 'Rex\r\nContent-Disposition: form-data; name="photo"; filename="a.png"\r\nContent-Type: image/png\r\n\r\nx');
  return data;
};
const readAll = async (body: AsyncIterable<Uint8Array>): Promise<number> => {
  let length = 0;
  for await (const chunk of body) length += chunk.length;
  return length;
};
const sendForm = async (url: string, body: FormData): Promise<[number, string | null]> => {
  const { status, headers } = await fetch(`${url}/v1/account/pay`, { method: 'POST', body, headers: { 'Idempotency-Key': 'one' } });
  return [status, headers.get('idempotent-replayed')];
};
for (const [what, input, run] of [['as a form', Form, () => 1], ['as bytes', bytes(), readAll]] as const) {
  again(`a form with a new boundary, read ${what}: the stored response`, async () => {
    const payments = formPayments(input, run);
    await servePayments(payments, async ({ url }) => {
      assert.equal([await sendForm(url, makeForm()), await sendForm(url, makeForm())], [[200, null], [200, 'true']]);
      assert.is(payments.count, 1);
    });
  });
}
for (const [what, data] of [
  ['a field', makeForm('Asp')],
  ['the name of a file', makeForm('Rex', 'b.png')],
  ['the content of a file', makeForm('Rex', 'a.png', 'y')],
  ['the type of a file', makeForm('Rex', 'a.png', 'x', 'image/gif')],
  ['nothing but a delimiter', makeUndelimited()],
] as const) {
  again(`a form that differs in ${what}: 422`, async () => {
    const payments = formPayments();
    await servePayments(payments, async ({ url, errors }) => {
      assert.equal([await sendForm(url, makeForm()), await sendForm(url, data)], [[200, null], [422, null]]);
      assert.equal([payments.count, errors.length], [1, 0]);
    });
  });
}
again('by the typed client, which repeats a form whose response is lost', async () => {
  const api = defineEndpoint({ id: stringId, create: { input: Form, use: idempotent(memoryIdempotencyStore()), run: () => 'pet-1' } } as never) as any;
  await serve((server) => server.registerEndpoint('/pet', api as never), async ({ url }) => {
    let calls = 0;
    const lossy: typeof fetch = async (...args) => {
      const response = await fetch(...args);
      calls += 1;
      if (calls > 1) return response;
      await response.arrayBuffer();
      throw new TypeError('connection lost');
    };
    const pets = (client(`${url}/v1`, { fetch: lossy, retries: 2 }) as any)('/pet');
    assert.equal([await pets.create(toFormData({ name: 'Rex' }), { idempotencyKey: 'one' }), calls], ['pet-1', 2]);
  });
});
for (const [what, input, body, first, second] of [
  ['JSON, with a charset and without', undefined, '1', 'application/json', 'application/json; charset=utf-8'],
  ['JSON, in another case and with quotes', undefined, '1', 'Application/JSON;charset="UTF-8"', 'application/json'],
  ['a URL-encoded form, with a charset and without', form((fields: any) => fields), 'a=1',
    'application/x-www-form-urlencoded;charset=UTF-8', 'application/x-www-form-urlencoded'],
] as const) {
  const payments = new Payments(() => ({ paid: 1 }), input === undefined ? {} : { input });
  facts(again, payments.register, [
    [what, [first, second].map((type) => `POST /v1/account/pay ${body}\nContent-Type: ${type}\n${KEY}`),
      ['200 {"paid":1}', '200 {"paid":1} | Idempotent-Replayed: true']],
  ], { after: () => assert.is(payments.count, 1) });
}

const others = suite('K3: a different request under a key');
const DIFFERENT = '422 The idempotency key was used for a different request. {"code":"idempotency_key_reused"}';
for (const [what, request] of [
  ['another body', `POST /v1/account/pay 2\n${KEY}`],
  ['a body that means the same', `POST /v1/account/pay  1\n${KEY}`],
  ['another query', `POST /v1/account/pay?a=1 1\n${KEY}`],
  ['another Content-Type', `POST /v1/account/pay 1\nContent-Type: application/problem+json\n${KEY}`],
] as const) {
  const payments = new Payments();
  facts(others, payments.register, [[`${what}: the operation does not run`, [PAY, request, PAY], ['200 {"paid":1}', DIFFERENT, '200 {"paid":1} | Idempotent-Replayed: true']]], { after: () => assert.is(payments.count, 1) });
}
let patched = 0;
const patch = { input: mergePatch(Object), use: idempotent(memoryIdempotencyStore()), run: () => void (patched += 1) };
facts(others, (server) => server.registerEndpoint('/pet', { id: integerId, patch }), [
  ['another body in a format', [1, 2, 1].map((a) => `PATCH /v1/pet/1 {"a":${a}}\n${JSON_TYPE}\n${KEY}`), ['204', DIFFERENT, '204 | Idempotent-Replayed: true']],
], { after: () => assert.is(patched, 1) });
others('a body that a format gets as bytes is read before it, and no longer than allowed', async () => {
  const run = async (body: AsyncIterable<Uint8Array>): Promise<string> => {
    const chunks: Uint8Array[] = [];
    for await (const chunk of body) chunks.push(chunk);
    return Buffer.concat(chunks).toString();
  };
  const payments = new Payments(run, { input: bytes(), limits: { bodyBytes: 5 } });
  await servePayments(payments, async ({ port, errors }) => {
    const sendWithKey = (body: string, key = KEY): Promise<RawResponse> => send(port, chunkedMessage('POST', '/v1/account/pay', body, ['Content-Type: image/png', key]));
    assert.equal([(await sendWithKey('12345')).body, (await sendWithKey('12345')).body, (await sendWithKey('54321')).status, (await sendWithKey('123456')).status], ['"12345"', '"12345"', 422, 413]);
    assert.is((await sendWithKey('', 'Idempotency-Key: two')).body, '""');
    assert.equal([payments.count, errors.length], [2, 0]);
  });
});
for (const [what, method, target] of [['item', 'POST', '/v1/pet/2/feed'], ['operation', 'POST', '/v1/pet/1/wash']] as const) {
  others(`the same key for another ${what} -> ${what === 'item' ? '422' : 'both run'}`, async () => {
    const ran: string[] = [];
    const named = (name: string): object => ({ input: Number, use: idempotent(keys), run: (id: number) => ran.push(`${name} ${id}`) });
    const keys = memoryIdempotencyStore();
    await serve((server) => server.registerEndpoint('/pet', { id: integerId, itemCustom: { feed: named('feed'), wash: named('wash') } } as never), async ({ port, errors }) => {
      await send(port, message('POST', '/v1/pet/1/feed', '1', [JSON_TYPE, KEY]));
      const { status } = await send(port, message(method, target, '1', [JSON_TYPE, KEY]));
      assert.equal([status, ran, errors.length], what === 'item' ? [422, ['feed 1'], 0] : [200, ['feed 1', 'wash 1'], 0]);
    });
  });
}

const running = suite('K4: while the first request runs');
running('the second is 409 with Retry-After, and then gets the response', async () => {
  const gate = new Gate();
  const payments = new Payments(async () => (await gate.passed, 'paid'));
  await servePayments(payments, async ({ port, errors }) => {
    const first = pay(port);
    await waitUntil(() => payments.count === 1, 'the first');
    for (const body of ['1', '2']) {
      const { status, headers } = await pay(port, body);
      assert.equal([status, headers.get('retry-after')], [409, '1']);
    }
    gate.open();
    assert.equal([(await first).body, (await pay(port)).body, payments.count, errors.length], ['"paid"', '"paid"', 1, 0]);
  });
});
running('of a hundred at the same time, one runs', async () => {
  const payments = new Payments(async () => new Promise((resolve) => setTimeout(resolve, 5, 'paid')));
  await servePayments(payments, async ({ port, errors }) => {
    const statuses = await Promise.all(Array.from({ length: 100 }, async () => (await pay(port)).status));
    assert.equal([payments.count, [...new Set(statuses)].every((status) => status === 200 || status === 409)], [1, true]);
    assert.is(errors.length, 0);
  });
});
running('after its deadline: 503, then 409 until it settles, then its response', async () => {
  const gate = new Gate();
  const payments = new Payments(async () => (await gate.passed, 'paid'), { limits: { operationMs: 20 } });
  await servePayments(payments, async ({ port, errors }) => {
    assert.equal([(await pay(port)).status, (await pay(port)).status], [503, 409]);
    gate.open();
    await waitUntil(async () => (await pay(port)).status === 200, 'the response');
    assert.equal([(await pay(port)).body, payments.count], ['"paid"', 1]);
    assert.match(errors[0]?.message ?? '', /took longer than 20 ms/);
  });
});
running('after its client has left: its response is there for the client\'s retry', async () => {
  const gate = new Gate();
  const payments = new Payments(async () => (await gate.passed, 'paid'));
  await servePayments(payments, async ({ port }) => {
    const client = await RawClient.send(port, message('POST', '/v1/account/pay', '1', [JSON_TYPE, KEY]));
    await waitUntil(() => payments.count === 1, 'the first');
    client.destroy();
    gate.open();
    await new Promise((resolve) => setTimeout(resolve, 20));
    assert.equal([(await pay(port)).headers.get('idempotent-replayed'), payments.count], ['true', 1]);
  });
});

const failing = suite('K6: a request that fails');
for (const [what, fail, status] of [
  ['an ApiError', () => { throw ApiError.status(402, 'no money'); }, 402],
  ['any error', () => { throw new Error('no'); }, 500],
  ['a rejection', async () => { throw new Error('no'); }, 500],
  ['a result that output rejects', () => 'rejected', 500],
  ['a result that JSON cannot carry', () => 1n, 500],
  ['a stream', () => reply(200, Readable.from(['a'])), 500],
] as const) {
  failing(`${what} -> ${status}, and the retry runs again`, async () => {
    let isFailing = true;
    const output = (value: unknown): unknown => {
      if (value === 'rejected') throw new Error('rejected');
      return value;
    };
    const payments = new Payments(() => (isFailing ? fail() : 'paid'), { output });
    await servePayments(payments, async ({ port, errors }) => {
      assert.is((await pay(port)).status, status);
      isFailing = false;
      const { body, headers } = await pay(port);
      assert.equal([body, headers.get('idempotent-replayed'), payments.count, errors.length], ['"paid"', undefined, 2, 1]);
      if (what === 'a stream') assert.match(errors[0]?.message ?? '', /idempotent: a stream cannot be stored: reply with a string or bytes/);
    });
  });
}
for (const [what, fail, status, logged] of [
  ['a returned 503', () => problem(503, 'It is not known yet.', {}, { headers: { 'Retry-After': '1' } }), 503, 1],
  ['a returned 429', () => problem(429, 'That is enough.', {}, { headers: { 'Retry-After': '1' } }), 429, 0],
] as const) {
  failing(`${what} is sent with its headers, and the retry runs again`, async () => {
    let isFailing = true;
    const keys: IdempotencyStore = memoryIdempotencyStore();
    const failures: unknown[] = [];
    const once: IdempotencyStore['once'] = (claim, run) => keys.once(claim, (adds) => run(adds).catch((error: unknown) => {
      failures.push(error);
      throw new Error('rolled back', { cause: error });
    }));
    const payments = new Payments(() => (isFailing ? fail() : 'paid'), { keys: { once } });
    await servePayments(payments, async ({ port, errors }) => {
      const first = await pay(port);
      assert.equal([first.status, first.headers.get('retry-after'), first.headers.get('idempotent-replayed')], [status, '1', undefined]);
      assert.match(String(failures[0]), `a response with status ${status} is not stored`);
      assert.is((await pay(port, '1', [])).status, status);
      isFailing = false;
      const { body, headers } = await pay(port);
      assert.equal([body, headers.get('idempotent-replayed'), payments.count, errors.length], ['"paid"', undefined, 3, 2 * logged]);
    });
  });
}
facts(failing, new Payments(undefined, { input: (body: unknown) => { if (body === 'no') throw new Error('no'); return body; } }).register, [
  ['before the operation, such as a body that is rejected, uses no key',
    [`POST /v1/account/pay "no"\n${KEY}`, `POST /v1/account/pay "yes"\n${KEY}`], ['400 Bad arguments: no @#', '200 {"paid":"yes"}']],
]);
failing('an item that is missing is 404, and may be there for the retry', async () => {
  let isThere = false;
  const patch = { input: String, use: idempotent(memoryIdempotencyStore()), run: () => isThere };
  await serve((server) => server.registerEndpoint('/pet', { id: integerId, patch }), async ({ port }) => {
    const sendWithKey = async (): Promise<number> => (await send(port, message('PATCH', '/v1/pet/1', '1', [JSON_TYPE, KEY]))).status;
    const first = await sendWithKey();
    isThere = true;
    assert.equal([first, await sendWithKey()], [404, 204]);
  });
});
