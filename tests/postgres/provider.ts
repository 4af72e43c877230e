/** A payment provider with idempotency keys as Stripe's: the first response to a key is stored, a 500 too. It can fail before and after it has charged. */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';
import { delay } from '../support/wait.ts';

/** `before`: a 503, and nothing is made. `after`: made, and a 500. `cut`: made, and the connection breaks. `silent`: made, and no response. */
export type ProviderFailure = 'before' | 'after' | 'cut' | 'silent';

/** A charge or a refund that was made. */
export interface Made {
  readonly key: string;
  readonly id: string;
  readonly cents: number;
  /** Of a refund. */
  readonly charge?: string;
}

interface Asked {
  readonly cents: number;
  readonly card?: string;
  readonly charge?: string;
}

interface StoredResponse {
  readonly request: string;
  response?: readonly [status: number, body: object];
}

/** The amount of a refund that the provider rejects. */
export const REJECTED_REFUND = 13;

export class Provider {
  readonly made: Made[] = [];
  /** The requests to make something, as `charge` or `refund`. */
  readonly asked: string[] = [];
  readonly failed: ProviderFailure[] = [];
  readonly #rejected: { readonly key: string; readonly code: string }[] = [];
  readonly #stored = new Map<string, StoredResponse>();
  readonly #nextFailure: () => ProviderFailure | undefined;
  readonly #server = createServer((request, response) => void this.#respond(request, response));

  /** `nextFailure` says how each request to make something fails, if it has a new key. */
  constructor(nextFailure: () => ProviderFailure | undefined) {
    this.#nextFailure = nextFailure;
  }

  /** Listens while `use` runs. */
  async serve(use: (url: string) => Promise<void>): Promise<void> {
    await new Promise<void>((resolve) => this.#server.listen(0, '127.0.0.1', resolve));
    try {
      await use(`http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`);
    } finally {
      this.#server.close();
      this.#server.closeAllConnections();
    }
  }

  async #respond(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { pathname, searchParams } = new URL(request.url ?? '', 'http://localhost');
    const send = (status: number, body: object): void => void response.writeHead(status, { 'Content-Type': 'application/json' }).end(JSON.stringify(body));
    if (request.method === 'GET') {
      const key = searchParams.get('key');
      send(200, [...this.made, ...this.#rejected].filter((each) => each.key === key));
      return;
    }
    const key = String(request.headers['idempotency-key']);
    const asked = await json(request) as Asked;
    const kind = pathname.slice(1);
    this.asked.push(kind);
    const sent = JSON.stringify([kind, asked]);
    const known = this.#stored.get(key);
    if (known !== undefined) {
      if (known.request !== sent) send(400, {});
      else if (known.response === undefined) send(409, {});
      else send(...known.response);
      return;
    }
    const failure = this.#nextFailure();
    if (failure !== undefined) this.failed.push(failure);
    if (failure === 'before') {
      send(503, {});
      return;
    }
    const stored: StoredResponse = { request: sent };
    this.#stored.set(key, stored);
    await delay(5);
    const outcome = this.#make(kind, key, asked);
    stored.response = failure === 'after' ? [500, {}] : outcome;
    if (failure === 'cut') request.socket.destroy();
    else if (failure !== 'silent') send(...stored.response);
  }

  #make(kind: string, key: string, { cents, card, charge }: Asked): [status: number, body: object] {
    if (card === 'declined' || (charge !== undefined && cents === REJECTED_REFUND)) {
      const code = charge === undefined ? 'card_declined' : 'disputed';
      this.#rejected.push({ key, code });
      return [402, { code }];
    }
    const id = `${kind}-${this.made.length + 1}`;
    this.made.push({ key, id, cents, ...(charge !== undefined && { charge }) });
    return [200, { id }];
  }
}
