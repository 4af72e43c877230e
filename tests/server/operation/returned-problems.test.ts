/** Errors that operations return: they are sent as thrown ones are, and are results to interceptors. */
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import {
  ApiError, defineEndpoint, integerId, problem, reply, stringId, type InterceptedCall, type Interceptor, type OperationResponse, type RequestMessage,
} from '../../../src/index.ts';
import { idempotent, memoryIdempotencyStore, pages } from '../../../src/interceptors/index.ts';
import { declareFailing, FAILING_OPERATIONS } from '../../support/failing-operations.ts';
import { message, readProblem } from '../../support/messages.ts';
import { RawClient, send } from '../../support/raw-client.ts';
import { serve } from '../../support/serve.ts';

const OPTIONS = {
  type: 'https://zoo.example/declined', title: 'Declined', instance: '/v1/thing/7', headers: { 'Retry-After': '5', Link: ['<a>; rel="help"'] },
};
const DECLINED = '{"type":"https://zoo.example/declined","title":"Declined","status":402,"detail":"No.","instance":"/v1/thing/7","by":"Zoë"}';
const returnDeclined = (): any => problem(402, 'No.', { by: 'Zoë' }, OPTIONS);
const codeOf = (given: unknown): { code: string } => {
  const { code } = given as { code: unknown };
  if (typeof code !== 'string') throw new Error('code must be a string');
  return { code };
};
const PAY = message('POST', '/v1/pay/go', '{}', ['Content-Type: application/json']);
/** Serves one Custom operation. */
const declarePay = (run: () => unknown, options: object = {}) => (server: { registerEndpoint(path: string, endpoint: never): unknown }): void => {
  server.registerEndpoint('/pay', { custom: { go: { run, ...options } } } as never);
};

const returned = suite('E9: an error that an operation returns');
for (const [when, run] of [['at once', returnDeclined], ['later', async () => returnDeclined()]] as const) {
  returned(`is the response of every operation, ${when}: the same bytes as of a thrown error, and a 4xx is not logged`, async () => {
    await serve(declareFailing(run as () => never), async ({ port, errors }) => {
      const client = await RawClient.connect(port);
      try {
        for (const { method, target, sent } of FAILING_OPERATIONS) {
          client.send(message(method, target, sent));
          const { status, headers, body, head } = await client.response();
          assert.equal([method, target, status], [method, target, 402]);
          assert.is(headers.get('content-type'), 'application/problem+json');
          assert.is(Buffer.from(body, 'latin1').toString(), DECLINED);
          assert.is(headers.get('retry-after'), '5');
          assert.match(head, '\r\nLink: <a>; rel="help"\r\n');
        }
      } finally {
        client.destroy();
      }
      assert.equal(errors, []);
    });
  });
}
for (const [what, options] of [
  ['output', { output: (value: unknown) => value }],
  ['output by status', { output: { 200: (value: unknown) => value } }],
  ['stringify', { stringify: () => '1' }],
  ['status: 204', { status: 204 }],
] as const) {
  returned(`beside ${what}`, async () => {
    await serve(declarePay(returnDeclined, options), async ({ port }) => {
      const { status, body } = await send(port, PAY);
      assert.equal([status, Buffer.from(body, 'latin1').toString()], [402, DECLINED]);
    });
  });
}
returned('to HEAD has the head alone', async () => {
  await serve(declareFailing(returnDeclined), async ({ port }) => {
    const { status, headers, body } = await send(port, message('HEAD', '/v1/thing/1'));
    assert.equal([status, headers.get('content-length'), body], [402, String(Buffer.byteLength(DECLINED)), '']);
  });
});
returned('has no version: If-None-Match is not compared', async () => {
  await serve(declareFailing((): any => problem(402, 'No.', {}, { headers: { ETag: '"1"' } })), async ({ port }) => {
    assert.is((await send(port, message('GET', '/v1/thing/1', '', ['If-None-Match: "1"']))).status, 402);
  });
});
returned('a 5xx is logged in one line, with the detail, which is sent (exposeInternalErrors: false)', async () => {
  await serve(declarePay(() => problem(503, 'Closed until nine.')), async ({ port, errors }) => {
    assert.is(readProblem(await send(port, PAY)).detail, 'Closed until nine.');
    assert.equal(errors.map((error) => [error.message, error.stack]), [['POST /v1/pay/go: Closed until nine.', 'Error: POST /v1/pay/go: Closed until nine.']]);
  });
});
returned('without a detail has the phrase of its status in the log', async () => {
  await serve(declarePay(() => problem(503)), async ({ port, errors }) => {
    assert.equal(readProblem(await send(port, PAY)), { type: 'about:blank', title: 'Service Unavailable', status: 503 });
    assert.equal(errors.map((error) => error.message), ['POST /v1/pay/go: Service Unavailable']);
  });
});
returned('is formatted by formatProblem', async () => {
  const formatProblem = ({ status, detail, by }: any): any => ({ status: 418, body: { status, detail, by } });
  await serve(declarePay(returnDeclined), async ({ port }) => {
    const { status, headers, body } = await send(port, PAY);
    assert.equal([status, headers.get('retry-after'), Buffer.from(body, 'latin1').toString()], [418, '5', '{"status":402,"detail":"No.","by":"Zoë"}']);
  }, { formatProblem });
});
returned('with a context: Cache-Control is private', async () => {
  await serve(declarePay(returnDeclined, { context: () => 1 }), async ({ port }) => {
    assert.is((await send(port, PAY)).headers.get('cache-control'), 'private, no-cache');
  });
});
for (const [status, run] of [[402, () => problem(402, 'No.', { code: 'declined' })], [401, () => problem(401, 'Who?', {}, { headers: { 'WWW-Authenticate': 'Basic' } })]] as const) {
  returned(`observers get an ApiError with its status: ${status}`, async () => {
    const seen: unknown[] = [];
    const see = (published: unknown): void => {
      const { error } = published as RequestMessage;
      seen.push(error instanceof ApiError && [error.status, error.message]);
    };
    subscribe('tracing:restpoint.request:error', see);
    try {
      await serve(declarePay(run), async ({ port }) => {
        assert.is((await send(port, PAY)).status, status);
      });
    } finally {
      unsubscribe('tracing:restpoint.request:error', see);
    }
    assert.equal(seen, [[status, status === 402 ? 'No.' : 'Who?']]);
  });
}
returned.run();

