/** A child process whose output is read, and which never outlives its test. */
import { spawn, type ChildProcess } from 'node:child_process';
import { EventEmitter, once } from 'node:events';
import { withTimeout } from './wait.ts';

const running = new Set<ChildProcess>();
process.once('exit', () => running.forEach((child) => child.kill('SIGKILL')));

export class Child {
  readonly #process: ChildProcess;
  readonly #exited: Promise<unknown>;
  readonly #changes: EventEmitter = new EventEmitter();
  /** Its stdout and stderr. */
  output = '';
  printed = '';
  errors = '';

  /** Starts Node with these arguments, in this folder. Its coverage is not measured. */
  constructor(args: readonly string[], environment: Readonly<Record<string, string>> = {}, cwd: string = process.cwd()) {
    const env = { ...process.env, NODE_V8_COVERAGE: '', ...environment };
    this.#process = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'pipe'], env, cwd });
    for (const stream of [this.#process.stdout, this.#process.stderr]) {
      stream?.setEncoding('utf8').on('data', (text: string) => {
        this.output += text;
        this[stream === this.#process.stderr ? 'errors' : 'printed'] += text;
        this.#changes.emit('printed');
      });
    }
    running.add(this.#process);
    this.#exited = once(this.#process, 'close').then(() => running.delete(this.#process));
  }

  /** Waits until the output matches. Returns the match. Throws if the process ends before. */
  waitForOutput(pattern: RegExp): Promise<RegExpExecArray> {
    return withTimeout(this.#match(pattern), () => `output that matches ${pattern}: ${this.output}`);
  }

  /** Waits until it prints `listening at` its URL, and returns that. */
  async listening(): Promise<string> {
    const [, url = ''] = await this.waitForOutput(/^listening at (\S+)$/m);
    return url;
  }

  async #match(pattern: RegExp): Promise<RegExpExecArray> {
    let isOver = false;
    const over = this.#exited.then(() => (isOver = true));
    for (;;) {
      const match = pattern.exec(this.output);
      if (match !== null) return match;
      if (isOver) throw new Error(`the process ended, and no output matches ${pattern}: ${this.output}`);
      await Promise.race([over, once(this.#changes, 'printed')]);
    }
  }

  /** The signal that ended it. */
  get signal(): NodeJS.Signals | null {
    return this.#process.signalCode;
  }

  /** Waits for the end. Returns the exit code, or `null` if a signal ended it. */
  async exit(): Promise<number | null> {
    await this.#exited;
    return this.#process.exitCode;
  }

  /** Sends a signal. */
  send(signal: NodeJS.Signals): void {
    this.#process.kill(signal);
  }

  /** Sends a signal, and waits for the end. */
  end(signal: NodeJS.Signals = 'SIGTERM'): Promise<number | null> {
    this.#process.kill(signal);
    return this.exit();
  }
}
