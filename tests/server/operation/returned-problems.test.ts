/** Errors that operations return: they are sent as thrown ones are, and are results to interceptors. */
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import {
  ApiError, defineEndpoint, integerId, problem, reply, stringId, type InterceptedCall, type Interceptor, type OperationResponse, type RequestMessage,
} from '../../../src/index.ts';
import { idempotent, memoryIdempotencyStore, pages } from '../../../src/interceptors/index.ts';
import { checkFailing, declareFailing } from '../../support/failing-operations.ts';
import { ask, assert, check, facts, serve, suite } from '../../support/facts.ts';

const OPTIONS = {
  type: 'https://zoo.example/declined', title: 'Declined', instance: '/v1/thing/7', headers: { 'Retry-After': '5', Link: ['<a>; rel="help"'] },
};
const DECLINED = '{"type":"https://zoo.example/declined","title":"Declined","status":402,"detail":"No.","instance":"/v1/thing/7","by":"Zoë"}';
const SENT = '402 No. {"instance":"/v1/thing/7","by":"Zoë","type":"https://zoo.example/declined","title":"Declined"} | Retry-After: 5 | Link: <a>; rel="help"';
const returnDeclined = (): any => problem(402, 'No.', { by: 'Zoë' }, OPTIONS);
const codeOf = (given: unknown): { code: string } => {
  const { code } = given as { code: unknown };
  if (typeof code !== 'string') throw new Error('code must be a string');
  return { code };
};
const PAY = 'POST /v1/pay/go {}';
const WITH_KEY = `${PAY}\nIdempotency-Key: "k"`;
/** Serves one Custom operation. */
const declarePay = (run: () => unknown, options: object = {}) => (server: { registerEndpoint(path: string, endpoint: never): unknown }): void => {
  server.registerEndpoint('/pay', { custom: { go: { run, ...options } } } as never);
};

const returned = suite('E9: an error that an operation returns');
for (const [when, run] of [['at once', returnDeclined], ['later', async () => returnDeclined()]] as const) {
  returned(`is the response of every operation, ${when}, as a thrown error is, and a 4xx is not logged`, () => checkFailing(declareFailing(run as () => never), SENT));
}
for (const [what, options] of [
  ['output', { output: (value: unknown) => value }],
  ['output by status', { output: { 200: (value: unknown) => value } }],
  ['output without a body', { output: { 204: null } }],
] as const) {
  facts(returned, declarePay(returnDeclined, options), [[`beside ${what}`, PAY, SENT]]);
}
facts(returned, declareFailing(returnDeclined), [['to HEAD has the head alone', 'HEAD /v1/thing/1', '402 length 123 | Retry-After: 5 | Link: <a>; rel="help"']]);
facts(returned, declareFailing((): any => problem(402, 'No.', {}, { headers: { ETag: '"1"' } })),
  [['has no version: If-None-Match is not compared', 'GET /v1/thing/1\nIf-None-Match: "1"', '402 No. | ETag: "1"']]);
const CLOSED = 'POST /v1/pay/go: Closed until nine.';
facts(returned, declarePay(() => problem(503, 'Closed until nine.')), [['a 5xx is logged in one line, with the detail, which is sent', PAY, '503 Closed until nine.', CLOSED]], {
  after: ({ errors }) => assert.is(errors[0]?.stack, `Error: ${CLOSED}`),
});
facts(returned, declarePay(() => problem(503)),
  [['without a detail has the phrase of its status in the log', PAY, '503', 'POST /v1/pay/go: Service Unavailable']]);
