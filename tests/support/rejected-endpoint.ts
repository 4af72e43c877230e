/** Endpoints that are rejected when they are registered. */
import * as assert from 'uvu/assert';
import { serve } from './serve.ts';

/** Asserts that to register an endpoint throws `TypeError` with this text, and leaves no route. */
export async function assertRejected(declared: object, text: string): Promise<void> {
  await serve(() => {}, async ({ server }) => {
    assert.throws(() => server.registerEndpoint('/pet', declared as never), (thrown: unknown) => thrown instanceof TypeError && thrown.message === text);
    assert.equal(server.routes, []);
  });
}
