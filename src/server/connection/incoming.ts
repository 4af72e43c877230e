/**
 * Node's request, without the teardown of a stream where nobody can observe it. A stream ends in several turns of the event loop,
 * with two events and their listeners. Most requests have no body, or one that is wanted whole, so this is a large part of their
 * cost: see "Leaning on Node" in docs/reliability.md, which also says how to turn it off.
 */
import type { IncomingMessage } from 'node:http';
import { http } from '../../node.ts';

export class Incoming extends http.IncomingMessage {
  // The host may listen to it as a stream.
  #isShared = false;
  // It was read to its end, or nobody is left who would read it.
  #isOver = false;
  #take: ((chunk: Buffer | null) => void) | undefined;

  /** Whether no code of the host has seen a request. */
  static isUnseen(request: IncomingMessage): request is Incoming {
    return #isShared in request && !request.#isShared;
  }

  /** Passes on the body chunk by chunk, and `null` after the last. */
  collect(take: (chunk: Buffer | null) => void): void {
    // What was buffered while the request waited for its turn.
    while (this.readableLength > 0) take(this.read() as Buffer);
    if (this.complete) this.#end(take);
    else this.#take = take;
  }

  /** Makes it a stream like any other, which has ended if it was read already. */
  share(): void {
    if (this.#isShared) return;
    this.#isShared = true;
    if (!this.#isOver) return;
    if (this.#take !== undefined) super.push(null);
    super.resume();
  }

  override push(chunk: Buffer | null): boolean {
    if (this.#take === undefined) return super.push(chunk);
    if (chunk === null) this.#end(this.#take);
    else this.#take(chunk);
    return true;
  }

  // After the reply, Node discards what nobody has read: by `resume`, and by `read(0)` since Node 26.
  override resume(): this {
    return this.#endUnread() ? this : super.resume();
  }

  override read(size?: number): Buffer | null {
    return size === 0 && this.#endUnread() ? null : super.read(size);
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
    // Node asks for this after the reply, to release the request, and when a request is destroyed, to tell whether it was aborted.
    // Node's types declare a field, which an accessor cannot override.
    Object.defineProperty(Incoming.prototype, 'readableEnded', {
      get(this: Incoming): boolean {
        return this.#isOver || Reflect.get(http.IncomingMessage.prototype, 'readableEnded', this);
      },
    });
  }
}

/** The class that `http.createServer` takes. With `RESTPOINT_INCOMING=node` in the environment it is Node's own. */
export const RequestClass: typeof http.IncomingMessage = process.env['RESTPOINT_INCOMING'] === 'node' ? http.IncomingMessage : Incoming;
