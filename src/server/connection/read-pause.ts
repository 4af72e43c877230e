/** Pauses reading from a socket that Node also pauses and resumes, for reasons of its own. */
import type { Socket } from 'node:net';

export class ReadPause {
  readonly #socket: Socket;
  #isScheduled = false;
  #isHeld = false;
  #isPausedByNode: boolean;

  constructor(socket: Socket) {
    this.#socket = socket;
    this.#isPausedByNode = socket.isPaused();
    // Node pauses the socket while many of its written bytes are unsent.
    socket.on('pause', () => (this.#isPausedByNode = true));
    socket.on('resume', () => {
      this.#isPausedByNode = false;
      if (this.#isHeld) socket.pause();
    });
  }

  /** Whether reading is paused by this object. */
  get isHeld(): boolean {
    return this.#isHeld;
  }

  /** Pauses once the bytes that were read are parsed, if `isNeeded` returns `true` then. */
  pause(isNeeded: () => boolean): void {
    if (this.#isScheduled || this.#isHeld) return;
    this.#isScheduled = true;
    // Node resumes the socket at the end of each request that it parses.
    process.nextTick(() => {
      this.#isScheduled = false;
      if (!isNeeded() || this.#socket.destroyed) return;
      this.#isHeld = true;
      // If Node has paused the socket, it is paused again when Node resumes it.
      if (!this.#isPausedByNode) this.#socket.pause();
    });
  }

  resume(): void {
    if (!this.#isHeld) return;
    this.#isHeld = false;
    this.#socket.resume();
  }
}