facts(returned, declarePay(returnDeclined), [['is formatted by formatProblem', PAY, '418 {"status":402,"detail":"No.","by":"Zoë"} | Retry-After: 5 | Link: <a>; rel="help"']], { formatProblem: ({ status, detail, by }: any): any => ({ status: 418, body: { status, detail, by } }) });
facts(returned, declarePay(returnDeclined, { context: () => 1 }), [['with a context: Cache-Control is private', PAY, '402 No. {"instance":"/v1/thing/7","by":"Zoë","type":"https://zoo.example/declined","title":"Declined"} | Retry-After: 5 | Link: <a>; rel="help" | Cache-Control: private, no-cache']]);
for (const [status, run] of [[402, () => problem(402, 'No.', { code: 'declined' })], [401, () => problem(401, 'Who?', {}, { headers: { 'WWW-Authenticate': 'Basic' } })]] as const) {
  returned(`observers get an ApiError with its status: ${status}`, async () => {
    const seen: unknown[] = [];
    const see = (published: unknown): void => {
      const { error } = published as RequestMessage;
      seen.push(error instanceof ApiError && [error.status, error.message]);
    };
    subscribe('tracing:restpoint.request:error', see);
    try {
      await serve(declarePay(run), async ({ port }) => assert.ok(String(await ask(port, [PAY])).startsWith(String(status))));
    } finally {
      unsubscribe('tracing:restpoint.request:error', see);
    }
    assert.equal(seen, [[status, status === 402 ? 'No.' : 'Who?']]);
  });
}

const declared = suite('E9: an error that is returned, with errors');
facts(declared, declarePay(() => problem(402, 'No.', { code: 'declined' }), { errors: { 402: codeOf } }),
  [['the extensions that errors declares are sent', PAY, '402 No. {"code":"declined"}']]);
facts(declared, declarePay(() => problem(402, 'No.', { code: 'declined' }), { errors: { 402: async (given: unknown) => codeOf(given) } }),
  [['by a decoder that promises', PAY, '402 No. {"code":"declined"}']]);
const NO_STRING = 'POST /v1/pay/go: Internal error: the error does not match errors.402: Bad arguments: code must be a string';
facts(declared, declarePay(() => problem(402, 'No.', { code: 7 }), { errors: { 402: codeOf } }),
  [['other extensions: nothing of them is sent', PAY, '500', NO_STRING]]);
for (const [what, use] of [
  ['an interceptor that declares the status', { errors: { 402: null }, around: () => problem(402, 'Later.') }],
  ['an inner interceptor that declares it', [
    { around: (_call, run) => run() }, { errors: { 402: null }, around: () => problem(402, 'Later.') },
  ]],
  ['an inner interceptor that declares it, and encodes it', [
    { around: (_call, run) => run() }, { errors: { 402: null }, around: (call) => call.encode(problem(402, 'Later.')) },
  ]],
] as const satisfies readonly (readonly [string, Interceptor | readonly Interceptor[]])[]) {
  facts(declared, declarePay(() => 1, { errors: { 402: codeOf }, use }), [[`of ${what}: the operation's errors do not hold`, PAY, '402 Later.']]);
}
const late: Interceptor = { around: async (_call, run) => (await run(), problem(402, 'Later.')) };
facts(declared, declarePay(() => 1, { errors: { 402: codeOf }, use: late }), [['of an interceptor that does not declare it: they hold', PAY, '500', NO_STRING]]);

