/** An endpoint whose operations all fail with one value. */
import { defineEndpoint, stringId, type ApiServer, type ErrorMapper, type NotFoundPredicate } from '../../src/index.ts';

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
export function declareFailing(fail: () => never | Promise<never>, isNotFound?: NotFoundPredicate, mapError?: ErrorMapper): (server: ApiServer) => void {
  return (server) => server.registerEndpoint('/thing', defineEndpoint({
    id: stringId,
    schema: String,
    create: fail,
    get: fail,
    update: fail,
    delete: fail,
    custom: { feed: { input: Number, run: fail }, count: { run: fail } },
    ...(isNotFound === undefined ? {} : { isNotFound }),
    ...(mapError === undefined ? {} : { mapError }),
  }));
}

/** A revoked proxy, which throws on every access. */
export function makeRevokedProxy(): object {
  const { proxy, revoke } = Proxy.revocable({}, {});
  revoke();
  return proxy;
}
