/** `formatProblem` after a listener of the user: the headers and the target of the request. */
import { ApiError, defineEndpoint, stringId, type ApiServer, type Middleware, type ProblemFormat } from '../../src/index.ts';
import { facts, suite } from '../support/facts.ts';

const CHALLENGE = 'Bearer realm="zoo"';
const UNCHALLENGED = 'formatProblem: status 401 needs the header WWW-Authenticate';

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
for (const [why, headers, thrown, formatProblem, response, ...logged] of [
  ['a 401 of middleware whose challenge is on the response', { 'WWW-Authenticate': CHALLENGE },
    makeUnauthorized(), own, '401 {"status":401,"detail":"who?"} | WWW-Authenticate: Bearer realm="zoo"'],
  ['a 401 of middleware without a challenge', {}, makeUnauthorized(), own, '401 {"status":401,"detail":"who?"}'],
  ['a 405 of middleware whose Allow is on the response', { allow: 'GET' }, Object.assign(new Error(), { status: 405 }), own, '405 {"status":405} | allow: GET'],
  ['a 400 that it makes a 401, with the challenge on the response', { 'www-authenticate': CHALLENGE }, undefined,
    formatAs(401), '401 {"status":400,"detail":"Bad arguments: no"} | www-authenticate: Bearer realm="zoo"'],
  ['a 401 that it makes a 403', { 'WWW-Authenticate': CHALLENGE, 'X-Own': '1' }, makeUnauthorized(),
    formatAs(403), '403 {"status":401,"detail":"who?"} | WWW-Authenticate: Bearer realm="zoo" | X-Own: 1'],
  ['a 400 that it makes a 401 without a challenge: the problem as it is', {}, undefined, formatAs(401), '400 Bad arguments: no', UNCHALLENGED],
  ['a 400 that it makes a 401 with another header: the problem as it is', { Allow: 'GET' },
    undefined, formatAs(401), '400 Bad arguments: no | Allow: GET', UNCHALLENGED],
  ['its own header replaces that of middleware', { 'WWW-Authenticate': CHALLENGE }, makeUnauthorized(),
    () => ({ headers: { 'WWW-Authenticate': 'Own' }, body: 1 }), '401 1 | WWW-Authenticate: Own'],
] as const satisfies readonly (readonly [string, Readonly<Record<string, string>>, unknown, ProblemFormat, string, string?])[]) {
  facts(kept, useListener(setHeaders(headers, thrown)), [[why, 'GET /v1/pet/1', response, ...logged]], { formatProblem });
}

const formatProblem: ProblemFormat = (_problem, request) => ({ body: [request.url, request.originalUrl ?? request.url] });

const seen = suite('E8: the target that formatProblem sees');
for (const [why, listener] of [
  ['throws', () => { throw new Error('no'); }],
  ['rejects later', async () => { await new Promise(setImmediate); throw new Error('no'); }],
] as const) {
  facts(seen, (server) => server.mount('/files', listener), [[
    `of a mount that ${why}: request.url is without the route, and originalUrl is whole`, ['GET /files/a/b?c=%20d', 'GET /files?c'],
    ['500 ["/a/b?c=%20d","/files/a/b?c=%20d"]', '500 ["/?c","/files?c"]'], '* /files: no', '* /files: no',
  ]], { formatProblem });
}
facts(seen, useListener(setHeaders({})), [
  ['of an operation: it is whole', 'GET /v1/pet/1?a=b', '400 ["/v1/pet/1?a=b","/v1/pet/1?a=b"]'],
  ['of an unknown path: it is whole', 'GET /v1/nothing?a=b', '404 ["/v1/nothing?a=b","/v1/nothing?a=b"]'],
], { formatProblem });
