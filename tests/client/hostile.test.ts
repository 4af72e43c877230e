/** A server that means harm: what a client does with its responses. */
import type { ServerResponse } from 'node:http';
import { client, ProblemError, type ClientOptions } from '../../src/client/index.ts';
import { events, ndjson } from '../../src/formats/index.ts';
import { defineEndpoint, integerId } from '../../src/index.ts';
import { serveResponses, respondJson } from '../support/serve-responses.ts';
import { captureError } from '../support/serve-with-client.ts';
import { assert, suite, waitUntil } from '../support/facts.ts';

interface Pet {
  readonly name: string;
}
const asPet = (value: unknown): Pet => value as Pet;
const pets = defineEndpoint({
  id: integerId,
  schema: asPet,
  create: () => 1,
  list: () => [{ name: 'ant' }],
  get: (): Pet => ({ name: 'ant' }),
  update: () => {},
});
const streams = defineEndpoint({
  id: integerId,
  list: { output: ndjson(asPet), run: () => [] },
  get: { output: events(asPet), run: () => [] },
});
interface Api {
  readonly '/pet': typeof pets;
  readonly '/stream': typeof streams;
}
const at = (base: string, options?: ClientOptions) => client<Api>(base, options);
const petsAt = (base: string) => at(base)('/pet', {}, { id: integerId });
const PROBLEM = 'application/problem+json';
const MIB = 2 ** 20;
const GIB = 2 ** 30;

/** Writes until the client has enough of it, or pauses whenever the client is slower. Returns how much was written. */
function flood(response: ServerResponse, status: number, type: string, piece: string, { max = Infinity, pauseMs = 0 } = {}): { bytes: number; isClosed: boolean } {
  const state = { bytes: 0, isClosed: false };
  response.writeHead(status, { 'Content-Type': type });
  response.on('close', () => (state.isClosed = true));
  const write = (): void => {
    while (!state.isClosed && state.bytes < max) {
      state.bytes += piece.length;
      if (!response.write(piece)) return void response.once('drain', () => (pauseMs > 0 ? setTimeout(write, pauseMs) : write()));
    }
    response.end();
  };
  write();
  return state;
}

