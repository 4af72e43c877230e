/** A process that runs test files. If the process fails, the file that it runs fails. */
import { spawn, type ChildProcessWithoutNullStreams } from 'node:child_process';
import { fileURLToPath } from 'node:url';

const RUN_FILES = fileURLToPath(new URL('run-files.js', import.meta.url));

export interface TestFile {
  readonly name: string;
  /** Its path. */
  readonly file: string;
}

/** The message of a process after each file. */
export interface Outcome {
  readonly passed: number;
  readonly failed: number;
  /** The strings about failures. One text can be about several tests. */
  readonly failures: readonly string[];
  /** Of this process and of its children that have ended. Absent if the process ended without saying it. */
  readonly cpuSeconds?: number;
}

export interface FileResult extends Outcome {
  readonly output: string;
}

export class TestProcess {
  readonly #child: ChildProcessWithoutNullStreams;
  #isClosed = false;
  #output = '';
  #changed: () => void = () => {};

  constructor(environment: Readonly<Record<string, string>> = {}) {
    this.#child = spawn(process.execPath, [...process.execArgv, RUN_FILES], { env: { ...process.env, ...environment } });
    for (const stream of [this.#child.stdout, this.#child.stderr]) {
      stream.setEncoding('utf8').on('data', (text: string) => {
        this.#output += text;
        this.#changed();
      });
    }
    // A process that has ended accepts no file. The `close` event reports that.
    this.#child.stdin.on('error', () => {});
    this.#child.once('close', () => {
      this.#isClosed = true;
      this.#changed();
    });
  }

  get isClosed(): boolean {
    return this.#isClosed;
  }

  /** Runs a file. Kills the process if that takes longer than `ms`. Resolves when the file or the process has ended. */
  async run(file: TestFile, ms: number): Promise<FileResult> {
    this.#child.stdin.write(`${JSON.stringify(file)}\n`);
    let isLate = false;
    const timer = setTimeout(() => {
      isLate = true;
      this.#child.kill('SIGKILL');
    }, ms);
    try {
      return await this.#result(() => (isLate ? `${file.name} does not end within ${ms} ms` : `${file.name} ended its process: ${this.#ending}`));
    } finally {
      clearTimeout(timer);
    }
  }

  /** Lets the process end, which writes its coverage before. */
  async end(): Promise<void> {
    this.#child.stdin.end();
    while (!this.#isClosed) await this.#nextChange();
  }

  /** Waits for the outcome of a file. `why` says why the process has ended without one. */
  async #result(why: () => string): Promise<FileResult> {
    for (;;) {
      const said = /\0(\{"passed":[^\n]+)\n/.exec(this.#output);
      if (said?.[1] !== undefined) {
        const output = this.#output.slice(0, said.index);
        this.#output = this.#output.slice(said.index + said[0].length);
        return { output, ...(JSON.parse(said[1]) as Outcome) };
      }
      if (this.#isClosed) {
        const failure = `  FAIL  ${why()}`;
        return { output: `${this.#output}\n${failure}\n`, passed: 0, failed: 1, failures: [failure] };
      }
      await this.#nextChange();
    }
  }

  #nextChange(): Promise<void> {
    return new Promise((resolve) => (this.#changed = resolve));
  }

  get #ending(): string {
    const { exitCode, signalCode } = this.#child;
    return signalCode ?? `exit ${exitCode}`;
  }
}
