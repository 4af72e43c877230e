/** A child process whose output is read, and which never outlives its test. */
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { until } from './gate.ts';

// This process can run while the other one waits for a core.
const PRINT_MS = 60_000;

export class Child {
  readonly #process: ChildProcess;
  readonly #exited: Promise<unknown>;
  #output = '';

  /** Starts Node with these arguments, in this folder. `output` is its stdout and stderr. Its coverage is not measured. */
  constructor(args: readonly string[], environment: Readonly<Record<string, string>> = {}, cwd: string = process.cwd()) {
    const env = { ...process.env, NODE_V8_COVERAGE: '', ...environment };
    this.#process = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'pipe'], env, cwd });
    this.#process.stdout?.on('data', (chunk) => (this.#output += chunk));
    this.#process.stderr?.on('data', (chunk) => (this.#output += chunk));
    this.#exited = once(this.#process, 'close');
  }

  get #isOver(): boolean {
    return this.#process.exitCode !== null || this.#process.signalCode !== null;
  }

  get output(): string {
    return this.#output;
  }

  /** Waits until the output matches. Returns the match. */
  async printed(pattern: RegExp): Promise<RegExpExecArray> {
    await until(() => pattern.test(this.#output) || this.#isOver, `output that matches ${pattern}`, PRINT_MS);
    const match = pattern.exec(this.#output);
    if (match === null) throw new Error(`no output matches ${pattern}: ${this.#output}`);
    return match;
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
  async end(signal: NodeJS.Signals = 'SIGTERM'): Promise<number | null> {
    this.#process.kill(signal);
    return this.exit();
  }
}
