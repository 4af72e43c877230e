/** The server's end of a connection without a client, for one response: it keeps what is written. It has the addresses of another socket. */
import type { Socket } from 'node:net';
import { net } from '../../node.ts';

type Done = (error?: Error | null) => void;
type Piece = string | Uint8Array;

const ADDRESSES = ['remoteAddress', 'remoteFamily', 'remotePort', 'localAddress', 'localFamily', 'localPort', 'encrypted'] as const;

export class AnswerSocket extends net.Socket {
  readonly #like: Socket | null;
  readonly #maxBytes: number;
  readonly #pieces: Buffer[] = [];
  #length = 0;

  /** More than `maxBytes` destroy it. */
  constructor(like: Socket | null, maxBytes: number) {
    super({ allowHalfOpen: true });
    this.#like = like;
    this.#maxBytes = maxBytes;
  }

  get isTooLong(): boolean {
    return this.#length > this.#maxBytes;
  }

  /** All bytes that were written. */
  get written(): Buffer {
    const [first, ...others] = this.#pieces;
    return first === undefined || others.length > 0 ? Buffer.concat(this.#pieces) : first;
  }

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
    // Not getters of the class: Node's types declare fields, which accessors cannot override.
    for (const name of ADDRESSES) {
      Object.defineProperty(AnswerSocket.prototype, name, {
        get(this: AnswerSocket): unknown {
          return this.#like === null ? undefined : Reflect.get(this.#like, name);
        },
      });
    }
  }
}
