/** Whether the garbage collector frees a request after its response, while its connection is idle. */
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import type { IncomingMessage } from 'node:http';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import * as assert from 'uvu/assert';
import { waitUntil } from './wait.ts';
import { message } from './messages.ts';
import { RawClient } from './raw-client.ts';

const CHANNEL = 'http.server.request.start';

setFlagsFromString('--expose-gc');
const collect = runInNewContext('gc') as () => void;

/** Sends requests over one connection, and asserts that the last of them is collected and that the connection stays open. */
export async function assertGarbageCollected(port: number, sent: string, times: number): Promise<void> {
  let last: WeakRef<IncomingMessage> | undefined;
  const see = (published: unknown): void => {
    last = new WeakRef((published as { request: IncomingMessage }).request);
  };
  const client = await RawClient.connect(port);
  subscribe(CHANNEL, see);
  try {
    client.send(sent);
    for (let time = 0; time < times; time += 1) assert.ok((await client.response()).status < 300);
    assert.ok(last !== undefined);
    await waitUntil(() => (collect(), last?.deref() === undefined), 'the request to be collected');
  } finally {
    unsubscribe(CHANNEL, see);
  }
  client.send(message('OPTIONS', '*'));
  assert.is((await client.response()).status, 200);
  client.destroy();
}
