/** The subject's middleware, which the header `X-Listener` of a request controls, and its response by the rules. */
import { ApiError, type Middleware } from '../../src/index.ts';
import { waitTwoTurns } from '../support/wait.ts';
import type { ExpectedResponse } from './expected-response.ts';
import type { CallLog } from './call-log.ts';
import { RequestedFailure } from './requested-failure.ts';

/** The request that is passed on, or the response that it gets. */
interface Rule {
  readonly response?: ExpectedResponse;
  /** The new target. */
  readonly target?: string;
  /** Whether a failure is logged, although the request goes on. */
  readonly logs?: boolean;
  /** Whether the body is taken, so that no operation can read it. */
  readonly takesBody?: boolean;
}

interface Listener extends Rule {
  readonly listen: Middleware;
}

const TARGETS = [
  '/v1/now/new', 'http://b/v1/now/new', '*', '/v1/now/new#x', '/v1/now\\new', '', '/v1/replies/node-new', '/v1/nowhere', 'http://a b/v1/now/new',
  '/files/new?q=1', '/v1/bytes/half-new', '/v1/now/%00', '/v1/guarded/new', '/v1/lamp',
] as const;

const RESPONSE = { status: 200, headers: { 'x-listener': 'own' }, body: 'page' } as const;
const respond: Middleware = (_, response) => {
  response.writeHead(200, { 'Content-Length': RESPONSE.body.length, 'X-Listener': 'own' }).end(RESPONSE.body);
};
const failure = (properties: object): Error => Object.assign(new RequestedFailure(), properties);

const LISTENERS: Readonly<Record<string, Listener>> = {
  passes: { listen: (_request, _response, next) => next() },
  later: { listen: (_request, _response, next) => void waitTwoTurns().then(() => next()) },
  twice: { listen: (_request, _response, next) => (next(), next(failure({}))), logs: true },
  rejects: { listen: async (_request, _response, next) => (next(), Promise.reject(failure({}))), logs: true },
  listens: { listen: (request, _response, next) => (request.on('data', () => {}), next()), takesBody: true },
  responds: { listen: respond, response: RESPONSE },
  'responds-later': { listen: (request, response, next) => waitTwoTurns().then(() => respond(request, response, next)), response: RESPONSE },
  throws: {
    listen: () => {
      throw failure({});
    },
    response: { status: 500, logs: true },
  },
  'rejects-first': { listen: () => Promise.reject(failure({ status: 502 })), response: { status: 502, logs: true } },
  'rejects-next': { listen: (_request, _response, next) => next(failure({ statusCode: 403, expose: true })), response: { status: 403 } },
  teapot: {
    listen: (_request, _response, next) => next(ApiError.status(418, undefined, { headers: { 'X-Pot': 'short' } })),
    response: { status: 418, headers: { 'x-pot': 'short' } },
  },
  ...Object.fromEntries(TARGETS.map((target, at) => [`target-${at}`, {
    target,
    listen: (request, _response, next) => {
      request.url = target;
      next();
    },
  } satisfies Listener])),
};

export const LISTENER_NAMES = Object.keys(LISTENERS) as [string, ...string[]];
export const VARY = 'X-Listener';

/** Sets a header, and then follows the request's `X-Listener`. */
export function makeMiddleware(log: CallLog): Middleware {
  return (request, response, next) => {
    log.note('middleware', undefined, request);
    log.note('id', (request as { readonly id?: string }).id);
    response.setHeader('Vary', VARY);
    return (findListener(String(request.headers['x-listener'])) ?? LISTENERS['passes'])?.listen(request, response, next);
  };
}

/** The middleware's actions. The grammar names them only in requests to the server that has middleware. */
export function findRule(name: string | undefined): Rule | undefined {
  return name === undefined ? undefined : (findListener(name) ?? LISTENERS['passes']);
}

function findListener(name: string): Listener | undefined {
  return Object.hasOwn(LISTENERS, name) ? LISTENERS[name] : undefined;
}
