/**
 * What a test of a page does with the client and with `server.fetch`. `dom-environments.peer.js` runs these cases in each environment of Vitest, with
 * real and with mock timers.
 */
import { Blob as NodeBlob } from 'node:buffer';
import { client, ProblemError, toFormData } from '../../dist/client/index.js';
import { events, form, ndjson, readAll } from '../../dist/formats/index.js';
import { ApiError, ApiServer, defineEndpoint, defineFormat, integerId } from '../../dist/index.js';

const ITEMS = 30_000;
const anything = (value) => value;
const bytes = () => defineFormat({ decode: readAll, encode: (value) => value });

/** A server whose operations the cases call. `state.left` is called when a client has left. */
export function makeServer() {
  const state = { left: () => {}, calls: 0 };
  const server = new ApiServer('/v1', { cors: { origins: ['http://localhost:3000'] }, logger: { info() {}, error() {} } });
  server.registerEndpoints({
    '/pet': defineEndpoint({
      id: integerId,
      create: { input: anything, run: (pet) => pet.id },
      get: (id) => (id === 7 ? { name: 'Rex' } : id === 8 ? [][0].name : undefined),
      update: { input: anything, run: () => {} },
      delete: () => { throw ApiError.status(409, 'Locked.', { extensions: { legs: 3 } }); },
      custom: {
        echo: { input: anything, run: anything },
        size: { input: bytes(), run: (body) => body.length },
        image: { method: 'GET', output: bytes(), run: () => new Uint8Array([1, 2, 3]) },
        find: { method: 'GET', query: anything, run: ({ query }) => query },
        flaky: {
          method: 'GET',
          run: () => {
            state.calls += 1;
            if (state.calls % 3 > 0) throw ApiError.status(503, 'Busy.');
            return 'there';
          },
        },
        slow: {
          method: 'GET',
          run: ({ signal }) => new Promise((_, reject) => {
            signal.addEventListener('abort', () => {
              state.left();
              reject(signal.reason);
            });
          }),
        },
      },
    }),
    '/photo': defineEndpoint({
      id: integerId,
      create: { input: form(anything, { files: { photo: {} } }), run: ({ name, photo }) => name.length + (photo?.size ?? 0) },
    }),
    '/item': defineEndpoint({
      custom: {
        all: { method: 'GET', output: ndjson(anything), run: async function* () { for (let at = 0; at < ITEMS; at += 1) yield { at }; } },
        endless: { method: 'GET', output: ndjson(anything), run: async function* () { for (;;) yield { padding: 'x'.repeat(1000) }; } },
        count: { input: ndjson(anything), run: async (items) => { let count = 0; for await (const _ of items) count += 1; return count; } },
      },
    }),
    '/event': defineEndpoint({
      get: { output: events(anything), run: async function* () { yield { event: 'came', data: 'Rex' }; yield { event: 'came', data: 'Tom' }; } },
    }),
  });
  return { server, state };
}

/** The client of a server at a base URL, and what it needs of the server. */
export function makeTools(base, fetch, state) {
  const api = client(base, { fetch });
  return { api, pets: api('/pet'), items: api('/item').custom, named: api('/pet').custom, patient: client(base, { fetch, retries: 3 })('/pet'), state };
}

async function catchError(promise) {
  const error = await Promise.resolve(promise).then((value) => new Error(`resolved to ${value}`), (thrown) => thrown);
  return error instanceof ProblemError ? error : { status: String(error?.stack), problem: {} };
}

function makeStream() {
  const chunks = Array.from({ length: 40 }, () => new TextEncoder().encode('x'.repeat(1000)));
  return new ReadableStream({ pull: (controller) => (chunks.length > 0 ? controller.enqueue(chunks.pop()) : controller.close()) });
}

async function* countUp(end) {
  for (let at = 0; at < end; at += 1) yield { at };
}

async function abort({ pets, named, state }) {
  const controller = new AbortController();
  const hasLeft = new Promise((resolve) => (state.left = resolve));
  const call = named.slow.get({ signal: controller.signal }).catch(({ name }) => name);
  await pets.get(7);
  controller.abort();
  await hasLeft;
  return call;
}

/** What is done, how, and what comes of it. */
export const CASES = {
  'a get': [({ pets }) => pets.get(7), { name: 'Rex' }],
  'a create with a JSON body': [({ pets }) => pets.create({ id: 8 }), '8'],
  'an update': [({ pets }) => pets.update(7, { legs: 4 }), undefined],
  'an error with its properties': [async ({ pets }) => {
    const { status, problem, response } = await catchError(pets.delete(7));
    return [status, problem.detail, problem.legs, (await response.json()).legs];
  }, [409, 'Locked.', 3, 3]],
  'an item that is missing': [async ({ pets }) => (await catchError(pets.get(9))).status, 404],
  'a bug of the server': [async ({ pets }) => (await catchError(pets.get(8))).status, 500],
  'a safe call': [async ({ pets }) => (await pets.get(9, { safe: true })).status, 404],
  'a raw response': [async ({ named }) => [...new Uint8Array(await (await named.image.get({ raw: true })).arrayBuffer())], [1, 2, 3]],
  'two raw responses': [async ({ named }) => Promise.all([1, 2].map(async () => (await named.image.get({ raw: true })).status)), [200, 200]],
  'an echo of JSON': [({ named }) => named.echo({ list: [1, { deep: null }] }), { list: [1, { deep: null }] }],
  'bytes': [({ named }) => named.size(new Uint8Array(3)), 3],
  'an ArrayBuffer': [({ named }) => named.size(new ArrayBuffer(3)), 3],
  'a Buffer': [({ named }) => named.size(Buffer.from('abc')), 3],
  'a stream that is sent': [({ named }) => named.size(makeStream()), 40_000],
  'a query': [({ named }) => named.find.get({ query: new URLSearchParams({ name: 'Rex' }) }), { name: 'Rex' }],
  'an NDJSON body': [({ items }) => items.count(countUp(ITEMS)), ITEMS],
  'a long NDJSON stream': [async ({ items }) => { let count = 0; for await (const _ of items.all.get()) count += 1; return count; }, ITEMS],
  'a stream that its reader leaves': [async ({ items }) => { let count = 0; for await (const _ of items.endless.get()) if ((count += 1) === 500) break; return count; }, 500],
  'events': [async ({ api }) => { const all = []; for await (const { event, data } of api.one('/event').get()) if (all.push([event, data]) === 2) return all; }, [['came', 'Rex'], ['came', 'Tom']]],
  'an abort': [abort, 'AbortError'],
  'a time limit': [({ named }) => named.slow.get({ timeoutMs: 30 }).catch(({ name }) => name), 'TimeoutError'],
  'retries': [async ({ patient }, advance) => { const call = patient.custom.flaky.get().then((value) => value); await advance(call); return call; }, 'there'],
  'a form': [({ api }) => api('/photo').create(toFormData({ name: 'Rex' })), '3'],
  // The environment's `fetch` takes only its own.
  'a Blob of node:buffer, not in happy-dom': [({ named }) => named.size(new NodeBlob(['abc'])), 3],
  // Its own have no `stream()`, so Node's `fetch` cannot send them, and Vitest does not convert them.
  'a file, not in jsdom': [({ api }) => api('/photo').create(toFormData({ name: 'Rex', photo: new File(['four'], 'a.txt') })), '7'],
  'a Blob, not in jsdom': [({ named }) => named.size(new Blob(['abc'])), 3],
};
