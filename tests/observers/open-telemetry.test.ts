/**
 * The spans and metrics of `restpoint/observers`, with an API that notes what it is asked for. `tests/compat/opentelemetry-spans.peer.js` uses
 * the packages of OpenTelemetry.
 */
import { AsyncLocalStorage } from 'node:async_hooks';
import { type OpenTelemetryApi, openTelemetry } from '../../src/observers/index.ts';
import { ApiServer } from '../../src/index.ts';
import { CONFLICT, BROKEN_STREAM, declareObservable, ENDLESS, SYNC, THROWS } from '../support/observable.ts';
import { captureEvents } from '../support/capture-events.ts';
import { assert, chunkedMessage, isTypeError, message, RawClient, serve, suite, waitUntil } from '../support/facts.ts';

type Span = Parameters<OpenTelemetryApi['trace']['setSpan']>[1];

interface RecordedSpan {
  readonly name: string;
  readonly kind: number;
  readonly attributes: Record<string, unknown>;
  readonly parent: string | undefined;
  readonly exceptions: string[];
  status: number | undefined;
  ends: number;
}

interface Context {
  readonly span?: RecordedSpan & Span;
  readonly trace?: string;
}

/** Notes spans and measurements. Its active context is that of `storage`. */
class Recorder {
  readonly spans: RecordedSpan[] = [];
  readonly durations: { readonly seconds: number; readonly attributes: object; readonly within: string | undefined }[] = [];
  readonly created: unknown[] = [];
  readonly active = new Map<string, number>();
  readonly storage = new AsyncLocalStorage<object>();

