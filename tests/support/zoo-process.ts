/** The example `zoo.js --all` as a child process, on a free port, for the duration of some tests. */
import { spawn, type ChildProcessByStdio } from 'node:child_process';
import type { Readable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { ZooClient } from './zoo-client.ts';

const ZOO = fileURLToPath(new URL('../../examples/zoo.js', import.meta.url));
const TIMEOUT_MS = 300_000;
// The last command that it prints.
const LAST = '/v1/event?';

export class ZooProcess extends ZooClient {
  readonly #child: ChildProcessByStdio<null, Readable, Readable>;
  #closed = false;
  #changed: () => void = () => {};
  output = '';
  errors = '';

  /** Starts it in a folder, from which it loads `pg`. */
  constructor(environment: Readonly<Record<string, string>>, folder: string = process.cwd()) {
    super();
    // Otherwise the coverage of another build of the same sources would be counted too.
    const env = { ...process.env, NODE_V8_COVERAGE: '', HOST: '', PORT: '0', ZOO_TOKEN: '', ...environment };
    this.#child = spawn(process.execPath, [ZOO, '--all'], { cwd: folder, env, stdio: ['ignore', 'pipe', 'pipe'] });
    this.#child.stdout.setEncoding('utf8').on('data', (text: string) => {
      this.output += text;
      this.#changed();
    });
    this.#child.stderr.setEncoding('utf8').on('data', (text: string) => (this.errors += text));
    this.#child.once('close', () => {
      this.#closed = true;
      this.#changed();
    });
  }

  /** The base URL that it printed, or an empty string before that. */
  get url(): string {
    return /^The zoo is open at (\S+)$/m.exec(this.output)?.[1] ?? '';
  }

  /** Its output about the token of keepers. */
  get token(): string {
    return /^token: (.+)$/m.exec(this.output)?.[1] ?? '';
  }

  /** The commands that it printed. */
  get suggestions(): string[] {
    return this.output.split('\n').filter((line) => line.startsWith('curl '));
  }

  /** Resolves when it has printed everything that it prints at its start. */
  async waitUntilOpen(): Promise<void> {
    const isOpen = (): boolean => this.output.endsWith('\n\n') && this.suggestions.some((line) => line.includes(LAST));
    await this.#until(() => this.#closed || isOpen());
    if (this.#closed) throw new Error(`the zoo did not open: ${this.errors}`);
  }

  /** Resolves when it has ended and its output is complete: to the exit status, or to the signal that killed it. */
  async waitUntilEnded(): Promise<number | NodeJS.Signals | null> {
    await this.#until(() => this.#closed);
    return this.#child.exitCode ?? this.#child.signalCode;
  }

  kill(signal: NodeJS.Signals): void {
    this.#child.kill(signal);
  }

  #until(done: () => boolean): Promise<void> {
    return new Promise((resolve, reject) => {
      const late = (): void => reject(new Error(`waited too long for the zoo: ${this.output}${this.errors}`));
      const timer = setTimeout(late, TIMEOUT_MS);
      this.#changed = () => {
        if (!done()) return;
        clearTimeout(timer);
        resolve();
      };
      this.#changed();
    });
  }
}

/** Starts the zoo, uses it, and ends it. */
export async function withZooProcess(
  file: string, use: (zoo: ZooProcess) => Promise<void>, environment: Readonly<Record<string, string>> = {},
): Promise<void> {
  const zoo = new ZooProcess({ ZOO_DB: file, ...environment });
  try {
    await zoo.waitUntilOpen();
    await use(zoo);
  } finally {
    zoo.kill('SIGKILL');
    await zoo.waitUntilEnded();
  }
}
