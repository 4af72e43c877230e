/** `cache` and `etag` that registration rejects, and what is between tags of bodies and versions. */
import { createHash } from 'node:crypto';
import { events, ndjson } from '../../../src/formats/index.ts';
import { integerId } from '../../../src/index.ts';
import { assertRejected } from '../../support/rejected-endpoint.ts';
import { assert, decodeUtf8, message, send, serve, suite } from '../../support/facts.ts';

const cache = { maxAgeSeconds: 60 };
const acceptAny = (json: unknown): unknown => json;

const rejected = suite('S7: cache and etag that are rejected');
const run = (): never => { throw new Error('not called'); };
for (const [endpoint, text] of [
  [{ get: { run, cache: 60 } }, 'endpoint.get.cache must be an object such as { maxAgeSeconds: 60 }: 60'],
  [{ get: { run, cache: {} } }, 'endpoint.get.cache.maxAgeSeconds is required: 60'],
  [{ get: { run, cache: { maxAgeSeconds: -1 } } }, 'endpoint.get.cache.maxAgeSeconds must be a whole number from 0 to 31536000: -1'],
  [{ get: { run, cache: { maxAgeSeconds: 0.5 } } }, 'endpoint.get.cache.maxAgeSeconds must be a whole number from 0 to 31536000: 0.5'],
  [{ get: { run, cache: { maxAgeSeconds: '60' } } }, 'endpoint.get.cache.maxAgeSeconds must be a whole number from 0 to 31536000: 60'],
  [{ get: { run, cache: { maxAgeSeconds: Infinity } } }, 'endpoint.get.cache.maxAgeSeconds must be a whole number from 0 to 31536000: Infinity'],
  [{ get: { run, cache: { ...cache, staleWhileRevalidateSeconds: -1 } } },
    'endpoint.get.cache.staleWhileRevalidateSeconds must be a whole number from 0 to 31536000: -1'],
  [{ get: { run, cache: { ...cache, scope: 'shared' } } }, 'endpoint.get.cache.scope must be public or private: shared'],
  [{ get: { run, cache: { ...cache, scope: 'public, immutable\r\nX-A: 1' } } },
    'endpoint.get.cache.scope must be public or private: public, immutable\r\nX-A: 1'],
  [{ get: { run, cache: { ...cache, maxAge: 1 } } },
    'unknown option endpoint.get.cache.maxAge: did you mean maxAgeSeconds? It can be one of maxAgeSeconds, scope, staleWhileRevalidateSeconds, vary'],
  [{ get: { run, cache: { ...cache, vary: 'Accept' } } }, 'endpoint.get.cache.vary must be a list of strings: Accept'],
  [{ get: { run, cache: { ...cache, vary: ['*'] } } }, 'endpoint.get.cache.vary must be names of headers, such as X-Request-Id: "*"'],
  [{ get: { run, cache: { ...cache, vary: ['a\r\nb'] } } }, 'endpoint.get.cache.vary must be names of headers, such as X-Request-Id: "a\\r\\nb"'],
  [{ get: { run, cache, headers: acceptAny } },
    'endpoint.get.cache.vary is required, because endpoint.get.headers has no JSON Schema: list the headers that it reads'],
  [{ get: { run, etag: 'weak' } }, "endpoint.get.etag must be 'body': weak"],
  [{ get: { run, etag: true } }, "endpoint.get.etag must be 'body': true"],
  [{ version: run, get: { run, etag: 'body' } }, 'endpoint.get.etag is not allowed: the ETag of an item is its version, by endpoint.version'],
  [{ currentVersion: run, get: { run, etag: 'body' } }, 'endpoint.get.etag is not allowed: the ETag of an item is its version, by endpoint.version'],
  [{ get: { run, etag: 'body', output: ndjson(acceptAny) } },
    'endpoint.get.etag is not allowed: its output is a stream, and the bytes of a stream are not known in advance'],
  [{ get: { run, cache, output: events(acceptAny) } }, 'endpoint.get.cache is not allowed: events are never cached'],
  [{ get: { run, etag: 'body', output: events(acceptAny) } }, 'endpoint.get.etag is not allowed: events are never cached'],
  ...(['create', 'update', 'patch', 'delete'] as const).flatMap((kind) => {
    const options = kind === 'delete' ? { run } : { run, input: acceptAny };
    return [
      [{ [kind]: { ...options, cache } }, `endpoint.${kind}.cache is not allowed: only custom (GET), get, itemCustom (GET) and list can have it`],
      [{ [kind]: { ...options, etag: 'body' } }, `endpoint.${kind}.etag is not allowed: only custom (GET), get, itemCustom (GET) and list can have it`],
    ] as const;
  }),
  [{ custom: { feed: { run, cache } } }, 'endpoint.custom.feed.cache is not allowed: only custom (GET), get, itemCustom (GET) and list can have it'],
  [{ itemCustom: { feed: { run, etag: 'body' } } },
    'endpoint.itemCustom.feed.etag is not allowed: only custom (GET), get, itemCustom (GET) and list can have it'],
] as const) {
  rejected(`${text.replaceAll(/\s/g, ' ')}: TypeError`, () => assertRejected({ id: integerId, ...endpoint }, text));
}

const versioned = suite('tags of bodies and versions of items');
versioned('etag of a list, beside the version of the items', async () => {
  const endpoint = { id: integerId, version: () => 1, get: () => ({ a: 1 }), list: { etag: 'body', run: () => [] } } as const;
  await serve((server) => server.registerEndpoint('/pet', endpoint), async ({ port }) => {
    assert.is((await send(port, message('GET', '/v1/pet/1'))).headers.get('etag'), '"1"');
    assert.is((await send(port, message('GET', '/v1/pet'))).headers.get('etag'), `"${createHash('sha256').update('[]').digest('base64url')}"`);
  });
});
versioned('a change with the tag of a body, where there are no versions: 412, and the operation is not invoked', async () => {
  let changes = 0;
  const endpoint = { id: integerId, get: { etag: 'body', run: () => 1 }, update: { input: acceptAny, run: () => { changes += 1; } } } as const;
  await serve((server) => server.registerEndpoint('/pet', endpoint), async ({ port }) => {
    const { headers } = await send(port, message('GET', '/v1/pet/1'));
    const response = await send(port, message('PUT', '/v1/pet/1', '1', ['Content-Type: application/json', `If-Match: ${headers.get('etag')}`]));
    assert.equal([response.status, decodeUtf8(response.body).includes('condition'), changes], [412, true, 0]);
  });
});
