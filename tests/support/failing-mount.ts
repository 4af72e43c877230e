/** A mounted handler that fails, a request to it, and another request after it. */
import * as assert from 'uvu/assert';
import type { MountHandler } from '../../src/index.ts';
import { rawUntilClosed } from './raw-client.ts';
import { serving } from './serving.ts';
import { requestFor, statusesIn } from './statuses.ts';
import { Zoo } from './zoo.ts';

export const FAILURE = new Error('the disk is full');

/** A request that gets 200, after which the connection closes. */
export const LAST = 'POST /v1/pet/count HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n';

export interface Failed {
  /** The bytes that a client received for a request to the handler and another after it, until the connection closed. */
  readonly received: string;
  readonly errors: readonly Error[];
}

/** Serves a failing handler at `/files`, and asserts that the server then serves another connection. */
export async function fail(handler: MountHandler, method = 'GET', exposeInternalErrors = false): Promise<Failed> {
  let received = '';
  const logged: Error[] = [];
  await serving((server) => {
    new Zoo().register(server);
    server.mount('/files', handler);
  }, async ({ port, errors }) => {
    received = await rawUntilClosed(port, requestFor(method, '/files/a') + LAST);
    assert.equal(statusesIn(await rawUntilClosed(port, LAST)), [200]);
    logged.push(...errors);
  }, { exposeInternalErrors });
  return { received, errors: logged };
}