const declared = suite('E9: an error that is returned, with errors');
declared('the extensions that errors declares are sent', async () => {
  await serve(declarePay(() => problem(402, 'No.', { code: 'declined' }), { errors: { 402: codeOf } }), async ({ port }) => {
    assert.is(readProblem(await send(port, PAY))['code'], 'declined');
  });
});
declared('by a decoder that promises', async () => {
  await serve(declarePay(() => problem(402, 'No.', { code: 'declined' }), { errors: { 402: async (given: unknown) => codeOf(given) } }), async ({ port }) => {
    assert.is(readProblem(await send(port, PAY))['code'], 'declined');
  });
});
declared('other extensions: 500, logged, and nothing of them is sent', async () => {
  await serve(declarePay(() => problem(402, 'No.', { code: 7 }), { errors: { 402: codeOf } }), async ({ port, errors }) => {
    const response = await send(port, PAY);
    assert.equal(readProblem(response), { type: 'about:blank', title: 'Internal Server Error', status: 500 });
    assert.match(errors[0]?.message ?? '', 'the error does not match errors.402: Bad arguments: code must be a string');
  });
});
for (const [what, use] of [
  ['an interceptor that declares the status', { errors: { 402: null }, around: () => problem(402, 'Later.') }],
  ['an inner interceptor that declares it', [
    { around: (_call, run) => run() }, { errors: { 402: null }, around: () => problem(402, 'Later.') },
  ]],
  ['an inner interceptor that declares it, and encodes it', [
    { around: (_call, run) => run() }, { errors: { 402: null }, around: (call) => call.encode(problem(402, 'Later.')) },
  ]],
] as const satisfies readonly (readonly [string, Interceptor | readonly Interceptor[]])[]) {
  declared(`of ${what}: the operation's errors do not hold`, async () => {
    await serve(declarePay(() => 1, { errors: { 402: codeOf }, use }), async ({ port }) => {
      assert.is(readProblem(await send(port, PAY)).detail, 'Later.');
    });
  });
}
declared('of an interceptor that does not declare it: they hold', async () => {
  const use: Interceptor = { around: async (_call, run) => (await run(), problem(402, 'Later.')) };
  await serve(declarePay(() => 1, { errors: { 402: codeOf }, use }), async ({ port, errors }) => {
    assert.is((await send(port, PAY)).status, 500);
    assert.is(errors.length, 1);
  });
});
declared.run();

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
  await serve(declarePay(() => fails.pop()?.(), { use }), async ({ port, errors }) => {
    assert.is((await send(port, PAY)).status, 402);
    assert.is((await send(port, PAY)).status, 402);
    assert.is(errors.length, 1);
  });
  assert.equal(done, ['commit', 'rollback']);
});
intercepted('call.encode gives its response, as it is sent', async () => {
  let response: OperationResponse | undefined;
  const use = { around: async (call: InterceptedCall, run: () => Promise<unknown>) => (response = await call.encode(await run())) };
  await serve(declarePay(returnDeclined, { use }), async ({ port, errors }) => {
    assert.is((await send(port, PAY)).status, 402);
    assert.equal(errors, []);
  });
  assert.equal({ ...response }, {
    status: 402, headers: { 'Content-Type': 'application/problem+json', 'Retry-After': '5', Link: '<a>; rel="help"' }, body: DECLINED,
  });
});
intercepted('an encoded 5xx, and one that was stored, are logged', async () => {
  const uses: Interceptor[] = [
    { around: async (call, run) => call.encode(await run()) },
    { around: (call) => call.response({ status: 503, headers: {}, body: '{}' }) },
  ];
  for (const [at, logged] of ['Closed.', 'Service Unavailable'].entries()) {
    await serve(declarePay(() => problem(503, 'Closed.'), { use: uses[at] }), async ({ port, errors }) => {
      assert.is((await send(port, PAY)).status, 503);
      assert.equal(errors.map((error) => error.message), [`POST /v1/pay/go: ${logged}`]);
    });
  }
});
intercepted('idempotent stores it, and replays it; one that is thrown frees the key', async () => {
  let count = 0;
  const fails = [() => problem(402, 'No.', { code: 'declined' }, { headers: { 'X-Try': '1' } }), (): never => { throw ApiError.status(409, 'Busy.'); }];
  const run = (): unknown => ((count += 1), fails.pop()?.());
  await serve(declarePay(run, { use: idempotent(memoryIdempotencyStore()), errors: { 402: codeOf } }), async ({ port, errors }) => {
    const sendWithKey = () => send(port, message('POST', '/v1/pay/go', '{}', ['Content-Type: application/json', 'Idempotency-Key: "k"']));
    assert.is((await sendWithKey()).status, 409);
    const first = await sendWithKey();
    assert.equal([first.status, first.headers.get('idempotent-replayed'), count], [402, undefined, 2]);
    for (let again = 0; again < 2; again += 1) {
      const { status, body, headers } = await sendWithKey();
      assert.equal([status, body, headers.get('idempotent-replayed'), headers.get('x-try'), count], [402, first.body, 'true', '1', 2]);
      assert.is(headers.get('content-type'), 'application/problem+json');
    }
    assert.is(errors.length, 1);
  });
});
intercepted('extensions that errors does not declare are not stored: the key is free again', async () => {
  let count = 0;
  const run = (): unknown => ((count += 1), problem(402, 'No.', { code: 7 }));
  await serve(declarePay(run, { use: idempotent(memoryIdempotencyStore()), errors: { 402: codeOf } }), async ({ port, errors }) => {
    for (let times = 1; times <= 2; times += 1) {
      assert.is((await send(port, message('POST', '/v1/pay/go', '{}', ['Content-Type: application/json', 'Idempotency-Key: "k"']))).status, 500);
      assert.equal([count, errors.length], [times, times]);
    }
  });
});
intercepted('pages pass it on', async () => {
  const endpoint = defineEndpoint({ id: integerId, list: { use: pages({ cursor: (id: number) => id }), run: () => problem(402, 'Pay first.') } });
  await serve((server) => server.registerEndpoint('/pet', endpoint), async ({ port }) => {
    assert.is(readProblem(await send(port, message('GET', '/v1/pet'))).detail, 'Pay first.');
  });
});
intercepted.run();

