/** The async context in which the server writes its own responses: error responses, and 500s of failed mounts. */
import { AsyncLocalStorage } from 'node:async_hooks';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { ApiServer, defineEndpoint, stringId, type MountHandler } from '../../../src/index.ts';
import { after } from '../../support/gate.ts';
import { head } from '../../support/messages.ts';
import { RawClient } from '../../support/raw-client.ts';

const storage = new AsyncLocalStorage<string>();

type Found = [what: string, store: string | undefined];

/** Replaces the `end` of a response, as some libraries do, to record the store in which the response is written. */
function noteWriting(found: Found[], response: ServerResponse): void {
  const end = response.end as (this: ServerResponse, ...given: unknown[]) => ServerResponse;
  Object.assign(response, {
    end: (...given: unknown[]) => {
      found.push(['end', storage.getStore()]);
      return end.apply(response, given);
    },
  });
}

/** Serves through a listener of the host that has a store for each request. Returns the stores that were found. */
async function foundBy(handler: MountHandler, pieces: readonly string[], status: number): Promise<Found[]> {
  const found: Found[] = [];
  const error = (): void => void found.push(['log', storage.getStore()]);
  const server = new ApiServer('', { limits: { bodyBytes: 10 }, logger: { info() {}, error } });
  server.registerEndpoint('/item', defineEndpoint({ id: stringId, schema: String, create: (name) => name }));
  server.registerHandler('/mount', handler);
  const http = createServer((request, response) => storage.run('own', () => {
    noteWriting(found, response);
    server.requestListener(request, response);
  }));
  await new Promise<void>((resolve) => http.listen(0, '127.0.0.1', resolve));
  const client = await RawClient.connect((http.address() as AddressInfo).port);
  try {
    for (const piece of pieces) {
      client.send(piece);
      await after(20);
    }
    assert.is((await client.response()).status, status);
    await after(20);
    return found;
  } finally {
    client.destroy();
    http.closeAllConnections();
    http.close();
  }
}

/** A thenable, as some libraries return it, that rejects twice in another async context. */
function foreign(reason: Error): PromiseLike<never> {
  return {
    then(_fulfilled, rejected) {
      const reject = (): void => void rejected?.(reason);
      storage.run('another request', () => setTimeout(() => (reject(), reject()), 1));
      return new Promise<never>(() => {});
    },
  };
}

const answers = suite('a response that the server writes by itself');
answers('to a body whose later chunk exceeds the limit: is written in the context of its request', async () => {
  const pieces = [head('POST', '/item', ['Transfer-Encoding: chunked']), '8\r\n"2345678\r\n', '8\r\n12345678\r\n'];
  assert.equal(await foundBy(() => {}, pieces, 413), [['end', 'own']]);
});
answers('for a mount whose promise rejects in another context: is logged once and written in the context of its request', async () => {
  const handler: MountHandler = () => foreign(new Error('the pool is closed'));
  assert.equal(await foundBy(handler, [head('GET', '/mount')], 500), [['log', 'own'], ['end', 'own']]);
});
answers.run();
