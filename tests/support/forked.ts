/** A child process that responds to questions of its parent. It never outlives the parent's use of it. */
import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';

interface Asked<Question> {
  readonly number: number;
  readonly question: Question;
}

interface Result {
  readonly number: number;
  readonly value?: unknown;
  readonly error?: string;
}

/** The parent's side. */
export class Forked<Question> {
  readonly #process: ChildProcess;
  readonly #waiting = new Map<number, (response: Result) => void>();
  #lastNumber = 0;

  constructor(program: URL, ...[args = [], execArgv = []]: [args?: readonly string[], execArgv?: readonly string[]]) {
    this.#process = fork(program, args, { execArgv: [...execArgv] });
    this.#process.on('message', (response: Result) => {
      this.#waiting.get(response.number)?.(response);
      this.#waiting.delete(response.number);
    });
    this.#process.on('exit', () => {
      for (const [number, settle] of this.#waiting) settle({ number, error: this.#ending });
      this.#waiting.clear();
    });
  }

  /** Asks, and waits for the response. Rejects if the question fails, or if the process ends first. */
  async ask(question: Question): Promise<unknown> {
    if (!this.#process.connected) throw new Error(this.#ending);
    const number = (this.#lastNumber += 1);
    const { value, error } = await new Promise<Result>((resolve) => {
      this.#waiting.set(number, resolve);
      this.#process.send({ number, question } satisfies Asked<Question>);
    });
    if (error !== undefined) throw new Error(error);
    return value;
  }

  async end(): Promise<void> {
    if (this.#process.exitCode !== null || this.#process.signalCode !== null) return;
    this.#process.kill();
    await once(this.#process, 'exit');
  }

  get #ending(): string {
    return `the process ended with ${this.#process.exitCode ?? this.#process.signalCode}`;
  }
}

/** The child's side: responds to each question with the result of `respond`, or the value of its promise. */
export function respondToParent<Question>(respond: (question: Question) => unknown): void {
  process.on('message', ({ number, question }: Asked<Question>) => {
    const send = (result: Result): void => void process.send?.(result);
    new Promise((resolve) => resolve(respond(question))).then(
      (value) => send({ number, value }),
      (error: unknown) => send({ number, error: error instanceof Error ? error.message : String(error) }),
    );
  });
  // The parent has ended without a word.
  process.on('disconnect', () => process.exit());
}
