/**
 * An API whose functions all note the async store that they find, and requests that call them. The name of a request is in its header
 * `X-Name`, and it is the id, the item or the input: a function that gets no request gets that.
 */
import { AsyncLocalStorage } from 'node:async_hooks';
import type { IncomingMessage } from 'node:http';
import { bytes, defineEndpoint, reply, type ApiRequest, type ApiServer, type ApiServerOptions, type ContextRequest, type IdCodec } from '../../src/index.ts';
import { after } from './gate.ts';
import { chunkedMessage, message } from './messages.ts';

/** The caller of a server stores the name of a request in it. */
export const storage = new AsyncLocalStorage<string | undefined>();

/** Which function was called, for which request, and the store that it found. */
type Seen = readonly [what: string, by: string, found: string | undefined];

export class Notes {
  readonly seen: Seen[] = [];

  note(what: string, by: unknown): void {
    this.seen.push([what, String(by), storage.getStore()]);
  }

  /** The calls that found another request's store, or no store. */
  get lost(): Seen[] {
    return this.seen.filter(([, by, found]) => by !== found);
  }

  /** Which functions were called for this request. */
  of(name: string): string[] {
    return [...new Set(this.seen.filter(([, by]) => by === name).map(([what]) => what))].sort();
  }
}

export function nameOf({ headers }: Pick<IncomingMessage, 'headers'>): string {
  return String(headers['x-name']);
}

/** A logger that notes each failure: for the request whose name its operation has thrown, else for the one whose store it finds. */
export function noted(notes: Notes): ApiServerOptions {
  const error = ({ cause }: Error): void => notes.note('log', cause instanceof Failure ? cause.message : storage.getStore());
  return { stopGraceMs: 1000, logger: { info() {}, error } };
}

class Failure extends Error {}

type WithSignal = Pick<ApiRequest, 'signal'>;

/** Declares `/item`, whose steps are synchronous where they can be, `/mine`, whose steps are all asynchronous, `/never` and `/mount`. */
export function noting(notes: Notes): (server: ApiServer) => void {
  const note = <T>(what: string, by: unknown, value: T): T => (notes.note(what, by), value);
  const id: IdCodec<string> = { parse: (text) => note('parse', text, text), format: (name) => note('format', name, name) };
  const onAbort = (name: string, { signal }: WithSignal): void => signal.addEventListener('abort', () => notes.note('abort', name));
  const later = async (name: string, request: WithSignal): Promise<string> => {
    notes.note('run', name);
    onAbort(name, request);
    await after(1);
    return note('run later', name, name);
  };
  const schema = async (json: unknown): Promise<string> => {
    notes.note('decode', json);
    await after(1);
    return note('decode later', json, String(json));
  };
  async function* pieces(name: string): AsyncGenerator<string> {
    try {
      for (let piece = 0; piece < 3; piece += 1) {
        await after(1);
        yield note('stream', name, 'piece');
      }
    } finally {
      notes.note('stream ended', name);
    }
  }
  return (server) => {
    server.registerEndpoint('/item', defineEndpoint({
      id,
      schema: String,
      create: later,
      get: (name) => note('run', name, name),
      update: (name, _item, request) => void later(name, request),
      delete: (name) => notes.note('run', name),
      custom: {
        ask: { input: schema, run: async (name, request) => ({ toJSON: () => note('toJSON', name, name), later: await later(name, request) }) },
        quick: { input: String, run: (name) => note('run', name, name) },
        fail: { run: async ({ raw }) => { await after(1); throw new Failure(nameOf(raw)); } },
      },
    }));
    server.registerEndpoint('/mine', defineEndpoint({
      context: async ({ raw }: ContextRequest): Promise<string> => {
        notes.note('context', nameOf(raw));
        await after(1);
        return note('context later', nameOf(raw), nameOf(raw));
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
            for await (const _chunk of body) notes.note('chunk', context);
            return 'read';
          },
        },
      },
    }));
    server.registerEndpoint('/never', { id, get: (name: string, request: ApiRequest) => (onAbort(name, request), new Promise(() => {})) });
    server.mount('/mount', async (request, response) => {
      notes.note('mount', nameOf(request));
      for await (const _chunk of request) notes.note('chunk', nameOf(request));
      setTimeout(() => (notes.note('mount later', nameOf(request)), response.end('mounted')), 1);
    });
  };
}

type Make = (name: string, headers?: readonly string[]) => string;

const made = (makeMessage: typeof message, method: string, target: (name: string) => string, body = (_name: string) => ''): Make => {
  return (name, headers = []) => makeMessage(method, target(name), body(name), [`X-Name: ${name}`, ...headers]);
};
const json = (name: string): string => `"${name}"`;
const text = (): string => '"x"';
const ITEMS = (): string => '/v1/item';
const ITEM = (name: string): string => `/v1/item/${name}`;

/** Requests for one of a name, their statuses, and the functions that are called for each. */
export const REQUESTS: readonly (readonly [what: string, make: Make, status: number, calls: readonly string[]])[] = [
  ['Create', made(message, 'POST', ITEMS, json), 201, ['format', 'run', 'run later']],
  ['Create, chunked', made(chunkedMessage, 'POST', ITEMS, json), 201, ['format', 'run', 'run later']],
  ['Get', made(message, 'GET', ITEM), 200, ['parse', 'run']],
  ['Get with a body', made(message, 'GET', ITEM, text), 200, ['parse', 'run']],
  ['Update', made(message, 'PUT', ITEM, json), 204, ['parse', 'run', 'run later']],
  ['Delete', made(message, 'DELETE', ITEM), 204, ['parse', 'run']],
  ['Custom', made(message, 'POST', () => '/v1/item/ask', json), 200, ['decode', 'decode later', 'run', 'run later', 'toJSON']],
  ['Custom, with a result at once', made(message, 'POST', () => '/v1/item/quick', json), 200, ['run']],
  ['Custom that fails', made(message, 'POST', () => '/v1/item/fail'), 500, ['log']],
  ['Custom with a context and a query', made(message, 'POST', (name) => `/v1/mine/ask?name=${name}`, json), 200,
    ['context', 'context later', 'decode', 'decode later', 'query', 'run', 'run later']],
  ['a stream', made(message, 'POST', () => '/v1/mine/stream'), 200, ['context', 'context later', 'stream', 'stream ended']],
  ['bytes', made(message, 'POST', () => '/v1/mine/read', () => 'x'.repeat(100)), 200, ['chunk', 'context', 'context later']],
  ['a mount', made(message, 'GET', () => '/mount'), 200, ['mount', 'mount later']],
  ['a mount, with a body', made(message, 'POST', () => '/mount', text), 200, ['chunk', 'mount', 'mount later']],
];

/** A request that never gets a response. */
export const NEVER = made(message, 'GET', (name) => `/v1/never/${name}`);
