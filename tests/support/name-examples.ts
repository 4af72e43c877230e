/** The examples of the docstrings in `src`, and what the compiler says of them. It gets all of them at once. */
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Child } from './child.ts';
import { ENTRY_NAMES, readEntry } from '../../scripts/docstrings.ts';

export interface Example {
  /** The file that it is in: `src/declaration/reply.ts`. */
  readonly file: string;
  /** The line of its first line, from 1. */
  readonly line: number;
  /** The column of its first column, from 1. */
  readonly column: number;
  readonly code: string;
}

/** The examples of all files in `src`. */
export function readExamples(): Example[] {
  const files = readdirSync('src', { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.ts')).map((name) => `src/${name.replaceAll('\\', '/')}`);
  return files.flatMap((file) => findExamples(file, readFileSync(file, 'utf8')));
}

/** The examples of a file. Throws for an `@example` that a fence with code in TypeScript does not follow. */
export function findExamples(file: string, source: string): Example[] {
  return [...source.matchAll(/^.*@example\b.*\n/gm)].map(({ index, 0: tag }) => {
    const start = index + tag.length;
    const [opening, margin = '', body = ''] = /^( *\* ?)```ts\n([^]*?)\n *\* ```\n/.exec(source.slice(start)) ?? [];
    const line = source.slice(0, start).split('\n').length + 1;
    if (opening === undefined || /\*\/|@example/.test(body)) throw new Error(`${file}:${line - 2}: @example is not followed by a fence: \`\`\`ts`);
    const code = body.split('\n').map((each) => each.slice(margin.length)).join('\n');
    return { file, line, column: margin.length + 1, code };
  });
}

/** What examples can use without a declaration. No line begins with `import`: `.ci/packed-tests.js` would take it for one of this file. */
const GLOBALS = `
 import { ApiServer, defineEndpoint, integerId, problem, type StandardSchemaV1 } from 'restpoint';
 import { form } from 'restpoint/formats';
 import type { ScopedAuthentication } from 'restpoint/auth';

/** As much of Zod as the examples need. */
type Input<Schema> = Schema extends StandardSchemaV1<infer Value, any> ? Value : never;
type Output<Schema> = Schema extends StandardSchemaV1<any, infer Value> ? Value : never;
interface Zod {
  object<Shape extends object>(shape: Shape): StandardSchemaV1<{ [Name in keyof Shape]: Input<Shape[Name]> }, { [Name in keyof Shape]: Output<Shape[Name]> }>;
  array<Schema>(schema: Schema): StandardSchemaV1<Input<Schema>[], Output<Schema>[]>;
  enum<const Names extends readonly string[]>(names: Names): StandardSchemaV1<Names[number]>;
  literal<const Value extends string>(value: Value): StandardSchemaV1<Value>;
  string(): StandardSchemaV1<string>;
  int(): StandardSchemaV1<number>;
  number(): StandardSchemaV1<number>;
  file(): StandardSchemaV1<File>;
  readonly coerce: { number(): StandardSchemaV1<any, number> };
}

interface Store {
  /** Returns the id of the new pet. */
  insert(pet: Pet, photo?: File): Promise<number>;
  /** Stores a new pet with this id. */
  create(id: number, pet: Pet): Promise<void>;
  /** For PostgreSQL. */
  query(text: string, values?: any[]): Promise<{ readonly rows: readonly any[] }>;
  connect(): Promise<import('restpoint/postgres').PostgresClient>;
  find(id: number, options?: { readonly signal?: AbortSignal }): Promise<StoredPet | undefined>;
  list(options?: { readonly after?: number; readonly take?: number }): Promise<StoredPet[]>;
  /** Returns whether there is such a pet. */
  replace(id: number, pet: Pet): Promise<boolean>;
  delete(id: number, userId?: string): Promise<boolean>;
}

const PaymentSchema: StandardSchemaV1<{ card: string }> = undefined as never;
const DeclinedSchema: StandardSchemaV1<{ code: 'declined' | 'expired' }> = undefined as never;
const ReportSchema: StandardSchemaV1<{ year: number }> = undefined as never;
const PetSchema: StandardSchemaV1<{ name: string; legs: number }, Pet> = undefined as never;
const PhotoSchema: StandardSchemaV1<{ name: string; photo: File }> = undefined as never;
const petEndpoint = defineEndpoint({
  id: integerId,
  schema: PetSchema,
  create: (pet) => db.insert(pet),
  list: () => db.list(),
  get: (id) => db.find(id),
  update: (id, pet) => db.replace(id, pet),
  delete: (id) => db.delete(id),
});
const api = new ApiServer('/v1').registerEndpoints({
  '/pet': petEndpoint,
  '/photo': defineEndpoint({ id: integerId, get: (id) => ({ id }), create: { input: form(PhotoSchema, { files: { photo: {} } }), run: () => 1 } }),
  '/payment': defineEndpoint({
    id: integerId,
    get: (id) => ({ id }),
    create: {
      input: PaymentSchema,
      errors: { 402: DeclinedSchema },
      run: ({ card }) => (card === '' ? problem(402, 'The card was declined.', { code: 'declined' }) : 1),
    },
  }),
  '/report': defineEndpoint({
    id: integerId,
    create: { input: ReportSchema, output: { 202: Number }, run: ({ year }) => year },
    get: (id) => ({ year: id, pets: pets.size }),
  }),
});

declare global {
  interface Pet { readonly name: string; readonly legs: number }
  interface StoredPet extends Pet { readonly id: number; readonly revision: number }
  interface User { readonly id: string; readonly isAdmin: boolean; readonly scopes: readonly ('pet:read' | 'pet:write')[] }
  const z: Zod;
  /** The schema of a pet, made with Zod. */
  const Pet: typeof PetSchema;
  /** A database, and the same pets in memory. */
  const db: Store;
  const pets: Map<number, Pet>;
  /** The users by their tokens, keys or sessions. */
  const users: Map<string, User>;
  /** Authenticates a caller, for the option context. */
  const signedIn: ScopedAuthentication<User, 'pet:read' | 'pet:write'>;
  const server: ApiServer;
  /** An endpoint. */
  const pet: typeof petEndpoint;
  /** The type of the server that a client calls. */
  type Api = typeof api;
}
`;

/** The packages and files that examples import, with as much of them as they need. */
const PACKAGES = `
declare module 'helmet' {
  export default function helmet(): import('restpoint').Middleware;
}
declare module 'express' {
  interface App {
    (request: import('node:http').IncomingMessage, response: import('node:http').ServerResponse): void;
    use(path: string, listener: import('restpoint').MountableListener): void;
  }
  export default function express(): App;
}
declare module '*/released/api.d.ts' {
  type Released = Api;
  export type { Released as Api };
}
declare module 'ws' {
  type Server = import('node:http').Server;
  interface Socket { send(text: string): void; close(code: number): void }
  export class WebSocketServer {
    constructor(options: { readonly noServer?: true; readonly server?: Server });
    handleUpgrade(request: object, socket: import('node:net').Socket, head: Buffer, onSocket: (socket: Socket) => void): void;
  }
}
`;

const COMPILER_OPTIONS = {
  noEmit: true, strict: true, exactOptionalPropertyTypes: true, noUncheckedIndexedAccess: true, verbatimModuleSyntax: true, skipLibCheck: true,
  target: 'es2023', module: 'nodenext', types: ['node'],
};

/** Compiles each example as a module. Returns the errors, by their places in the sources: `src/declaration/reply.ts:20:4: …`. */
export async function compileExamples(examples: readonly Example[]): Promise<string[]> {
  const names = readPublicNames();
  // Inside the package, so that `restpoint` resolves to the package itself.
  mkdirSync('build', { recursive: true });
  const folder = mkdtempSync(join('build', 'examples-of-names-'));
  try {
    examples.forEach((example, index) => writeFileSync(join(folder, `${index}.ts`), makeModule(example, names)));
    writeFileSync(join(folder, 'globals.ts'), GLOBALS);
    writeFileSync(join(folder, 'packages.d.ts'), PACKAGES);
    writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions: COMPILER_OPTIONS, include: ['*.ts'] }));
    const compiler = new Child([join('node_modules', 'typescript', 'bin', 'tsc'), '-p', folder, '--pretty', 'false']);
    const status = await compiler.exit();
    const errors = compiler.output.split(/^(?=\S)/m).map((error) => locate(error.trimEnd(), examples)).filter((error) => error !== '');
    if (status !== 0 && errors.length === 0) throw new Error(`the compiler ended with ${status}`);
    return errors;
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** The entry of each public name, and whether it is a type. A name of two entries has the first. */
function readPublicNames(): Map<string, { readonly entry: string; readonly isType: boolean }> {
  const all = ENTRY_NAMES.toReversed().flatMap((entry) => readEntry(entry).map(({ name, isType }) => {
    return [name, { entry: entry === '' ? 'restpoint' : `restpoint/${entry}`, isType }] as const;
  }));
  return new Map(all);
}

/** The module of an example. Its lines have the same numbers as in the source. */
function makeModule({ line, code }: Example, names: ReturnType<typeof readPublicNames>): string {
  const declared = new Set([
    ...[...code.matchAll(/^(?:export )?(?:async )?(?:const|let|class|function\*?|interface|type) (\w+)/gm)].map(([, name]) => name),
    ...[...code.matchAll(/^import (.*) from /gm)].flatMap(([, list = '']) => list.match(/\w+/g) ?? []),
  ]);
  const used = new Set(code.match(/\b[A-Za-z]\w*\b/g));
  const imports = [...names].filter(([name]) => used.has(name) && !declared.has(name)).map(([name, { entry, isType }]) => {
    return `import { ${isType ? 'type ' : ''}${name} } from '${entry}';`;
  });
  return `${imports.join(' ')} export {};${'\n'.repeat(line - 1)}${code}\n`;
}

/** An error of the compiler, with its place in the source in place of the place in the module. */
function locate(error: string, examples: readonly Example[]): string {
  return error.replace(/^(?:\S*[\\/])?(\d+)\.ts\((\d+),(\d+)\)/, (place, index: string, line: string, column: string) => {
    const example = examples[Number(index)];
    return example === undefined ? place : `${example.file}:${line}:${Number(column) + example.column - 1}`;
  });
}
