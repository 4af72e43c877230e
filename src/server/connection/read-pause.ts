/**
 * Pauses reading from a socket. Node pauses and resumes the same socket for reasons of its own.
 *
 * A socket that is not read from does not see its client leave. So a pause is reported when it lasts, unless something
 * is unsent, or answers are given all the while: a write to a client that has left fails by itself.
 */
import type { Socket } from 'node:net';

const LASTING_MS = 500;

export class ReadPause {
  readonly #socket: Socket;
  readonly #onLasting: () => void;
  readonly #inWork: () => unknown;
  #isScheduled = false;
  #isHeld = false;
  #isPausedByNode: boolean;
  #timer: NodeJS.Timeout | undefined;

  /** `onLasting` is called once for each pause that lasts; `inWork` gives what is in work, another thing for each request. */
  constructor(socket: Socket, onLasting: () => void, inWork: () => unknown) {
    this.#socket = socket;
    this.#inWork = inWork;
    this.#onLasting = onLasting;
    this.#isPausedByNode = socket.isPaused();
    // Node pauses the socket while what is written to it piles up.
    socket.on('pause', () => (this.#isPausedByNode = true));
    socket.on('resume', () => {
      this.#isPausedByNode = false;
      if (this.#isHeld) socket.pause();
    });
    socket.once('close', () => clearTimeout(this.#timer));
  }

  /** Pauses when what has been received is parsed, if `isNeeded` says then that it still should. */
  pause(isNeeded: () => boolean): void {
    if (this.#isScheduled || this.#isHeld) return;
    this.#isScheduled = true;
    // Node resumes the socket at the end of each request, so it can be held only when a whole reading is parsed.
    process.nextTick(() => {
      this.#isScheduled = false;
      if (!isNeeded() || this.#socket.destroyed) return;
      this.#isHeld = true;
      this.#watch();
      // What Node has paused, and may be about to resume, would go on reading if it were paused before that is over.
      if (!this.#isPausedByNode) this.#socket.pause();
    });
  }

  /** Reads on. */
  resume(): void {
    if (!this.#isHeld) return;
    this.#isHeld = false;
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#socket.resume();
  }

  #watch(): void {
    const before = this.#inWork();
    this.#timer = setTimeout(() => {
      if (this.#socket.writableLength > 0 || this.#inWork() !== before) this.#watch();
      else this.#onLasting();
    }, LASTING_MS).unref();
  }
}