const endless = suite('a response without an end');
for (const [what, type, piece, call] of [
  ['of JSON', 'application/json', `"${' '.repeat(1000)}`, (base) => at(base)('/pet').get(1, { timeoutMs: 500 })],
  ['of JSON, with a signal of the user', 'application/json', `"${' '.repeat(1000)}`,
    (base) => at(base)('/pet').get(1, { timeoutMs: 500, signal: new AbortController().signal })],
  ['of text', 'text/plain', 'x'.repeat(1000), (base) => at(base)('/pet').get(1, { timeoutMs: 500 })],
  ['of a line of NDJSON', 'application/x-ndjson', 'x'.repeat(1000), async (base) => {
    for await (const pet of at(base)('/stream').list({ timeoutMs: 500 })) assert.unreachable(String(pet));
  }],
  ['of JSON, asked for page by page', 'application/json', '[', async (base) => {
    for await (const pet of at(base)('/pet').each({ timeoutMs: 500 })) assert.unreachable(String(pet));
  }],
  ['of JSON that an edit gets', 'application/json', '[', (base) => at(base)('/pet').edit(1, (pet) => pet, { timeoutMs: 500 })],
] as readonly (readonly [string, string, string, (base: string) => PromiseLike<unknown>])[]) {
  endless(`${what}: timeoutMs ends the call, and its connection`, async () => {
    let flooded: ReturnType<typeof flood> | undefined;
    const slow = setInterval(() => {}, 1000);
    await serveResponses((response) => (flooded = flood(response, 200, type, piece, { pauseMs: 20 })), async (base) => {
      assert.is((await captureError(Promise.resolve(call(base)))).name, 'TimeoutError');
      // On a busy machine the time may be over before the server has responded.
      await waitUntil(() => flooded === undefined || flooded.isClosed, 'the end of the connection');
    });
    clearInterval(slow);
  });
}
endless('of a line of events: the signal ends the call, and its connection', async () => {
  let flooded: ReturnType<typeof flood> | undefined;
  const controller = new AbortController();
  await serveResponses((response) => (flooded = flood(response, 200, 'text/event-stream', `data: ${'x'.repeat(1000)}`, { pauseMs: 1 })), async (base) => {
    const events = (async () => {
      for await (const event of at(base)('/stream').get(1, { signal: controller.signal })) assert.unreachable(String(event));
    })();
    await waitUntil(() => (flooded?.bytes ?? 0) > MIB, 'a long line');
    controller.abort();
    await events;
    await waitUntil(() => flooded?.isClosed === true, 'the end of the connection');
  });
});
endless('of a problem: 64 KiB of it are kept, the rest is not read, and the connection is closed', async () => {
  let flooded: ReturnType<typeof flood> | undefined;
  await serveResponses((response) => (flooded = flood(response, 400, PROBLEM, `{"title":"${'x'.repeat(MIB)}`, { max: GIB })), async (base) => {
    const error = await captureError(at(base)('/pet').get(1));
    assert.equal([error.name, error.status, error.problem.title], ['ProblemError', 400, 'Bad Request']);
    assert.is((await error.response.arrayBuffer()).byteLength, 65_536);
    await waitUntil(() => flooded?.isClosed === true, 'the end of the connection');
  });
  // The buffers of the two sockets take some of it.
  assert.ok(flooded!.bytes < 64 * MIB, `${flooded!.bytes} bytes`);
});
endless('of pages: each is asked for when it is wanted, and a page that comes again rejects', async () => {
  const asked = await serveResponses((response, { length }) => respondJson(response, [{ name: `${length}` }], { Link: `<?page=${length % 5}>; rel="next"` }), async (base) => {
    const names: string[] = [];
    const error = await captureError((async () => {
      for await (const { name } of at(base)('/pet').each()) names.push(name);
    })());
    assert.equal([...names, error.name], ['1', '2', '3', '4', '5', '6', 'ProblemError']);
  });
  assert.equal(asked.map(({ url }) => url), ['/pet', '/pet?page=1', '/pet?page=2', '/pet?page=3', '/pet?page=4', '/pet?page=0']);
});

const elsewhere = suite('a different origin');
for (const status of [301, 302, 303, 307, 308]) {
  elsewhere(`a redirect there, ${status}, is not followed: it gets neither the body nor the secrets`, async () => {
    const other = await serveResponses((response) => respondJson(response, { name: 'stolen' }), async (otherBase) => {
      await serveResponses((response) => response.writeHead(status, { Location: `${otherBase}/pet` }).end(), async (base) => {
        const api = at(base, { headers: { 'Authorization': 'Bearer secret', 'X-API-Key': 'secret' }, retries: { attempts: 2, maxDelayMs: 1 } })('/pet');
        for (const call of [() => api.get(1), () => api.create({ name: 'ant' }), () => api.update(1, { name: 'ant' }), () => api.edit(1, (pet) => pet)]) {
          assert.is((await captureError(call())).status, status);
        }
      });
    });
    assert.equal(other, []);
  });
}
for (const link of ['', '<', '>; rel=next', '<>', '<http://[>; rel=next', `${'<a>;'.repeat(2000)}`, `<a>${'; x'.repeat(3000)}`, `<a>; rel=${' '.repeat(8000)}`]) {
  elsewhere(`a Link that is malformed, ${link.slice(0, 24)}, ends the list or rejects, at once`, async () => {
    await serveResponses((response) => respondJson(response, [{ name: 'own' }], { Link: link }), async (base) => {
      const names: string[] = [];
      const ended = (async () => {
        for await (const { name } of at(base)('/pet').each()) names.push(name);
      })();
      await ended.catch((error: unknown) => assert.instance(error, ProblemError));
      assert.equal(names, ['own']);
    });
  });
}

