/** `formatProblem` after a listener of the user: the headers and the target of the request. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { ApiError, defineEndpoint, stringId, type ApiServer, type Middleware, type ProblemFormat } from '../../src/index.ts';
import { message } from '../support/messages.ts';
import { send } from '../support/raw-client.ts';
import { serve } from '../support/serve.ts';

const CHALLENGE = 'Bearer realm="zoo"';
const GET = message('GET', '/v1/pet/1');

/** Sets headers on the response, then calls `next` with this. */
function setHeaders(headers: Readonly<Record<string, string>>, thrown?: unknown): Middleware {
  return (_request, response, next) => {
    for (const [name, value] of Object.entries(headers)) response.setHeader(name, value);
    next(thrown);
  };
}

function useListener(listener: Middleware): (server: ApiServer) => void {
  return (server) => {
    server.use(listener);
    server.registerEndpoint('/pet', defineEndpoint({ id: stringId, get: () => { throw ApiError.argument('no'); } }));
  };
}

const makeUnauthorized = (): Error => Object.assign(new Error('who?'), { status: 401, expose: true });
const own: ProblemFormat = ({ status, detail }) => ({ body: { status, detail } });
const formatAs = (status: number): ProblemFormat => (problem, request) => ({ ...own(problem, request), status });

const kept = suite('E8: formatProblem after middleware that sets headers');
for (const [why, headers, thrown, format, status, body] of [
  ['a 401 of middleware whose challenge is on the response', { 'WWW-Authenticate': CHALLENGE }, makeUnauthorized(), own, 401, { status: 401, detail: 'who?' }],
  ['a 401 of middleware without a challenge', {}, makeUnauthorized(), own, 401, { status: 401, detail: 'who?' }],
  ['a 405 of middleware whose Allow is on the response', { allow: 'GET' }, Object.assign(new Error(), { status: 405 }), own, 405, { status: 405 }],
  ['a 400 that it makes a 401, with the challenge on the response', { 'www-authenticate': CHALLENGE }, undefined, formatAs(401), 401, { status: 400, detail: 'Bad arguments: no' }],
  ['a 401 that it makes a 403', { 'WWW-Authenticate': CHALLENGE, 'X-Own': '1' }, makeUnauthorized(), formatAs(403), 403, { status: 401, detail: 'who?' }],
] as const satisfies readonly (readonly [string, Readonly<Record<string, string>>, unknown, ProblemFormat, number, object])[]) {
  kept(`${why}: in the user's format, with the headers, and nothing is logged`, async () => {
    await serve(useListener(setHeaders(headers, thrown)), async ({ port }) => {
      const response = await send(port, GET);
      assert.is(response.status, status);
      assert.is(response.headers.get('content-type'), 'application/json');
      assert.equal(JSON.parse(response.body), body);
      for (const [name, value] of Object.entries(headers)) assert.is(response.headers.get(name.toLowerCase()), value);
    }, { formatProblem: format });
  });
}
for (const [why, headers] of [['none', {}], ['another', { Allow: 'GET' }]] as const) {
  kept(`a 400 that it makes a 401, and ${why} of the fields is a challenge: the problem as it is, and that is logged`, async () => {
    await serve(useListener(setHeaders(headers)), async ({ port, errors }) => {
      const response = await send(port, GET);
      assert.equal([response.status, response.headers.get('content-type')], [400, 'application/problem+json']);
      assert.equal(errors.map((error) => error.message), ['formatProblem: status 401 needs the header WWW-Authenticate']);
    }, { formatProblem: formatAs(401) });
  });
}
kept('its own field replaces that of middleware', async () => {
  await serve(useListener(setHeaders({ 'WWW-Authenticate': CHALLENGE }, makeUnauthorized())), async ({ port }) => {
    assert.is((await send(port, GET)).headers.get('www-authenticate'), 'Own');
  }, { formatProblem: () => ({ headers: { 'WWW-Authenticate': 'Own' }, body: 1 }) });
});
kept.run();

const target: ProblemFormat = (_problem, request) => ({ body: [request.url, request.originalUrl ?? request.url] });

const seen = suite('E8: the target that formatProblem sees');
for (const [why, listener] of [
  ['throws', () => { throw new Error('no'); }],
  ['rejects later', async () => { await new Promise(setImmediate); throw new Error('no'); }],
] as const) {
  seen(`of a mount that ${why}: request.url is without the route, and originalUrl is whole`, async () => {
    await serve((server) => server.mount('/files', listener), async ({ port, errors }) => {
      for (const [path, url] of [['/files/a/b?c=%20d', '/a/b?c=%20d'], ['/files?c', '/?c']] as const) {
        assert.equal(JSON.parse((await send(port, message('GET', path))).body), [url, path]);
      }
      assert.is(errors.length, 2);
    }, { formatProblem: target });
  });
}
seen('of an operation, and of an unknown path: it is whole', () => serve(useListener(setHeaders({})), async ({ port }) => {
  for (const path of ['/v1/pet/1?a=b', '/v1/nothing?a=b']) {
    assert.equal(JSON.parse((await send(port, message('GET', path))).body), [path, path]);
  }
}, { formatProblem: target }));
seen.run();
