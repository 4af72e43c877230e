/** A mounted handler that fails, a request to it, and another request after it. */
import type { MountHandler } from '../../src/index.ts';
import { assert, readStatuses, requestFor, sendUntilClosed, serve } from './facts.ts';
import { Zoo } from './zoo.ts';

export const FAILURE = new Error('the disk is full');

/** A request that gets 200, after which the connection closes. */
export const LAST_REQUEST = 'POST /v1/pet/count HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n';

export interface FailedMount {
  /** The bytes that a client received for a request to the handler and another after it, until the connection closed. */
  readonly received: string;
  readonly errors: readonly Error[];
}

/** Serves a failing handler at `/files`, and asserts that the server then serves another connection. */
export async function serveFailingMount(handler: MountHandler, method = 'GET'): Promise<FailedMount> {
  let received = '';
  const logged: Error[] = [];
  await serve((server) => {
    new Zoo().register(server);
    server.mount('/files', handler);
  }, async ({ port, errors }) => {
    received = await sendUntilClosed(port, requestFor(method, '/files/a') + LAST_REQUEST);
    assert.equal(readStatuses(await sendUntilClosed(port, LAST_REQUEST)), [200]);
    logged.push(...errors);
  });
  return { received, errors: logged };
}
