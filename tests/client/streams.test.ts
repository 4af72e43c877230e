/** The streams of a client: NDJSON both ways, and events over several connections. */
import type { ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import { client, type ClientOptions } from '../../src/client/index.ts';
import { events, ndjson } from '../../src/formats/index.ts';
import { ApiServer, defineEndpoint, integerId } from '../../src/index.ts';
import { serveResponses, respondJson, type Respond, type ReceivedRequest } from '../support/serve-responses.ts';
import { serveWithClient, captureError } from '../support/serve-with-client.ts';
import { assert, Gate, suite, waitUntil } from '../support/facts.ts';

interface Row {
  readonly n: number;
}
const asRow = (value: unknown): Row => value as Row;
const rows = defineEndpoint({
  id: integerId,
  list: { output: ndjson(asRow), run: () => [{ n: 1 }, { n: 2 }] },
  get: { output: events(asRow), run: (id) => [{ data: { n: id } }] },
  custom: {
    some: { output: events(asRow), run: () => [{ data: { n: 1 } }] },
    load: {
      input: ndjson(asRow),
      run: async (items) => {
        const got: Row[] = [];
        for await (const item of items) got.push(item);
        return got;
      },
    },
  },
});
interface Api {
  readonly '/row': typeof rows;
}
const rowsAt = (base: string, options?: ClientOptions) => client<Api>(base, options)('/row');

async function collect<T>(items: AsyncIterable<T>, count = Infinity): Promise<T[]> {
  const got: T[] = [];
  if (count === 0) return got;
  for await (const item of items) if (got.push(item) === count) break;
  return got;
}

/** Writes pieces one after the other, and then ends, or not. */
function stream(
  response: ServerResponse, type: string, pieces: readonly (string | Uint8Array)[], end: () => unknown = () => response.end(),
): void {
  response.writeHead(200, { 'Content-Type': type });
  const writeNext = (at: number): void => {
    const piece = pieces[at];
    if (piece !== undefined) response.write(piece, () => setImmediate(writeNext, at + 1));
    else end();
  };
  response.flushHeaders();
  writeNext(0);
}
const EVENTS = 'text/event-stream; charset=utf-8';
const NDJSON = 'application/x-ndjson';
const lastIds = (asked: readonly ReceivedRequest[]): unknown[] => asked.map(({ headers }) => headers['last-event-id']);

// First, since the connections of other tests have timers too.
const waiting = suite('events of a get go on');
for (const [what, retry, delay] of [['that the server says', '1234', 1234], ['of three seconds', '', 3000], ['of a minute at most', '99999999999', 60_000], ['of a tenth of a second at least', '0', 100], ['of three seconds, if that is not a number', 'soon', 3000]] as const) {
  waiting(`after a delay ${what}`, async () => {
    const delays: number[] = [];
    const original = globalThis.setTimeout;
    globalThis.setTimeout = ((passed: () => void, ms: number) => original(passed, 0 * delays.push(ms))) as typeof setTimeout;
    try {
      const responses = [new Response(`retry: ${retry}\ndata: 1\n\n`, { headers: { 'Content-Type': EVENTS } }), new Response(null, { status: 204 })];
      await collect(rowsAt('', { fetch: async () => responses.shift()! }).get(1));
    } finally {
      globalThis.setTimeout = original;
    }
    assert.equal(delays, [delay]);
  });
}

const lines = suite('the items of NDJSON');
for (const [what, pieces, expected] of [
  ['one on each line', ['{"n":1}\n{"n":2}\n'], [{ n: 1 }, { n: 2 }]],
  ['in pieces', ['{"n"', ':1', '}\n', '{"n":2', '}\n'], [{ n: 1 }, { n: 2 }]],
  ['the last without a line end', ['1\n2'], [1, 2]],
  ['with CR LF, also in two pieces, and empty lines', ['1\r', '\n2\r\n\r\n\n3\r\n'], [1, 2, 3]],
  ['in pieces of a character', [new Uint8Array([0x22, 0xc3]), new Uint8Array([0xa9, 0x22, 0x0a])], ['\u00e9']],
  ['none', [], []],
] as const) {
  lines(`${what} -> ${JSON.stringify(expected)}`, async () => {
    await serveResponses((response) => stream(response, NDJSON, pieces), async (base) => assert.equal(await collect<unknown>(rowsAt(base).list()), expected));
  });
}
lines('that are malformed: those before are given, and then it rejects', () => serveResponses((response) => stream(response, NDJSON, ['1\n{\n2\n']), async (base) => {
  const got: unknown[] = [];
  const error = await captureError((async () => { for await (const item of rowsAt(base).list()) got.push(item); })());
  assert.equal([got, error.name, error.problem.detail], [[1], 'ProblemError', 'The response is not JSON.']);
}));
lines('that are cut off: it rejects, and asks for them once', async () => {
  const asked = await serveResponses((response, _asked, { socket }) => {
    stream(response, NDJSON, ['1\n'], () => socket.destroy());
  }, async (base) => assert.instance(await captureError(collect(rowsAt(base, { retries: 3 }).list())), TypeError));
  assert.is(asked.length, 1);
});
lines('are asked for anew after a failure that may be repeated, before the first', async () => {
  const asked = await serveResponses((response, { length }) => (length === 1 ? response.writeHead(503).end() : stream(response, NDJSON, ['1\n'])), async (base) => {
    assert.equal(await collect<unknown>(rowsAt(base, { retries: { attempts: 1, maxDelayMs: 1 } }).list()), [1]);
  });
  assert.is(asked.length, 2);
});
lines('of which no more are wanted: the connection is closed', async () => {
  let isClosed = false;
  await serveResponses((response) => {
    response.on('close', () => (isClosed = true));
    stream(response, NDJSON, ['1\n2\n'], () => {});
  }, async (base) => {
    assert.equal(await collect<unknown>(rowsAt(base).list(), 1), [1]);
    await waitUntil(() => isClosed, 'the end of the connection');
  });
});
lines('are a body: each is sent when it is made', async () => {
  const first = new Gate();
  async function* made(): AsyncGenerator<Row> {
    yield { n: 1 };
    await first.passed;
    yield { n: 2 };
  }
  let got = '';
  await serveResponses((response, asked) => respondJson(response, asked), async (base) => {
    const fetched: ClientOptions['fetch'] = (url, init) => {
      const seen = new TransformStream<Uint8Array, Uint8Array>({
        transform: (chunk, controller) => {
          got += new TextDecoder().decode(chunk);
          if (got === '{"n":1}\n') first.open();
          controller.enqueue(chunk);
        },
      });
      return fetch(url, { ...init, body: (init.body as ReadableStream<Uint8Array>).pipeThrough(seen) });
    };
    const [asked] = await rowsAt(base, { fetch: fetched }).custom.load(made()) as unknown as ReceivedRequest[];
    assert.equal([asked!.body, asked!.headers['content-type'], asked!.headers['transfer-encoding']], ['{"n":1}\n{"n":2}\n', NDJSON, 'chunked']);
  });
});
lines('as a body: what the iterable throws ends the call', () => serveResponses((response) => respondJson(response, 1), async (base) => {
  async function* failing(): AsyncGenerator<Row> {
    yield { n: 1 };
    throw new Error('no more');
  }
  await captureError(rowsAt(base).custom.load(failing()));
}));
lines('go both ways with a server of this library, over a socket and without one', () => serveWithClient((server) => server.registerEndpoint('/row', rows), async ({ connect }) => {
  const inMemory = new ApiServer('/v1', { logger: { info: () => {}, error: () => {} } });
  inMemory.registerEndpoint('/row', rows);
  for (const api of [connect<Api>()('/row'), client<Api>('http://localhost/v1', { fetch: inMemory.fetch })('/row')]) {
    assert.equal(await collect(api.list()), [{ n: 1 }, { n: 2 }]);
    assert.equal(await collect(api.custom.some()), [{ event: 'message', data: { n: 1 } }]);
    assert.equal(await api.custom.load((async function* () { yield { n: 3 }; yield { n: 4 }; })()), [{ n: 3 }, { n: 4 }]);
  }
}));
lines('of a connection that breaks while the caller stops: the caller stops', async () => {
  const gate = new Gate();
  const body = new ReadableStream<Uint8Array>({
    start: async (controller) => {
      controller.enqueue(new TextEncoder().encode('1\n2\n'));
      await gate.passed;
      controller.error(new Error('the connection broke'));
    },
  });
  const items = await rowsAt('', { fetch: async () => new Response(body, { headers: { 'Content-Type': NDJSON } }) }).list();
  const got: unknown[] = [];
  for await (const item of items as AsyncIterable<unknown>) {
    got.push(item);
    gate.open();
    await new Promise((resolve) => setImmediate(resolve));
    break;
  }
  assert.equal(got, [1]);
});

const parsing = suite('the events of a connection');
for (const [what, pieces, expected] of [
  ['with and without a name', ['retry: 0\nevent: a\ndata: 1\n\ndata: 2\n\n'], [['a', 1], ['message', 2]]],
  ['in pieces, with any line end', ['retry: 0\nev', 'ent: a\r', '\ndata: 1\r\r', 'data:2\n', '\n'], [['a', 1], ['message', 2]]],
  ['with data of several lines', ['retry: 0\ndata: [1,\ndata: 2]\n\n'], [['message', [1, 2]]]],
  ['with comments, unknown fields, and fields without a value', ['retry: 0\n: heartbeat\n\nfoo: 1\n__proto__: 2\nevent\ndata: 1\n\n'], [['message', 1]]],
  ['with a colon in the data, and a space', ['retry: 0\ndata:  "a: b"\n\n'], [['message', 'a: b']]],
  ['with a byte order mark', ['\ufeffretry: 0\ndata: 1\n\n'], [['message', 1]]],
  ['without data, which are not events', ['retry: 0\nevent: a\nid: 7\n\ndata: 1\n\n'], [['message', 1]]],
  ['of which the last is incomplete', ['retry: 0\ndata: 1\n\ndata: 2\n'], [['message', 1]]],
] as const) {
  parsing(`${what} -> ${JSON.stringify(expected)}`, async () => {
    await serveResponses((response, { length }) => (length === 1 ? stream(response, EVENTS, pieces) : response.writeHead(204).end()), async (base) => {
      assert.equal((await collect(rowsAt(base).get(1))).map(({ event, data }) => [event, data]), expected);
    });
  });
}
parsing('that are not JSON: it rejects, and does not connect again', async () => {
  const asked = await serveResponses((response) => stream(response, EVENTS, ['retry: 0\ndata: 1\n\ndata: {\n\n']), async (base) => {
    assert.is((await captureError(collect(rowsAt(base).get(1)))).problem.detail, 'The response is not JSON.');
  });
  assert.is(asked.length, 1);
});

const unreadable = suite('a fetch that has no streams');
for (const [what, body, decoder] of [
  ['since it has no body, as in React Native', undefined], ['since its body is a stream of Node, as in node-fetch', Readable.from(['1\n'])],
  ['since there is no TextDecoderStream', new Response('1\n').body, true],
] as const) {
  for (const type of [NDJSON, EVENTS]) {
    unreadable(`${what}: ${type} rejects, and is asked for once`, async () => {
      const { TextDecoderStream: original } = globalThis;
      if (decoder) (globalThis as { TextDecoderStream?: unknown }).TextDecoderStream = undefined;
      try {
        let asked = 0;
        const fetched = async (): Promise<Response> => {
          asked += 1;
          return Object.defineProperty(new Response('1\n', { headers: { 'Content-Type': type } }), 'body', { value: body });
        };
        const row = rowsAt('', { fetch: fetched, retries: 3 });
        const error = await captureError(collect<unknown>(type === NDJSON ? row.list() : row.get(1)));
        assert.equal([error.name, error.problem.detail, asked], ['ProblemError', 'The response is not a ReadableStream.', 1]);
      } finally {
        globalThis.TextDecoderStream = original;
      }
    });
  }
}
unreadable('but a response without a body has no items', async () => {
  assert.equal(await collect<unknown>(rowsAt('', { fetch: async () => new Response(null, { headers: { 'Content-Type': NDJSON } }) }).list()), []);
});

const again = suite('events of a get go on');
const once = (first: Respond, then: Respond = (response) => response.writeHead(204).end()): Respond => (response, asked, request) => {
  (asked.length === 1 ? first : then)(response, asked, request);
};
for (const [what, id, header, shown = header] of [
  ['its id', 'id: 7\n', '7'],
  ['the id of an event before', 'id: 6\ndata: 0\n\n', '6'],
  ['the id that came without data', 'id: 8\n\n', '8'],
  ['an id of other characters, as UTF-8', 'id: \u00e9\u{1f418}\n', Buffer.from('\u00e9\u{1f418}').toString('latin1'), '\u00e9\u{1f418}'],
  ['no id if there was none', '', undefined],
  ['no id if it has a control character, or more than 4096', `id: 7\x01\nid: ${'7'.repeat(4097)}\n`, undefined],
  ['no id if it has NUL, which is ignored', 'id: 7\0\n', undefined],
  ['the id of the same event before one with NUL', 'id: 7\nid: 8\0\n', '7'],
  ['the id of an event before one with NUL', 'id: 7\ndata: 0\n\nid: 8\0\n', '7'],
  ['no id after an empty one', 'id: 6\ndata: 0\n\nid\n', undefined],
] as const) {
  again(`after their end, with ${what}`, async () => {
    const asked = await serveResponses(once((response) => stream(response, EVENTS, [`retry: 0\n${id}data: 1\n\n`])), async (base) => {
      const last = (await collect<object>(rowsAt(base).get(1))).at(-1);
      assert.equal(last, { ...(shown && { id: shown }), event: 'message', data: 1 });
    });
    assert.equal(lastIds(asked), [undefined, header]);
  });
}
for (const [lastEventId, header] of [['7', '7'], ['\u00e9\u{1f418}', Buffer.from('\u00e9\u{1f418}').toString('latin1')], ['', undefined], [undefined, undefined]] as const) {
  again(`after lastEventId ${lastEventId}, and then after the ids of their own`, async () => {
    const asked = await serveResponses(once((response) => stream(response, EVENTS, ['retry: 0\ndata: 1\n\nid: 9\n\ndata: 2\n\n'])), async (base) => {
      const got = await collect<object>(rowsAt(base).get(1, { lastEventId }));
      assert.equal(got, [{ ...(lastEventId && { id: lastEventId }), event: 'message', data: 1 }, { id: '9', event: 'message', data: 2 }]);
    });
    assert.equal(lastIds(asked), [header, '9']);
  });
}
for (const lastEventId of ['7\r\nX-Admin: 1', '7\nX-Admin: 1', '7\0', '7\x01', '\ud800', '7'.repeat(100_000)]) {
  again(`not after lastEventId ${JSON.stringify(lastEventId).slice(0, 20)}, which no header can have: it rejects`, async () => {
    const asked = await serveResponses((response) => response.end(), async (base) => {
      const { name, status } = await captureError(collect(rowsAt(base).get(1, { lastEventId })));
      assert.ok(['TypeError', 'URIError'].includes(name) || status === 431, name);
    });
    assert.equal(asked, []);
  });
}
again('after the id of an event without data, of a server that leaves out others', async () => {
  const received: (string | undefined)[] = [];
  const filtered = defineEndpoint({ get: { output: events(asRow), run: ({ lastEventId }) => {
    received.push(lastEventId);
    return received.length === 1 ? [{ id: '1', data: { n: 1 }, retry: 0 }, { id: '5' }] : [{ data: { n: 2 } }];
  } } });
  await serveWithClient((server) => server.registerEndpoint('/filtered', filtered), async ({ connect }) => {
    const got: object[] = [];
    for await (const event of connect<{ '/filtered': typeof filtered }>().one('/filtered').get()) if (got.push(event) === 2) break;
    assert.equal(got, [{ id: '1', event: 'message', data: { n: 1 } }, { id: '5', event: 'message', data: { n: 2 } }]);
  });
  assert.equal(received, [undefined, '5']);
});
for (const [what, fail] of [
  ['503', (response) => response.writeHead(503).end()],
  ['429 with Retry-After', (response) => response.writeHead(429, { 'Retry-After': '0' }).end()],
  ['no response', (_response, _asked, { socket }) => socket.destroy()],
] as readonly (readonly [string, Respond])[]) {
  again(`after a lost connection, and then ${what}, also without retries`, async () => {
    const asked = await serveResponses((response, asked, request) => {
      if (asked.length === 1) {
        stream(response, EVENTS, ['retry: 0\nid: 7\ndata: 1\n\n'], () => setTimeout(() => request.socket.destroy(), 20));
      } else if (asked.length === 2) fail(response, asked, request);
      else if (asked.length === 3) stream(response, EVENTS, ['id: 8\ndata: 2\n\n']);
      else response.writeHead(204).end();
    }, async (base) => assert.equal((await collect<{ data: unknown }>(rowsAt(base).get(1))).map(({ data }) => data), [1, 2]));
    assert.equal(lastIds(asked), [undefined, '7', '7', '8']);
  });
}
for (const [status, detail] of [[401, 'no'], [404, 'no'], [500, 'no']] as const) {
  again(`until a response rejects: ${status} rejects`, async () => {
    const reject: Respond = (response) => response.writeHead(status, { 'Content-Type': 'application/problem+json' }).end(JSON.stringify({ detail }));
    const asked = await serveResponses(once((response) => stream(response, EVENTS, ['retry: 0\ndata: 1\n\n']), reject), async (base) => {
      const error = await captureError(collect(rowsAt(base).get(1)));
      assert.equal([error.status, error.problem.detail], [status, detail]);
    });
    assert.is(asked.length, 2);
  });
}
again('and not if the first response rejects, or the first connection fails', async () => {
  const asked = await serveResponses((response) => response.writeHead(503).end(), async (base) => {
    assert.is((await captureError(collect(rowsAt(base).get(1)))).status, 503);
  });
  assert.is(asked.length, 1);
  assert.instance(await captureError(collect(rowsAt('http://127.0.0.1:1').get(1))), TypeError);
});
again('not for another operation', async () => {
  const asked = await serveResponses((response) => stream(response, EVENTS, ['retry: 0\ndata: 1\n\n']), async (base) => {
    assert.equal((await collect<{ data: unknown }>(rowsAt(base).custom.some())).map(({ data }) => data), [1]);
  });
  assert.is(asked.length, 1);
});
again('after timeoutMs, which is that of a connection', async () => {
  let connections = 0;
  const fetched: ClientOptions['fetch'] = async (_url, { signal }) => {
    connections += 1;
    if (connections === 3) return new Response(null, { status: 204 });
    const body = new ReadableStream({
      start: (controller) => {
        controller.enqueue(new TextEncoder().encode(`retry: 0\ndata: ${connections}\n\n`));
        signal?.addEventListener('abort', () => controller.error(signal.reason));
      },
    });
    return new Response(body, { headers: { 'Content-Type': EVENTS } });
  };
  const kept = setTimeout(() => {}, 60_000);
  const got = await collect<{ data: unknown }>(rowsAt('', { timeoutMs: 30, fetch: fetched }).get(1)).finally(() => clearTimeout(kept));
  assert.equal(got.map(({ data }) => data), [1, 2]);
});
again('where they were awaited, or safe', async () => {
  for (const connect of [
    async (base: string) => await rowsAt(base).get(1),
    async (base: string) => {
      const { ok, value } = await rowsAt(base).get(1, { safe: true }) as { ok: boolean; value: AsyncIterable<{ data: unknown }> };
      assert.ok(ok);
      return value;
    },
  ]) {
    await serveResponses((response, { length }) => {
      if (length < 3) stream(response, EVENTS, [`retry: 0\ndata: ${length}\n\n`]);
      else response.writeHead(204).end();
    }, async (base) => assert.equal((await collect<{ data: unknown }>(await connect(base))).map(({ data }) => data), [1, 2]));
  }
});
for (const [what, pieces, isEndless] of [
  ['between two events', ['data: 1\n\n'], true],
  ['before the first event', [], true],
  ['between two connections', ['retry: 60000\ndata: 1\n\n'], false],
] as const) {
  again(`until the signal aborts ${what}: then they end`, async () => {
    const controller = new AbortController();
    const abort = (): void => void setTimeout(() => controller.abort(), 20);
    const asked = await serveResponses((response) => stream(response, EVENTS, pieces, isEndless ? () => {} : undefined), async (base) => {
      const got: unknown[] = [];
      for await (const { data } of rowsAt(base).get(1, { signal: controller.signal, onResponse: pieces.length === 0 ? abort : () => {} })) {
        got.push(data);
        abort();
      }
      assert.equal(got, pieces.length === 0 ? [] : [1]);
    });
    assert.is(asked.length, 1);
  });
}
again('not at all if the signal has aborted before', async () => {
  const asked = await serveResponses((response) => stream(response, EVENTS, []), async (base) => {
    assert.equal(await collect(rowsAt(base).get(1, { signal: AbortSignal.abort() })), []);
  });
  assert.is(asked.length, 0);
});

const limited = suite('timeoutMs of a call whose response is a stream');

/** Replaces the timers of `AbortSignal.timeout` while a test runs. The test ends the times itself, by `abort`. */
async function controlTimeouts(use: (timeouts: AbortController[]) => Promise<void>): Promise<void> {
  const { timeout } = AbortSignal;
  const timeouts: AbortController[] = [];
  AbortSignal.timeout = (ms) => {
    assert.is(ms, 5000);
    const controller = new AbortController();
    timeouts.push(controller);
    return controller.signal;
  };
  try {
    await use(timeouts);
  } finally {
    AbortSignal.timeout = timeout;
  }
}
const OVER = new DOMException('time is over', 'TimeoutError');

const TIMED: readonly (readonly [
  what: string, type: string, format: (n: number) => string, read: (base: string, options: ClientOptions) => AsyncIterable<unknown>,
])[] = [
  ['NDJSON', NDJSON, (n) => `{"n":${n}}\n`, (base, options) => rowsAt(base, options).list()],
  ['events', EVENTS, (n) => `retry: 0\ndata: {"n":${n}}\n\n`, (base, options) => rowsAt(base, options).custom.some()],
];
const numberOf = (item: unknown): number => ((item as { data?: Row }).data ?? item as Row).n;

for (const [what, type, format, read] of TIMED) {
  for (const [whose, signal] of [['', undefined], [', with a signal of the user', new AbortController().signal]] as const) {
    limited(`${what}${whose}: it limits the time until the head, and is over then`, () => controlTimeouts(async (timeouts) => {
      const second = new Gate();
      await serveResponses((response) => {
        stream(response, type, [format(1)], async () => {
          await second.passed;
          response.end(format(2));
        });
      }, async (base) => {
        const got: number[] = [];
        const fetchTimed: ClientOptions['fetch'] = (url, init) => fetch(url, { ...init, ...signal && { signal: AbortSignal.any([init.signal!, signal]) } });
        for await (const item of read(base, { timeoutMs: 5000, fetch: fetchTimed })) {
          got.push(numberOf(item));
          // All times that have begun are over. None of them runs while the caller uses an item.
          for (const timeout of timeouts) timeout.abort(OVER);
          second.open();
        }
        assert.equal(got, [1, 2]);
      });
    }));
  }
  limited(`${what}: it limits the wait for the head`, () => controlTimeouts(async (timeouts) => {
    await serveResponses(() => timeouts[0]?.abort(OVER), async (base) => {
      assert.is(await captureError(collect(read(base, { timeoutMs: 5000 }))), OVER);
    });
    assert.is(timeouts.length, 1);
  }));
  limited(`${what}: it limits the silence before each item, and closes the connection`, () => controlTimeouts(async (timeouts) => {
    let isClosed = false;
    await serveResponses((response) => {
      response.once('close', () => (isClosed = true));
      stream(response, type, [format(1)], () => {});
    }, async (base) => {
      const got: number[] = [];
      const error = captureError((async () => {
        for await (const item of read(base, { timeoutMs: 5000 })) got.push(numberOf(item));
      })());
      // One for the head, one for the first item, and one for the second.
      await waitUntil(() => got.length === 1 && timeouts.length > 2, 'the wait for the second item');
      timeouts.at(-1)?.abort(OVER);
      assert.is(await error, OVER);
      await waitUntil(() => isClosed, 'the end of the connection');
      assert.equal(got, [1]);
    });
  }));
}
limited('a comment ends the silence before an event', () => controlTimeouts(async (timeouts) => {
  const next = new Gate();
  await serveResponses((response) => stream(response, EVENTS, [':\n\n'], async () => {
    await next.passed;
    response.end('data: {"n":1}\n\n');
  }), async (base) => {
    const events = collect<unknown>(rowsAt(base, { timeoutMs: 5000 }).custom.some());
    await waitUntil(() => timeouts.length > 2, 'the wait after the comment');
    for (const timeout of timeouts.slice(0, -1)) timeout.abort(OVER);
    next.open();
    assert.equal((await events).map(numberOf), [1]);
  });
}));
limited('after the silence, events of a get go on with a new connection', () => controlTimeouts(async (timeouts) => {
  const asked = await serveResponses((response, { length }) => {
    if (length < 3) stream(response, EVENTS, [`retry: 0\nid: ${length}\ndata: ${length}\n\n`], () => {});
    else response.writeHead(204).end();
  }, async (base) => {
    const got: unknown[] = [];
    const events = (async () => {
      for await (const { data } of rowsAt(base, { timeoutMs: 5000 }).get(1)) got.push(data);
    })();
    for (const connection of [1, 2]) {
      await waitUntil(() => got.length === connection && timeouts.at(-1)?.signal.aborted === false, 'the wait for the second event');
      const made = timeouts.length;
      timeouts.at(-1)?.abort(OVER);
      await waitUntil(() => timeouts.length > made, 'the next connection');
    }
    await events;
    assert.equal(got, [1, 2]);
  });
  assert.equal(lastIds(asked), [undefined, '1', '2']);
}));
limited('raw: it covers the body too', () => controlTimeouts(async (timeouts) => {
  await serveResponses((response) => stream(response, NDJSON, ['1\n'], () => {}), async (base) => {
    const response = await rowsAt(base, { timeoutMs: 5000 }).list({ raw: true });
    const text = captureError(response.text());
    timeouts[0]?.abort(OVER);
    assert.is(await text, OVER);
  });
}));

const sending = suite('a call is sent');
for (const [what, send] of [
  ['a get', (rows) => rows.get(1)],
  ['a custom operation', (rows) => rows.custom.load((async function* () { yield { n: 1 }; })())],
] as readonly (readonly [string, (rows: ReturnType<typeof rowsAt>) => unknown])[]) {
  sending(`at once and once, and can be awaited later: ${what}`, async () => {
    const asked: readonly ReceivedRequest[] = await serveResponses((response) => respondJson(response, 1), async (base, asked) => {
      const call = send(rowsAt(base)) as Promise<unknown>;
      await waitUntil(() => asked.length === 1, 'the request');
      assert.is(await call, 1);
      assert.is(await call, 1);
      assert.is(await call.finally(() => {}), 1);
    });
    assert.is(asked.length, 1);
  });
}
sending('at once and once, and can be iterated later: a list', async () => {
  const asked = await serveResponses((response) => stream(response, NDJSON, ['1\n']), async (base, asked) => {
    const call = rowsAt(base).list();
    await waitUntil(() => asked.length === 1, 'the request');
    assert.equal(await collect<unknown>(call), [1]);
  });
  assert.is(asked.length, 1);
});
sending('at the same time as another: neither a GET nor a POST waits for the other', async () => {
  const waiting: ServerResponse[] = [];
  // No response is sent before both requests have arrived.
  await serveResponses((response) => {
    waiting.push(response);
    if (waiting.length === 2) for (const each of waiting) respondJson(each, 1);
  }, async (base) => {
    const rows = rowsAt(base);
    const get = rows.get(1) as unknown as Promise<unknown>;
    const load = rows.custom.load((async function* () { yield { n: 1 }; })()) as Promise<unknown>;
    assert.is(await load, 1);
    assert.is(await get, 1);
  });
});
sending('and a failure is caught as that of a promise', () => serveResponses((response) => response.writeHead(404).end(), async (base) => {
  const call = rowsAt(base).get(1) as unknown as Promise<unknown>;
  assert.is(await call.catch((error: { status: number }) => error.status), 404);
  assert.is((await captureError(call.finally(() => {}))).status, 404);
}));
