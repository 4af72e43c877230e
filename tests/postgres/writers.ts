/**
 * Clients that change zoos and pets without a pause, one change at a time, and note the responses. A response of 2xx or 409 determines the
 * contents of the database. After a 502, 503 or 504, and after a lost connection, a change may or may not have been made. Its writer then leaves
 * that pet alone, since such a change may also be made late.
 */
import { Agent, request } from 'node:http';
import { text } from 'node:stream/consumers';

/** A pet whose id a writer has received. */
export interface ConfirmedPet {
  readonly id: number;
  readonly name: string;
  /** One of these is stored. */
  readonly legs: readonly number[];
  readonly is: 'there' | 'gone' | 'there or gone';
}

interface Received {
  readonly status: number;
  readonly body: string;
}

const TIMEOUT_MS = 600_000;
const MAX_TURNS = 5000;
const NO_RESPONSE = [502, 503, 504];

export class Writers {
  readonly pets: ConfirmedPet[] = [];
  /** The names of pets whose insert got no response. */
  readonly unconfirmedPets = new Set<string>();
  /** Zoos by their names: the id that a writer received, or `undefined` if writers received only that the name is taken. */
  readonly zoos = new Map<string, number | undefined>();
  /** The names of zoos whose insert got no response. */
  readonly unconfirmedZoos = new Set<string>();
  readonly meals = { confirmed: 0, unconfirmed: 0 };
  readonly wrong: string[] = [];
  confirmed = 0;
  unconfirmed = 0;
  readonly #port: number;
  readonly #token: string;
  readonly #zoo: number;
  readonly #fed: number;
  readonly #agent = new Agent({ keepAlive: true });
  #ends = false;

  /** `zoo` is the zoo of their pets. `fed` is a pet in it, which all of them feed. */
  constructor(port: number, token: string, zoo: number, fed: number) {
    this.#port = port;
    this.#token = token;
    this.#zoo = zoo;
    this.#fed = fed;
  }

  /** Runs so many of them until `end` is called. Resolves after the last response. */
  async run(count: number): Promise<void> {
    await Promise.all(Array.from({ length: count }, (_, writer) => this.#write(writer)));
    this.#agent.destroy();
    if (!this.#ends) this.wrong.push(`the writers have made ${MAX_TURNS} changes each before the end`);
  }

  end(): void {
    this.#ends = true;
  }

  async #write(writer: number): Promise<void> {
    for (let turn = 0; turn < MAX_TURNS && !this.#ends; turn += 1) {
      const inserted = await this.#insertPet(`${writer}-${turn}`);
      await this.#feed();
      await this.#insertZoo(`Zoo ${turn}`);
      if (inserted === undefined) continue;
      const changed = await this.#changePet(inserted, turn % 100);
      const leaves = changed.legs.length === 1 && turn % 2 === 0;
      this.pets.push(leaves ? await this.#removePet(changed) : changed);
    }
  }

  async #insertPet(name: string): Promise<ConfirmedPet | undefined> {
    const response = await this.#ask('POST', this.#pathOf(), { name, legs: 4, lethal: false }, [201]);
    if (response !== undefined) return { id: Number(response.body), name, legs: [4], is: 'there' };
    this.unconfirmedPets.add(name);
    return undefined;
  }

  async #changePet(pet: ConfirmedPet, legs: number): Promise<ConfirmedPet> {
    const response = await this.#ask('PATCH', this.#pathOf(pet.id), { legs }, [204]);
    return { ...pet, legs: response === undefined ? [...pet.legs, legs] : [legs] };
  }

  async #removePet(pet: ConfirmedPet): Promise<ConfirmedPet> {
    const response = await this.#ask('DELETE', this.#pathOf(pet.id), undefined, [204]);
    return { ...pet, is: response === undefined ? 'there or gone' : 'gone' };
  }

  async #feed(): Promise<void> {
    const response = await this.#ask('POST', `${this.#pathOf(this.#fed)}/feed`, { grams: 1 }, [200]);
    this.meals[response === undefined ? 'unconfirmed' : 'confirmed'] += 1;
  }

  /** All writers want the same names. */
  async #insertZoo(name: string): Promise<void> {
    const response = await this.#ask('POST', '/v1/zoo', { name, city: 'Utrecht' }, [201, 409]);
    if (response === undefined) {
      this.unconfirmedZoos.add(name);
    } else if (response.status === 409) {
      this.zoos.set(name, this.zoos.get(name));
    } else {
      if (this.zoos.get(name) !== undefined) this.wrong.push(`${name} was stored for two writers`);
      this.zoos.set(name, Number(response.body));
    }
  }

  #pathOf(pet?: number): string {
    return `/v1/zoo/${this.#zoo}/pet${pet === undefined ? '' : `/${pet}`}`;
  }

  /** Returns the response, or `undefined` if there was no response. */
  async #ask(method: string, path: string, json: object | undefined, expected: readonly number[]): Promise<Received | undefined> {
    const response = await this.#send(method, path, json).catch(() => undefined);
    if (response === undefined || NO_RESPONSE.includes(response.status)) {
      this.unconfirmed += 1;
      return undefined;
    }
    if (expected.includes(response.status)) this.confirmed += 1;
    else this.wrong.push(`${method} ${path} -> ${response.status} ${response.body}`);
    return response;
  }

  async #send(method: string, path: string, json: object | undefined): Promise<Received> {
    const body = json === undefined ? '' : JSON.stringify(json);
    const headers = {
      'Authorization': `Bearer ${this.#token}`,
      ...(json === undefined ? {} : { 'Content-Type': 'application/json', 'Content-Length': Buffer.byteLength(body) }),
    };
    return new Promise((resolve, reject) => {
      const signal = AbortSignal.timeout(TIMEOUT_MS);
      const sent = request({ port: this.#port, host: '127.0.0.1', agent: this.#agent, method, path, headers, signal });
      sent.once('error', reject);
      sent.once('response', (message) => {
        text(message).then((received) => resolve({ status: message.statusCode ?? 0, body: received }), reject);
      });
      sent.end(body);
    });
  }
}