const intercepted = suite('E9: an error that is returned, in interceptors');
intercepted('is the result of run(): a transaction commits, which an error that is thrown rolls back', async () => {
  const done: string[] = [];
  const use: Interceptor = {
    around: async (_call, run) => {
      try {
        const result = await run();
        done.push('commit');
        return result;
      } catch (thrown) {
        done.push('rollback');
        throw thrown;
      }
    },
  };
  const fails = [(): never => { throw ApiError.status(402, 'No.'); }, () => problem(402, 'No.')];
  await check(declarePay(() => fails.pop()?.(), { use }), [PAY, PAY], ['402 No.', '402 No.'], ['POST /v1/pay/go: No.']);
  assert.equal(done, ['commit', 'rollback']);
});
intercepted('call.encode gives its response, as it is sent', async () => {
  let response: OperationResponse | undefined;
  const use = { around: async (call: InterceptedCall, run: () => Promise<unknown>) => (response = await call.encode(await run())) };
  await check(declarePay(returnDeclined, { use }), PAY, SENT);
  assert.equal({ ...response }, {
    status: 402, headers: { 'Content-Type': 'application/problem+json', 'Retry-After': '5', Link: '<a>; rel="help"' }, body: DECLINED,
  });
});
facts(intercepted, declarePay(() => problem(503, 'Closed.'), { use: { around: async (call: InterceptedCall, run: () => Promise<unknown>) => call.encode(await run()) } }), [['an encoded 5xx is logged', PAY, '503 Closed.', 'POST /v1/pay/go: Closed.']]);
facts(intercepted, declarePay(() => 1, { use: { around: (call: InterceptedCall) => call.response({ status: 503, headers: {}, body: '{}' }) } }),
  [['a 5xx that was stored is logged', PAY, '503 application/octet-stream {}', 'POST /v1/pay/go: Service Unavailable']]);
intercepted('idempotent stores it, and replays it; one that is thrown frees the key', async () => {
  let count = 0;
  const fails = [() => problem(402, 'No.', { code: 'declined' }, { headers: { 'X-Try': '1' } }), (): never => { throw ApiError.status(409, 'Busy.'); }];
  const run = (): unknown => ((count += 1), fails.pop()?.());
  const again = '402 No. {"code":"declined"} | X-Try: 1 | Idempotent-Replayed: true';
  await check(declarePay(run, { use: idempotent(memoryIdempotencyStore()), errors: { 402: codeOf } }), [WITH_KEY, WITH_KEY, WITH_KEY, WITH_KEY], ['409 Busy.', '402 No. {"code":"declined"} | X-Try: 1', again, again], ['POST /v1/pay/go: Busy.']);
  assert.is(count, 2);
});
intercepted('extensions that errors does not declare are not stored: the key is free again', async () => {
  let count = 0;
  const run = (): unknown => ((count += 1), problem(402, 'No.', { code: 7 }));
  await check(declarePay(run, { use: idempotent(memoryIdempotencyStore()), errors: { 402: codeOf } }), [WITH_KEY, WITH_KEY], ['500', '500'], [NO_STRING, NO_STRING]);
  assert.is(count, 2);
});
const paged = defineEndpoint({ id: integerId, list: { use: pages({ cursor: (id: number) => id }), run: () => problem(402, 'Pay first.') } });
facts(intercepted, (server) => server.registerEndpoint('/pet', paged), [['pages pass it on', 'GET /v1/pet', '402 Pay first.']]);

const UNMET = '412 A condition of the request is not met.';
const versions = suite('E9: a get that returns an error, for the version of an item');
for (const [status, response] of [[404, UNMET], [410, UNMET], [403, UNMET], [429, '429 No.'], [503, '503 No.']] as const) {
  for (const [how, get] of [['returned', () => problem(status, 'No.')], ['thrown', (): never => { throw ApiError.status(status, 'No.'); }]] as const) {
    facts(versions, (server) => server.registerEndpoint('/pet', { id: stringId, version: () => 1, get: get as () => never, delete: () => true }), [
      [`${status}, ${how}`, 'DELETE /v1/pet/a\nIf-Match: "1"', response, ...(status === 503 ? ['DELETE /v1/pet/:id: No.'] : [])],
    ]);
  }
}

const mistaken = suite('E9: a problem as a context');
facts(mistaken, declarePay(() => 1, { context: () => problem(401, 'Who?', {}, { headers: { 'WWW-Authenticate': 'Basic' } }) }), [['is a mistake', PAY, '500 | Cache-Control: private, no-cache', 'POST /v1/pay/go: Internal error: a context must not be a reply: to reject the caller, throw an ApiError']]);
mistaken('beside a reply, which it is not: a success has no extensions', () => serve(declarePay(() => reply(200, problem(402))), async ({ port }) => {
  assert.match(String(await ask(port, [PAY])), /^200 /);
}));
