/** S8: What `cache` and `etag` add to documents: headers of responses, the 304 and `If-None-Match`. */
import { integerId } from '../../src/index.ts';
import { makeDocument, makeJsonSchema, findOperation, run } from '../support/make-document.ts';
import { assert, suite } from '../support/facts.ts';

const cache = { maxAgeSeconds: 60 };
const output = makeJsonSchema({ type: 'array' });
const etag = 'body';

/** The names of the headers of each response, and the header parameters, of an operation. */
function partsOf(declared: object, operationId: string): readonly unknown[] {
  const document = makeDocument((server) => server.registerEndpoint('/pet', { id: integerId, ...declared } as never));
  const { responses, parameters = [] } = findOperation(document, operationId) as { responses: Record<string, any>; parameters?: readonly any[] };
  const headers = Object.entries(responses).flatMap(([status, response]) => (response.headers === undefined ? [] : [`${status}: ${Object.keys(response.headers).join(' ')}`]));
  return [headers, parameters.filter((each) => each.in === 'header').map(({ name }) => name)];
}

const documented = suite('cache and etag in a document');
for (const [why, declared, operationId, expected] of [
  ['without', { list: { run, output } }, 'petList', [[], []]],
  ['cache', { list: { run, output, cache } }, 'petList', [['200: Cache-Control'], []]],
  ['etag', { list: { run, output, etag } }, 'petList', [['200: ETag', '304: ETag'], ['If-None-Match']]],
  ['both', { list: { run, output, cache, etag } }, 'petList', [['200: Cache-Control ETag', '304: Cache-Control ETag'], ['If-None-Match']]],
  ['of a get with a version', { version: run, get: { run, output, cache } }, 'petGet',
    [['200: Cache-Control ETag', '304: Cache-Control ETag'], ['If-None-Match']]],
  ['several statuses', { list: { run, output: { 200: output, 204: null, 206: output, 303: null }, cache, etag } }, 'petList', [
    ['200: Cache-Control ETag', '204: Cache-Control', '206: Cache-Control', '303: Location', '304: Cache-Control ETag'], ['If-None-Match'],
  ]],
  ['headers of its own', { list: { run, output, cache, etag, responseHeaders: { ETag: makeJsonSchema({ type: 'string' }), 'X-Total': makeJsonSchema({ type: 'integer' }) } } }, 'petList', [
    ['200: Cache-Control ETag X-Total', '304: Cache-Control ETag'], ['If-None-Match'],
  ]],
] as const) {
  documented(`${why}: ${JSON.stringify(expected)}`, () => assert.equal(partsOf(declared, operationId), expected));
}
