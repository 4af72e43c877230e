/**
 * Finds connections on which nothing moves. Node limits how long a request may take to arrive, but not how long a reply may take to
 * leave: a client that reads nothing would hold all of it in memory. And while Node does not read, it does not see a client leave.
 */
import type { Socket } from 'node:net';
import { bytesTaken } from './node-internals.ts';

/** What is watched of a connection, besides its socket. */
export interface Watched {
  /** The request that is served. */
  readonly current: unknown;
  /** Called when reading has been paused for a while in which nothing moved. */
  stalled(): void;
}

/** What is known of a connection whose reading is paused, or that has unsent bytes. Times are of the watch's own clock. */
interface Mark {
  readonly read: number;
  readonly taken: number;
  readonly current: unknown;
  readonly takenAt: number;
  readonly movedAt: number;
}

const MAX_INTERVAL_MS = 250;
// How long reading may be paused while nothing moves.
const STALL_MS = 500;

export class StallWatch {
  /** How often to check, which bounds how late a stall is found. */
  readonly intervalMs: number;
  readonly #sendMs: number;
  #marks = new Map<Socket, Mark>();
  #checkedAt = 0;
  #clock = 0;

  /** `sendMs` is how long a client may take no byte of what is unsent. */
  constructor(sendMs: number) {
    this.#sendMs = sendMs;
    this.intervalMs = Math.min(MAX_INTERVAL_MS, Math.ceil(sendMs / 4));
  }

  /**
   * Destroys sockets whose client has taken nothing for too long, or has left: Node would wait until it takes all. Tells connections
   * that have stalled.
   */
  check(connections: Iterable<readonly [Socket, Watched]>, now: number = performance.now()): void {
    // While the process is blocked it sends nothing either, so that time does not count.
    this.#clock += Math.min(now - this.#checkedAt, 2 * this.intervalMs);
    this.#checkedAt = now;
    const marks = new Map<Socket, Mark>();
    for (const [socket, connection] of connections) {
      const isUnsent = socket.writableLength > 0;
      if (!isUnsent && !socket.isPaused()) continue;
      const before = this.#marks.get(socket);
      const mark = this.#markOf(socket, connection, before);
      if (isUnsent && (this.#clock - mark.takenAt >= this.#sendMs || (before !== undefined && socket.readableEnded))) {
        socket.destroy();
      } else {
        marks.set(socket, mark);
        if (this.#clock - mark.movedAt >= STALL_MS && socket.isPaused()) connection.stalled();
      }
    }
    this.#marks = marks;
  }

  #markOf(socket: Socket, { current }: Watched, before: Mark | undefined): Mark {
    const read = socket.bytesRead;
    const taken = bytesTaken(socket);
    const now = this.#clock;
    const isTaken = taken !== before?.taken;
    // While something is unsent, the next write fails if the client has left. A reply in small pieces proves nothing.
    const hasMoved = read !== before?.read || current !== before.current || (isTaken && socket.writableLength > 0);
    return { read, taken, current, takenAt: isTaken ? now : before.takenAt, movedAt: hasMoved ? now : before.movedAt };
  }
}
