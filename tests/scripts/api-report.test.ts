/** How the reports of the public surface, in `scripts/api/reports`, are made of types. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { withTemporaryFolder } from '../support/temporary-folder.ts';

const url = (file: string): string => pathToFileURL(join(process.cwd(), 'scripts', 'api', file)).href;
const { readSurface } = await import(url('surface.js')) as { readonly readSurface: (file: string) => string };

/** The types of a small package, as the compiler writes them. */
const TYPES: Readonly<Record<string, string>> = {
  'index.d.ts': "export { start } from './start.ts';\nexport type { Ended as End, Options, } from './start.ts';\nexport { Zoo } from './zoo/zoo.ts';\n",
  'start.d.ts': `import type { Server, Socket as Peer } from 'node:net'; import type { Hidden } from './hidden.ts';
/** Where to listen, as in 'https://example.com', and \`{ port: 1 }\`. */
export interface Options<Of = {}> extends Omit<Hidden, {
    a: 1;
}['a']> {
    /** In ms: 5 // by default. */
    readonly waitMs?: number; // a comment
    readonly url: 'http://a' | \`https://\${string}/\${'{' | '}'}\`;
}
export interface Empty {
}
/** Starts. */
export declare function start(server: Server): Ended;
export declare function start(options: Options, port?: number): Ended;
export type Ended = {
    readonly code: number;
};
export declare const OWN: Empty;
//# sourceMappingURL=start.d.ts.map`,
  'hidden.d.ts': 'export type Hidden = Record<string, 1>;\n',
  'zoo/zoo.d.ts': "export { Zoo } from './inner.ts';\n",
  'zoo/inner.d.ts': 'export declare class Zoo {\n    #private;\n    private readonly size;\n    /** Feeds. */\n    feed(grams: number): void;\n}\n',
};

const SURFACE = `import { Server } from 'node:net';

export type End = {
    readonly code: number;
};

export interface Options<Of = {}> extends Omit<Hidden, {
    a: 1;
}['a']> {
    readonly waitMs?: number;
    readonly url: 'http://a' | \`https://\${string}/\${'{' | '}'}\`;
}

export class Zoo {
    feed(grams: number): void;
}

export function start(server: Server): Ended;
export function start(options: Options, port?: number): Ended;
`;

/** The surface of the small package, with one text replaced by a different one in a file. */
async function surfaceWith(changed = '', from = '', to = ''): Promise<string> {
  let surface = '';
  await withTemporaryFolder(async (folder) => {
    mkdirSync(join(folder, 'zoo'));
    for (const [name, text] of Object.entries(TYPES)) {
      assert.ok(name !== changed || text.includes(from), from);
      writeFileSync(join(folder, name), name === changed ? text.replace(from, () => to) : text);
    }
    surface = readSurface(join(folder, 'index.d.ts'));
  });
  return surface;
}

const reports = suite('the reports of the public surface');
reports('have the declarations of the names that an entry exports, without comments and private properties', async () => {
  assert.is(await surfaceWith(), SURFACE);
});
for (const [what, file, from, to, lines] of [
  ['a name that is no longer exported', 'index.d.ts', 'Ended as End, ', '', ['- export type End = {']],
  ['a name that is exported', 'index.d.ts', 'Ended as End', 'Ended as End, Empty', ['+ export interface Empty {']],
  ['a changed parameter', 'start.d.ts', 'port?: number', 'port?: string', ['+ export function start(options: Options, port?: string): Ended;']],
  ['a changed result', 'zoo/inner.d.ts', 'void', 'boolean', ['-     feed(grams: number): void;', '+     feed(grams: number): boolean;']],
  ['a removed signature', 'start.d.ts', 'export declare function start(server: Server): Ended;\n', '', ["- import { Server } from 'node:net';"]],
  ['a new option', 'start.d.ts', '    readonly url:', '    readonly isNew?: true;\n    readonly url:', ['+     readonly isNew?: true;']],
  ['an option that is required', 'start.d.ts', 'waitMs?:', 'waitMs:', ['+     readonly waitMs: number;']],
  ['a type of a different module', 'start.d.ts', 'node:net', 'node:tls', ["+ import { Server } from 'node:tls';"]],
] as const) {
  reports(`differ by ${what}`, async () => {
    const changed = await surfaceWith(file, from, to);
    assert.is.not(changed, SURFACE);
    for (const line of lines) {
      const [there, gone] = line.startsWith('+') ? [changed, SURFACE] : [SURFACE, changed];
      const isIn = (surface: string): boolean => surface.split('\n').includes(line.slice(2));
      assert.equal([isIn(there), isIn(gone)], [true, false], line);
    }
  });
}
for (const [what, file, from, to] of [
  ['a comment', 'start.d.ts', 'Starts.', 'Begins.'],
  ['a private property', 'zoo/inner.d.ts', '    private readonly size;\n', ''],
  ['a name that is not exported', 'start.d.ts', 'OWN', 'OTHER'],
] as const) {
  reports(`do not differ by ${what}`, async () => assert.is(await surfaceWith(file, from, to), SURFACE));
}
for (const [what, file, from, to, message] of [
  ['a name that nothing declares', 'index.d.ts', 'Options', 'Missing', /start\.d\.ts does not declare Missing/],
  ['a name that is exported twice', 'index.d.ts', 'Ended as End', 'Ended as Zoo', /exports Zoo twice/],
  ['a declaration without an end', 'start.d.ts', 'readonly code: number;\n};', 'readonly code: number;\n', /a declaration without an end/],
  ['a string without an end', 'start.d.ts', "'http://a'", "'http://a", /without an end/],
] as const) {
  reports(`are not made of ${what}`, async () => {
    const error = await surfaceWith(file, from, to).then(() => undefined, (thrown: unknown) => thrown);
    assert.match(String(error), message);
  });
}
reports.run();
