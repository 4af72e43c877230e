/**
 * Node's request, spared the life of a stream where nobody sees it as one. A stream ends in several turns of the queue,
 * with two events and their listeners, for what is most often no body at all, or one that is wanted whole. Without that a Get
 * takes 0.86 of its time, a Create of 40 bytes 0.9 (`npm run bench`, Node 20).
 */
import type { Socket } from 'node:net';
import { http } from '../../node.ts';

// How long reading may pause on a body that a host does not read before more of it is buffered, and how much that is.
const UNREAD_PAUSE_MS = 500;
const MAX_UNREAD_BYTES = 1024 * 1024;

export class Incoming extends http.IncomingMessage {
  // Somebody may listen to it.
  #isShared = false;
  // It was read to its end, or there is nobody left who would.
  #isOver = false;
  #take: ((chunk: Buffer | null) => void) | undefined;
  // While it waits for its turn.
  #hasRoom: (() => boolean) | undefined;
  #isWatched = false;

  /** Goes on to take what comes, though nobody reads it, while there is room. */
  readAhead(hasRoom: () => boolean): void {
    this.#hasRoom = hasRoom;
  }

  /** Hands on the body as it comes, piece by piece, and `null` behind the last. */
  collect(take: (chunk: Buffer | null) => void): void {
    // What came while the request waited for its turn.
    while (this.readableLength > 0) take(this.read() as Buffer);
    if (this.complete) this.#end(take);
    else this.#take = take;
  }

  /** Makes it a stream as any other, which has ended where it was read already. */
  share(): void {
    if (this.#isShared) return;
    this.#isShared = true;
    this.#hasRoom = undefined;
    if (!this.complete && this.readableLength >= this.readableHighWaterMark) this.#watchPause();
    if (!this.#isOver) return;
    if (this.#take !== undefined) super.push(null);
    super.resume();
  }

  override push(chunk: Buffer | null): boolean {
    if (this.#take === undefined) {
      if (super.push(chunk) || this.#hasRoom?.() === true) return true;
      if (this.#isShared && chunk !== null) this.#watchPause();
      return false;
    }
    if (chunk === null) this.#end(this.#take);
    else this.#take(chunk);
    return true;
  }

  // When the answer is out, Node calls this, or `read(0)` since Node 26, to read away what nobody has read.
  override resume(): this {
    return this.#putAway() ? this : super.resume();
  }

  override read(size?: number): Buffer | null {
    return size === 0 && this.#putAway() ? null : super.read(size);
  }

  /**
   * Node pauses reading once this much is buffered, and does not see the client leave then. If the pause lasts, more is
   * buffered: a reset is seen at once, and an end of the connection when it is reached.
   */
  #watchPause(): void {
    // A request that was destroyed has no socket, whatever Node's types say.
    const { socket }: { readonly socket: Socket | null } = this;
    if (this.#isWatched || this.#hasRoom !== undefined || socket === null) return;
    this.#isWatched = true;
    const seen = socket.bytesRead;
    setTimeout(() => {
      this.#isWatched = false;
      if (this.complete || this.destroyed || socket.destroyed || !socket.isPaused()) return;
      if (socket.bytesRead > seen) {
        this.#watchPause();
      } else {
        this.readAhead(() => this.readableLength < MAX_UNREAD_BYTES);
        socket.resume();
      }
    }, UNREAD_PAUSE_MS).unref();
  }

  #putAway(): boolean {
    if (this.#isShared || !this.complete) return false;
    this.#isOver = true;
    return true;
  }

  #end(take: (chunk: null) => void): void {
    this.#isOver = true;
    // Node itself waits for the end, where it came behind the answer.
    if (this.#isShared || this.listenerCount('end') > 0) {
      super.push(null);
      super.resume();
    }
    take(null);
  }

  static {
    // Node asks for this behind an answer, to know whether it can let go of the request, and when a request is destroyed, to
    // know whether that cuts it off. Its types have it as a field, which no accessor can override.
    Object.defineProperty(Incoming.prototype, 'readableEnded', {
      get(this: Incoming): boolean {
        return this.#isOver || Reflect.get(http.IncomingMessage.prototype, 'readableEnded', this);
      },
    });
  }
}
