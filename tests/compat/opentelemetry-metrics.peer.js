/**
 * `openTelemetry` with the SDK of OpenTelemetry: the metrics and the spans that are exported, by the names that its package of semantic conventions
 * has. There is no instrumentation of `node:http`.
 */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import * as api from '@opentelemetry/api';
import { AggregationTemporality, InMemoryMetricExporter, MeterProvider, PeriodicExportingMetricReader } from '@opentelemetry/sdk-metrics';
import { InMemorySpanExporter, NodeTracerProvider, SimpleSpanProcessor } from '@opentelemetry/sdk-trace-node';
import * as conventions from '@opentelemetry/semantic-conventions';
// Not stable yet.
import { METRIC_HTTP_SERVER_ACTIVE_REQUESTS as ACTIVE_REQUESTS } from '@opentelemetry/semantic-conventions/incubating';
import { checking } from './checks.js';
import { waitUntil } from './until.js';

const COMPILER = fileURLToPath(new URL('node_modules/typescript/bin/tsc', import.meta.url));
const TYPE_ROOTS = fileURLToPath(new URL('../../node_modules/@types', import.meta.url));
const TRACE = '0af7651916cd43dd8448eb211c80319c';
const NEVER_MS = 2 ** 31 - 1;
const ROUTE = '/v1/pet/:id';

const spans = new InMemorySpanExporter();
new NodeTracerProvider({ spanProcessors: [new SimpleSpanProcessor(spans)] }).register();
const exporter = new InMemoryMetricExporter(AggregationTemporality.CUMULATIVE);
const reader = new PeriodicExportingMetricReader({ exporter, exportIntervalMillis: NEVER_MS });
api.metrics.setGlobalMeterProvider(new MeterProvider({ readers: [reader] }));
const { openTelemetry } = await import('../../dist/observers/index.js');
const { ApiServer, integerId, reply } = await import('../../dist/index.js');

const NAMES = new Set(Object.values(conventions));
const {
  ATTR_ERROR_TYPE: ERROR_TYPE, ATTR_HTTP_REQUEST_METHOD: METHOD, ATTR_HTTP_RESPONSE_STATUS_CODE: STATUS, ATTR_HTTP_ROUTE: HTTP_ROUTE,
  ATTR_NETWORK_PROTOCOL_VERSION: VERSION, ATTR_URL_SCHEME: SCHEME, ATTR_EXCEPTION_TYPE: TYPE, ATTR_EXCEPTION_MESSAGE: MESSAGE,
  ATTR_EXCEPTION_STACKTRACE: STACK, METRIC_HTTP_SERVER_REQUEST_DURATION: DURATION,
} = conventions;
/** An attribute that no convention names. */
const OPERATION = 'restpoint.operation';

/** The metrics as they are exported now, by name. */
async function exported() {
  exporter.reset();
  await reader.forceFlush();
  const metrics = exporter.getMetrics().flatMap(({ scopeMetrics }) => scopeMetrics.flatMap((scope) => scope.metrics));
  return new Map(metrics.map((metric) => [metric.descriptor.name, metric]));
}

const points = (metric) => metric.dataPoints.map(({ attributes, value }) => ({ ...attributes, value }));

let release;
const held = new Promise((resolve) => (release = resolve));
const IDS = { found: 1, ill: 2, held: 3, broken: 4, missing: 5 };

async function* broken() {
  yield 'a';
  throw new SyntaxError('the tape is torn');
}

function getPet(id) {
  if (id === IDS.ill) throw new RangeError('the keeper is ill');
  if (id === IDS.missing) return undefined;
  if (id === IDS.broken) return reply(200, broken());
  return id === IDS.held ? held : { id };
}

