/** Server-sent events to many clients, until the server stops. */
import * as assert from 'uvu/assert';
import { waitUntil } from '../support/wait.ts';
import { message } from '../support/messages.ts';
import { RawClient, type RawResponse } from '../support/raw-client.ts';
import type { Check } from '../support/checks.ts';
import { EVENT_COUNT, STOP_GRACE_MS, type LoadServer } from './load-server.ts';

const CLIENTS = 1000;
// More would overflow the queue of connections that wait to be accepted.
const AT_ONCE = 100;
const EVENTS = Array.from({ length: EVENT_COUNT }, (_, at) => at + 1);

export async function events(server: LoadServer, port: number, check: Check): Promise<void> {
  const clients: RawClient[] = [];
  try {
    while (clients.length < CLIENTS) clients.push(...(await Promise.all(Array.from({ length: AT_ONCE }, () => subscribe(port)))));
    await waitForListeners(server);
    await server.publish();
    const last = `id: ${EVENT_COUNT}\n`;
    await waitUntil(() => clients.every((client) => client.unread.includes(last)), 'the last event to reach all');
    const began = performance.now();
    await server.stop();
    const stopMs = performance.now() - began;
    // Throws for a response that has not ended with its last chunk.
    const responses = await Promise.all(clients.map((client) => client.response()));
    const rests = await Promise.all(clients.map((client) => client.closed()));
    const { failures, listeners } = await server.measure();
    await check(`${EVENT_COUNT} events: each reaches each of ${CLIENTS} clients, once and in order`, () => {
      for (const { status, headers, body } of responses) {
        assert.equal([status, headers.get('content-type'), headers.get('transfer-encoding')], [200, 'text/event-stream', 'chunked']);
        assert.equal(idsIn(body), EVENTS);
      }
    });
    await check(`stop(): each client gets a last event by server.stopping, the end of its response, and the end of its connection`, () => {
      assert.is(responses.filter(endsWithBye).length, CLIENTS);
      assert.equal([...new Set(rests)], ['']);
      assert.is(listeners, 0);
    });
    await check('stop() does not wait for stopGraceMs', () => assert.ok(stopMs < STOP_GRACE_MS, `${stopMs} ms`));
    await check('nothing is logged', () => assert.equal(failures, []));
  } finally {
    for (const client of clients) client.destroy();
  }
}

async function subscribe(port: number): Promise<RawClient> {
  const client = await RawClient.connect(port);
  client.send(message('GET', '/v1/feed'));
  return client;
}

async function waitForListeners(server: LoadServer): Promise<void> {
  let listeners = 0;
  const watch = async (): Promise<void> => {
    while (listeners < CLIENTS) ({ listeners } = await server.measure());
  };
  await Promise.all([watch(), waitUntil(() => listeners === CLIENTS, 'all clients to listen')]);
}

function idsIn(body: string): number[] {
  return [...body.matchAll(/^id: (\d+)$/gm)].map(([, id]) => Number(id));
}

function endsWithBye({ body }: RawResponse): boolean {
  return body.endsWith('\n\nevent: bye\ndata: {}\n\n');
}
