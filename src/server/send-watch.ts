/**
 * Finds the clients that do not take what is sent to them. Node bounds how long a request may take to arrive, and not how
 * long an answer may take to leave: a client that reads nothing would hold the whole of it in memory for as long as it likes.
 */
import type { Socket } from 'node:net';

/** What is known of a socket that has something unsent. */
interface Mark {
  readonly taken: number;
  readonly queued: number;
  readonly since: number;
}

const LONGEST_INTERVAL_MS = 500;

export class SendWatch {
  /** How often to check: a client is found within this time behind its limit. */
  readonly intervalMs: number;
  readonly #sendMs: number;
  // Few sockets have something unsent, and only those cost more than a look.
  #marks = new Map<Socket, Mark>();

  constructor(sendMs: number) {
    this.#sendMs = sendMs;
    this.intervalMs = Math.min(LONGEST_INTERVAL_MS, Math.ceil(sendMs / 4));
  }

  /** Destroys each socket of which nothing has been taken for too long. */
  check(sockets: Iterable<Socket>, now: number = performance.now()): void {
    const marks = new Map<Socket, Mark>();
    for (const socket of sockets) {
      if (socket.writableLength === 0) continue;
      const mark = this.#markOf(socket, now);
      if (now - mark.since < this.#sendMs) marks.set(socket, mark);
      else socket.destroy();
    }
    this.#marks = marks;
  }

  #markOf(socket: Socket, now: number): Mark {
    const before = this.#marks.get(socket);
    // What was taken of earlier writes, and how much of the present one the system has not taken yet.
    const taken = socket.bytesWritten - socket.writableLength;
    const queued = queuedBytes(socket);
    return before?.taken === taken && before.queued === queued ? before : { taken, queued, since: now };
  }
}

/**
 * A large write goes to the system in pieces, and Node counts it as unsent until the last is taken. Only the handle knows how
 * much is left; `net.Socket` looks there too, for its own time-out. Other engines have no such count.
 */
function queuedBytes(socket: Socket): number {
  const { _handle: handle } = socket as { readonly _handle?: { readonly writeQueueSize?: number } | null };
  return handle?.writeQueueSize ?? 0;
}
