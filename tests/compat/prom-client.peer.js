/** prom-client, and the recipe of docs/logging.md: a histogram for each route. */
import assert from 'node:assert/strict';
import { checking } from './checks.js';
import { recipe } from './observers.js';
import { formatRequest, WireClient } from './wire.js';

process.env.METRICS_TOKEN = 'token';
const { server } = await recipe('Prometheus');
const { defineEndpoint, integerId, reply } = await import('../../dist/index.js');

server.registerEndpoint('/pet', defineEndpoint({
  id: integerId,
  schema: (json) => json,
  create: () => 1,
  get: (id) => (id === 1 ? { name: 'Rex' } : undefined),
  delete: () => {},
  custom: {
    fail: () => { throw new Error('the keeper is ill'); },
    stream: () => reply(200, (async function* () { yield 'a'; })()),
  },
}));

/** The counts of the histogram, by the labels: `GET /v1/pet/:id 200`. */
function countsOf(text) {
  const lines = text.matchAll(/^http_server_request_duration_seconds_count\{method="(.*?)",route="(.*?)",status="(.*?)"\} (\d+)$/gm);
  return Object.fromEntries([...lines].map(([, method, route, status, count]) => [`${method} ${route} ${status}`, Number(count)]));
}

await checking('prom-client', async (check) => {
  const started = await server.start('127.0.0.1:0');
  const metrics = async () => countsOf(await (await fetch(`${started.url}/metrics`, { headers: { Authorization: 'Bearer token' } })).text());
  await check('each route has its counts by status, and unknown paths have none', async () => {
    const client = await WireClient.connect(started.address.port);
    const requests = [
      { method: 'POST', path: '/v1/pet', body: '{}' },
      { method: 'POST', path: '/v1/pet', body: '{' },
      { method: 'GET', path: '/v1/pet/1' },
      { method: 'GET', path: '/v1/pet/1' },
      { method: 'HEAD', path: '/v1/pet/1' },
      { method: 'GET', path: '/v1/pet/2' },
      { method: 'GET', path: '/v1/pet/one' },
      { method: 'DELETE', path: '/v1/pet/1' },
      { method: 'POST', path: '/v1/pet/fail' },
      { method: 'POST', path: '/v1/pet/stream' },
      { method: 'PATCH', path: '/v1/pet/1', body: '{}' },
      ...Array.from({ length: 20 }, (_, at) => ({ method: 'GET', path: `/invented/${at}` })),
    ];
    client.write(Buffer.concat(requests.map(formatRequest)));
    for (const { method } of requests) await client.response(method);
    client.destroy();
    assert.deepEqual(await metrics(), {
      'POST /v1/pet 201': 1,
      'POST /v1/pet 400': 1,
      'GET /v1/pet/:id 200': 3,
      'GET /v1/pet/:id 404': 1,
      'GET /v1/pet/:id 400': 1,
      'DELETE /v1/pet/:id 204': 1,
      'POST /v1/pet/fail 500': 1,
      'POST /v1/pet/stream 200': 1,
    });
  });
  await check('the mount that gives the metrics is counted too', async () => {
    assert.equal((await metrics())['* /metrics 200'], 1);
  });
  await server.stop();
});
