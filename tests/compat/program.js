/** A program in a process of its own, whose output is read. It ends when this process ends, or earlier. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { PATIENCE_MS, waitUntil } from './until.js';

const running = new Set();
process.on('exit', () => running.forEach((program) => program.kill()));

export class Program {
  #child;
  #closed;
  #isClosed = false;
  #hasGroup;
  /** What it has printed. */
  output = '';

  /** Starts it. `options` are those of `spawn`. */
  constructor(command, args, options = {}) {
    this.#hasGroup = options.detached === true;
    this.#child = spawn(command, args, { stdio: ['ignore', 'pipe', 'pipe'], ...options });
    for (const stream of [this.#child.stdout, this.#child.stderr]) stream?.setEncoding('utf8').on('data', (text) => (this.output += text));
    this.#child.stdin?.on('error', () => {});
    this.#child.on('error', (error) => (this.output += error.message));
    this.#closed = once(this.#child, 'close').catch(() => {}).then(() => {
      this.#isClosed = true;
      running.delete(this);
    });
    running.add(this);
  }

  get pid() {
    return this.#child.pid;
  }

  write(text) {
    this.#child.stdin.write(text);
  }

  /** Waits until its output matches. Returns the match. Throws if it ends before. */
  async printed(pattern) {
    const find = () => pattern.exec(this.output);
    await this.runsUntil(() => find() !== null, `prints ${pattern}`);
    return find();
  }

  /** Waits until it responds at a URL. */
  responds(url) {
    return this.runsUntil(() => fetch(url).then((response) => response.text()).then(() => true, () => false), `responds at ${url}`);
  }

  /** Waits until something holds. Throws if it ends before. */
  async runsUntil(holds, what) {
    await waitUntil(async () => {
      const isClosed = this.#isClosed;
      if (await holds()) return true;
      if (isClosed) throw new Error(`it ended before it ${what}; it printed: ${this.output}`);
      return false;
    }, () => `a program that ${what}; it printed: ${this.output}`);
  }

  /** Waits for the end. Returns the exit status, or the signal that ended it. */
  async ended() {
    const timer = setTimeout(() => this.kill(), PATIENCE_MS);
    await this.#closed;
    clearTimeout(timer);
    return this.#child.exitCode ?? this.#child.signalCode;
  }

  /** Sends a signal to it, and not to its process group. */
  killAlone(signal) {
    this.#child.kill(signal);
  }

  /** Sends a signal: to all of its process group, if it has one of its own. */
  kill(signal = 'SIGKILL') {
    if (!this.#hasGroup) return void this.#child.kill(signal);
    try {
      process.kill(-this.pid, signal);
    } catch {
      // All of it has ended.
    }
  }

  /** Sends a signal, and waits for the end. */
  end(signal) {
    this.kill(signal);
    return this.ended();
  }
}
