/** Mounted handlers that fail: the request gets one response or the connection is destroyed, and the failure is logged. */
import type { ServerResponse } from 'node:http';
import type { MountHandler } from '../../src/index.ts';
import { serveFailingMount, FAILURE } from '../support/failing-mount.ts';
import { assert, delay, readStatuses, suite } from '../support/facts.ts';

const early = suite('M4: a handler that fails before it has sent anything');
for (const [handler, why] of [
  [() => { throw FAILURE; }, 'it throws'],
  [async () => { throw FAILURE; }, 'it rejects'],
  [() => delay(5).then(() => { throw FAILURE; }), 'it rejects later'],
  [() => ({ then: (_resolve: unknown, reject: (reason: unknown) => void) => reject(FAILURE) }), 'it returns a thenable that rejects'],
  [() => Object.assign(() => {}, { then: (_resolve: unknown, reject: (reason: unknown) => void) => reject(FAILURE) }),
    'it returns a callable thenable that rejects'],
  [() => ({ then: async () => { throw FAILURE; } }), 'it returns a thenable whose then rejects'],
  [() => ({ get then() { throw FAILURE; } }), 'it returns an object whose then getter throws'],
  [(_request, response) => {
    response.statusCode = 201;
    response.setHeader('Content-Type', 'text/html');
    response.setHeader('Content-Length', '3');
    response.setHeader('Set-Cookie', ['a=b', 'c=d']);
    response.setHeader('X-Half', 'done');
    throw FAILURE;
  }, 'it throws when it has set headers'],
] as const satisfies readonly (readonly [MountHandler, string])[]) {
  early(`${why} -> 500, a problem without the handler's headers and text, and the connection stays open`, async () => {
    const { received, errors } = await serveFailingMount(handler);
    assert.equal(readStatuses(received), [500, 200]);
    const [head = '', body = ''] = received.split(/\r\n\r\n|HTTP\/1\.1 200/);
    assert.match(head, /^HTTP\/1\.1 500 Internal Server Error\r\nContent-Type: application\/problem\+json\r\n/);
    assert.not.match(head, /cookie|x-half|text\/html/i);
    assert.equal(JSON.parse(body), { type: 'about:blank', title: 'Internal Server Error', status: 500 });
    assert.equal(errors.map(({ message, cause }) => [message, cause]), [['* /files: the disk is full', FAILURE]]);
  });
}
for (const [why, breakResponse] of [
  ['writeHead', (response) => Object.assign(response, { writeHead: () => { throw new Error('broken'); } })],
  ['removeHeader', (response) => Object.assign(response.setHeader('X', 'y'), { removeHeader: () => { throw new Error('broken'); } })],
] as const satisfies readonly (readonly [string, (response: ServerResponse) => unknown])[]) {
  for (const [way, handler] of [
    ['throws', (_request, response) => { breakResponse(response); throw FAILURE; }],
    ['rejects', async (_request, response) => { breakResponse(response); throw FAILURE; }],
  ] as const satisfies readonly (readonly [string, MountHandler])[]) {
    early(`it breaks ${why} and ${way} -> 500, then the connection closes, logged, and nothing is unhandled`, async () => {
      const { received, errors } = await serveFailingMount(handler);
      assert.equal(readStatuses(received), [500]);
      assert.match(received, /\r\n\r\n\{"type":"about:blank","title":"Internal Server Error","status":500\}$/);
      assert.equal(errors.map(({ cause }) => cause), [FAILURE]);
    });
  }
}
for (const [thrown, text] of [[null, 'null'], [undefined, 'undefined'], ['text', 'text'], [Symbol('s'), 'Symbol(s)']] as const) {
  early(`it throws ${String(thrown)} -> 500, logged`, async () => {
    const { received, errors } = await serveFailingMount(() => { throw thrown; });
    assert.equal(readStatuses(received), [500, 200]);
    assert.equal(errors.map(({ message, cause }) => [message, cause]), [[`* /files: ${text}`, thrown]]);
  });
}
early('HEAD -> 500 without a body', async () => {
  const { received } = await serveFailingMount(() => { throw FAILURE; }, 'HEAD');
  assert.equal(readStatuses(received), [500, 200]);
  assert.not.match(received, 'about:blank');
});