const wrong = suite('a response of a different type');
for (const [what, respond, call, name] of [
  ['an id that is none', (response) => response.writeHead(201, { 'Content-Type': 'text/plain' }).end('../1'),
    (base) => petsAt(base).create({ name: 'ant' }), 'TypeError'],
  ['a page that is an object', (response) => respondJson(response, { length: 2, 0: 'a', 1: 'b' }), async (base) => {
    for await (const pet of at(base)('/pet').each()) assert.unreachable(String(pet));
  }, 'ProblemError'],
  ['HTML', (response) => response.writeHead(200, { 'Content-Type': 'text/html' }).end('<script>'), (base) => at(base)('/pet').get(1), 'ProblemError'],
  ['no type', (response) => response.writeHead(200).end('{}'), (base) => at(base)('/pet').get(1), 'ProblemError'],
  ['bytes that are not UTF-8', (response) => response.writeHead(200, { 'Content-Type': 'application/json' }).end(Buffer.from([0x7b, 0xff])),
    (base) => at(base)('/pet').get(1), 'ProblemError'],
  ['an item without a tag, for an edit', (response) => respondJson(response, {}), (base) => at(base)('/pet').edit(1, (pet) => pet), 'TypeError'],
] as readonly (readonly [string, (response: ServerResponse) => unknown, (base: string) => Promise<unknown>, string])[]) {
  wrong(`${what} -> ${name}`, () => serveResponses(respond, async (base) => assert.is((await captureError(call(base))).name, name)).then(() => {}));
}

const ids = suite('an id of an event that no header can have');
for (const [what, id] of [
  ['with a control character', 'a\x01b'],
  ['with DEL', 'a\x7fb'],
  ['of 300 KB', 'x'.repeat(300_000)],
] as const) {
  ids(`${what}: the event is there, and the next connection has the id before it`, async () => {
    const asked = await serveResponses((response, { length }) => {
      response.writeHead(200, { 'Content-Type': 'text/event-stream' });
      response.end(`retry: 0\nid: ${length === 1 ? 'first' : id}\ndata: {"name":"${length}"}\n\n`);
    }, async (base) => {
      const names: string[] = [];
      for await (const { data } of at(base)('/stream').get(1)) {
        if (names.push(data.name) === 3) break;
      }
      assert.equal(names, ['1', '2', '3']);
    });
    assert.equal(asked.map(({ headers }) => headers['last-event-id']), [undefined, 'first', 'first']);
  });
}

const prototypes = suite('names of prototypes');
prototypes('in a value, a problem and its fields are properties as any other', async () => {
  const problem = '{"title":"x","__proto__":{"polluted":1},"constructor":{"prototype":{"polluted":1}},"errors":[{"detail":"d","pointer":"#/__proto__"},{"__proto__":null,"pointer":"#/toString"}]}';
  await serveResponses((response, { length }) => {
    if (length === 1) response.writeHead(200, { 'Content-Type': 'application/json' }).end('{"name":"ant","__proto__":{"polluted":1}}');
    else response.writeHead(422, { 'Content-Type': PROBLEM }).end(problem);
  }, async (base) => {
    const pet = await at(base)('/pet').get(1);
    assert.equal([Object.keys(pet), Object.getPrototypeOf(pet) === Object.prototype], [['name', '__proto__'], true]);
    const error = await captureError(at(base)('/pet').get(1));
    assert.instance(error, ProblemError);
    assert.equal(Object.keys(error.fields), ['__proto__', 'toString']);
  });
  assert.is(({} as { polluted?: unknown }).polluted, undefined);
});
prototypes('in the fields of an event have no effect', async () => {
  await serveResponses((response, { length }) => {
    if (length > 1) response.writeHead(204).end();
    else response.writeHead(200, { 'Content-Type': 'text/event-stream' }).end('retry: 0\n__proto__: 1\nconstructor: 1\ntoString: 1\ndata: {"__proto__":{"polluted":1}}\n\n');
  }, async (base) => {
    for await (const { event } of at(base)('/stream').get(1)) assert.is(event, 'message');
  });
  assert.is(({} as { polluted?: unknown }).polluted, undefined);
});
