/**
 * What an editor shows. Types have few enough lines to read: an object type without a name takes a line for each property, so a call shows one
 * object in full, and the others come after it, where the compiler cuts its text. Properties have their docstrings, and those that are not for
 * users are not suggested.
 */
import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { COMPILER } from './support/compiled-cases.ts';

interface Message {
  readonly id?: number;
  readonly method?: string;
  readonly params?: { readonly items?: readonly unknown[] };
  readonly result?: unknown;
}

const HEAD = /^Content-Length: (\d+)\r\n(?:[^\r]+\r\n)*\r\n/i;

/** The compiler's language server, as editors ask it over the Language Server Protocol: JSON-RPC messages with a `Content-Length`. */
class LanguageServer {
  readonly #process: ChildProcessWithoutNullStreams = spawn(process.execPath, [COMPILER, '--lsp', '--stdio']);
  readonly #waiting = new Map<number, (result: unknown) => void>();
  #received = Buffer.alloc(0);

  static async start(): Promise<LanguageServer> {
    const server = new LanguageServer();
    server.#process.stdout.on('data', (chunk: Buffer) => server.#take(chunk));
    const capabilities = { textDocument: { hover: { contentFormat: ['markdown'] }, completion: {} } };
    await server.#ask('initialize', { processId: process.pid, rootUri: null, capabilities });
    server.#send({ method: 'initialized', params: {} });
    return server;
  }

  /** The code that an editor shows for the text at a place in a file. */
  async hover(path: string, text: string, offset: number): Promise<string> {
    return (await this.describe(path, text, offset)).code;
  }

  /** The code and the docstring that an editor shows for the text at a place in a file. */
  async describe(path: string, text: string, offset: number): Promise<{ readonly code: string; readonly doc: string }> {
    const shown = await this.#at('textDocument/hover', path, text, offset) as { readonly contents: { readonly value: string } } | null;
    const [, code, doc = ''] = /^```\w+\n([^]*?)\n```\n?([^]*)/.exec(shown?.contents.value ?? '') ?? [];
    if (code === undefined) throw new Error(`no code is shown at ${text.slice(offset, offset + 20)}: ${JSON.stringify(shown)}`);
    return { code, doc };
  }

  /** The names that an editor suggests at a place in a file. */
  async complete(path: string, text: string, offset: number): Promise<string[]> {
    const found = await this.#at('textDocument/completion', path, text, offset) as { readonly items: readonly { readonly label: string }[] } | null;
    return found?.items.map(({ label }) => label.replace(/\?$/, '')) ?? [];
  }

  async #at(method: string, path: string, text: string, offset: number): Promise<unknown> {
    const uri = pathToFileURL(path).href;
    this.#send({ method: 'textDocument/didOpen', params: { textDocument: { uri, languageId: 'typescript', version: 1, text } } });
    const lines = text.slice(0, offset).split('\n');
    const position = { line: lines.length - 1, character: lines.at(-1)?.length };
    const result = await this.#ask(method, { textDocument: { uri }, position });
    this.#send({ method: 'textDocument/didClose', params: { textDocument: { uri } } });
    return result;
  }

  async stop(): Promise<void> {
    const exited = once(this.#process, 'exit');
    this.#process.kill();
    await exited;
  }

  #ask(method: string, params: object): Promise<unknown> {
    const id = this.#waiting.size + 1;
    return new Promise((resolve) => {
      this.#waiting.set(id, resolve);
      this.#send({ id, method, params });
    });
  }

  #send(message: object): void {
    const body = JSON.stringify({ jsonrpc: '2.0', ...message });
    this.#process.stdin.write(`Content-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`);
  }

  #take(chunk: Buffer): void {
    this.#received = Buffer.concat([this.#received, chunk]);
    for (;;) {
      const [head, length] = HEAD.exec(this.#received.toString('latin1')) ?? [];
      if (head === undefined || this.#received.length < head.length + Number(length)) return;
      const body = this.#received.subarray(head.length, head.length + Number(length));
      this.#received = this.#received.subarray(head.length + Number(length));
      this.#respond(JSON.parse(body.toString()) as Message);
    }
  }

  /** Takes a result, or responds to the server's own question: it has no settings. */
  #respond({ id, method, params, result }: Message): void {
    if (id === undefined) return;
    if (method === undefined) this.#waiting.get(id)?.(result);
    else this.#send({ id, result: params?.items?.map(() => null) ?? null });
  }
}

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const FILE = `${ROOT}build/types-hover.ts`;
const MAX_LINES = 20;

