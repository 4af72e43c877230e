/**
 * The socket of a request without a connection, such as a call of `fetch`. It passes on everything that is written, and receives nothing.
 *
 *   response.end(…)          ->   whole(head, body)
 *   response.write(…)        ->   begin(head)   write(chunk)…   end()
 *   socket.destroy()         ->   fail(), unless the response has ended
 */
import type { Socket } from 'node:net';
import { stream } from '../../node.ts';

/** The head of a response. In `headers`, names and values alternate. */
export interface ResponseHead {
  readonly status: number;
  readonly statusText: string;
  readonly headers: readonly string[];
}

/** Receives a response: as a whole, or piece by piece. */
export interface ResponseReader {
  whole(head: ResponseHead, body: Buffer): void;
  begin(head: ResponseHead): void;
  /** `done` is called when there is room for more. */
  write(chunk: Buffer, done: () => void): void;
  end(): void;
  /** The socket was closed before the end. */
  fail(error: Error): void;
}

type Done = (error?: Error | null) => void;

const CLIENT_PROPERTIES = [
  'remoteAddress', 'remoteFamily', 'remotePort', 'localAddress', 'localFamily', 'localPort',
  'encrypted', 'authorized', 'authorizationError', 'servername', 'alpnProtocol', 'getPeerCertificate', 'getPeerX509Certificate',
  'getProtocol', 'getCipher',
] as const;
// These methods do nothing: this socket never waits for a client.
const SETTERS = ['setTimeout', 'setNoDelay', 'setKeepAlive', 'ref', 'unref'] as const;

export class MemorySocket extends stream.Duplex {
  readonly bytesRead = 0;
  readonly #client: Socket | null;
  readonly #reader: ResponseReader;
  #taken = 0;
  #isBegun = false;
  #isOver = false;

  private constructor(client: Socket | null, reader: ResponseReader) {
    super();
    this.#client = client;
    this.#reader = reader;
  }

  /**
   * Creates a socket with the address and the certificate of `client`. It has the properties of a socket that responses, connections and
   * middleware use. It is not a `net.Socket`: creating and destroying one would take as long as the rest of a Get.
   */
  static open(client: Socket | null, reader: ResponseReader): MemorySocket & Socket {
    return new MemorySocket(client, reader) as MemorySocket & Socket;
  }

  /** Whether a response has begun. */
  get isBegun(): boolean {
    return this.#isBegun;
  }

  /** Passes on a whole response. */
  sendWhole(head: string, body: Buffer): void {
    this.#isBegun = true;
    this.#isOver = true;
    this.#reader.whole(parseHead(head), body);
  }

  /** Passes on the head of a response. Everything written after it is the body. */
  begin(head: string): void {
    this.#isBegun = true;
    this.#reader.begin(parseHead(head));
  }

  override _read(): void {}

  override _write(chunk: Buffer, _encoding: BufferEncoding, done: Done): void {
    const body = this.#isBegun ? chunk : this.#beginWith(chunk);
    if (body.length === 0) {
      done();
      return;
    }
    this.#reader.write(body, () => {
      this.#taken += chunk.length;
      done();
    });
  }

  override _final(done: Done): void {
    this.#isOver = true;
    if (this.#isBegun) this.#reader.end();
    else this.#reader.fail(closedEarly());
    done();
    // The client has nothing to send.
    process.nextTick(() => this.destroy());
  }

  override _destroy(error: Error | null, done: Done): void {
    if (!this.#isOver) this.#reader.fail(closedEarly());
    this.#isOver = true;
    done(error);
  }

  /** Begins with the head that a connection has written itself, for its last response. Returns the bytes after it. */
  #beginWith(bytes: Buffer): Buffer {
    const end = bytes.indexOf('\r\n\r\n') + 4;
    this.begin(bytes.toString('latin1', 0, end));
    return bytes.subarray(end);
  }

  static {
    // Not a getter of the class, since `net.Socket` declares a property, which an accessor cannot override.
    Object.defineProperty(MemorySocket.prototype, 'bytesWritten', {
      get(this: MemorySocket): number {
        return this.#taken + this.writableLength;
      },
    });
    for (const name of CLIENT_PROPERTIES) {
      Object.defineProperty(MemorySocket.prototype, name, {
        get(this: MemorySocket): unknown {
          const value: unknown = this.#client === null ? undefined : Reflect.get(this.#client, name);
          return typeof value === 'function' ? value.bind(this.#client) : value;
        },
      });
    }
    for (const name of SETTERS) {
      Object.defineProperty(MemorySocket.prototype, name, {
        value(this: MemorySocket): MemorySocket {
          return this;
        },
      });
    }
  }
}

function closedEarly(): Error {
  return Object.assign(new Error('the connection was closed before the end of the response'), { code: 'ECONNRESET' });
}

/** Parses a head that Node or a connection has written. It is valid. */
function parseHead(head: string): ResponseHead {
  const [first = '', ...lines] = head.split('\r\n');
  const headers: string[] = [];
  for (const line of lines) {
    const colon = line.indexOf(':');
    if (colon > 0) headers.push(line.slice(0, colon), line.slice(colon + 2));
  }
  // HTTP/1.1 200 OK
  return { status: Number(first.slice(9, 12)), statusText: first.slice(13), headers };
}
