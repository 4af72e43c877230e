/** The example `zoo.js --all` as a child process, on a free port, for the duration of some tests. */
import { fileURLToPath } from 'node:url';
import { Child } from './child.ts';
import { ZooClient } from './zoo-client.ts';

const ZOO = fileURLToPath(new URL('../../examples/zoo.js', import.meta.url));
// The last command that it prints ends with an empty line.
const OPEN = /^curl [^\n]*\/v1\/event\?[^]*\n\n/m;

export class ZooProcess extends ZooClient {
  readonly #child: Child;

  /** Starts it in a folder, from which it loads `pg`. */
  constructor(environment: Readonly<Record<string, string>>, folder: string = process.cwd()) {
    super();
    this.#child = new Child([ZOO, '--all'], { HOST: '', PORT: '0', ZOO_TOKEN: '', ...environment }, folder);
  }

  get output(): string {
    return this.#child.printed;
  }

  get errors(): string {
    return this.#child.errors;
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
    await this.#child.waitForOutput(OPEN);
  }

  /** Resolves when it has ended and its output is complete: to the exit status, or to the signal that killed it. */
  async waitUntilEnded(): Promise<number | NodeJS.Signals | null> {
    return await this.#child.exit() ?? this.#child.signal;
  }

  kill(signal: NodeJS.Signals): void {
    this.#child.send(signal);
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