await checking('OpenTelemetry, exported', async (check) => {
  const stop = openTelemetry(api);
  const server = new ApiServer('/v1', { logger: { info() {}, error() {} } });
  server.registerEndpoint('/pet', { id: integerId, get: getPet });
  const { url } = await server.start('127.0.0.1:0');
  const headers = { traceparent: `00-${TRACE}-b7ad6b7169203331-01` };
  const get = async (name) => (await fetch(`${url}/v1/pet/${IDS[name]}?a=b`, { headers })).text().catch(() => {});

  await check('while a request is active, it is counted', async () => {
    const responded = get('held');
    await waitUntil(async () => (await exported()).has(ACTIVE_REQUESTS));
    const { descriptor, dataPoints: [{ attributes, value }] } = (await exported()).get(ACTIVE_REQUESTS);
    assert.deepEqual([descriptor.unit, descriptor.type], ['{request}', 'UP_DOWN_COUNTER']);
    assert.deepEqual([attributes, value], [{ [METHOD]: 'GET', [SCHEME]: 'http' }, 1]);
    release({});
    await responded;
    await waitUntil(() => spans.getFinishedSpans().length === 1);
    assert.deepEqual(points((await exported()).get(ACTIVE_REQUESTS)).map((point) => point.value), [0]);
  });
  for (const name of ['found', 'found', 'ill', 'broken', 'missing']) await get(name);
  await server.stop();
  stop();
  await waitUntil(() => spans.getFinishedSpans().length === 6);

  await check('durations are a histogram in seconds, by method, route, status and failure', async () => {
    const { descriptor, dataPoints } = (await exported()).get(DURATION);
    assert.deepEqual([descriptor.unit, descriptor.type], ['s', 'HISTOGRAM']);
    const common = { [METHOD]: 'GET', [SCHEME]: 'http', [VERSION]: '1.1', [HTTP_ROUTE]: ROUTE, [OPERATION]: 'get' };
    assert.deepEqual(dataPoints.map(({ attributes, value: { count } }) => [attributes, count]), [
      [{ ...common, [STATUS]: 200 }, 3],
      [{ ...common, [STATUS]: 500, [ERROR_TYPE]: 'RangeError' }, 1],
      [{ ...common, [STATUS]: 200, [ERROR_TYPE]: 'SyntaxError' }, 1],
      [{ ...common, [STATUS]: 404 }, 1],
    ]);
    for (const { value: { buckets, sum } } of dataPoints) {
      assert.deepEqual(buckets.boundaries, [0.005, 0.01, 0.025, 0.05, 0.075, 0.1, 0.25, 0.5, 0.75, 1, 2.5, 5, 7.5, 10]);
      assert.ok(sum > 0 && sum < 60, `${sum} s`);
    }
  });
  await check('all metrics have the scope of this package, and there are no others', async () => {
    assert.deepEqual([...(await exported()).keys()].sort(), [ACTIVE_REQUESTS, DURATION]);
    const scopes = exporter.getMetrics().flatMap(({ scopeMetrics }) => scopeMetrics.map(({ scope }) => scope.name));
    assert.deepEqual([...new Set(scopes)], ['restpoint']);
  });
  await check('the failure of a request is an event of its span, with type, message and stack', () => {
    const failed = spans.getFinishedSpans().filter(({ status }) => status.code === api.SpanStatusCode.ERROR);
    const exceptions = failed.flatMap(({ events }) => events.map(({ name, attributes }) => [name, attributes[TYPE], attributes[MESSAGE]]));
    assert.deepEqual(exceptions, [['exception', 'RangeError', 'the keeper is ill'], ['exception', 'SyntaxError', 'the tape is torn']]);
    for (const { events: [{ attributes }] } of failed) assert.match(attributes[STACK], /opentelemetry-metrics\.peer\.js:\d+/);
  });
  await check('each request has a span of the server, in the trace of its client, with its route and its failure', () => {
    const all = spans.getFinishedSpans();
    assert.deepEqual(all.map(({ name, kind, status, attributes, events }) => [
      name, kind, status.code, attributes[STATUS], attributes['url.query'], attributes[ERROR_TYPE], events.map((event) => event.name),
    ]), [
      [200], [200], [200], [500, 'RangeError'], [200, 'SyntaxError'], [404],
    ].map(([status, error]) => [
      `GET ${ROUTE}`, api.SpanKind.SERVER, error === undefined ? api.SpanStatusCode.UNSET : api.SpanStatusCode.ERROR, status, 'a=b', error,
      error === undefined ? [] : ['exception'],
    ]));
    assert.deepEqual([...new Set(all.map((span) => span.spanContext().traceId))], [TRACE]);
  });
  await check('the types of the package fit', () => {
    const options = ['--strict', '--exactOptionalPropertyTypes', '--module', 'nodenext', '--target', 'es2022', '--types', 'node'];
    execFileSync(process.execPath, [COMPILER, '--noEmit', ...options, '--typeRoots', TYPE_ROOTS, 'opentelemetry-types.ts'], {
      cwd: fileURLToPath(new URL('.', import.meta.url)), stdio: ['ignore', 'inherit', 'inherit'],
    });
  });
  await check('each attribute of a span has a name of the conventions, but for the operation', () => {
    const names = new Set(spans.getFinishedSpans().flatMap(({ attributes }) => Object.keys(attributes)));
    assert.ok(names.size > 10, [...names].join());
    assert.deepEqual([...names].filter((name) => !NAMES.has(name)), [OPERATION]);
  });
});
