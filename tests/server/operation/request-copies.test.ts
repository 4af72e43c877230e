/** A copy of `request`: it has what its type says, also where interceptors add properties. */
import { type ApiRequest, type ApiServer, type ContextRequest, defineEndpoint, integerId, type Interceptor, stringId } from '../../../src/index.ts';
import { assert, message, send, serve, suite } from '../../support/facts.ts';

const addProperties = <Adds extends object>(adds: Adds): Interceptor<Adds> => ({ around: (_call, run) => (run as (adds: Adds) => Promise<unknown>)(adds) });
const use = [addProperties({ tx: 1 }), addProperties({ serial: 2 })];
const GETTERS: readonly (keyof ApiRequest)[] = ['raw', 'route', 'query', 'lastEventId', 'ifMatch', 'ifNoneMatch', 'signal'];

/** The properties of a copy that can be read by name. */
function describeCopy({ ...copy }: object): readonly unknown[] {
  const { context, params, tx, serial } = copy as { context?: unknown; params?: unknown; tx?: unknown; serial?: unknown };
  return [context, params, tx, serial, GETTERS.filter((name) => name in copy)];
}
const context = ({ ...copy }: ContextRequest<{ zoo: string }, number>): unknown => ({ zoo: copy.params.zoo, id: copy.itemId, raw: 'raw' in copy });
const common = { id: integerId, params: { zoo: stringId }, context } as const;

const copies = suite('a copy of request');
for (const [what, declare, added] of [
  ['without interceptors',
    (server: ApiServer) => server.registerEndpoint('/zoo/:zoo/pet', defineEndpoint({ ...common, get: (_id, request) => describeCopy(request) })), [null, null]],
  ['with what two interceptors add', (server: ApiServer) => server.registerEndpoint('/zoo/:zoo/pet', defineEndpoint({ ...common, get: { use, run: (_id, request) => describeCopy(request) } })), [1, 2]],
  ['with what those of the endpoint add',
    (server: ApiServer) => server.registerEndpoint('/zoo/:zoo/pet', defineEndpoint({ ...common, use, get: (_id, request) => describeCopy(request) })), [1, 2]],
] as const) {
  copies(`${what} -> has the context and the parameters, and no getter`, () => serve(declare, async ({ port }) => {
    const { body } = await send(port, message('GET', '/v1/zoo/a/pet/7'));
    assert.equal(JSON.parse(body), [{ zoo: 'a', id: 7, raw: false }, { zoo: 'a' }, ...added, []]);
  }));
}
copies('that currentVersion makes -> has the context, the parameters and what interceptors add', async () => {
  const got: (readonly unknown[])[] = [];
  const endpoint = defineEndpoint({
    ...common, use, currentVersion: (_id, request) => (got.push(describeCopy(request).slice(0, 4)), '1'), delete: () => {},
  });
  await serve((server) => server.registerEndpoint('/zoo/:zoo/pet', endpoint), async ({ port }) => {
    const { status } = await send(port, message('DELETE', '/v1/zoo/a/pet/7', '', ['If-Match: "1"']));
    assert.equal([status, got], [204, [[{ zoo: 'a', id: 7, raw: false }, { zoo: 'a' }, 1, 2]]]);
  });
});
