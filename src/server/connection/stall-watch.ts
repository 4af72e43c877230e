/**
 * Finds connections on which nothing moves. Node has no time limit for sending a reply, so a client that reads nothing would keep
 * all of it in memory. And while Node does not read from a socket, it does not see the client leave.
 */
import type { Socket } from 'node:net';
import { bytesTaken, transportOf } from '../node-internals/sockets.ts';

/** What the watch knows of a connection, besides its socket. */
export interface Watched {
  /** The request that began last. */
  readonly current: unknown;
  /** Called when reading is paused, and nothing has moved for a while. */
  stalled(): void;
}

/** The state of a connection at one check. Times are of the watch's own clock. */
interface Mark {
  readonly read: number;
  /** How many bytes the system has taken for the client. */
  readonly taken: number;
  readonly current: unknown;
  readonly takenAt: number;
  readonly movedAt: number;
}

const MAX_INTERVAL_MS = 250;
// How long reading may be paused while nothing moves.
const STALL_MS = 500;

export class StallWatch {
  /** How often to call `check`. */
  readonly intervalMs: number;
  readonly #sendMs: number;
  #marks = new Map<Socket, Mark>();
  #checkedAt = 0;
  #clock = 0;

  /** `sendMs` is how long a client may take no byte while some are unsent. */
  constructor(sendMs: number) {
    this.#sendMs = sendMs;
    this.intervalMs = Math.min(MAX_INTERVAL_MS, Math.ceil(sendMs / 4));
  }

  /**
   * Destroys a socket with unsent bytes if its client takes none for `sendMs`, or has left. Node would wait until all are sent.
   * Calls `stalled` of connections whose reading is paused while nothing moves.
   */
  check(connections: Iterable<readonly [Socket, Watched]>, now: number = performance.now()): void {
    // The time in which the process was blocked does not count, since it sent nothing.
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
    const read = transportOf(socket).bytesRead;
    const taken = bytesTaken(socket);
    const now = this.#clock;
    const isTaken = taken !== before?.taken;
    // While bytes are unsent, a write fails if the client has left. Without them, a reply in small pieces proves nothing.
    const hasMoved = read !== before?.read || current !== before.current || (isTaken && socket.writableLength > 0);
    return { read, taken, current, takenAt: isTaken ? now : before.takenAt, movedAt: hasMoved ? now : before.movedAt };
  }
}
