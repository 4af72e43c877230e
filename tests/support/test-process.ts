/** A process that runs test files. If the process fails, the file that it runs fails. */
import { spawn, type ChildProcessWithoutNullStreams } from 'node:child_process';
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
    const timer = setTimeout(() => {
      this.#output += `\n  FAIL  ${file.name} does not end within ${ms} ms\n`;
      this.#child.kill('SIGKILL');
    }, ms);
    try {
      return await this.#result(file);
    } finally {
      clearTimeout(timer);
    }
  }

  /** Lets the process end. */
  end(): void {
    this.#child.stdin.end();
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
