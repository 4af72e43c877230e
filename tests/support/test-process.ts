/** A process that runs test files. What goes wrong with it is a failure of the file that it runs. */
import { spawn, type ChildProcessWithoutNullStreams } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

const RUN_FILES = fileURLToPath(new URL('run-files.js', import.meta.url));

export interface TestFile {
  readonly name: string;
  /** Its path. */
  readonly file: string;
}

export interface FileResult {
  readonly output: string;
  readonly passed: number;
  readonly failed: number;
}

export class TestProcess {
  readonly #fileMs: number;
  readonly #child: ChildProcessWithoutNullStreams;
  readonly #closed: Promise<unknown>;
  #isClosed = false;
  #output = '';
  #changed: () => void = () => {};

  /** `fileMs` is the time that a file may take. Then the process is killed. */
  constructor(fileMs: number) {
    this.#fileMs = fileMs;
    this.#child = spawn(process.execPath, [...process.execArgv, RUN_FILES]);
    for (const stream of [this.#child.stdout, this.#child.stderr]) {
      stream.setEncoding('utf8').on('data', (text: string) => {
        this.#output += text;
        this.#changed();
      });
    }
    this.#child.stdin.on('error', () => {});
    this.#closed = once(this.#child, 'close').then(() => {
      this.#isClosed = true;
      this.#changed();
    });
  }

  get isClosed(): boolean {
    return this.#isClosed;
  }

  /** Runs a file. Resolves when it has come to its end, or the process to its own. */
  async run(file: TestFile): Promise<FileResult> {
    this.#child.stdin.write(`${JSON.stringify(file)}\n`);
    const timer = setTimeout(() => {
      this.#output += `\n  FAIL  ${file.name} does not end within ${this.#fileMs} ms\n`;
      this.#child.kill('SIGKILL');
    }, this.#fileMs);
    try {
      return await this.#result(file);
    } finally {
      clearTimeout(timer);
    }
  }

  /** Lets the process end. */
  async end(): Promise<void> {
    this.#child.stdin.end();
    await this.#closed;
  }

  async #result({ name }: TestFile): Promise<FileResult> {
    for (;;) {
      const counts = /\0(\d+) (\d+)\n/.exec(this.#output);
      if (counts !== null) {
        const output = this.#output.slice(0, counts.index);
        this.#output = this.#output.slice(counts.index + counts[0].length);
        return { output, passed: Number(counts[1]), failed: Number(counts[2]) };
      }
      if (this.#isClosed) {
        const { exitCode, signalCode } = this.#child;
        const output = `${this.#output}\n  FAIL  ${name} ended its process: ${signalCode ?? `exit ${exitCode}`}\n`;
        return { output, passed: 0, failed: 1 };
      }
      await new Promise<void>((resolve) => (this.#changed = resolve));
    }
  }
}
