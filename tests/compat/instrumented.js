/** A zoo whose requests OpenTelemetry's http instrumentation sees. */
import { SpanKind, trace } from '@opentelemetry/api';
import { registerInstrumentations } from '@opentelemetry/instrumentation';
import { HttpInstrumentation } from '@opentelemetry/instrumentation-http';
import { InMemorySpanExporter, NodeTracerProvider, SimpleSpanProcessor } from '@opentelemetry/sdk-trace-node';
import { recipe } from './observers.js';
import { waitUntil } from './until.js';
import { formatRequest, WireClient } from './wire.js';

const exporter = new InMemorySpanExporter();

/** Registers the instrumentation and then loads the library, as `--import` does. No file of such a program imports `node:http` itself. */
export async function loadInstrumented(contextManager) {
  const provider = new NodeTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] });
  provider.register({ contextManager });
  registerInstrumentations({ tracerProvider: provider, instrumentations: [new HttpInstrumentation()] });
  await recipe('The route of the span');
  const library = await import('../../dist/index.js');
  return new Instrumented(library);
}

export const REQUESTS = [
  { method: 'GET', path: '/v1/pet/1?name=a' },
  { method: 'PUT', path: '/v1/pet/1?name=b', body: '"b"' },
  { method: 'POST', path: '/v1/pet?name=c', body: ['"c', 'cc', 'c"'] },
  { method: 'POST', path: '/v1/pet/stream?name=d' },
  { method: 'POST', path: '/v1/pet/fail?name=e' },
  { method: 'GET', path: '/v1/pet/2?name=f' },
];
export const NAMES = REQUESTS.map(({ path }) => path.split('name=')[1]);

/** How requests arrive, and the programs in front of the server. */
export const WAYS = [
  ['pipelined', (client, bytes) => client.write(bytes)],
  ['in pieces', (client, bytes) => client.writeSlowly(bytes)],
].flatMap(([how, write]) => [
  [`${how}, behind nothing`, write, []],
  [`${how}, behind middleware`, write, [(_request, _response, next) => void setImmediate(next)]],
]);

class Instrumented {
  #library;

  constructor(library) {
    this.#library = library;
  }

  /** Sends requests in this way, and resolves to all spans when the last has ended. */
  async spansOf(requests, write, { listeners = [], onError = () => {} } = {}) {
    exporter.reset();
    const server = new this.#library.ApiServer('/v1', { logger: { info() {}, error: onError } });
    for (const listener of listeners) server.use(listener);
    declare(server, this.#library);
    const started = await server.start('127.0.0.1:0');
    try {
      const client = await WireClient.connect(started.address.port);
      await write(client, Buffer.concat(requests.map(formatRequest)));
      for (const { method } of requests) await client.response(method);
      client.destroy();
      await waitUntil(() => serversOf(exporter.getFinishedSpans()).length === requests.length);
    } finally {
      await server.stop();
    }
    return exporter.getFinishedSpans();
  }
}

/** The spans of requests, of which the instrumentation makes one for each. */
export function serversOf(spans) {
  return spans.filter(({ kind }) => kind === SpanKind.SERVER);
}

/** The spans above each one named `more work`: from that of the code that made it to that of the server. */
export function findChains(spans) {
  const byId = new Map(spans.map((span) => [span.spanContext().spanId, span]));
  return spans.filter(({ name }) => name === 'more work').map((span) => {
    const chain = [];
    for (let above = byId.get(span.parentSpanContext?.spanId); above !== undefined; above = byId.get(above.parentSpanContext?.spanId)) chain.push(above);
    return chain;
  });
}

/** Makes a span, as a client of a database would, with the name of the request for which it was made. */
async function work({ raw }) {
  const name = raw.url.split('name=')[1];
  const tracer = trace.getTracer('zoo');
  await tracer.startActiveSpan('work', { attributes: { name } }, async (span) => {
    await new Promise((resolve) => setTimeout(resolve, 2));
    tracer.startSpan('more work').end();
    span.end();
  });
  return name;
}

function declare(server, { defineEndpoint, integerId, reply }) {
  server.registerEndpoint('/pet', defineEndpoint({
    id: integerId,
    schema: String,
    create: async (_pet, request) => (await work(request), 1),
    get: (_id, request) => work(request),
    update: async (_id, _pet, request) => void (await work(request)),
    custom: {
      fail: async (request) => {
        await work(request);
        throw new RangeError('the keeper is ill');
      },
      stream: (request) => reply(200, (async function* () {
        yield 'a';
        yield await work(request);
      })()),
    },
  }));
  server.mount('/files', (_request, response) => response.end('a file'));
}
