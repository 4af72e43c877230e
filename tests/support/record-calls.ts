/**
 * An API whose functions all note the async store that they find, and requests that call them. The name of a request is in its header
 * `X-Name`, and it is the id, the item or the input: a function that gets no request gets that.
 */
import { AsyncLocalStorage } from 'node:async_hooks';
import type { IncomingMessage } from 'node:http';
import { bytes, defineEndpoint, reply, type ApiRequest, type ApiServer, type ApiServerOptions, type ContextRequest, type IdCodec } from '../../src/index.ts';
import { chunkedMessage, delay, message } from './facts.ts';

/** The caller of a server stores the name of a request in it. */
export const storage = new AsyncLocalStorage<string | undefined>();

/** Which function was called, for which request, and the store that it found. */
type RecordedCall = readonly [what: string, by: string, found: string | undefined];

export class CallRecorder {
  readonly calls: RecordedCall[] = [];

  record(what: string, by: unknown): void {
    this.calls.push([what, String(by), storage.getStore()]);
  }

  /** The calls that found another request's store, or no store. */
  get misplaced(): RecordedCall[] {
    return this.calls.filter(([, by, found]) => by !== found);
  }

  /** Which functions were called for this request. */
  callsFor(name: string): string[] {
    return [...new Set(this.calls.filter(([, by]) => by === name).map(([what]) => what))].sort();
  }
}

export function readName({ headers }: Pick<IncomingMessage, 'headers'>): string {
  return String(headers['x-name']);
}

/** A logger that notes each failure: for the request whose name its operation has thrown, else for the one whose store it finds. */
export function recordErrors(recorder: CallRecorder): ApiServerOptions {
  const error = ({ cause }: Error): void => recorder.record('log', cause instanceof Failure ? cause.message : storage.getStore());
  return { stopGraceMs: 1000, logger: { info() {}, error } };
}

class Failure extends Error {}

type WithSignal = Pick<ApiRequest, 'signal'>;

/** Declares `/item`, whose steps are synchronous where they can be, `/mine`, whose steps are all asynchronous, `/never` and `/mount`. */
export function declareRecorded(recorder: CallRecorder): (server: ApiServer) => void {
  const note = <T>(what: string, by: unknown, value: T): T => (recorder.record(what, by), value);
  const id: IdCodec<string> = { parse: (text) => note('parse', text, text), format: (name) => note('format', name, name) };
  const onAbort = (name: string, { signal }: WithSignal): void => signal.addEventListener('abort', () => recorder.record('abort', name));
  const later = async (name: string, request: WithSignal): Promise<string> => {
    recorder.record('run', name);
    onAbort(name, request);
    await delay(1);
    return note('run later', name, name);
  };
  const schema = async (json: unknown): Promise<string> => {
    recorder.record('decode', json);
    await delay(1);
    return note('decode later', json, String(json));
  };
  async function* pieces(name: string): AsyncGenerator<string> {
    try {
      for (let piece = 0; piece < 3; piece += 1) {
        await delay(1);
        yield note('stream', name, 'piece');
      }
    } finally {
      recorder.record('stream ended', name);
    }
  }
  return (server) => {
    server.registerEndpoint('/item', defineEndpoint({
      id,
      schema: String,
      create: later,
      get: (name) => note('run', name, name),
      update: (name, _item, request) => void later(name, request),
      delete: (name) => recorder.record('run', name),
      custom: {
        ask: { input: schema, run: async (name, request) => ({ toJSON: () => note('toJSON', name, name), later: await later(name, request) }) },
        quick: { input: String, run: (name) => note('run', name, name) },
        fail: { run: async ({ raw }) => { await delay(1); throw new Failure(readName(raw)); } },
      },
    }));
    server.registerEndpoint('/mine', defineEndpoint({
      context: async ({ raw }: ContextRequest): Promise<string> => {
        recorder.record('context', readName(raw));
        await delay(1);
        return note('context later', readName(raw), readName(raw));
      },
      custom: {
        ask: {
          input: schema,
          query: async (query: unknown) => note('query', (query as { readonly name: string }).name, { name: 'x' }),
          run: (name, request) => later(name, request),
        },
        stream: ({ context }) => reply(200, pieces(context)),
        read: {
          input: bytes(),
          run: async (body, { context }) => {
            for await (const _chunk of body) recorder.record('chunk', context);
            return 'read';
          },
        },
      },
    }));
    server.registerEndpoint('/never', { id, get: (name: string, request: ApiRequest) => (onAbort(name, request), new Promise(() => {})) });
    server.mount('/mount', async (request, response) => {
      recorder.record('mount', readName(request));
      for await (const _chunk of request) recorder.record('chunk', readName(request));
      setTimeout(() => (recorder.record('mount later', readName(request)), response.end('mounted')), 1);
    });
  };
}

type Make = (name: string, headers?: readonly string[]) => string;

const makeRequestOf = (makeMessage: typeof message, method: string, target: (name: string) => string, body = (_name: string) => ''): Make => {
  return (name, headers = []) => makeMessage(method, target(name), body(name), [`X-Name: ${name}`, ...headers]);
};
const json = (name: string): string => `"${name}"`;
const text = (): string => '"x"';
const ITEMS = (): string => '/v1/item';
const ITEM = (name: string): string => `/v1/item/${name}`;

/** Requests for one of a name, their statuses, and the functions that are called for each. */
export const REQUESTS: readonly (readonly [what: string, make: Make, status: number, calls: readonly string[]])[] = [
  ['Create', makeRequestOf(message, 'POST', ITEMS, json), 201, ['format', 'run', 'run later']],
  ['Create, chunked', makeRequestOf(chunkedMessage, 'POST', ITEMS, json), 201, ['format', 'run', 'run later']],
  ['Get', makeRequestOf(message, 'GET', ITEM), 200, ['parse', 'run']],
  ['Get with a body', makeRequestOf(message, 'GET', ITEM, text), 200, ['parse', 'run']],
  ['Update', makeRequestOf(message, 'PUT', ITEM, json), 204, ['parse', 'run', 'run later']],
  ['Delete', makeRequestOf(message, 'DELETE', ITEM), 204, ['parse', 'run']],
  ['Custom', makeRequestOf(message, 'POST', () => '/v1/item/ask', json), 200, ['decode', 'decode later', 'run', 'run later', 'toJSON']],
  ['Custom, with a result at once', makeRequestOf(message, 'POST', () => '/v1/item/quick', json), 200, ['run']],
  ['Custom that fails', makeRequestOf(message, 'POST', () => '/v1/item/fail'), 500, ['log']],
  ['Custom with a context and a query', makeRequestOf(message, 'POST', (name) => `/v1/mine/ask?name=${name}`, json), 200,
    ['context', 'context later', 'decode', 'decode later', 'query', 'run', 'run later']],
  ['a stream', makeRequestOf(message, 'POST', () => '/v1/mine/stream'), 200, ['context', 'context later', 'stream', 'stream ended']],
  ['bytes', makeRequestOf(message, 'POST', () => '/v1/mine/read', () => 'x'.repeat(100)), 200, ['chunk', 'context', 'context later']],
  ['a mount', makeRequestOf(message, 'GET', () => '/mount'), 200, ['mount', 'mount later']],
  ['a mount, with a body', makeRequestOf(message, 'POST', () => '/mount', text), 200, ['chunk', 'mount', 'mount later']],
];

/** A request that never gets a response. */
export const NEVER = makeRequestOf(message, 'GET', (name) => `/v1/never/${name}`);