// No line begins with `import`: `.ci/packed-tests.js` would take it for one of this file.
const TEXT = ` import { ApiServer, bytes, created, defineEndpoint, integerId, reply, type StandardSchemaV1 } from '../dist/index.js';
 import { bearer } from '../dist/auth/index.js';
 import { client } from '../dist/client/index.js';
 import { wildcardId } from '../dist/index.js';
 import { ranges } from '../dist/formats/index.js';
 import { idempotent, memoryIdempotencyStore, pages } from '../dist/interceptors/index.js';
interface Pet { readonly name: string; readonly legs: number }
interface User { readonly name: string }
interface Portion { readonly grams: number }
declare const petSchema: StandardSchemaV1<unknown, Pet>;
declare const portionSchema: StandardSchemaV1<unknown, Portion>;
declare const store: Map<number, Pet>;
declare function signedIn(request: object): Promise<User>;
const server = new ApiServer('/v1', { limits: { bodyBytes: 1 } });

const animals = defineEndpoint({
  id: integerId,
  schema: petSchema,
  context: signedIn,
  create: (pet, { context }) => store.set(context.name.length, pet).size,
  list: () => [...store.values()],
  get: (id) => store.get(id),
  update: (id, pet, { context }) => void store.set(id + context.name.length, pet),
  delete: (id) => store.delete(id),
  itemCustom: { feed: { input: portionSchema, run: (id, portion) => [id, portion.grams] } },
});
server.registerEndpoint('/pet', animals);
server.registerEndpoint('/more', {
  id: integerId,
  schema: petSchema,
  context: signedIn,
  create: (pet, { context }) => store.set(context.name.length, pet).size,
  get: (id) => store.get(id),
  custom: { count: () => store.size },
});
const api = server.registerEndpoints({ '/pet': animals });

const options = server.registerEndpoints({
  '/pet': defineEndpoint({
    id: integerId,
    schema: petSchema,
    create: { query: petSchema, limits: { bodyBytes: 1 }, run: () => 1 },
    list: () => [...store.values()],
    get: { query: petSchema, limits: { operationMs: 1 }, run: (id) => store.get(id) },
    update: (id, pet) => void store.set(id, pet),
    patch: { input: petSchema, run: () => {} },
    delete: (id) => store.delete(id),
    itemCustom: { feed: { query: petSchema, input: petSchema, limits: {}, run: () => 1 } },
  }),
  '/hours': defineEndpoint({ schema: petSchema, create: () => 1, get: () => 1, update: () => {}, patch: { input: petSchema, run: () => {} }, delete: () => {} }),
});
type Types = typeof options;
interface Api extends Types {}
const named = client<Api>('/v1');
const pets = client<typeof options>('/v1')('/pet');
const hours = client<typeof options>('/v1').one('/hours');
const calls = [pets.create, pets.list, pets.get, pets.update, pets.patch, pets.delete, pets.itemCustom, pets.each, pets.edit];
const more = [hours.create, hours.get, hours.update, hours.patch, hours.delete];
pets.list({ query: {} });
const [codec, pageOf, once, caller, body, part, given, sent] = [
  wildcardId, pages({ cursor: (pet: Pet) => pet.name }), idempotent(memoryIdempotencyStore()), bearer(() => 1, { getScopes: () => [] }),
  bytes(), ranges({ size: 1, read: () => new Uint8Array() }), reply(200, 1), created(1),
] as const;
const suggested = [server., codec., pageOf., once., caller., body., part., given., sent.];
const pet = await pets.get(1);
await pets.update(1, pet);
const safely = await pets.get(1, { safe: true });
defineEndpoint({ id: integerId, });
await server.start({ });
server.registerEndpoint('/literal', { get: () => 1, use: { around: (call, run) => run(), } });
`;

/** An API: what its operations take and give, and no type of the server. */
const API = `const api: {
    '/pet': {
        id: IdCodec<number>;
        create: {
            body: {
                name: string;
                legs: number;
            };
            id: number;
        };
        list: {
            200: {
                name: string;
                legs: number;
            }[];
        };
        get: {
            200: {
                name: string;
                legs: number;
            };
        };
        update: {
            204: undefined;
            body: {
                name: string;
                legs: number;
            };
        };
        delete: {
            204: undefined;
        };
        itemCustom: {
            feed: {
                200: number[];
                body: {
                    grams: number;
                };
            };
        };
    };
}`;

const editor = suite('an editor');
let language: LanguageServer;
editor.before(async () => {
  writeFileSync(FILE, TEXT);
  language = await LanguageServer.start();
});
editor.after(async () => {
  await language.stop();
  rmSync(FILE);
});

/** The position of a name within some text. */
function positionOf(within: string, name: string = within): number {
  const at = TEXT.indexOf(within);
  assert.ok(at !== -1, within);
  return at + within.lastIndexOf(name);
}

