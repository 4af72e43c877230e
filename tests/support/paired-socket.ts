/**
 * A connection within the process, whose two ends behave as sockets of TCP:
 *
 *   write     ->   the other end reads a copy, in a later turn. The write is over when the other end has room for more
 *   end       ->   the other end reads the end, and may go on writing
 *   destroy   ->   the other end reads what was written, then the end. Its own writes fail
 *
 * `net.Socket` calls these methods of streams instead of a handle of the system, so that Node and the tested code find all else.
 */
import { Socket } from 'node:net';

type Done = (error?: Error | null) => void;
type Piece = string | Uint8Array;

// At most so much is read from a socket of the system at once.
const PIECE_BYTES = 64 * 1024;

export class PairedSocket extends Socket {
  override bytesRead = 0;
  #other: PairedSocket | undefined;
  #hasEnd = false;
  #taken = 0;
  // Called when this end reads on, if it had no room for the other end's write.
  #onRead: Done | undefined;

  /** Makes a connection. */
  static pair(): readonly [PairedSocket, PairedSocket] {
    const one = new PairedSocket({ allowHalfOpen: true });
    const other = new PairedSocket({ allowHalfOpen: true });
    one.#other = other;
    other.#other = one;
    return [one, other];
  }

  override _read(): void {
    this.#settle();
  }

  override _write(chunk: Piece, encoding: BufferEncoding, done: Done): void {
    this._writev([{ chunk, encoding }], done);
  }

  override _writev(pieces: readonly { readonly chunk: Piece; readonly encoding: BufferEncoding }[], done: Done): void {
    // A copy: the user may change the bytes that it has written, and the reader those that it has read.
    const bytes = Buffer.concat(pieces.map(({ chunk, encoding }) => (typeof chunk === 'string' ? Buffer.from(chunk, encoding) : chunk)));
    // A parser may be at work in this turn, at either end.
    process.nextTick(() => this.#send(bytes, done));
  }

  override _final(done: Done): void {
    this.#sendEnd();
    done();
  }

  override _destroy(error: Error | null, done: Done): void {
    this.#settle(reset);
    this.#sendEnd();
    super._destroy(error, done);
  }

  /** Sends bytes as the system does: in pieces, and each when the other end has room. */
  #send(bytes: Buffer, done: Done): void {
    const other = this.#other;
    const piece = bytes.subarray(0, PIECE_BYTES);
    const taken: Done = (error) => {
      if (error == null) this.#taken += piece.length;
      if (error != null || piece.length === bytes.length) done(error);
      else setImmediate(() => this.#send(bytes.subarray(PIECE_BYTES), done));
    };
    if (other === undefined || other.destroyed || other.#hasEnd) taken(reset());
    else other.#receive(piece, taken);
  }

  #sendEnd(): void {
    const other = this.#other;
    process.nextTick(() => other !== undefined && other.#receiveEnd());
  }

  #receive(bytes: Buffer, taken: Done): void {
    this.bytesRead += bytes.length;
    if (this.push(bytes)) taken();
    else this.#onRead = taken;
  }

  #receiveEnd(): void {
    if (this.#hasEnd || this.destroyed) return;
    this.#hasEnd = true;
    this.push(null);
  }

  #settle(error?: () => Error): void {
    const settle = this.#onRead;
    this.#onRead = undefined;
    settle?.(error?.());
  }

  static {
    // Not a getter of the class: Node's types declare a field, which an accessor cannot override.
    Object.defineProperty(PairedSocket.prototype, 'bytesWritten', {
      get(this: PairedSocket): number {
        return this.#taken + this.writableLength;
      },
    });
  }
}

function reset(): Error {
  return Object.assign(new Error('the other end is closed'), { code: 'ECONNRESET' });
}
