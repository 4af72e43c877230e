/** What `endpointWith` makes of the endpoints that it is given. */
import { defineEndpoint, endpointWith, integerId, type Interceptor, stringId } from '../../src/index.ts';
import { assert, isTypeError, message, send, serve, suite } from '../support/facts.ts';

const params = { zoo: stringId };
const context = (): string => 'ann';

/** Notes its name when it runs, and adds it to the request as a property of that name. */
function makeNamed<Name extends string>(seen: string[], name: Name): Interceptor<{ readonly [Own in Name]: string }> {
  return { around: (_call, run) => (seen.push(name), (run as (adds: object) => Promise<unknown>)({ [name]: name })) };
}

function assertTypeError(action: () => unknown, message: string): void {
  assert.throws(action, isTypeError(message));
}

const shared = suite('endpointWith');
shared('gives an endpoint the properties that it lacks, and leaves the user\'s object as it is', () => {
  const declared = { id: integerId, get: (id: number) => id };
  const endpoint = endpointWith({ params, context })(declared);
  assert.equal(endpoint, { ...declared, params, context });
  assert.equal(Object.keys(declared), ['id', 'get']);
});
shared('leaves the properties that an endpoint has', () => {
  const own = { context: () => 'bob', params: { aquarium: stringId }, get: () => 1 };
  assert.equal(endpointWith({ params, context })(own), own);
});
shared('gives a property instead of one that is undefined', () => {
  const declared = { context: undefined, get: () => 1 } as unknown as { get: () => number };
  assert.is(endpointWith({ context })(declared).context, context);
});
shared('decides who asks, and reads the parameters', async () => {
  const pets = endpointWith({ params, context })({ id: integerId, get: (id, request) => [id, request.params.zoo, request.context] });
  await serve((server) => server.registerEndpoint('/zoo/:zoo/pet', pets), async ({ port }) => {
    assert.is((await send(port, message('GET', '/v1/zoo/a/pet/7'))).body, '[7,"a","ann"]');
  });
});
shared('runs each operation in its interceptors: outside of those of the operation, and inside of those of registerEndpoints', async () => {
  const seen: string[] = [];
  const pets = endpointWith({ use: [makeNamed(seen, 'first'), makeNamed(seen, 'second')] })({
    get: ({ first, second }) => [first, second],
    custom: { feed: { use: makeNamed(seen, 'own'), run: ({ first, own }) => [first, own] } },
  });
  await serve((server) => void server.registerEndpoints({ '/pet': pets }, { use: makeNamed(seen, 'all') }), async ({ port }) => {
    assert.is((await send(port, message('GET', '/v1/pet'))).body, '["first","second"]');
    assert.equal(seen.splice(0), ['all', 'first', 'second']);
    assert.is((await send(port, message('POST', '/v1/pet/feed'))).body, '["first","own"]');
    assert.equal(seen, ['all', 'first', 'second', 'own']);
  });
});
shared('leaves an endpoint that has use to its own interceptors', async () => {
  const seen: string[] = [];
  const define = endpointWith({ use: makeNamed(seen, 'shared') });
  const endpoints = { '/own': define({ use: makeNamed(seen, 'own'), get: ({ own }) => own }), '/none': define({ use: [], get: () => 'none' }) };
  await serve((server) => void server.registerEndpoints(endpoints), async ({ port }) => {
    assert.is((await send(port, message('GET', '/v1/own'))).body, '"own"');
    assert.is((await send(port, message('GET', '/v1/none'))).body, '"none"');
    assert.equal(seen, ['own']);
  });
});
shared('with a property that is not an interceptor: TypeError when an endpoint is registered', async () => {
  const pets = Reflect.apply(endpointWith, undefined, [{ use: {} }])({ get: () => 1 });
  await serve(() => {}, async ({ server }) => assertTypeError(() => server.registerEndpoint('/pet', pets), 'endpoint.use needs around or onRequest: { around: (call, run) => run() }'));
});
shared('with another property: TypeError', () => {
  assertTypeError(() => Reflect.apply(endpointWith, undefined, [{ id: integerId }]), 'unknown option endpointWith.id: it can be one of params, context, use, mapError');
});
shared('of an instance of a class: TypeError', () => {
  class Pets {
    readonly id = integerId;
    get(id: number): number {
      return id;
    }
  }
  assertTypeError(() => endpointWith({ context })(new Pets()), 'endpointWith takes a plain object, not an instance of a class: give that to defineEndpoint, with the shared properties in it');
});
shared('of what is not an object: TypeError', () => {
  assertTypeError(() => Reflect.apply(endpointWith({ context }), undefined, [7]), 'endpoint must be an object: 7');
});

const defined = suite('defineEndpoint');
defined('returns the object itself', () => {
  const declared = { get: () => 1 };
  assert.is(defineEndpoint(declared), declared);
});
