/** The request as a stream: it behaves like any stream if your code can observe it, and is freed in either case. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { stringId, type ApiRequest, type ApiServer } from '../../../src/index.ts';
import { assertCollected } from '../../support/collected.ts';
import { until } from '../../support/gate.ts';
import { looking } from '../../support/looking.ts';
import { message } from '../../support/messages.ts';
import { RawClient } from '../../support/raw-client.ts';
import { serving } from '../../support/serving.ts';

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
    await serving(looking(listen), async ({ port }) => {
      const client = await RawClient.connect(port);
      client.send(message(method, target, body));
      assert.ok((await client.response()).status < 300);
      await until(() => events.includes('close'), 'the request to close');
      assert.equal(events, ['end', 'close']);
      client.destroy();
    });
  });
  looked(`${method} ${target}: can be read to its end, and has no data left`, async () => {
    const read: unknown[] = [];
    const look = async ({ raw }: ApiRequest): Promise<void> => {
      for await (const chunk of raw) read.push(chunk);
      read.push('end');
    };
    await serving(looking(look), async ({ port }) => {
      const client = await RawClient.connect(port);
      client.send(message(method, target, body) + message('OPTIONS', '/v1/thing'));
      assert.ok((await client.response()).status < 300);
      assert.is((await client.response()).status, 200);
      assert.equal(read, ['end']);
      client.destroy();
    });
  });
}
looked.run();

const unseen = suite('a request that user code does not observe');
const atOnce = (server: ApiServer): void => {
  server.registerEndpoint('/thing', { id: stringId, schema: String, create: (item) => item, get: String, update() {}, delete() {}, custom: { count: { run: Number } } });
};
for (const [method, target, body, declare, times] of REQUESTS.flatMap((each) => [
  [...each, looking(() => {}), 1] as const,
  [...each, atOnce, 1] as const,
  [...each, atOnce, 3] as const,
])) {
  const how = `${declare === atOnce ? 'with a response at once' : 'with a later response'}, ${times} pipelined`;
  unseen(`${method} ${target}, ${how}: can be collected after its response, while its connection is idle`, async () => {
    await serving(declare, ({ port }) => assertCollected(port, message(method, target, body).repeat(times), times));
  });
}
unseen.run();
