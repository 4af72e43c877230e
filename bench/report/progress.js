/** Says on the terminal what a long run is at, how far it is, and how long it will still take. */

// In a log each line stays, so there are few of them.
const TERMINAL_MS = 200;
const LOG_MS = 10_000;

/** Gives a function that a part calls once with the number of its steps. */
export function progressOf(part) {
  return (steps) => new Progress(part, steps);
}

class Progress {
  #part;
  #steps;
  #done = 0;
  #begin = performance.now();
  #shownAt = -Infinity;

  constructor(part, steps) {
    this.#part = part;
    this.#steps = steps;
  }

  /** Shows what is at work; as often as is good to read. */
  show(what) {
    const now = performance.now();
    const { isTTY } = process.stderr;
    if (now - this.#shownAt < (isTTY ? TERMINAL_MS : LOG_MS)) return;
    this.#shownAt = now;
    const percent = Math.floor((this.#done / this.#steps) * 100);
    const line = `${this.#part}: ${percent} %, ${this.#timeLeft(now)}: ${what}`;
    process.stderr.write(isTTY ? `\r\x1b[K${line.slice(0, process.stderr.columns)}` : `${line}\n`);
  }

  step() {
    this.#done += 1;
    if (this.#done === this.#steps && process.stderr.isTTY) process.stderr.write('\r\x1b[K');
  }

  #timeLeft(now) {
    if (this.#done === 0) return 'just begun';
    const seconds = Math.round(((now - this.#begin) / this.#done / 1000) * (this.#steps - this.#done));
    return seconds < 60 ? `${seconds} s left` : `${Math.floor(seconds / 60)} min ${seconds % 60} s left`;
  }
}
