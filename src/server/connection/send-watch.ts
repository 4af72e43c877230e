/**
 * Finds the clients that do not take what is sent to them. Node bounds how long a request may take to arrive, and not how
 * long an answer may take to leave: a client that reads nothing would hold the whole of it in memory for as long as it likes.
 */
import type { Socket } from 'node:net';

/** What is known of a socket that has something unsent. */
interface Mark {
  readonly taken: number;
  readonly since: number;
}

const MAX_INTERVAL_MS = 500;

export class SendWatch {
  /** How often to check: a client is found within this time behind its limit. */
  readonly intervalMs: number;
  readonly #sendMs: number;
  readonly #onStalled: (socket: Socket) => void;
  // Few sockets have something unsent, and only those cost more than a look.
  #marks = new Map<Socket, Mark>();
  #checked = 0;
  #clock = 0;

  /** `onStalled` is called with a socket that has taken no byte since the last check. */
  constructor(sendMs: number, onStalled: (socket: Socket) => void) {
    this.#sendMs = sendMs;
    this.#onStalled = onStalled;
    this.intervalMs = Math.min(MAX_INTERVAL_MS, Math.ceil(sendMs / 4));
  }

  /**
   * Destroys each socket of which nothing has been taken for too long. A client that has ended its side has left: Node would
   * still wait until it has taken all.
   */
  check(sockets: Iterable<Socket>, now: number = performance.now()): void {
    // While the process is held up, it sends nothing either: a client is not held to that time.
    this.#clock += Math.min(now - this.#checked, 2 * this.intervalMs);
    this.#checked = now;
    const marks = new Map<Socket, Mark>();
    for (const socket of sockets) {
      if (socket.writableLength === 0) continue;
      const mark = this.#markOf(socket);
      const hasLeft = socket.readableEnded && this.#marks.has(socket);
      if (hasLeft || this.#clock - mark.since >= this.#sendMs) {
        socket.destroy();
      } else {
        marks.set(socket, mark);
        if (mark === this.#marks.get(socket)) this.#onStalled(socket);
      }
    }
    this.#marks = marks;
  }

  #markOf(socket: Socket): Mark {
    const before = this.#marks.get(socket);
    const taken = bytesTaken(socket);
    return before?.taken === taken ? before : { taken, since: this.#clock };
  }
}

/**
 * How much the system has taken. Only the handle knows that; `net.Socket` looks there too, for its own time-out. The socket
 * counts a write as unsent until the last of it is taken, and counts text in characters or in bytes: each text that is
 * written would look like progress. Other engines have no such handle.
 */
function bytesTaken(socket: Socket): number {
  const { _handle: handle } = socket as { readonly _handle?: Handle | null };
  if (handle?.bytesWritten === undefined || handle.writeQueueSize === undefined) return socket.bytesWritten - socket.writableLength;
  return handle.bytesWritten - handle.writeQueueSize;
}

/** What Node counts for a socket: all that was handed to the system's side, and what of it is not taken yet. */
interface Handle {
  readonly bytesWritten?: number;
  readonly writeQueueSize?: number;
}
