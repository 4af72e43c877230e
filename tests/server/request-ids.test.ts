/** The `X-Request-Id` of a request in the `Error`s of its failures. Clients choose it, so it is shown as it is or not at all. */
import { reply, type ApiServer } from '../../src/index.ts';
import { makeRequestError } from '../../src/server/settings/logger.ts';
import { SWITCH_HEADERS, makeUpgrade } from '../support/upgrades.ts';
import { assert, message, send, sendUntilClosed, serve, suite } from '../support/facts.ts';

const throwFull = (): never => { throw new Error('disk is full'); };

function declare(server: ApiServer): void {
  server.use(function reject(request, _response, next) {
    next(request.url === '/rejected' ? new Error('disk is full') : undefined);
  });
  server.registerEndpoint('/item', { get: throwFull, custom: { feed: throwFull, stream: () => reply(200, { [Symbol.asyncIterator]: () => ({ next: throwFull }) }) } });
  server.mount('/files', throwFull);
}

const shown = suite('the id of a request with a logged error');
for (const [what, method, target, source, text] of [
  ['an operation', 'GET', '/v1/item', 'GET /v1/item', 'Internal error: disk is full'],
  ['a Custom operation', 'POST', '/v1/item/feed', 'POST /v1/item/feed', 'Internal error: disk is full'],
  ['a stream', 'POST', '/v1/item/stream', 'POST /v1/item/stream', 'Internal error: disk is full'],
  ['a mount', 'GET', '/files/a', '* /files', 'disk is full'],
  ['middleware', 'GET', '/rejected', 'middleware reject', 'disk is full'],
] as const) {
  for (const [headers, id] of [[[], ''], [['X-Request-Id: 7f3c'], ' (request 7f3c)']] as const) {
    shown(`of ${what}, with ${headers.length} headers: the message begins with ${source}${id}`, () => serve(declare, async ({ port, errors }) => {
      await sendUntilClosed(port, message(method, target, '', ['Connection: close', ...headers]));
      assert.equal(errors.map((error) => error.message), [`${source}${id}: ${text}`]);
      assert.is((errors[0]?.cause as Error).message, 'disk is full');
    }));
  }
}
for (const [headers, id] of [[[], ''], [['X-Request-Id: 7f3c'], ' (request 7f3c)']] as const) {
  shown(`of an upgrade, with ${headers.length} headers`, () => serve((server) => server.registerUpgrade('/chat', throwFull), async ({ port, errors }) => {
    await sendUntilClosed(port, makeUpgrade('/chat', [...SWITCH_HEADERS, ...headers]));
    assert.equal(errors.map((error) => error.message), [`UPGRADE /chat${id}: disk is full`]);
    assert.is((errors[0]?.cause as Error).message, 'disk is full');
  }));
}
shown('of formatProblem', () => serve(declare, async ({ port, errors }) => {
  await send(port, message('GET', '/v1/nowhere', '', ['X-Request-Id: 7f3c']));
  assert.equal(errors.map((error) => error.message), ['formatProblem (request 7f3c): disk is full']);
}, { formatProblem: throwFull }));
for (const [what, id] of [
  ['a UUID', '123e4567-e89b-12d3-a456-426614174000'],
  ['a ULID', '01ARZ3NDEKTSV4RRFFQ69G5FAV'],
  ['one of a load balancer', 'Root=1-67891233-abcdef012345678912345678'],
  ['Base64', 'aGVsbG8+d29ybGQ/aGVsbG8='.replace('?', '/')],
  ['one of 200 characters', 'a'.repeat(200)],
] as const) {
  shown(`${what} is shown`, () => assert.is(messageWith(['X-Request-Id', id]), `GET /v1/item (request ${id}): failed`));
}
for (const [what, rawHeaders] of [
  ['one of 201 characters', ['X-Request-Id', 'a'.repeat(201)]],
  ['an empty one', ['X-Request-Id', '']],
  ['one with a space', ['X-Request-Id', 'a b']],
  ['one that looks like the end of the text', ['X-Request-Id', 'a): all is well (']],
  ['one with a line break', ['X-Request-Id', 'a\nb']],
  ['one with an escape of a terminal', ['X-Request-Id', '\u001b[31mred']],
  ['one with a tag', ['X-Request-Id', '<script>']],
  ['one with a quote', ['X-Request-Id', '"a"']],
  ['one outside ASCII', ['X-Request-Id', 'a\u00e4']],
  ['one that comes twice', ['X-Request-Id', 'a', 'x-request-id', 'b']],
  ['one that the user has made a symbol', ['X-Request-Id', Symbol('a b')]],
  ['one of a request that the user has broken', undefined],
] as const) {
  shown(`${what} is not shown`, () => assert.is(messageWith(rawHeaders), 'GET /v1/item: failed'));
}

function messageWith(rawHeaders: unknown): string {
  const { message: text, cause } = makeRequestError({ rawHeaders } as Parameters<typeof makeRequestError>[0], 'GET /v1/item', 'failed', undefined);
  assert.is(cause, undefined);
  return text;
}
