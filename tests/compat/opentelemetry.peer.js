/** OpenTelemetry's http instrumentation with its own context manager: the route of its spans, and a trace over two services, by the recipes of docs/logging.md. */
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { checking } from './checks.js';
import { findChains, loadInstrumented, NAMES, REQUESTS, serversOf, WAYS } from './instrumented.js';
import { readRecipe } from './observers.js';
import { Program } from './program.js';
import { withScratch } from './shown-programs.js';

// `SpanStatusCode.ERROR`.
const FAILED = 2;
/** A service that asks the next one, if there is one. */
const SERVICE = `
import { ApiServer, defineEndpoint } from 'restpoint';
const { NAME, NEXT } = process.env;
const server = new ApiServer('', { logger: { info() {}, error: console.error } });
server.registerEndpoints({ ['/' + NAME]: defineEndpoint({ get: () => (NEXT ? fetch(NEXT).then((response) => response.text()) : 'done') }) });
const { url } = await server.start('127.0.0.1:0');
console.log('listens at ' + url);
`;
const zoo = await loadInstrumented();

await checking('OpenTelemetry', async (check) => {
  await check('the span of a request has its route, also where the operation was not reached', async () => {
    const requests = [
      ...REQUESTS,
      { method: 'GET', path: '/v1/pet/one' },
      { method: 'HEAD', path: '/v1/pet/1?name=g' },
      { method: 'OPTIONS', path: '/v1/pet/1' },
      { method: 'GET', path: '/files/a' },
      { method: 'GET', path: '/nowhere' },
      { method: 'PATCH', path: '/v1/pet/1' },
    ];
    const spans = serversOf(await zoo.spansOf(requests, (client, bytes) => client.write(bytes)));
    const describe = ({ name, attributes, status }) => (
      [name, attributes['http.route'], attributes['http.response.status_code'], ...(status.code === FAILED ? ['error'] : [])]
    );
    assert.deepEqual(spans.map(describe), [
      ['GET /v1/pet/:id', '/v1/pet/:id', 200],
      ['PUT /v1/pet/:id', '/v1/pet/:id', 204],
      ['POST /v1/pet', '/v1/pet', 201],
      ['POST /v1/pet/stream', '/v1/pet/stream', 200],
      ['POST /v1/pet/fail', '/v1/pet/fail', 500, 'error'],
      ['GET /v1/pet/:id', '/v1/pet/:id', 200],
      ['GET /v1/pet/:id', '/v1/pet/:id', 400],
      ['HEAD /v1/pet/:id', '/v1/pet/:id', 200],
      ['OPTIONS /v1/pet/:id', '/v1/pet/:id', 200],
      ['GET /files', '/files', 200],
      ['GET', undefined, 404],
      ['PATCH', undefined, 405],
    ]);
  });
  for (const [how, write, listeners] of WAYS) {
    await check(`${how}: the spans that an operation makes are below that of its own request`, async () => {
      const chains = findChains(await zoo.spansOf(REQUESTS, write, { listeners }));
      assert.deepEqual(chains.map(([work]) => work.attributes.name), NAMES);
      assert.deepEqual(chains.map(([, server]) => server.attributes['url.query']), NAMES.map((name) => `name=${name}`));
      assert.deepEqual(chains.map(({ length }) => length), NAMES.map(() => 2));
    });
  }
  await check('with telemetry.js, two services have one trace', () => withScratch(async (folder) => {
    writeFileSync(join(folder, 'telemetry.js'), `${readRecipe('OpenTelemetry')}${readRecipe('The route of the span')}`);
    writeFileSync(join(folder, 'service.js'), SERVICE);
    const start = async (name, next = '') => {
      const service = new Program(process.execPath, ['--import', './telemetry.js', 'service.js'], { cwd: folder, env: { ...process.env, NAME: name, NEXT: next } });
      const [, url] = await service.printed(/listens at (.+)/);
      return { service, url: `${url}/${name}` };
    };
    const second = await start('second');
    const first = await start('first', second.url);
    assert.equal(await (await fetch(first.url)).text(), '"\\"done\\""');
    await first.service.printed(/name: 'GET \/first'/);
    await second.service.printed(/name: 'GET \/second'/);
    const traces = [first, second].map(({ service }) => [...service.output.matchAll(/traceId: '(\w+)'/g)].map(([, id]) => id));
    for (const { service } of [first, second]) await service.end('SIGKILL');
    assert.ok(traces.every((ids) => ids.length > 0));
    assert.equal(new Set(traces.flat()).size, 1);
  }));
  await check('a request with traceparent goes on with the trace of its client', async () => {
    const traceparent = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01';
    const spans = await zoo.spansOf([{ ...REQUESTS[1], headers: { traceparent } }], (client, bytes) => client.writeSlowly(bytes));
    assert.deepEqual([...new Set(spans.map((span) => span.spanContext().traceId))], ['0af7651916cd43dd8448eb211c80319c']);
  });
});
