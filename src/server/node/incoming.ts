/**
 * Node's request, without the end of the stream where nobody can observe it. A stream ends with two events, in several turns of the
 * event loop. Most requests have no body, or one that the server reads as a whole. For those the end is a large part of the cost.
 */
import type { IncomingMessage } from 'node:http';
import { http } from '../../node.ts';
import { ByteBuffer } from '../../util/byte-buffer.ts';

export class Incoming extends http.IncomingMessage {
  // A host's code may use it as a stream.
  #isShared = false;
  // It was read to its end, or nobody will read it.
  #isOver = false;
  #take: ((chunk: Buffer | null) => void) | undefined;
  // The chunks behind the first unread one. The stream itself would keep an object for each, and a client can send chunks of one byte.
  #unread: ByteBuffer | undefined;

  /** Whether no code of the host has seen a request. */
  static isUnseen(request: IncomingMessage): request is Incoming {
    return #isShared in request && !request.#isShared;
  }

  /** Passes on the body chunk by chunk, and `null` after the last. */
  collect(take: (chunk: Buffer | null) => void): void {
    // These were buffered while the request waited for its turn.
    while (this.readableLength > 0) take(this.read() as Buffer);
    if (this.complete) this.#end(take);
    else this.#take = take;
  }

  /** Makes it a stream like any other, before a host's code gets it. If it was read to its end, the stream ends now. */
  share(): void {
    if (this.#isShared) return;
    this.#isShared = true;
    if (!this.#isOver) return;
    if (this.#take !== undefined) super.push(null);
    super.resume();
  }

  override push(chunk: Buffer | null): boolean {
    if (this.#take === undefined) return this.#buffer(chunk);
    if (chunk === null) this.#end(this.#take);
    else this.#take(chunk);
    return true;
  }

  // After the reply, Node discards an unread body: by `resume`, and by `read(0)` since Node 26.
  override resume(): this {
    return this.#endUnread() ? this : super.resume();
  }

  override read(size?: number): Buffer | null {
    if (size === 0) return this.#endUnread() ? null : super.read(size);
    this.#flush();
    return super.read(size);
  }

  #buffer(chunk: Buffer | null): boolean {
    // Somebody who listens for `readable` waits for each chunk.
    if (chunk === null || this.readableLength === 0 || this.readableFlowing === true || this.listenerCount('readable') > 0) {
      this.#flush();
      return super.push(chunk);
    }
    (this.#unread ??= new ByteBuffer()).add(chunk);
    return this.readableLength < this.readableHighWaterMark;
  }

  /** Gives the stream all that was received. */
  #flush(): void {
    const unread = this.#unread;
    this.#unread = undefined;
    if (unread !== undefined) super.push(unread.take());
  }

  #endUnread(): boolean {
    if (this.#isShared || !this.complete) return false;
    this.#isOver = true;
    return true;
  }

  #end(take: (chunk: null) => void): void {
    this.#isOver = true;
    // Node itself listens for the end if it comes after the reply.
    if (this.#isShared || this.listenerCount('end') > 0) {
      super.push(null);
      super.resume();
    }
    take(null);
  }

  static {
    // Node reads this after the reply, to release the request, and when a request is destroyed, to tell whether it was aborted.
    // Not getters of the class: Node's types declare fields, which an accessor cannot override.
    Object.defineProperties(Incoming.prototype, {
      readableEnded: {
        get(this: Incoming): boolean {
          return this.#isOver || Reflect.get(http.IncomingMessage.prototype, 'readableEnded', this);
        },
      },
      readableLength: {
        get(this: Incoming): number {
          return Reflect.get(http.IncomingMessage.prototype, 'readableLength', this) + (this.#unread?.length ?? 0);
        },
      },
    });
  }
}

/** Makes a request a stream like any other, for a host. The host may destroy it, and its `error` event must not end the process. */
export function shareRequest(request: IncomingMessage): IncomingMessage {
  if (request instanceof Incoming) request.share();
  if (request.listenerCount('error') === 0) request.on('error', () => {});
  return request;
}
