/**
 * Payments whose process is killed, with `kill -9`, after each of their statements in turn. Their client sends each of them again with its
 * key, to another process over the same store, until it gets a response.
 */
import { randomUUID } from 'node:crypto';
import { fileURLToPath } from 'node:url';
import { Child } from './child.ts';
import { delay } from './wait.ts';

const PROGRAM = fileURLToPath(new URL('paying-instance.js', import.meta.url));
const MAX_ATTEMPTS = 1000;
const PAUSED = /^paused after (.+)$/m;

export interface KilledPayments {
  /** The statements of a payment, after each of which one was killed. */
  readonly statements: readonly string[];
  /** Those after which the payment was not made once, or did not get the response with what it did. */
  readonly wrong: readonly string[];
}

interface PaymentResponse {
  readonly status: number;
  readonly eaten: number;
  readonly isReplayed: boolean;
}

/** Pays over the store at a place. `keys` are those of the example, or `apart`: with the error that they store a response after its payment. */
export async function payAndKill(database: string, keys: 'together' | 'apart'): Promise<KilledPayments> {
  const survivor = new PayingProcess(database, 0, keys);
  try {
    await survivor.listening();
    const statements: string[] = [];
    const wrong: string[] = [];
    for (let eaten = 0; ;) {
      const key = randomUUID();
      const statement = await payUntilKilled(database, statements.length + 1, keys, key);
      if (statement === undefined) return { statements, wrong };
      statements.push(statement);
      const response = await untilResponse(survivor, key);
      const again = await untilResponse(survivor, key);
      if (response.eaten !== eaten + 1 || again.eaten !== response.eaten || !again.isReplayed) wrong.push(statement);
      ({ eaten } = await untilResponse(survivor, randomUUID()));
      if (eaten !== response.eaten + 1) wrong.push(`${statement}, and later`);
    }
  } finally {
    await survivor.kill();
  }
}

/** Resolves to the statement after which the payment was killed, or `undefined` if it has fewer and got its response. */
async function payUntilKilled(database: string, number: number, keys: string, key: string): Promise<string | undefined> {
  const paying = new PayingProcess(database, number, keys);
  try {
    await paying.listening();
    const paid = paying.pay(key).then(() => undefined);
    // It fails when the process is killed.
    paid.catch(() => {});
    return await Promise.race([paid, paying.paused()]);
  } finally {
    await paying.kill();
  }
}

/** As a client does: after a 409, the claim of the killed process may not be free yet. */
async function untilResponse(process: PayingProcess, key: string): Promise<PaymentResponse> {
  for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt += 1) {
    const response = await process.pay(key);
    if (response.status === 200) return response;
    if (response.status !== 409) throw new Error(`a payment got ${response.status}: ${process.output}`);
    await delay(5);
  }
  throw new Error('a payment is running for ever');
}

class PayingProcess {
  readonly #child: Child;
  #url = '';

  constructor(database: string, number: number, keys: string) {
    this.#child = new Child([PROGRAM, database, String(number), keys]);
  }

  get output(): string {
    return this.#child.output;
  }

  async listening(): Promise<void> {
    [, this.#url = ''] = await this.#child.waitForOutput(/^listening at (\S+)$/m);
  }

  /** Resolves to the statement after which it has paused. */
  async paused(): Promise<string | undefined> {
    return (await this.#child.waitForOutput(PAUSED))[1];
  }

  async pay(key: string): Promise<PaymentResponse> {
    const response = await fetch(`${this.#url}/v1/pet/feed`, { method: 'POST', headers: { 'Idempotency-Key': `"${key}"` } });
    const { eaten = NaN } = await response.json() as Partial<PaymentResponse>;
    return { status: response.status, eaten, isReplayed: response.headers.has('Idempotent-Replayed') };
  }

  async kill(): Promise<void> {
    await this.#child.end('SIGKILL');
  }
}