const versions = suite('E9: a get that returns an error, for the version of an item');
for (const [status, expected] of [[404, 412], [410, 412], [403, 412], [429, 429], [503, 503]] as const) {
  versions(`${status} -> ${expected}, as for one that is thrown`, async () => {
    for (const get of [() => problem(status, 'No.'), (): never => { throw ApiError.status(status, 'No.'); }]) {
      const endpoint = defineEndpoint({ id: stringId, version: () => 1, get: get as () => never, delete: () => true });
      await serve((server) => server.registerEndpoint('/pet', endpoint), async ({ port, errors }) => {
        assert.is((await send(port, message('DELETE', '/v1/pet/a', '', ['If-Match: "1"']))).status, expected);
        assert.is(errors.length, expected === 503 ? 1 : 0);
      });
    }
  });
}
versions.run();

const mistaken = suite('E9: a problem as a context');
mistaken('is a mistake: 500, logged', async () => {
  await serve(declarePay(() => 1, { context: () => problem(401, 'Who?', {}, { headers: { 'WWW-Authenticate': 'Basic' } }) }), async ({ port, errors }) => {
    assert.is((await send(port, PAY)).status, 500);
    assert.match(errors[0]?.message ?? '', 'a context must not be a reply: to reject the caller, throw an ApiError');
  });
});
mistaken('beside a reply, which it is not: a success has no extensions', async () => {
  await serve(declarePay(() => reply(200, problem(402))), async ({ port, errors }) => {
    assert.is((await send(port, PAY)).status, 200);
    assert.equal(errors, []);
  });
});
mistaken.run();
