/**
 * The server that is fuzzed, with operations that answer at once and later, and a mount. Every operation notes that it
 * was invoked, by its endpoint, its name and its marker, so that what ran can be held against what was sent.
 */
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import type { AddressInfo, Socket } from 'node:net';
import { ApiError, ApiServer, defineEndpoint, integerId, stringId, type ApiRequest, type MountHandler } from '../../src/index.ts';
import { until } from '../support/gate.ts';

export const BODY_BYTES = 2000;
export const HEADER_BYTES = 4096;

/** What a body must be: an object with a marker. */
export interface Note {
  readonly marker: string;
}

const ACCEPTED = 'net.server.socket';

export class Subject {
  /** What was invoked, in order. */
  readonly invocations: string[] = [];
  /** What the server logged as failures. */
  readonly errors: Error[] = [];
  readonly #sockets = new Set<Socket>();
  readonly #server = new ApiServer('/v1', {
    logger: { info: () => {}, error: (error) => this.errors.push(error) },
    limits: { bodyBytes: BODY_BYTES, headerBytes: HEADER_BYTES },
    stopGraceMs: 1000,
  });
  #port = 0;

  /** Serves on a free port. */
  static async start(): Promise<Subject> {
    const subject = new Subject();
    for (const name of ['now', 'forbidden']) subject.#register(name, (value) => value);
    subject.#register('later', later);
    subject.#registerNumber();
    subject.#server.registerHandler('/files', subject.#mount);
    subscribe(ACCEPTED, subject.#accepted);
    const started = await subject.#server.start('127.0.0.1:0');
    if (!started.ok) throw new Error(started.error);
    subject.#port = (started.address as AddressInfo).port;
    return subject;
  }

  get port(): number {
    return this.#port;
  }

  /** Waits until every connection is closed on the server's side too. */
  async settled(): Promise<void> {
    if (this.#sockets.size > 0) await until(() => this.#sockets.size === 0, 'the server to close its side');
  }

  async stop(): Promise<void> {
    await this.#server.stop();
    unsubscribe(ACCEPTED, this.#accepted);
  }

  readonly #accepted = (message: unknown): void => {
    const { socket } = message as { socket: Socket };
    if (socket.localPort !== this.#port) return;
    this.#sockets.add(socket);
    socket.once('close', () => this.#sockets.delete(socket));
  };

  #register(name: string, answer: <T>(value: T) => T | Promise<T>): void {
    const note = (operation: string, marker: string): void => void this.invocations.push(`${name} ${operation} ${marker}`);
    this.#server.registerEndpoint(`/${name}`, defineEndpoint({
      id: stringId,
      schema: decodeNote,
      create: ({ marker }) => (note('create', marker), answer(marker)),
      get: (id) => {
        note('get', id);
        if (id.startsWith('missing')) throw ApiError.notFound();
        return answer({ marker: id });
      },
      update: (id, { marker }) => (note('update', `${id} ${marker}`), answer(undefined)),
      delete: (id) => (note('delete', id), answer(undefined)),
      custom: {
        say: { input: decodeNote, run: ({ marker }: Note) => (note('say', marker), answer({ marker })) },
        ping: { run: (request: ApiRequest) => (note('ping', markerIn(request)), answer({ marker: markerIn(request) })) },
      },
    }));
  }

  #registerNumber(): void {
    this.#server.registerEndpoint('/number', defineEndpoint({
      id: integerId,
      get: (id) => (this.invocations.push(`number get ${id}`), { marker: id }),
    }));
  }

  /** Answers with what it was asked for; below `/files/read`, when it has read the body, with the body's length too. */
  readonly #mount: MountHandler = (request, response) => {
    const { method, url = '' } = request;
    const answer = (text: string): void => void response.writeHead(200, { 'Content-Length': text.length }).end(text);
    this.invocations.push(`files ${method} ${url}`);
    if (!url.startsWith('/read')) return answer(url);
    let bytes = 0;
    request.on('data', (chunk: Buffer) => (bytes += chunk.length));
    request.on('end', () => answer(`${url} ${bytes}`));
  };
}

export function decodeNote(json: unknown): Note {
  const { marker } = Object(json) as { marker?: unknown };
  // An id with half a surrogate pair could not be put into a Location.
  if (typeof marker !== 'string' || !marker.isWellFormed()) throw new Error('marker: expected text');
  return { marker };
}

function markerIn(request: ApiRequest): string {
  return request.query.get('marker') ?? '';
}

function later<T>(value: T): Promise<T> {
  return new Promise((resolve) => setImmediate(() => setImmediate(resolve, value)));
}