  get api(): Required<OpenTelemetryApi> {
    const spanOf = (context: object): Context['span'] => (context as Context).span;
    return {
      context: { active: () => this.storage.getStore() ?? {} },
      propagation: { extract: (context, headers) => ({ ...context, trace: (headers as Record<string, string>)['traceparent'] }) },
      trace: {
        getTracer: () => ({ startSpan: (name, { kind, attributes }, context = {}) => this.#span(name, kind, attributes, context) }),
        getSpan: spanOf,
        setSpan: (context, span) => ({ ...context, span }),
      },
      metrics: {
        getMeter: () => ({
          createHistogram: (name, { unit, advice }) => {
            this.created.push([name, unit, advice.explicitBucketBoundaries.length]);
            return { record: (seconds, attributes, context = {}) => void this.durations.push({ seconds, attributes, within: spanOf(context)?.name }) };
          },
          createUpDownCounter: (name, { unit }) => {
            this.created.push([name, unit]);
            return { add: (value, attributes) => void this.active.set(JSON.stringify(attributes), (this.active.get(JSON.stringify(attributes)) ?? 0) + value) };
          },
        }),
      },
    };
  }

  #span(name: string, kind: number, attributes: object, context: Context): RecordedSpan & Span {
    const span: RecordedSpan & Span = {
      name, kind, attributes: { ...attributes }, parent: context.span?.name ?? context.trace, exceptions: [], status: undefined, ends: 0,
      setAttributes: (more) => void Object.assign(span.attributes, more),
      setStatus: ({ code }) => void (span.status = code),
      recordException: (error) => void span.exceptions.push(error.message),
      end: () => void (span.ends += 1),
    };
    this.spans.push(span);
    return span;
  }
}

/** Sends requests one after another, and waits until they are over. */
async function recordRequests(requests: readonly string[], use: (recorder: Recorder) => void, api = (recorder: Recorder): OpenTelemetryApi => recorder.api): Promise<void> {
  const recorder = new Recorder();
  const stop = openTelemetry(api(recorder), { storage: recorder.storage });
  try {
    await captureEvents((captured) => serve(declareObservable, async ({ port, errors }) => {
      for (const request of requests) {
        const before = captured.messages.length;
        const client = await RawClient.send(port, request);
        await captured.waitForEnds(before + 1);
        client.destroy();
      }
      use(recorder);
      // The log has the same failures.
      assert.is(errors.length, recorder.spans.filter(({ status }) => status !== undefined).length);
    }));
  } finally {
    stop();
  }
}

const spans = suite('the span of a request');
const get = (id: number): string => message('GET', `/v1/thing/${id}`);
const THING = '/v1/thing/:id';
for (const [what, sent, name, status, error, exceptions] of [
  ['a result', get(SYNC), `GET ${THING}`, 200, undefined, []],
  ['an Update in chunks', chunkedMessage('PUT', '/v1/thing/1', '{}'), `PUT ${THING}`, 204, undefined, []],
  ['a rejected id', message('GET', '/v1/thing/one'), `GET ${THING}`, 400, undefined, []],
  ['an ApiError', get(CONFLICT), `GET ${THING}`, 409, undefined, []],
  ['a throw', get(THROWS), `GET ${THING}`, 500, 'RangeError', ['thrown']],
  ['a stream that fails', get(BROKEN_STREAM), `GET ${THING}`, 200, 'RangeError', ['spoilt']],
  ['discovery', message('OPTIONS', '/v1/thing'), 'OPTIONS /v1/thing', 200, undefined, []],
  ['a mount', message('GET', '/files/a'), 'GET /files', 200, undefined, []],
  ['a mount that throws', message('GET', '/throws'), 'GET /throws', 500, 'RangeError', ['a mount']],
] as const) {
  spans(`${what} -> ${name} ${status}, ${error ?? 'no failure'}`, () => recordRequests([sent], ({ spans: [span, ...others] }) => {
    assert.equal(others, []);
    assert.equal([span?.name, span?.kind, span?.ends], [name, 1, 1]);
    assert.equal([span?.attributes['http.response.status_code'], span?.attributes['error.type']], [status, error]);
    assert.equal([span?.status, span?.exceptions], [error && 2, exceptions]);
  }));
}
spans('has the attributes of the conventions, the whole target, and the operation', () => {
  const sent = message('GET', `/v1/thing/${SYNC}?a=1?b`, '', ['User-Agent: tests', 'traceparent: 00-1']);
  return recordRequests([sent], ({ spans: [span] }) => {
    const { 'server.address': _address, 'server.port': _port, ...attributes } = span?.attributes ?? {};
    assert.equal(attributes, {
      'http.request.method': 'GET', 'url.scheme': 'http', 'url.path': `/v1/thing/${SYNC}`, 'url.query': 'a=1?b', 'client.address': '127.0.0.1',
      'network.protocol.version': '1.1', 'user_agent.original': 'tests', 'http.route': THING, 'restpoint.operation': 'get', 'http.response.status_code': 200,
    });
    assert.is(span?.parent, '00-1');
  });
});
spans('has the id of the request, which no metric has', async () => {
  const recorder = new Recorder();
  const stop = openTelemetry(recorder.api);
  try {
    const server = new ApiServer('/v1', { logger: { info: () => {}, error: () => {} }, requestId: { trust: 1 } });
    server.registerEndpoint('/own', { get: () => 1 });
    await server.fetch('/v1/own', { headers: { 'X-Request-Id': '7f3c' } });
    await waitUntil(() => recorder.durations.length === 1, 'a measurement');
    assert.is(recorder.spans[0]?.attributes['restpoint.request.id'], '7f3c');
    assert.not('restpoint.request.id' in (recorder.durations[0]?.attributes ?? {}));
  } finally {
    stop();
  }
});
for (const [host, address, port] of [['a.example', 'a.example', undefined], ['a.example:81', 'a.example', 81], ['[::1]:82', '[::1]', 82], ['[::1]', '[::1]', undefined]] as const) {
  spans(`Host: ${host} -> server.address ${address}, server.port ${port}`, () => {
    return recordRequests([`GET /v1/thing/${SYNC} HTTP/1.1\r\nHost: ${host}\r\n\r\n`], ({ spans: [span] }) => {
      assert.equal([span?.attributes['server.address'], span?.attributes['server.port']], [address, port]);
    });
  });
}
spans('of a method that is not known has no name that clients invent', () => recordRequests([message('PROPFIND', '/files/a')], ({ spans: [span] }) => {
  assert.is(span?.name, 'HTTP /files');
  assert.equal([span?.attributes['http.request.method'], span?.attributes['http.request.method_original']], ['_OTHER', 'PROPFIND']);
}));
spans('below an active span is of the operation, and no trace is read', async () => {
  const recorder = new Recorder();
  const outer = { name: 'outer' };
  const api = { ...recorder.api, context: { active: () => ({ span: outer }) } };
  await recordRequests([get(SYNC), message('GET', '/files/a')], () => {
    assert.equal(recorder.spans.map(({ name, kind, parent }) => [name, kind, parent]), [[`get ${THING}`, 0, 'outer'], ['GET /files', 0, 'outer']]);
  }, () => api);
});
spans('without propagation and metrics begins a trace', () => recordRequests([message('GET', `/v1/thing/${SYNC}`, '', ['traceparent: 00-1'])], (recorder) => {
  assert.is(recorder.spans[0]?.parent, undefined);
  assert.equal([recorder.created, recorder.durations], [[], []]);
}, ({ api: { trace, context } }) => ({ trace, context })));
for (const [bound, expected] of [[true, 'GET /v1/own'], [false, undefined]] as const) {
  spans(`is ${bound ? '' : 'not '}active in the operation, ${bound ? 'with' : 'without'} the storage of the contexts`, async () => {
    const recorder = new Recorder();
    const stop = openTelemetry(recorder.api, bound ? { storage: recorder.storage } : {});
    try {
      const server = new ApiServer('/v1', { logger: { info: () => {}, error: () => {} } });
      const active: unknown[] = [];
      server.registerEndpoint('/own', { get: async () => {
        await null;
        active.push((recorder.storage.getStore() as Context | undefined)?.span?.name);
        return active.length;
      } });
      await server.fetch('/v1/own');
      assert.equal(active, [expected]);
    } finally {
      stop();
    }
  });
}
spans('ends once if the client leaves a stream, as no failure', async () => {
  const recorder = new Recorder();
  const stop = openTelemetry(recorder.api);
  try {
    await captureEvents((captured) => serve(declareObservable, async ({ port }) => {
      const client = await RawClient.send(port, get(ENDLESS));
      await waitUntil(() => client.unread.startsWith('HTTP/1.1 200 '), 'the response');
      client.destroy();
      await captured.waitForEnds(1);
      assert.equal(recorder.spans.map(({ ends, status }) => [ends, status]), [[1, undefined]]);
    }));
  } finally {
    stop();
  }
});
spans('is no more made when the observer has stopped, and that of a request that began before it is not ended', async () => {
  const recorder = new Recorder();
  for (const options of [{}, { storage: recorder.storage }]) openTelemetry(recorder.api, options)();
  const server = new ApiServer('', { logger: { info: () => {}, error: () => {} } });
  let stop = (): void => {};
  server.registerEndpoint('/late', { get: () => (stop = openTelemetry(recorder.api), 1) });
  await captureEvents(async (captured) => {
    await server.fetch('/late');
    await captured.waitForEnds(1);
  });
  stop();
  await server.fetch('/late');
  stop();
  assert.equal(recorder.spans, []);
});
for (const [api, message] of [
  [undefined, 'api must be an object: undefined'],
  [{}, 'api must be the module @opentelemetry/api: it has no getTracer'],
  [{ trace: { getTracer: 7 } }, 'api.getTracer must be a function: number'],
  [{ trace: { getTracer: () => {} } }, 'api must be the module @opentelemetry/api: it has no active'],
] as const) {
  spans(`${message} -> TypeError`, () => {
    assert.throws(() => openTelemetry(api as never), isTypeError(message));
  });
}

const metrics = suite('the metrics of requests');
metrics('are a histogram in seconds and the number of active requests, by method, route and status', () => {
  return recordRequests([get(SYNC), get(THROWS)], ({ created, durations, active }) => {
    assert.equal(created, [['http.server.request.duration', 's', 14], ['http.server.active_requests', '{request}']]);
    const common = { 'http.request.method': 'GET', 'url.scheme': 'http', 'network.protocol.version': '1.1', 'http.route': THING, 'restpoint.operation': 'get' };
    assert.equal(durations.map(({ attributes }) => attributes), [
      { ...common, 'http.response.status_code': 200 },
      { ...common, 'http.response.status_code': 500, 'error.type': 'RangeError' },
    ]);
    assert.ok(durations.every(({ seconds, within }) => seconds > 0 && seconds < 60 && within === `GET ${THING}`));
    assert.equal([...active], [['{"http.request.method":"GET","url.scheme":"http"}', 0]]);
  });
});
