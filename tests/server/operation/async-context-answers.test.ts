/** The async context in which answers are written that a request's own functions do not give: refusals, and failures of mounts. */
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

/** Notes the store in which an answer is written, as a library does that puts its own `end` in the place of the response's. */
function noteWriting(found: Found[], response: ServerResponse): void {
  const end = response.end as (this: ServerResponse, ...given: unknown[]) => ServerResponse;
  Object.assign(response, {
    end: (...given: unknown[]) => {
      found.push(['end', storage.getStore()]);
      return end.apply(response, given);
    },
  });
}

/** Serves behind a listener of the host's own, which has a store for each request; gives the stores that were found. */
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

/** A promise as some libraries have it: not of the language's own, and rejected twice, in the context of somebody else. */
function foreign(reason: Error): PromiseLike<never> {
  return {
    then(_fulfilled, rejected) {
      const reject = (): void => void rejected?.(reason);
      storage.run('somebody else', () => setTimeout(() => (reject(), reject()), 1));
      return new Promise<never>(() => {});
    },
  };
}

const answers = suite('an answer that the server gives by itself');
answers('to a body that proves to be too long with a later piece: it is written in the context of its request', async () => {
  const pieces = [head('POST', '/item', ['Transfer-Encoding: chunked']), '8\r\n"2345678\r\n', '8\r\n12345678\r\n'];
  assert.equal(await foundBy(() => {}, pieces, 413), [['end', 'own']]);
});
answers('for a mount whose promise is rejected elsewhere: it is logged once and written in the context of its request', async () => {
  const handler: MountHandler = () => foreign(new Error('the pool is closed'));
  assert.equal(await foundBy(handler, [head('GET', '/mount')], 500), [['log', 'own'], ['end', 'own']]);
});
answers.run();
