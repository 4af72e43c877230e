/**
 * The bytes that the clients of a server send and receive, and the server's log, for the error of a test that fails:
 *
 *      3 ms  #1 > GET /v1/pet/1 HTTP/1.1\r\n
 *                 Host: a\r\n
 *                 \r\n
 *      5 ms  logged: Error: GET /v1/pet/:id: Internal error: no
 *      5 ms  #1 < HTTP/1.1 500 Internal Server Error\r\n
 *
 * It sees the clients of this process that connect with `net.connect`, as `fetch` and `node:http` do. Over TLS, it sees those of `RawClient`.
 */
import { subscribe } from 'node:diagnostics_channel';
import type { Socket } from 'node:net';
import { inspect } from 'node:util';

/** The channel on which Node publishes the socket of each client, before it connects. */
const CLIENT_SOCKET = 'net.client.socket';
const MAX_BYTES = 1_000;
const MAX_PASSAGES = 40;
const MAX_ENTRIES = 150;

type Direction = '>' | '<';

/** Bytes that followed one another in one direction: the first and the last of them. */
class Passage {
  readonly at = performance.now();
  readonly direction: Direction;
  #first = Buffer.alloc(0);
  #last = Buffer.alloc(0);
  #length = 0;

  constructor(direction: Direction) {
    this.direction = direction;
  }

  add(bytes: Buffer): void {
    const free = MAX_BYTES / 2 - this.#first.length;
    if (free > 0) this.#first = Buffer.concat([this.#first, bytes.subarray(0, free)]);
    const others = bytes.subarray(Math.max(0, free)).subarray(-MAX_BYTES / 2);
    if (others.length > 0) this.#last = Buffer.from(Buffer.concat([this.#last, others]).subarray(-MAX_BYTES / 2));
    this.#length += bytes.length;
  }

  get text(): string {
    const omitted = this.#length - this.#first.length - this.#last.length;
    return escapeBytes(this.#first) + (omitted > 0 ? ` … ${omitted} bytes … ` : '') + escapeBytes(this.#last);
  }
}

/** A line for each line of a head. */
function escapeBytes(bytes: Buffer): string {
  return JSON.stringify(bytes.toString('latin1')).slice(1, -1).replaceAll('\\"', '"').replaceAll(/\\r\\n(?!$)/g, '$&\n');
}

class Connection {
  readonly passages: Passage[] = [];
  isRecorded = true;
  closedAt: number | undefined;

  add(direction: Direction, chunk: Buffer | string, encoding?: BufferEncoding): void {
    if (!this.isRecorded || chunk.length === 0) return;
    const bytes = typeof chunk === 'string' ? Buffer.from(chunk, encoding) : chunk;
    let passage = this.passages.at(-1);
    if (passage?.direction !== direction) this.passages.push(passage = new Passage(direction));
    passage.add(bytes);
    if (this.passages.length > MAX_PASSAGES) this.passages.splice(MAX_PASSAGES / 2, 1);
  }
}

interface Entry {
  readonly at: number;
  readonly title: string;
  readonly text: string;
}

/** By the port of the server. */
const transcripts = new Map<number, Transcript>();

export class Transcript {
  readonly #connections: Connection[] = [];
  readonly #logged: { readonly at: number; readonly entry: unknown }[] = [];
  #start = 0;

  /** Records while a server at this port is used. If that fails, the error gets the record as its `transcript`, which the runner prints. */
  async during(port: number, use: () => Promise<void>): Promise<void> {
    this.#start = performance.now();
    transcripts.set(port, this);
    try {
      await use();
    } catch (error) {
      if (error instanceof Error) Object.assign(error, { transcript: this.toString() });
      throw error;
    } finally {
      transcripts.delete(port);
    }
  }

  log(entry: unknown): void {
    if (this.#logged.length < MAX_ENTRIES) this.#logged.push({ at: performance.now(), entry });
  }

  connected(connection: Connection): void {
    this.#connections.push(connection);
  }

  toString(): string {
    const passed = this.#connections.flatMap(({ passages, closedAt }, index): Entry[] => [
      ...passages.map(({ at, direction, text }) => ({ at, title: `#${index + 1} ${direction}`, text })),
      ...(closedAt === undefined ? [] : [{ at: closedAt, title: `#${index + 1}`, text: 'closed' }]),
    ]);
    const logged = this.#logged.map(({ at, entry }) => ({ at, title: 'logged:', text: inspect(entry).slice(0, MAX_BYTES) }));
    const entries = [...passed, ...logged].filter(({ at }) => at >= this.#start).sort((a, b) => a.at - b.at);
    const omitted = entries.length - MAX_ENTRIES;
    const lines = entries.map(({ at, title, text }) => {
      const start = `${String(Math.round(at - this.#start)).padStart(6)} ms  ${title} `;
      return start + text.replaceAll('\n', `\n${' '.repeat(start.length)}`);
    });
    if (omitted > 0) lines.splice(MAX_ENTRIES / 3, omitted, `  … ${omitted} entries …`);
    return ['sent (>) and received (<) by the clients of this server, and logged by it:', ...lines].join('\n');
  }
}

const connections = new WeakMap<Socket, Connection>();

subscribe(CLIENT_SOCKET, (published) => {
  const { socket } = published as { readonly socket: Socket };
  const connection = new Connection();
  connections.set(socket, connection);
  socket.once('connect', () => {
    const transcript = transcripts.get(socket.remotePort ?? 0);
    if (transcript === undefined) connection.isRecorded = false;
    else transcript.connected(connection);
  });
  socket.once('close', () => (connection.closedAt = performance.now()));
  record(socket, connection);
});

/** Records the bytes of a TLS socket, instead of the encrypted bytes below it. */
export function recordSecured(socket: Socket, carrier: Socket): void {
  record(socket, connections.get(carrier) ?? new Connection());
}

/** Wraps methods of a client's socket, since a listener for its data could begin to read from it. */
function record(socket: Socket, connection: Connection): void {
  const { push, _write, _writev } = socket;
  socket.push = (chunk, encoding) => {
    if (chunk !== null) connection.add('<', chunk, encoding);
    return push.call(socket, chunk, encoding);
  };
  socket._write = (chunk, encoding, callback) => {
    connection.add('>', chunk, encoding);
    _write.call(socket, chunk, encoding, callback);
  };
  socket._writev = (chunks, callback) => {
    for (const { chunk, encoding } of chunks) connection.add('>', chunk, encoding);
    _writev?.call(socket, chunks, callback);
  };
}
