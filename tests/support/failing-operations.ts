/** An endpoint whose operations all fail with one value. */
import { defineEndpoint, stringId, type ApiServer, type ErrorMapper } from '../../src/index.ts';
import { assert, check, type Declare, type FactOptions } from './facts.ts';

/** Each operation of the endpoint, and its route as the log names it. */
export const FAILING_OPERATIONS = [
  { method: 'POST', target: '/v1/thing', sent: '0', route: 'POST /v1/thing', isCustom: false },
  { method: 'GET', target: '/v1/thing/1', sent: '', route: 'GET /v1/thing/:id', isCustom: false },
  { method: 'PUT', target: '/v1/thing/1', sent: '0', route: 'PUT /v1/thing/:id', isCustom: false },
  { method: 'DELETE', target: '/v1/thing/1', sent: '', route: 'DELETE /v1/thing/:id', isCustom: false },
  { method: 'POST', target: '/v1/thing/feed', sent: '0', route: 'POST /v1/thing/feed', isCustom: true },
  { method: 'POST', target: '/v1/thing/count', sent: '', route: 'POST /v1/thing/count', isCustom: true },
] as const;

/** The ways in which an operation can fail with a value. */
export const WAYS_TO_FAIL: readonly (readonly [way: string, failWith: (thrown: unknown) => () => never | Promise<never>])[] = [
  ['thrown', (thrown) => () => { throw thrown; }],
  ['rejected with', (thrown) => async () => { throw thrown; }],
];

/** Declares `/thing` with every operation: Custom `feed` takes a number, `count` takes nothing. */
export function declareFailing(fail: () => never | Promise<never>, mapError?: ErrorMapper): (server: ApiServer) => void {
  return (server) => server.registerEndpoint('/thing', defineEndpoint({
    id: stringId,
    schema: String,
    create: fail,
    get: fail,
    update: fail,
    delete: fail,
    custom: { feed: { input: Number, run: fail }, count: { run: fail } },
    ...(mapError === undefined ? {} : { mapError }),
  }));
}

export interface FailureOptions extends FactOptions {
  /** The text that is logged of each operation, or of Custom operations only. */
  readonly all?: string | RegExp;
  readonly custom?: string;
  /** The cause of each logged error. */
  readonly cause?: unknown;
}

/** Each operation gets this response, on one connection. */
export function checkFailing(declare: Declare, response: string, { all, custom, after, ...options }: FailureOptions = {}): Promise<void> {
  const routes = FAILING_OPERATIONS.filter(({ isCustom }) => all !== undefined || (custom !== undefined && isCustom)).map(({ route }) => (all instanceof RegExp ? all : `${route}: ${all ?? custom}`));
  const { cause, ...others } = options;
  return check(declare, FAILING_OPERATIONS.map(({ method, target, sent }) => `${method} ${target} ${sent}`), FAILING_OPERATIONS.map(() => response), routes, {
    ...others,
    after: (served) => {
      if ('cause' in options) for (const error of served.errors) assert.is(error.cause, cause);
      after?.(served);
    },
  });
}

/** A revoked proxy, which throws on every access. */
export function makeRevokedProxy(): object {
  const { proxy, revoke } = Proxy.revocable({}, {});
  revoke();
  return proxy;
}
