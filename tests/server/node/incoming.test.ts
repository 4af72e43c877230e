/** The request as a stream: it behaves like any stream if your code can observe it, and is freed in either case. */
import { stringId, type ApiRequest, type ApiServer } from '../../../src/index.ts';
import { assertGarbageCollected } from '../../support/garbage-collection.ts';
import { inspectRequests } from '../../support/inspect-requests.ts';
import { assert, message, RawClient, serve, suite, waitUntil } from '../../support/facts.ts';

const REQUESTS = [
  ['GET', '/v1/thing/1', ''],
  ['DELETE', '/v1/thing/1', ''],
  ['POST', '/v1/thing', '"a"'],
  ['PUT', '/v1/thing/1', '"a"'],
  ['POST', '/v1/thing/count', ''],
] as const;

const looked = suite('a request that its operation observes');
for (const [method, target, body] of REQUESTS) {
  looked(`${method} ${target}: emits end and close like any stream, and no data that the server has read`, async () => {
    const events: string[] = [];
    const listen = ({ raw }: ApiRequest): void => {
      raw.on('data', () => events.push('data')).on('end', () => events.push('end')).on('close', () => events.push('close'));
    };
    await serve(inspectRequests(listen), async ({ port }) => {
      const client = await RawClient.send(port, message(method, target, body));
      assert.ok((await client.response()).status < 300);
      await waitUntil(() => events.includes('close'), 'the request to close');
      assert.equal(events, ['end', 'close']);
    });
  });
  looked(`${method} ${target}: can be read to its end, and has no data left`, async () => {
    const read: unknown[] = [];
    const look = async ({ raw }: ApiRequest): Promise<void> => {
      for await (const chunk of raw) read.push(chunk);
      read.push('end');
    };
    await serve(inspectRequests(look), async ({ port }) => {
      const client = await RawClient.send(port, message(method, target, body) + message('OPTIONS', '/v1/thing'));
      assert.ok((await client.response()).status < 300);
      assert.is((await client.response()).status, 200);
      assert.equal(read, ['end']);
    });
  });
}

const unseen = suite('a request that user code does not observe');
const declareAtOnce = (server: ApiServer): void => {
  server.registerEndpoint('/thing', { id: stringId, schema: String, create: (item) => item, get: String, update() {}, delete() {}, custom: { count: { run: Number } } });
};
for (const [method, target, body, declare, times] of REQUESTS.flatMap((each) => [
  [...each, inspectRequests(() => {}), 1] as const,
  [...each, declareAtOnce, 1] as const,
  [...each, declareAtOnce, 3] as const,
])) {
  const how = `${declare === declareAtOnce ? 'with a response at once' : 'with a later response'}, ${times} pipelined`;
  unseen(`${method} ${target}, ${how}: can be collected after its response, while its connection is idle`, async () => {
    await serve(declare, ({ port }) => assertGarbageCollected(port, message(method, target, body).repeat(times), times));
  });
}

const partly = suite('a listener for readable');
partly('is called for each chunk, even while it leaves the ones before unread', async () => {
  let calls = 0;
  await serve((server) => server.mount('/six', (request, response) => {
    request.on('readable', () => {
      calls += 1;
      const six = request.read(6) as Buffer | null;
      if (six !== null && !response.writableEnded) response.end(six);
    });
  }), async ({ port }) => {
    const client = await RawClient.send(port, message('POST', '/six', 'abcdefghi').slice(0, -6));
    await waitUntil(() => calls > 0, 'the first chunk');
    client.send('def');
    assert.is((await client.response()).body, 'abcdef');
    client.destroy();
  });
});
