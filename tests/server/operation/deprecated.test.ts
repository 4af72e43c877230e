/** The headers of deprecated operations (RFC 9745, RFC 8594), and their documents. */
import { ApiError, ApiServer, integerId, reply, type Deprecation } from '../../../src/index.ts';
import { assert, facts, rejections, suite, type Declare } from '../../support/facts.ts';
import { makeDocument } from '../../support/make-document.ts';

const DEPRECATED = { since: '2026-01-31', sunset: new Date('2026-12-31T23:59:59Z'), link: 'https://zoo.example/v2' };

const declareDeprecated = (deprecated: boolean | Deprecation | undefined, endpoint: { readonly context?: () => unknown } = {}): Declare => (server) => {
  const get = (id: number): unknown => {
    if (id === 3) throw ApiError.status(409);
    if (id === 4) throw new Error('down');
    return id === 2 ? reply(200, 1, { Link: '<a>; rel="next"', 'Cache-Control': 'no-store' }) : { id };
  };
  server.registerEndpoint('/pet', { id: integerId, get: deprecated === undefined ? get : { deprecated, run: get }, delete: () => {}, ...endpoint });
};

const headers = suite('O23: a deprecated operation');
const LINK = '<https://zoo.example/v2>; rel="deprecation"';
const DATES = '| Deprecation: @1769817600 | Sunset: Thu, 31 Dec 2026 23:59:59 GMT';
facts(headers, declareDeprecated(DEPRECATED), [
  ['says so in every response', 'GET /v1/pet/1', `200 {"id":1} ${DATES} | Link: ${LINK}`],
  ['after the links of the response', 'GET /v1/pet/2', `200 1 | Link: <a>; rel="next" | Cache-Control: no-store ${DATES} | Link: ${LINK}`],
  ['an error', 'GET /v1/pet/3', `409 ${DATES} | Link: ${LINK}`],
  ['a bug', 'GET /v1/pet/4', `500 ${DATES} | Link: ${LINK}`, 'GET /v1/pet/:id: Internal error: down'],
  ['an id that is rejected', 'GET /v1/pet/x', `400 Bad arguments: id: expected a decimal integer from -9007199254740991 to 9007199254740991 @id ${DATES} | Link: ${LINK}`],
  ['others of the endpoint are not', 'DELETE /v1/pet/1', '204'],
]);
facts(headers, declareDeprecated(DEPRECATED, { context: () => { throw ApiError.status(403); } }), [
  ['a context that throws', 'GET /v1/pet/1', `403 | Cache-Control: private, no-cache ${DATES} | Link: ${LINK}`],
]);
const withLink: Declare = (server) => {
  server.use((_request, response, next) => {
    response.setHeader('Link', '<b>');
    next();
  });
  declareDeprecated(DEPRECATED)(server);
};
facts(headers, withLink, [['keeps the Link of middleware', 'GET /v1/pet/1', `200 {"id":1} | Link: <b> | Link: ${LINK} ${DATES}`]]);
facts(headers, declareDeprecated({ since: DEPRECATED.since }, { context: () => 1 }), [
  ['with a context, its responses are private too', 'GET /v1/pet/1', '200 {"id":1} | Cache-Control: private, no-cache | Deprecation: @1769817600'],
]);
for (const [deprecated, expected] of [[true, true], [DEPRECATED, true], [false, false], [undefined, undefined]] as const) {
  headers(`${JSON.stringify(deprecated)}: "deprecated" of the document is ${expected}`, () => {
    assert.is(makeDocument(declareDeprecated(deprecated)).paths['/v1/pet/{id}']?.['get']?.deprecated, expected);
  });
  if (deprecated !== DEPRECATED) facts(headers, declareDeprecated(deprecated), [[`${deprecated} is in the document alone`, 'GET /v1/pet/1', '200 {"id":1}']]);
}

const rejected = suite('O23: dates that are rejected');
const deprecate = (deprecated: unknown) => () => declareDeprecated(deprecated as Deprecation)(new ApiServer(''));
rejections(rejected, [
  ['', deprecate('yes'), 'endpoint.get.deprecated must be a boolean: yes'],
  ['', deprecate({}), 'endpoint.get.deprecated.since is required'],
  ['', deprecate({ since: 'soon' }), 'endpoint.get.deprecated.since must be a date: soon'],
  ['', deprecate({ since: 1 }), 'endpoint.get.deprecated.since must be a date: 1'],
  ['', deprecate({ since: '2026-01-02', sunset: '2026-01-01' }), 'endpoint.get.deprecated.sunset must not be before endpoint.get.deprecated.since'],
  ['', deprecate({ since: '2026-01-02', link: '<a>' }), 'endpoint.get.deprecated.link must be a URL: "<a>"'],
  ['', deprecate({ since: '2026-01-02', link: 'a\r\nb' }), 'endpoint.get.deprecated.link must be a URL: "a\\r\\nb"'],
  ['', deprecate({ since: '2026-01-02', until: '2026-01-01' }), 'unknown option endpoint.get.deprecated.until: it can be one of since, sunset, link'],
]);
