/** A server that keeps what it declares, and whose parts a test can replace by wrong ones. */
import { anyone, bearer } from '../../src/auth/index.ts';
import { checks, type Check, type ChecksOptions } from '../../src/checks/index.ts';
import { ApiError, ApiServer, type ApiServerOptions, integerId } from '../../src/index.ts';
import { idempotent, type IdempotencyStore, memoryIdempotencyStore, pages } from '../../src/interceptors/index.ts';
import { describe } from '../../src/openapi/describe.ts';

export interface Pet {
  readonly name: string;
  readonly legs: number;
}

/** The store, and what the checked endpoint is made of. A bug changes one of them. */
export class Parts {
  readonly pets = new Map<number, Pet>();
  readonly log: string[] = [];
  lastId = 0;
  keys: IdempotencyStore<any> = memoryIdempotencyStore();
  readonly context = bearer((token) => (TOKENS[token] === undefined ? undefined : { scopes: TOKENS[token] }), { getScopes: ({ scopes }) => scopes });
  readonly schema: any = standard(PET, (value) => {
    const { name, legs } = Object(value) as Partial<Pet>;
    return typeof name === 'string' && Number.isInteger(legs) ? { value: { name, legs } } : { issues: [{ message: 'expected a pet' }] };
  });
  endpoint: Record<string, any> = {
    id: integerId,
    schema: this.schema,
    context: this.context,
    version: ({ name, legs }: Pet) => `${name} ${legs}`,
    list: {
      context: anyone, use: pages({ cursor: (pet: Pet) => this.idOf(pet) }), output: standard({ type: 'array', items: PET }),
      run: ({ page: { after = '0', take } }: any) => [...this.pets].filter(([id]) => id > Number(after)).slice(0, take).map(([, pet]) => pet),
    },
    get: { context: anyone, run: (id: number) => this.pets.get(id) },
    create: { scopes: ['pet:write'], use: idempotent({ once: (claim, run) => this.keys.once(claim, run) }, { caller: () => 'ann' }), run: (pet: Pet) => this.insert(pet) },
    update: { scopes: ['pet:write'], run: (id: number, pet: Pet) => this.change(id, pet) },
    patch: { input: standard({ type: 'object', properties: { legs: { type: 'integer' } } }), run: (id: number, change: Partial<Pet>) => this.change(id, change) },
    delete: (id: number) => this.pets.delete(id),
    custom: { count: { output: standard({ type: 'object', required: ['pets'], properties: { pets: { type: 'integer' } } }), run: () => ({ pets: this.pets.size }) } },
    itemCustom: { feed: { input: standard({ type: 'object', required: ['grams'] }), output: standard({ type: 'string' }), run: (id: number) => `fed ${id}` } },
  };

  idOf(pet: Pet): number {
    return [...this.pets].find(([, each]) => each === pet)?.[0] ?? 0;
  }

  insert(pet: Pet): number {
    this.lastId += 1;
    this.pets.set(this.lastId, pet);
    return this.lastId;
  }

  change(id: number, change: Partial<Pet>): boolean {
    const pet = this.pets.get(id);
    if (pet === undefined) throw ApiError.notFound();
    this.pets.set(id, { ...pet, ...change });
    return true;
  }
}

const TOKENS: Readonly<Record<string, readonly string[]>> = { all: ['pet:write'], none: [] };
const PET = { type: 'object', required: ['name', 'legs'], properties: { name: { type: 'string' }, legs: { type: 'integer' } } };

/** A Standard Schema with this JSON Schema. It accepts everything unless `validate` says otherwise. */
export function standard(schema: object, validate: (value: unknown) => unknown = defaultValidate(schema)): any {
  return { '~standard': { version: 1, vendor: 'tests', validate, jsonSchema: { input: () => schema, output: () => schema } } };
}

function defaultValidate({ type }: { readonly type?: unknown }): (value: unknown) => unknown {
  return (value) => (type === 'object' && (typeof value !== 'object' || value === null || Array.isArray(value)) ? { issues: [{ message: 'expected an object' }] } : { value });
}

export const OPTIONS: ChecksOptions = {
  headers: { Authorization: 'Bearer all' },
  unscoped: { authorization: 'Bearer none' },
  samples: {
    petCreate: { body: { name: 'Rex', legs: 4 } },
    petPatch: { body: { legs: 3 } },
    petCount: {},
    petItemFeed: { body: { grams: 5 } },
  },
};

/** The checks of a server that `change` has changed, with samples for the operations that it has. */
export function checksOf(change: (parts: Parts, server: ApiServer) => void, options: ChecksOptions = {}, serverOptions: ApiServerOptions = {}): Check[] {
  const parts = new Parts();
  const server = new ApiServer('/v1', { logger: { info: () => {}, error: () => {} }, limits: { bodyBytes: 10_000 }, ...serverOptions });
  change(parts, server);
  server.registerEndpoint('/pet', parts.endpoint as never);
  const ids = describe(server).operations.map(({ operationId }) => operationId);
  const samples = Object.fromEntries(Object.entries({ ...OPTIONS.samples, ...options.samples }).filter(([id]) => ids.includes(id)));
  return checks(server, { ...OPTIONS, ...options, samples });
}

/** The names of the checks that fail, with their messages. */
export async function failuresOf(all: readonly Check[]): Promise<Map<string, string>> {
  const failed = new Map<string, string>();
  for (const { name, run } of all) await run().catch((error: Error) => failed.set(name, error.message));
  return failed;
}