const rejected = suite('a head that Node rejects');
const SPLIT = 'a\r\nX-Split: b';
for (const [handler, why] of [
  [(_request, response) => response.setHeader('X', SPLIT), 'a value with CR and LF'],
  [(_request, response) => response.setHeader('X', 'caf\u0394'), 'a value outside Latin-1'],
  [(_request, response) => response.setHeader('a b', 'c'), 'a name that is not a token'],
  [(_request, response) => response.writeHead(200, { X: SPLIT }), 'a value with CR and LF in writeHead'],
  [(_request, response) => response.writeHead(204, { X: SPLIT }), 'the same, with a status that has no body'],
  [(_request, response) => response.writeHead(304, { X: SPLIT }), 'the same, with a different status that has no body'],
  [(_request, response) => response.writeHead(200, { 'Transfer-Encoding': 'chunked', X: SPLIT }), 'the same, after chunks'],
  [(_request, response) => response.writeHead(200, { 'Content-Length': '3', X: SPLIT }), 'the same, after a length'],
  [(_request, response) => response.writeHead(200, SPLIT), 'a phrase with CR and LF'],
  [(_request, response) => {
    response.statusMessage = SPLIT;
    response.end();
  }, 'a phrase with CR and LF, set before'],
  [(_request, response) => response.writeHead(99), 'a status that is too low'],
] as const satisfies readonly (readonly [MountHandler, string])[]) {
  for (const method of ['GET', 'HEAD'] as const) {
    rejected(`${why} -> ${method} gets a complete 500 without that head, logged`, async () => {
      const { received, errors } = await serveFailingMount(handler, method);
      const [head = '', ...rest] = received.split('\r\n\r\n');
      assert.match(head, /^HTTP\/1\.1 500 Internal Server Error\r\n/);
      assert.match(head, '\r\nContent-Type: application/problem+json\r\n');
      assert.not.match(received, /x-split|chunked/i);
      const length = method === 'HEAD' ? 0 : Number(/Content-Length: (\d+)/.exec(head)?.[1]);
      const body = rest.join('\r\n\r\n').slice(0, length);
      if (method === 'GET') assert.equal(JSON.parse(body), { type: 'about:blank', title: 'Internal Server Error', status: 500 });
      // After the body there is the other response, or nothing if this one was the last.
      assert.match(rest.join('\r\n\r\n').slice(length), /^$|^HTTP\/1\.1 200 /);
      assert.equal(errors.map(({ cause }) => (cause as NodeJS.ErrnoException).code?.startsWith('ERR_')), [true]);
    });
  }
}

const late = suite('M4: a handler that fails after it has sent something');
for (const [handler, why] of [
  [(_request, response) => {
    response.writeHead(200);
    response.write('half');
    throw FAILURE;
  }, 'it throws after half a body'],
  [async (_request, response) => {
    response.flushHeaders();
    await delay(5);
    throw FAILURE;
  }, 'it rejects after a head'],
] as const satisfies readonly (readonly [MountHandler, string])[]) {
  late(`${why}: the connection is destroyed before the response is complete, and the failure is logged`, async () => {
    const { received, errors } = await serveFailingMount(handler);
    assert.ok(readStatuses(received).length <= 1);
    assert.not.match(received, /about:blank|\r\n0\r\n/);
    assert.equal(errors.map(({ message, cause }) => [message, cause]), [['* /files: the disk is full', FAILURE]]);
  });
}
late('it throws after a complete response: the response is sent, the connection stays open, and the failure is logged', async () => {
  const { received, errors } = await serveFailingMount((_request, response) => {
    response.end('whole');
    throw FAILURE;
  });
  assert.equal(readStatuses(received), [200, 200]);
  assert.match(received, 'wholeHTTP');
  assert.equal(errors.map(({ cause }) => cause), [FAILURE]);
});
