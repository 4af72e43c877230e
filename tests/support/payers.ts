/**
 * Clients that pay: each payment feeds one pet a gram, with a key of its own, and is sent again until it gets a response. So a payment that was made twice, or not
 * at all, shows in what the pet has eaten. Meanwhile the server is killed, with `kill -9`: at any moment, or after each statement of a payment in turn.
 */
import { randomUUID } from 'node:crypto';
import { fileURLToPath } from 'node:url';
import { Child } from './child.ts';
import { delay } from './wait.ts';

const PROGRAM = fileURLToPath(new URL('paying-instance.js', import.meta.url));
const TIMEOUT_MS = 10_000;
const MAX_ATTEMPTS = 2000;
const WAIT_MS = 10;
// After a 409, the claim of a killed process may not be free yet. The others are of a balancer.
const SENT_AGAIN = [409, 502, 503, 504];

/** Sends a request again until it has a response that is not one of these. */
export async function untilResponse(send: () => Promise<Response>): Promise<{ readonly body: string; readonly isReplayed: boolean }> {
  for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt += 1) {
    const response = await send().catch(() => undefined);
    const body = await response?.text().catch(() => undefined);
    if (response?.ok === true && body !== undefined) return { body, isReplayed: response.headers.has('Idempotent-Replayed') };
    if (response !== undefined && !response.ok && !SENT_AGAIN.includes(response.status)) throw new Error(`a request got ${response.status} ${body}`);
    await delay(WAIT_MS);
  }
  throw new Error('a request got no response');
}

/** Kills something again and again, while clients work: each time after some more of `total` are `done`, at another moment of the work. */
export async function killWhile(work: Promise<unknown>, done: readonly unknown[], total: number, kills: number, kill: (turn: number) => Promise<void>): Promise<void> {
  let isOver = false;
  const worked = work.finally(() => (isOver = true));
  const killed = (async () => {
    for (let turn = 0; turn < kills; turn += 1) {
      while (!isOver && done.length < Math.floor((turn + 0.5) * total / kills)) await delay(1);
      await delay(Math.random() * 5);
      await kill(turn);
    }
  })();
  await Promise.all([worked, killed]);
}

/** Makes so many of something, by so many clients at once. */
export async function shareOut(total: number, clients: number, make: (number: number) => Promise<void>): Promise<void> {
  let begun = 0;
  await Promise.all(Array.from({ length: clients }, async () => {
    while (begun < total) await make(begun += 1);
  }));
}

export interface Target {
  /** Where the zoo is now. It may be another place after a restart. */
  readonly url: () => string;
  readonly token: () => string;
  /** `/v1/zoo/7/pet/3` */
  readonly pet: string;
}

interface Payment {
  readonly body: string;
  readonly eaten: number;
  readonly isReplayed: boolean;
}

function pay({ url, token, pet }: Target, key: string): Promise<Response> {
  return fetch(`${url()}${pet}/feed`, {
    method: 'POST',
    headers: { 'Authorization': `Bearer ${token()}`, 'Content-Type': 'application/json', 'Idempotency-Key': `"${key}"` },
    body: '{"grams":1}',
    signal: AbortSignal.timeout(TIMEOUT_MS),
  });
}

async function payUntilResponse(target: Target, key: string, onAttempt = (): void => {}): Promise<Payment> {
  const response = await untilResponse(() => (onAttempt(), pay(target, key)));
  return { ...response, eaten: Number(JSON.parse(response.body).eaten) };
}

export class Payers {
  /** What the pet had eaten after each payment, by its response. */
  readonly eaten: number[] = [];
  readonly wrong: string[] = [];
  attempts = 0;
  readonly #target: Target;
  readonly #payments: number;

  constructor(target: Target, payments: number) {
    this.#target = target;
    this.#payments = payments;
  }

  /** Runs so many clients until all payments have their responses. Each tenth payment is sent again after that. */
  run(clients: number): Promise<void> {
    return shareOut(this.#payments, clients, async (number) => {
      const key = randomUUID();
      const paid = (): Promise<Payment> => payUntilResponse(this.#target, key, () => (this.attempts += 1));
      const { body, eaten } = await paid();
      this.eaten.push(eaten);
      if (number % 10 !== 0) return;
      const again = await paid();
      if (again.body !== body || !again.isReplayed) this.wrong.push(`got ${body}, and again ${again.body}`);
    });
  }
}

/** From 1 to so many. */
export function countTo(count: number): number[] {
  return Array.from({ length: count }, (_, at) => at + 1);
}

export interface KilledPayments {
  /** The statements of a payment, after each of which one was killed. */
  readonly statements: readonly string[];
  /** Those after which the payment was not made once, or did not get the response with what it did. */
  readonly wrong: readonly string[];
}

/** Pays over the store at a place, and kills a process after each statement. `keys` are those of the example, or `apart`: with the error that they store a response after its payment. */
export async function payAndKill(database: string, keys: 'together' | 'apart'): Promise<KilledPayments> {
  const start = (number: number): Child => new Child([PROGRAM, database, String(number), keys]);
  const survivor = start(0);
  try {
    const target = targetAt(await survivor.listening());
    const statements: string[] = [];
    const wrong: string[] = [];
    for (let eaten = 0; ;) {
      const key = randomUUID();
      const statement = await payUntilKilled(start(statements.length + 1), key);
      if (statement === undefined) return { statements, wrong };
      statements.push(statement);
      const response = await payUntilResponse(target, key);
      const again = await payUntilResponse(target, key);
      if (response.eaten !== eaten + 1 || again.eaten !== response.eaten || !again.isReplayed) wrong.push(statement);
      ({ eaten } = await payUntilResponse(target, randomUUID()));
      if (eaten !== response.eaten + 1) wrong.push(`${statement}, and later`);
    }
  } finally {
    await survivor.end('SIGKILL');
  }
}

/** Resolves to the statement after which the payment was killed, or `undefined` if it has fewer and got its response. */
async function payUntilKilled(paying: Child, key: string): Promise<string | undefined> {
  try {
    const paid = pay(targetAt(await paying.listening()), key).then(() => undefined);
    // It fails when the process is killed.
    paid.catch(() => {});
    return await Promise.race([paid, paying.waitForOutput(/^paused after (.+)$/m).then(([, statement]) => statement)]);
  } finally {
    await paying.end('SIGKILL');
  }
}

function targetAt(url: string): Target {
  return { url: () => url, token: () => '', pet: '/v1/pet' };
}
