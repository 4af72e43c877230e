/**
 * Finds stalled connections: Node has no time limit for sending a response, so a client that reads nothing would keep all of it in
 * memory. And while Node does not read from a socket, it does not notice when the client leaves.
 */
import type { Socket } from 'node:net';
import { performance } from '../../../util/timers.ts';
import type { Settings } from '../../settings/server-options.ts';
import { makeUnsentLimit } from '../unsent-limit.ts';
import { countTakenBytes, getTransport } from './internals/sockets.ts';

/** The part of a connection that the watch uses. */
export interface Watched {
  readonly socket: Socket;
  /** The request that began last. */
  readonly current: unknown;
  /** Whether nothing is to be sent or read before the next request. */
  readonly isIdle: boolean;
  mark: Mark | undefined;
  /** Called when reading is paused, and nothing has moved for a while. */
  stalled(): void;
}

/** The state of a connection at one check. Times are on the watch's own clock. */
export interface Mark {
  readonly read: number;
  /** The number of bytes that the system has taken to send. */
  readonly taken: number;
  readonly current: unknown;
  readonly takenAt: number;
  readonly movedAt: number;
}

type WatchSettings = Pick<Settings, 'unsentBytes' | 'logger'> & { readonly limits: Pick<Settings['limits'], 'sendMs'> };

const MAX_INTERVAL_MS = 250;
// How long nothing may move while reading is paused.
const STALL_MS = 500;
// The most that the clock advances at one check, in intervals.
const MAX_LATENESS = 1.5;

export class StallWatch {
  /** How often to call `check`. */
  readonly intervalMs: number;
  readonly #sendMs: number;
  readonly #limitUnsent: ((unsent: Watched[], compareSpeed: (one: Watched, other: Watched) => number) => void) | undefined;
  #checkedAt = 0;
  #clock = 0;

  constructor(settings: WatchSettings) {
    const { limits: { sendMs }, unsentBytes } = settings;
    this.#sendMs = sendMs;
    const countUnsent = ({ socket }: Watched): number => socket.writableLength;
    this.#limitUnsent = unsentBytes === Infinity ? undefined : makeUnsentLimit(settings, countUnsent, ({ socket }) => socket.destroy());
    this.intervalMs = Math.min(MAX_INTERVAL_MS, Math.ceil(sendMs / 4));
  }

  /**
   * Destroys a socket with unsent bytes if its client takes none for `limits.sendMs`, or has left. Node would wait until all are sent.
   * Calls `stalled` of a connection if reading is paused and nothing moves. Removes idle connections from the set.
   */
  check(connections: Set<Watched>, now: number = performance.now()): void {
    // Time in which the process was blocked does not count. After a block, this timer runs before input is read, so a late check must not
    // look like a stall.
    this.#clock += Math.min(now - this.#checkedAt, MAX_LATENESS * this.intervalMs);
    this.#checkedAt = now;
    const unsent: Watched[] = [];
    for (const connection of connections) {
      this.#checkOne(connection);
      if (hasUnsent(connection)) unsent.push(connection);
      else if (connection.mark === undefined && connection.isIdle) connections.delete(connection);
    }
    this.#limit(unsent);
  }

  /** If all connections together have more than `unsentBytes`, destroys the ones of the slowest readers until they have less. */
  limitUnsent(connections: Iterable<Watched>): void {
    if (this.#limitUnsent !== undefined) this.#limit([...connections].filter(hasUnsent));
  }

  #limit(unsent: Watched[]): void {
    this.#limitUnsent?.(unsent, (one, other) => {
      return this.#takenAt(one) - this.#takenAt(other) || other.socket.writableLength - one.socket.writableLength;
    });
  }

  #takenAt({ mark }: Watched): number {
    return mark?.takenAt ?? this.#clock;
  }

  #checkOne(connection: Watched): void {
    const { socket, mark: before } = connection;
    const isUnsent = socket.writableLength > 0;
    connection.mark = isUnsent || socket.isPaused() ? this.#measure(connection) : undefined;
    if (connection.mark === undefined) return;
    const { takenAt, movedAt } = connection.mark;
    if (isUnsent && (this.#clock - takenAt >= this.#sendMs || (before !== undefined && socket.readableEnded))) socket.destroy();
    else if (this.#clock - movedAt >= STALL_MS && socket.isPaused()) connection.stalled();
  }

  #measure({ socket, current, mark: before }: Watched): Mark {
    const read = getTransport(socket).bytesRead;
    const taken = countTakenBytes(socket);
    const now = this.#clock;
    const isTaken = taken !== before?.taken;
    // Taken bytes show that the client is there only while others are unsent. Small writes succeed even if it has left.
    const hasMoved = read !== before?.read || current !== before.current || (isTaken && socket.writableLength > 0);
    return { read, taken, current, takenAt: isTaken ? now : before.takenAt, movedAt: hasMoved ? now : before.movedAt };
  }
}

function hasUnsent({ socket }: Watched): boolean {
  return socket.writableLength > 0 && !socket.destroyed;
}
