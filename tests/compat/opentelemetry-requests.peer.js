/** `openTelemetry` with the packages of OpenTelemetry, and without an instrumentation of `node:http`: the spans of the requests themselves. */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import * as api from '@opentelemetry/api';
import { InMemorySpanExporter, NodeTracerProvider, SimpleSpanProcessor } from '@opentelemetry/sdk-trace-node';
import { checking } from './checks.js';
import { until } from './until.js';

const COMPILER = fileURLToPath(new URL('node_modules/typescript/bin/tsc', import.meta.url));
const TRACE = '0af7651916cd43dd8448eb211c80319c';

const exporter = new InMemorySpanExporter();
new NodeTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] }).register();
const { openTelemetry } = await import('../../dist/observers/index.js');
const { ApiServer, integerId } = await import('../../dist/index.js');

await checking('OpenTelemetry, without an instrumentation', async (check) => {
  const stop = openTelemetry(api);
  const server = new ApiServer('/v1', { logger: { info() {}, error() {} } });
  server.registerEndpoint('/pet', { id: integerId, get: (id) => { if (id === 2) throw new RangeError('ill'); return id; } });
  const started = await server.start('127.0.0.1:0');
  for (const id of [1, 2]) {
    const response = await fetch(`${started.url}/v1/pet/${id}?a=b`, { headers: { traceparent: `00-${TRACE}-b7ad6b7169203331-01` } });
    await response.text();
  }
  await server.stop();
  stop();
  await until(() => exporter.getFinishedSpans().length === 2);
  await check('each request has a span of the server, in the trace of its client, with its route and its failure', () => {
    const spans = exporter.getFinishedSpans();
    assert.deepEqual(spans.map(({ name, kind, status, attributes, events }) => [
      name, kind, status.code, attributes['http.response.status_code'], attributes['url.query'], attributes['error.type'], events.map((event) => event.name),
    ]), [
      ['GET /v1/pet/:id', api.SpanKind.SERVER, api.SpanStatusCode.UNSET, 200, 'a=b', undefined, []],
      ['GET /v1/pet/:id', api.SpanKind.SERVER, api.SpanStatusCode.ERROR, 500, 'a=b', 'RangeError', ['exception']],
    ]);
    assert.deepEqual([...new Set(spans.map((span) => span.spanContext().traceId))], [TRACE]);
  });
  await check('the types of the package fit', () => {
    const options = ['--strict', '--exactOptionalPropertyTypes', '--module', 'nodenext', '--target', 'es2022', '--types', 'node'];
    const typeRoots = fileURLToPath(new URL('../../node_modules/@types', import.meta.url));
    execFileSync(process.execPath, [COMPILER, '--noEmit', ...options, '--typeRoots', typeRoots, 'opentelemetry-types.ts'], {
      cwd: fileURLToPath(new URL('.', import.meta.url)), stdio: ['ignore', 'inherit', 'inherit'],
    });
  });
});
