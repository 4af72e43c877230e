/**
 * Sends requests to a listener of the same process: over Node's own client and parser, and over no port. Each request has a connection, whose
 * two ends are streams in memory.
 */
import type { IncomingMessage, RequestListener, Server } from 'node:http';
import type { Duplex } from 'node:stream';
import { http } from './node.ts';

const { Duplex: DuplexStream } = process.getBuiltinModule('node:stream');

/** A request as it is sent. The length of the body is not among the headers. */
export interface SentRequest {
  readonly method: string;
  /** With the query. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: Uint8Array | undefined;
  /** Closes the connection when it aborts. */
  readonly signal?: AbortSignal | undefined;
}

const servers = new WeakMap<RequestListener, Server>();

/** Resolves with the response when its head is here. Rejects if the listener destroys the connection before, and when `signal` aborts. */
export function send(listener: RequestListener, { method, path, headers, body, signal }: SentRequest): Promise<IncomingMessage> {
  const [near, far] = connectionInMemory();
  serverOf(listener).emit('connection', far);
  return new Promise((resolve, reject) => {
    const length = body === undefined ? {} : { 'content-length': String(body.length) };
    const request = http.request({
      method, path, headers: { host: 'localhost', ...headers, ...length, connection: 'close' }, createConnection: () => near, ...(signal && { signal }),
    });
    request.once('error', reject).once('response', resolve).end(body);
  });
}

/** Node's server of a listener. It listens nowhere. */
function serverOf(listener: RequestListener): Server {
  let server = servers.get(listener);
  if (server === undefined) servers.set(listener, (server = http.createServer(listener)));
  return server;
}

function connectionInMemory(): readonly [Duplex, Duplex] {
  const near = new End();
  const far = new End();
  near.connect(far);
  far.connect(near);
  return [near, far];
}

/** One end of a connection: what is written to it can be read from the other. */
class End extends DuplexStream {
  #other: End | undefined;
  // The other end waits until this one has been read.
  #resume: (() => void) | undefined;

  connect(other: End): void {
    this.#other = other;
  }

  override _read(): void {
    const resume = this.#resume;
    this.#resume = undefined;
    resume?.();
  }

  override _write(chunk: Buffer, _: BufferEncoding, done: () => void): void {
    this.#other?.receive(chunk, done);
  }

  override _final(done: () => void): void {
    this.#other?.receive(null, done);
  }

  override _destroy(error: Error | null, done: (error: Error | null) => void): void {
    const other = this.#other;
    this.#resume?.();
    // Not before the other end has read what was written.
    if (other?.destroyed === false) process.nextTick(() => (other.readableEnded || error !== null ? other.destroy() : other.push(null)));
    done(error);
  }

  receive(chunk: Buffer | null, done: () => void): void {
    if (this.destroyed || this.readableEnded || this.push(chunk) || chunk === null) done();
    else this.#resume = done;
  }
}
