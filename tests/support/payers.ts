/**
 * Clients that pay: each payment feeds one pet a gram, with a key of its own, and is sent again until it gets a response. So a payment that was made twice, or not
 * at all, shows in what the pet has eaten.
 */
import { randomUUID } from 'node:crypto';
import { delay } from './wait.ts';

const TIMEOUT_MS = 10_000;
const MAX_ATTEMPTS = 2000;
const WAIT_MS = 10;

interface PaymentResponse {
  readonly status: number;
  readonly body: string;
  readonly isReplayed: boolean;
}

export interface Target {
  /** Where the zoo is now. It may be another place after a restart. */
  readonly url: () => string;
  readonly token: () => string;
  /** `/v1/zoo/7/pet/3` */
  readonly pet: string;
}

export class Payers {
  /** What the pet had eaten after each payment, by its response. */
  readonly eaten: number[] = [];
  readonly wrong: string[] = [];
  attempts = 0;
  replayed = 0;
  readonly #target: Target;
  readonly #payments: number;
  #begun = 0;

  constructor(target: Target, payments: number) {
    this.#target = target;
    this.#payments = payments;
  }

  /** Runs so many clients until all payments have their responses. */
  async run(clients: number): Promise<void> {
    await Promise.all(Array.from({ length: clients }, () => this.#payOnAndOn()));
  }

  async #payOnAndOn(): Promise<void> {
    while (this.#begun < this.#payments) {
      this.#begun += 1;
      const key = randomUUID();
      const { body } = await this.#pay(key);
      this.eaten.push(Number(JSON.parse(body).eaten));
      if (this.#begun % 10 !== 0) continue;
      const again = await this.#pay(key);
      if (again.body !== body || !again.isReplayed) this.wrong.push(`got ${body}, and again ${again.body}`);
    }
  }

  async #pay(key: string): Promise<PaymentResponse> {
    for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt += 1) {
      this.attempts += 1;
      const response = await this.#send(key).catch(() => undefined);
      if (response?.status === 200) {
        if (response.isReplayed) this.replayed += 1;
        return response;
      }
      if (response !== undefined && ![409, 502, 503, 504].includes(response.status)) throw new Error(`a payment got ${response.status} ${response.body}`);
      await delay(WAIT_MS);
    }
    throw new Error('a payment got no response');
  }

  async #send(key: string): Promise<PaymentResponse> {
    const { url, token, pet } = this.#target;
    const response = await fetch(`${url()}${pet}/feed`, {
      method: 'POST',
      headers: { 'Authorization': `Bearer ${token()}`, 'Content-Type': 'application/json', 'Idempotency-Key': `"${key}"` },
      body: '{"grams":1}',
      signal: AbortSignal.timeout(TIMEOUT_MS),
    });
    return { status: response.status, body: await response.text(), isReplayed: response.headers.has('Idempotent-Replayed') };
  }
}

/** Kills something again and again, while payers pay: each time after some more payments, at another moment of a payment. */
export async function payWhileKilled(payers: Payers, { payments, kills, clients }: { readonly payments: number; readonly kills: number; readonly clients: number }, kill: (turn: number) => Promise<void>): Promise<void> {
  let isOver = false;
  const paid = payers.run(clients).finally(() => (isOver = true));
  const killed = (async () => {
    for (let turn = 0; turn < kills; turn += 1) {
      const enough = Math.floor((turn + 0.5) * payments / kills);
      while (!isOver && payers.eaten.length < enough) await delay(1);
      await delay(Math.random() * 5);
      await kill(turn);
    }
  })();
  await Promise.all([paid, killed]);
}

/** From 1 to so many. */
export function countTo(count: number): number[] {
  return Array.from({ length: count }, (_, at) => at + 1);
}
