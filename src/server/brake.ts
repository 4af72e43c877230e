/** Holds a socket back from reading. Node pauses and resumes the same socket, for reasons of its own. */
import type { Socket } from 'node:net';

export class Brake {
  readonly #socket: Socket;
  #isPulling = false;
  #isHeld = false;
  #isPaused: boolean;

  constructor(socket: Socket) {
    this.#socket = socket;
    this.#isPaused = socket.isPaused();
    // Node pauses the socket while what is written to it piles up.
    socket.on('pause', () => (this.#isPaused = true));
    socket.on('resume', () => {
      this.#isPaused = false;
      if (this.#isHeld) socket.pause();
    });
  }

  /** Holds the socket when what has been received is parsed, if `isNeeded` says then that it still should. */
  pull(isNeeded: () => boolean): void {
    if (this.#isPulling) return;
    this.#isPulling = true;
    // Node resumes the socket at the end of each request, so it can be held only when a whole reading is parsed.
    process.nextTick(() => {
      this.#isPulling = false;
      if (!isNeeded()) return;
      this.#isHeld = true;
      // What Node has paused, and may be about to resume, would go on reading if it were paused before that is over.
      if (!this.#isPaused) this.#socket.pause();
    });
  }

  /** Lets the socket go. */
  release(): void {
    if (!this.#isHeld) return;
    this.#isHeld = false;
    this.#socket.resume();
  }
}