for (const [what, within, name, begins] of [
  ['the variable of an endpoint', 'animals = ', 'animals', 'const animals: {\n    id: IdCodec<number>;'],
  // Without the type arguments of the whole endpoint.
  ['an operation', 'get: (id) => store', 'get', '(property) get?: DeclaredOperation<"get", '],
  ['defineEndpoint', 'defineEndpoint({', 'defineEndpoint', '(alias) function defineEndpoint<{\n    id: IdCodec<number>;'],
  ['registerEndpoint with a variable', "registerEndpoint('/pet'", 'register', '(method) ApiServer.registerEndpoint<"/pet", {\n'],
  ['registerEndpoint with an object', "registerEndpoint('/more'", 'register', '(method) ApiServer.registerEndpoint<"/more", {\n'],
  ['a call of a client', 'pets.get(1)', 'get', ''],
  ['the result of a client', 'pet = await', 'pet', ''],
  ['an update by a client', 'update(1', 'update', ''],
  ['a safe result of a client', 'safely = await', 'safely', ''],
] as const) {
  editor(`shows ${what} in at most ${MAX_LINES} lines, without what is not for users`, async () => {
    const { code } = await language.describe(FILE, TEXT, positionOf(within, name));
    assert.ok(code.startsWith(begins), code);
    assert.ok(code.split('\n').length <= MAX_LINES, code);
    assert.not.match(code, /['"] \w/);
  });
}
editor('shows an API as its operations with what they take and give', async () => {
  assert.is((await language.describe(FILE, TEXT, positionOf('api = '))).code, API);
});
editor('shows a client of an interface by its name', async () => {
  assert.is((await language.describe(FILE, TEXT, positionOf('named = ', 'named'))).code, 'const named: Client<Api>');
});

for (const [doc, withins] of [
  ['Makes a server', ['new ApiServer']],
  ['Makes an interceptor for a `list` that returns an array', ['wildcardId, pages']],
  ['Makes an interceptor that runs a `create`', ['), idempotent']],
  ['Makes a response whose body is a string, a number', ['}), reply']],
  ['Makes the 201 of a `create`, with the `Location` of the new item, and without a body', ['1), created']],
  ['Limits', ["('/v1', { limits", 'create: { query: petSchema, limits', 'get: { query: petSchema, limits', 'input: petSchema, limits']],
  ['Decodes the query', ['create', 'get', 'feed'].map((operation) => `${operation}: { query`)],
  ['The operation. ', [
    'limits: { bodyBytes: 1 }, run', 'limits: {}, run', 'limits: { operationMs: 1 }, run', 'patch: { input: petSchema, run',
    'feed: { query: petSchema, input: petSchema, limits: {}, run',
  ]],
  ['`POST`', ['pets.create', 'hours.create', 'pets.itemCustom']],
  ['`GET`', ['pets.list', 'pets.get', 'hours.get']],
  ['`PUT`', ['pets.update', 'hours.update']],
  ['`PATCH`', ['pets.patch', 'hours.patch']],
  ['`DELETE`', ['pets.delete', 'hours.delete']],
  ['The items of the list', ['pets.each']],
  ['Gets the item', ['pets.edit']],
  ['The query', ['pets.list({ query']],
] as const) {
  for (const within of withins) {
    editor(`shows the docstring of ${within}`, async () => {
      const shown = await language.describe(FILE, TEXT, positionOf(within, /\w+$/.exec(within)?.[0]));
      assert.ok(shown.doc.startsWith(doc), `${shown.code}\n${shown.doc}`);
    });
  }
}

/** The names that an editor suggests at a position. Fails if one is not for users. */
async function suggestedAt(position: number): Promise<string[]> {
  const names = await language.complete(FILE, TEXT, position);
  assert.equal(names.filter((each) => !/^\w+$/.test(each) && each !== '~standard'), []);
  return names;
}

// A reply and the body of `ranges` have no properties for users.
for (const [name, property] of [
  ['server', 'fetch'], ['codec', 'parse'], ['pageOf', 'around'], ['once', 'around'], ['caller', 'optional'], ['body', 'types'],
  ['part', undefined], ['given', undefined], ['sent', undefined],
] as const) {
  editor(`suggests no property of ${name} that is not for users`, async () => {
    const names = await suggestedAt(positionOf(`${name}.`, '.') + 1);
    if (property !== undefined) assert.ok(names.includes(property), names.join(', '));
  });
}
editor('suggests only the properties that an address has', async () => {
  assert.equal((await suggestedAt(positionOf('start({ })', ' })'))).sort(), ['fd', 'host', 'path', 'port']);
});
for (const [what, within, name, expected] of [
  ['an interceptor', 'run(), }', ' }', ['scopes']],
  ['an endpoint', 'integerId, });', ' });',
    ['schema', 'list', 'get', 'create', 'update', 'patch', 'delete', 'custom', 'itemCustom', 'context', 'use']],
] as const) {
  editor(`suggests the properties of ${what}`, async () => {
    const names = await suggestedAt(positionOf(within, name));
    assert.equal(expected.filter((each) => !names.includes(each)), []);
  });
}
editor('gets names that begin with a space for properties that are not for users, other than that of the standard', () => {
  const sources = readdirSync(`${ROOT}src`, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.ts'));
  const names = sources.flatMap((name) => readFileSync(`${ROOT}src/${name}`, 'utf8').match(/(?<=')~[a-z]+(?=')/gi) ?? []);
  assert.equal([...new Set(names)], ['~standard']);
});
editor.run();
