/** An endpoint under the path where it is served, and its operations: what is needed of them at each request, held once. */
import type { Declaration, DeclaredOperation, HostFunction, IdDeclaration } from '../../endpoint/declaration.ts';
import type { Kind } from '../../endpoint/kinds.ts';
import type { Decode } from '../../endpoint/decoder.ts';
import type { Settings } from '../settings/options.ts';

export class ServedEndpoint {
  /** Root and sub-path, joined; empty where both are. */
  readonly base: string;
  readonly id: IdDeclaration;
  readonly operations: readonly Operation[];
  readonly settings: Settings;
  readonly #receiver: object;
  readonly #isNotFound: HostFunction | undefined;

  constructor(base: string, { receiver, id, operations, isNotFound }: Declaration, settings: Settings) {
    this.base = base;
    this.id = id;
    this.settings = settings;
    this.#receiver = receiver;
    this.#isNotFound = isNotFound;
    this.operations = operations.map((declared) => new Operation(this, declared));
  }

  /** The path of what its operations share without an id. */
  get collectionPath(): string {
    return this.base === '' ? '/' : this.base;
  }

  /** The path of an item. */
  get itemPath(): string {
    return `${this.base}/:id`;
  }

  /** Says whether a failure means "not found": as the endpoint has it, else the server. */
  isNotFound(failure: unknown): boolean {
    if (this.#isNotFound !== undefined) return this.#isNotFound.call(this.#receiver, failure) as boolean;
    const { isNotFound } = this.settings;
    return isNotFound(failure);
  }
}

export class Operation {
  readonly endpoint: ServedEndpoint;
  readonly kind: Kind;
  readonly decode: Decode | undefined;
  readonly #name: string;
  readonly #receiver: object;
  readonly #run: HostFunction;
  readonly #stringify: HostFunction | undefined;

  constructor(endpoint: ServedEndpoint, { kind, name, receiver, run, decode, stringify }: DeclaredOperation) {
    this.endpoint = endpoint;
    this.kind = kind;
    this.decode = decode;
    this.#name = name;
    this.#receiver = receiver;
    this.#run = run;
    this.#stringify = stringify;
  }

  /** The pattern of its route. */
  get path(): string {
    const { suffix } = this.kind;
    if (suffix === '') return this.endpoint.collectionPath;
    return suffix === '/:id' ? this.endpoint.itemPath : `${this.endpoint.base}/${this.#name}`;
  }

  /** Calls the host's function with those of the arguments that it has, in their order: the id, the input, the request. */
  run(id: unknown, input: unknown, request: unknown): unknown {
    const run = this.#run;
    const receiver = this.#receiver;
    if (this.kind.suffix !== '/:id') return this.decode === undefined ? run.call(receiver, request) : run.call(receiver, input, request);
    return this.decode === undefined ? run.call(receiver, id, request) : run.call(receiver, id, input, request);
  }

  /** Whether the host writes results itself, in place of `JSON.stringify`. */
  get hasStringify(): boolean {
    return this.#stringify !== undefined;
  }

  /** What the host's `stringify` gives for a result: text, if it does as it should. */
  stringify(result: unknown): unknown {
    return this.#stringify?.call(this.#receiver, result);
  }
}
