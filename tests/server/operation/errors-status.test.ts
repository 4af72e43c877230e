/** E6: The response and the log of an error whose status your code chooses. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { ApiError, defineEndpoint, stringId } from '../../../src/index.ts';
import { declareFailing, FAILING_OPERATIONS, WAYS_TO_FAIL } from '../../support/failing-operations.ts';
import { message, readProblem } from '../../support/messages.ts';
import { RawClient, send } from '../../support/raw-client.ts';
import { serve } from '../../support/serve.ts';

const cause = new Error('the secret cause');
const TAKEN = ApiError.status(409, 'The name is taken.', {
  type: 'https://zoo.example/taken',
  title: 'Taken',
  instance: '/v1/thing/7',
  extensions: { owner: 'Zoë' },
  headers: { 'Retry-After': '5', Link: ['<a>; rel="help"', '<b>; rel="next"'] },
  cause,
});
const TAKEN_TEXT = '{"type":"https://zoo.example/taken","title":"Taken","status":409,"detail":"The name is taken.","instance":"/v1/thing/7","owner":"Zoë"}';

const custom = suite('a custom status');
for (const [way, failWith] of WAYS_TO_FAIL) {
  custom(`is sent by every operation, ${way}: as it was made, and the connection lives on`, async () => {
    await serve(declareFailing(failWith(TAKEN)), async ({ port, errors }) => {
      const client = await RawClient.connect(port);
      try {
        for (const { method, target, sent } of FAILING_OPERATIONS) {
          client.send(message(method, target, sent));
          const { status, headers, body, head } = await client.response();
          assert.is(status, 409);
          assert.is(headers.get('content-type'), 'application/problem+json');
          assert.is(Buffer.from(body, 'latin1').toString(), TAKEN_TEXT);
          assert.is(headers.get('retry-after'), '5');
          assert.match(head, /\r\nLink: <a>; rel="help"\r\nLink: <b>; rel="next"/);
          assert.not.match(head + body, /secret/);
        }
      } finally {
        client.destroy();
      }
      assert.is(errors.length, FAILING_OPERATIONS.filter(({ isCustom }) => isCustom).length);
    });
  });
}
for (const exposeInternalErrors of [false, true]) {
  custom(`a 5xx shows its detail, which the user wrote for the client (exposeInternalErrors: ${exposeInternalErrors})`, async () => {
    await serve(declareFailing(() => { throw ApiError.status(503, 'Closed until nine.', { cause }); }), async ({ port, errors }) => {
      const problem = readProblem(await send(port, message('GET', '/v1/thing/1')));
      assert.equal(problem, { type: 'about:blank', title: 'Service Unavailable', status: 503, detail: 'Closed until nine.' });
      assert.is(errors.length, 1);
    }, { exposeInternalErrors });
  });
}
custom('HEAD gets the head alone', async () => {
  await serve(declareFailing(() => { throw TAKEN; }), async ({ port }) => {
    const { status, headers, body } = await send(port, message('HEAD', '/v1/thing/1'));
    assert.is(status, 409);
    assert.is(headers.get('content-length'), String(Buffer.byteLength(TAKEN_TEXT)));
    assert.is(body, '');
  });
});
custom('a codec and a decoder can throw it', async () => {
  const fail = (): never => { throw TAKEN; };
  const thing = defineEndpoint({ id: { parse: fail, format: String }, schema: fail, create: () => 1 as never, get: () => ({}) as never });
  await serve((server) => server.registerEndpoint('/thing', thing), async ({ port }) => {
    assert.is((await send(port, message('GET', '/v1/thing/1'))).status, 409);
    assert.is((await send(port, message('POST', '/v1/thing', '1'))).status, 409);
  });
});
for (const [why, fail] of [
  ['a header with a line break', () => ApiError.status(400, 'no', { headers: { 'X-A': 'a\r\nX-Injected: b' } })],
  ['a 405 without Allow', () => ApiError.status(405)],
] as const) {
  custom(`${why} is a mistake of the user's: 500, logged, and nothing of it is sent`, async () => {
    await serve(declareFailing(() => { throw fail(); }), async ({ port, errors }) => {
      const { status, head } = await send(port, message('GET', '/v1/thing/1'));
      assert.is(status, 500);
      assert.not.match(head, /injected/i);
      assert.instance(errors[0]?.cause, TypeError);
    });
  });
}
custom('a string that JSON fails to carry later on: 500, logged', async () => {
  let isSpent = false;
  const properties = { once: { toJSON: () => { if (isSpent) throw new Error('spent'); return (isSpent = true); } } };
  await serve(declareFailing(() => { throw ApiError.status(400, 'no', { extensions: properties }); }), async ({ port, errors }) => {
    assert.is((await send(port, message('GET', '/v1/thing/1'))).status, 500);
    assert.equal(errors.map((error) => error.message), ['GET /v1/thing/:id: Internal error: spent']);
  });
});
for (const status of [400, 404, 499, 500, 503, 599]) {
  custom(`${status} is logged by Custom operations${status >= 500 ? ' and all others, with the thrown value as the cause' : ' only, without a cause'}`, async () => {
    const thrown = ApiError.status(status, 'Closed.', { cause });
    await serve(declareFailing(() => { throw thrown; }), async ({ port, errors }) => {
      for (const { method, target, sent, route, isCustom } of FAILING_OPERATIONS) {
        const before = errors.length;
        assert.is((await send(port, message(method, target, sent))).status, status);
        const logged = errors.slice(before);
        assert.equal(logged.map((error) => error.message), status >= 500 || isCustom ? [`${route}: Closed.`] : []);
        for (const error of logged) assert.is(error.cause, status >= 500 ? thrown : undefined);
      }
    });
  });
}
custom('an unread body does not keep the response back', async () => {
  await serve((server) => server.registerEndpoint('/thing', defineEndpoint({
    id: stringId, delete: () => { throw TAKEN; },
  })), async ({ port }) => {
    assert.is((await send(port, message('DELETE', '/v1/thing/1', 'x'.repeat(10)))).status, 409);
  });
});
custom.run();
