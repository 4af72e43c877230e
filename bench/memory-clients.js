/**
 * Clients of an `http.Server` in the same process. Their connections are streams in memory, so the kernel has no part in
 * what is measured; the rest, the parser included, is Node's.
 *
 * Each client sends its next request when the response is complete, in a new turn of the event loop, as sockets do.
 */
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { Duplex } from 'node:stream';
import { ALL_OPERATIONS, encodeRequest } from './contenders/operations.js';

const CLIENTS = 20;
// The most that a socket reads at once.
const READ_BYTES = 64 * 1024;
const CHUNKS = ALL_OPERATIONS.map((operation) => {
  const bytes = encodeRequest(operation);
  const count = Math.ceil(bytes.length / READ_BYTES);
  return Array.from({ length: count }, (_, index) => bytes.subarray(index * READ_BYTES, (index + 1) * READ_BYTES));
});

/** Resolves to the `http.Server` of this process at its first request; contenders hide it. */
export function capture() {
  return new Promise((resolve) => subscribe('http.server.request.start', function first({ server }) {
    // Not at once: the channel is calling its subscribers.
    setImmediate(() => unsubscribe('http.server.request.start', first));
    resolve(server);
  }));
}

/** Returns a function that sends requests. It resolves to the nanoseconds of one, and rejects on a wrong status or length. */
export function connectTo(server, responseBytes) {
  const connections = Array.from({ length: CLIENTS }, () => new MemoryConnection());
  for (const connection of connections) server.emit('connection', connection);
  return async ({ operation, requests }) => {
    const each = Math.max(1, Math.round(requests / CLIENTS));
    const { status } = ALL_OPERATIONS[operation].expected;
    const plan = { chunks: CHUNKS[operation], responseBytes: responseBytes[operation], status };
    const begin = process.hrtime.bigint();
    await Promise.all(connections.map((connection) => connection.ask(plan, each)));
    return Number(process.hrtime.bigint() - begin) / (each * CLIENTS);
  };
}

/** One connection: the stream is the server's end, the methods are the client's. */
class MemoryConnection extends Duplex {
  #plan;
  #left;
  #sent;
  #received;
  #settle;

  /** Sends the same request again and again, each after the response to the one before it. */
  ask(plan, times) {
    this.#plan = plan;
    this.#left = times;
    this.#begin();
    return new Promise((resolve, reject) => (this.#settle = { resolve, reject }));
  }

  #begin() {
    this.#sent = 0;
    this.#received = 0;
    setImmediate(this.#send);
  }

  #send = () => {
    const { chunks } = this.#plan;
    const chunk = chunks[this.#sent];
    this.#sent += 1;
    if (this.#sent < chunks.length) setImmediate(this.#send);
    // The response may come before this returns.
    this.push(chunk);
  };

  #receive(chunk) {
    // Node writes an empty chunk after some responses.
    if (chunk.length === 0) return;
    const { status, responseBytes } = this.#plan;
    // The three digits of the status follow `HTTP/1.1 `.
    const isGood = this.#received > 0 || (chunk[9] === 48 + (status / 100 | 0) && chunk[11] === 48 + (status % 10));
    this.#received += chunk.length;
    if (!isGood || this.#received > responseBytes) this.#settle.reject(new Error(`a wrong response: ${chunk.latin1Slice()}`));
    if (this.#received !== responseBytes) return;
    this.#left -= 1;
    if (this.#left > 0) this.#begin();
    else this.#settle.resolve();
  }

  _read() {}

  _write(chunk, _encoding, done) {
    this.#receive(chunk);
    done();
  }

  _writev(writes, done) {
    for (const { chunk } of writes) this.#receive(chunk);
    done();
  }

  // Methods of a socket that Node's server and some contenders call.
  setNoDelay() {}
  setKeepAlive() {}
  setTimeout() { return this; }
  ref() {}
  unref() {}
}
