/** Every function of the user is called as a method of its object. */
import type { ApiRequest } from '../../../src/index.ts';
import { Endpoint } from '../../../src/endpoint/endpoint.ts';
import { checkServerOptions } from '../../../src/server/settings/server-options.ts';
import { assert, suite } from '../../support/facts.ts';

const schema = (json: unknown): unknown => [json];
const NOTHING = undefined;

/** An endpoint made of classes: every property is on a prototype and needs its own `this`. */
class Codec {
  readonly #prefix = 'id-';
  parse(text: string): string {
    return this.#prefix + text;
  }
  format(id: string): string {
    return id.slice(this.#prefix.length);
  }
}
class Operation {
  readonly #name = 'feed';
  readonly input: unknown;
  constructor(input?: unknown) {
    this.input = input;
  }
  run(...args: readonly unknown[]): unknown {
    return [this.#name, ...args];
  }
}
class Store {
  readonly #store = 'store';
  readonly id = new Codec();
  readonly schema = schema;
  readonly custom = { feed: new Operation(schema), walk: new Operation() };
  create(...args: readonly unknown[]): unknown {
    return [this.#store, 'create', ...args];
  }
  get(...args: readonly unknown[]): unknown {
    return [this.#store, 'get', ...args];
  }
  update(...args: readonly unknown[]): unknown {
    return [this.#store, 'update', ...args];
  }
  delete(...args: readonly unknown[]): unknown {
    return [this.#store, 'delete', ...args];
  }
}
class Derived extends Store {}

const REQUEST = {} as ApiRequest;

/** Calls an operation by its place in the declaration. */
function call({ operations }: Endpoint, index: number, id: unknown, input: unknown): unknown {
  return operations[index]?.run(id, input, REQUEST);
}

const instances = suite('an instance of a class');
for (const [how, make] of [['with its methods', () => new Store()], ['with inherited methods', () => new Derived()]] as const) {
  for (const [operation, use, expected] of [
    ['create', (endpoint) => call(endpoint, 0, NOTHING, 'item'), ['store', 'create', 'item', REQUEST]],
    ['get', (endpoint) => call(endpoint, 1, 'id', NOTHING), ['store', 'get', 'id', REQUEST]],
    ['update', (endpoint) => call(endpoint, 2, 'id', 'item'), ['store', 'update', 'id', 'item', REQUEST]],
    ['delete', (endpoint) => call(endpoint, 3, 'id', NOTHING), ['store', 'delete', 'id', REQUEST]],
    ['custom with input', (endpoint) => call(endpoint, 4, NOTHING, 'input'), ['feed', 'input', REQUEST]],
    ['custom without input', (endpoint) => call(endpoint, 5, NOTHING, NOTHING), ['feed', REQUEST]],
    ['id.parse', ({ id }) => id?.parse('ant'), 'id-ant'],
    ['id.format', ({ id }) => id?.format('id-ant', 'not an id:'), 'ant'],
  ] as readonly (readonly [string, (endpoint: Endpoint) => unknown, unknown])[]) {
    instances(`${how}: ${operation} keeps its \`this\` and its arguments`, () => {
      assert.equal(use(new Endpoint('/v1', '/pet', make(), checkServerOptions({}))), expected);
    });
  }
}
