/** The headers of deprecated operations (RFC 9745, RFC 8594), and their documents. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { ApiError, integerId, reply, type ApiServer, type Deprecation } from '../../../src/index.ts';
import { makeDocument } from '../../support/make-document.ts';
import { message } from '../../support/messages.ts';
import { send } from '../../support/raw-client.ts';
import { serve } from '../../support/serve.ts';

const DEPRECATED = { since: '2026-01-31', sunset: new Date('2026-12-31T23:59:59Z'), link: 'https://zoo.example/v2' };

const declareDeprecated = (deprecated: boolean | Deprecation | undefined, endpoint: { readonly context?: () => unknown } = {}) => (server: ApiServer): void => {
  const get = (id: number): unknown => {
    if (id === 3) throw ApiError.status(409);
    if (id === 4) throw new Error('down');
    return id === 2 ? reply(200, 1, { Link: '<a>; rel="next"', 'Cache-Control': 'no-store' }) : { id };
  };
  server.registerEndpoint('/pet', { id: integerId, get: deprecated === undefined ? get : { deprecated, run: get }, delete: () => {}, ...endpoint });
};

const headers = suite('O23: a deprecated operation');
for (const [path, endpoint, status, links] of [
  ['1', {}, 200, '<https://zoo.example/v2>; rel="deprecation"'],
  ['2', {}, 200, '<a>; rel="next", <https://zoo.example/v2>; rel="deprecation"'],
  ['3', {}, 409, '<https://zoo.example/v2>; rel="deprecation"'],
  ['4', {}, 500, '<https://zoo.example/v2>; rel="deprecation"'],
  ['x', {}, 400, '<https://zoo.example/v2>; rel="deprecation"'],
  ['1', { context: () => { throw ApiError.status(403); } }, 403, '<https://zoo.example/v2>; rel="deprecation"'],
] as const) {
  headers(`says so in every response: GET ${path} -> ${status}`, async () => {
    await serve(declareDeprecated(DEPRECATED, endpoint), async ({ port, errors }) => {
      const response = await send(port, message('GET', `/v1/pet/${path}`));
      assert.is(response.status, status);
      assert.is(errors.length, status === 500 ? 1 : 0);
      assert.is(response.headers.get('deprecation'), '@1769817600');
      assert.is(response.headers.get('sunset'), 'Thu, 31 Dec 2026 23:59:59 GMT');
      assert.is(response.headers.get('link'), links);
    });
  });
}
headers('keeps Link and Vary of middleware', async () => {
  await serve((server) => {
    server.use((_request, response, next) => {
      response.setHeader('Link', '<b>');
      next();
    });
    declareDeprecated(DEPRECATED)(server);
  }, async ({ port }) => {
    assert.is((await send(port, message('GET', '/v1/pet/1'))).headers.get('link'), '<b>, <https://zoo.example/v2>; rel="deprecation"');
  });
});
headers('with a context, its responses are private too', async () => {
  await serve(declareDeprecated({ since: DEPRECATED.since }, { context: () => 1 }), async ({ port }) => {
    const { headers } = await send(port, message('GET', '/v1/pet/1'));
    assert.equal(['cache-control', 'deprecation', 'sunset', 'link'].map((name) => headers.get(name)), ['private, no-cache', '@1769817600', undefined, undefined]);
  });
});
for (const deprecated of [undefined, false, true]) {
  headers(`${String(deprecated)} is in the document alone`, async () => {
    await serve(declareDeprecated(deprecated), async ({ port }) => {
      const { headers } = await send(port, message('GET', '/v1/pet/1'));
      assert.equal(['deprecation', 'sunset', 'link'].map((name) => headers.has(name)), [false, false, false]);
    });
  });
}
headers('others of the endpoint are not', async () => {
  await serve(declareDeprecated(DEPRECATED), async ({ port }) => {
    assert.is((await send(port, message('DELETE', '/v1/pet/1'))).headers.get('deprecation'), undefined);
  });
});
for (const [deprecated, expected] of [[true, true], [DEPRECATED, true], [false, false], [undefined, undefined]] as const) {
  headers(`${JSON.stringify(deprecated)}: "deprecated" of the document is ${expected}`, () => {
    assert.is(makeDocument(declareDeprecated(deprecated)).paths['/v1/pet/{id}']?.['get']?.deprecated, expected);
  });
}
headers.run();

const rejected = suite('O23: dates that are rejected: TypeError');
for (const [deprecated, text] of [
  ['yes', 'endpoint.get.deprecated must be a boolean: yes'],
  [{}, 'endpoint.get.deprecated.since is required'],
  [{ since: 'soon' }, 'endpoint.get.deprecated.since must be a date: soon'],
  [{ since: 1 }, 'endpoint.get.deprecated.since must be a date: 1'],
  [{ since: '2026-01-02', sunset: '2026-01-01' }, 'endpoint.get.deprecated.sunset must not be before endpoint.get.deprecated.since'],
  [{ since: '2026-01-02', link: '<a>' }, 'endpoint.get.deprecated.link must be a URL: "<a>"'],
  [{ since: '2026-01-02', link: 'a\r\nb' }, 'endpoint.get.deprecated.link must be a URL: "a\\r\\nb"'],
  [{ since: '2026-01-02', until: '2026-01-01' }, 'unknown option endpoint.get.deprecated.until: it can be one of since, sunset, link'],
] as const) {
  rejected(text, async () => {
    await serve(() => {}, async ({ server }) => {
      assert.throws(() => declareDeprecated(deprecated as never)(server), (thrown: unknown) => thrown instanceof TypeError && thrown.message === text);
    });
  });
}
rejected.run();
