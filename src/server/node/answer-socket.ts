/**
 * The server's end of a connection without a client, for one response: it keeps what is written. Everything that identifies the client is that
 * of another socket.
 */
import type { Socket } from 'node:net';
import { stream } from '../../node.ts';

type Done = (error?: Error | null) => void;
type Piece = string | Uint8Array;

const OF_CLIENT = [
  'remoteAddress', 'remoteFamily', 'remotePort', 'localAddress', 'localFamily', 'localPort',
  'encrypted', 'authorized', 'authorizationError', 'servername', 'alpnProtocol', 'getPeerCertificate', 'getPeerX509Certificate', 'getProtocol', 'getCipher',
] as const;
// There is nothing to set: it never waits for a client.
const SETTERS = ['setTimeout', 'setNoDelay', 'setKeepAlive', 'ref', 'unref'] as const;

export class AnswerSocket extends stream.Duplex {
  readonly #like: Socket | null;
  readonly #maxBytes: number;
  readonly #pieces: Buffer[] = [];
  #length = 0;

  private constructor(like: Socket | null, maxBytes: number) {
    super();
    this.#like = like;
    this.#maxBytes = maxBytes;
  }

  /**
   * Makes one that has what responses, connections and hosts use of a socket. It is no `net.Socket`: to make and destroy one takes as long as
   * all the rest of a nested Get. More than `maxBytes` destroy it.
   */
  static for(like: Socket | null, maxBytes: number): AnswerSocket & Socket {
    return new AnswerSocket(like, maxBytes) as AnswerSocket & Socket;
  }

  get isTooLong(): boolean {
    return this.#length > this.#maxBytes;
  }

  /** All bytes that were written. */
  get written(): Buffer {
    const [first, ...others] = this.#pieces;
    return first === undefined || others.length > 0 ? Buffer.concat(this.#pieces) : first;
  }

  // No client sends anything.
  override _read(): void {}

  override _write(chunk: Piece, encoding: BufferEncoding, done: Done): void {
    this.#keep(chunk, encoding);
    done();
  }

  override _writev(pieces: readonly { readonly chunk: Piece; readonly encoding: BufferEncoding }[], done: Done): void {
    for (const { chunk, encoding } of pieces) this.#keep(chunk, encoding);
    done();
  }

  #keep(chunk: Piece, encoding: BufferEncoding): void {
    // A text has at least as many bytes. One that is too long is not copied.
    this.#length += chunk.length;
    if (this.isTooLong) this.destroy();
    else this.#pieces.push(typeof chunk === 'string' ? Buffer.from(chunk, encoding) : Buffer.from(chunk));
  }

  static {
    for (const name of OF_CLIENT) {
      Object.defineProperty(AnswerSocket.prototype, name, {
        get(this: AnswerSocket): unknown {
          const value: unknown = this.#like === null ? undefined : Reflect.get(this.#like, name);
          return typeof value === 'function' ? value.bind(this.#like) : value;
        },
      });
    }
    for (const name of SETTERS) {
      Object.defineProperty(AnswerSocket.prototype, name, {
        value(this: AnswerSocket): AnswerSocket {
          return this;
        },
      });
    }
  }
}
