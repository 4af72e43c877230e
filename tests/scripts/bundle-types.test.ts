/** The declarations of the package: `scripts/bundle-types.js` makes one file for each entry. */
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';

const { makeBundles } = await import(pathToFileURL(join(process.cwd(), 'scripts', 'bundle-types.js')).href) as {
  readonly makeBundles: (texts: ReadonlyMap<string, string>, entries: readonly string[]) => ReadonlyMap<string, string>;
};

/** The bundles of the entries `index`, `auth` and `client`, from these modules. */
function bundle(modules: Readonly<Record<string, string>>): Record<string, string> {
  const entries = ['index', 'auth/index', 'client/index'].map((name) => `${name}.d.ts`);
  const texts = entries.map((name) => [name, 'export {};'] as const);
  const bundles = makeBundles(new Map([...texts, ...Object.entries(modules)]), entries);
  return Object.fromEntries([...bundles].filter(([, text]) => text !== ''));
}

const types = suite('the types of the package');
types('a module that one entry reaches is in its file, with its comments, and what no entry reaches is left out', () => {
  assert.equal(bundle({
    'index.d.ts': "/** All. */\nexport { Zoo, type Food as Meal } from './zoo.ts';\n",
    'zoo.d.ts': `/** A file. */
import type { Server } from 'node:http';
import { type Cage } from './cage.ts';
/** What it eats. */
export type Food = 'hay' | \`\${number} Cage\`;
/** Feeds. */
export declare class Zoo {
    #private;
    /** Its cages; a ";" in a comment. */
    readonly cages: Cage[];
    feed(food: Food): Server;
}
export declare function unused(): Zoo;
`,
    'cage.d.ts': '// Plain.\nexport interface Cage {\n    readonly Server: 1;\n}\n//# sourceMappingURL=cage.d.ts.map',
  }), {
    'index.d.ts': `import type { Server } from 'node:http';
interface Cage {
    readonly Server: 1;
}
/** What it eats. */
type Food = 'hay' | \`\${number} Cage\`;
/** Feeds. */
declare class Zoo {
    #private;
    /** Its cages; a ";" in a comment. */
    readonly cages: Cage[];
    feed(food: Food): Server;
}
export { Zoo, type Food as Meal };
`,
  });
});
types('a namespace stays with the interface that has its name', () => {
  const both = `interface Schema {
    readonly at: Schema.Issue;
}
declare namespace Schema {
    interface Issue {
        readonly message: string;
    }
}
`;
  const module = both.replaceAll(/^(?=interface|declare)/gm, 'export ');
  assert.equal(bundle({ 'index.d.ts': "export { type Schema } from './schema.ts';", 'schema.d.ts': module }), {
    'index.d.ts': `${both}export { type Schema };\n`,
  });
});
types('a class that two entries reach is declared once; a module stays whole, and hides what it does not export', () => {
  assert.equal(bundle({
    'index.d.ts': "export { Zoo, open } from './zoo.ts';",
    'auth/index.d.ts': "export { Zoo } from '../zoo.ts';",
    'zoo.d.ts': 'interface Inner {\n}\nexport declare class Zoo {\n    #private;\n}\nexport declare function open(inner: Inner): Zoo;\n',
  }), {
    'core.d.ts': 'interface Inner {\n}\nexport declare class Zoo {\n    #private;\n}\nexport declare function open(inner: Inner): Zoo;\nexport {};\n',
    'index.d.ts': "export { Zoo, open } from './core.js';\n",
    'auth/index.d.ts': "export { Zoo } from '../core.js';\n",
  });
});
types('what the client shares is apart from what needs the types of Node', () => {
  const bundles = bundle({
    'index.d.ts': "export { serve } from './serve.ts';\nexport type { Id } from './id.ts';",
    'auth/index.d.ts': "export { serve } from '../serve.ts';",
    'client/index.d.ts': "export type { Id } from '../id.ts';",
    'serve.d.ts': "import type { Server } from 'node:http';\nimport type { Id } from './id.ts';\nexport declare function serve(server: Server): Id;\n",
    'id.d.ts': 'export type Id = string;\n',
  });
  assert.is(bundles['common.d.ts'], 'export type Id = string;\nexport {};\n');
  assert.is(bundles['client/index.d.ts'], "export { type Id } from '../common.js';\n");
  assert.match(bundles['core.d.ts']!, "import type { Id } from './common.js';\nimport type { Server } from 'node:http';\n");
});
types('an alias of the client that only files of the package name is copied to each of them, so that the compiler writes it out for users', () => {
  assert.equal(bundle({
    'index.d.ts': "export type { All } from './all.ts';",
    'all.d.ts': "import type { Call, Options } from './client/call.ts';\nexport type All = [Call, Options];\n",
    'client/index.d.ts': "export type { Call } from './call.ts';",
    'client/call.d.ts': 'interface Hidden {\n}\ntype Inner = 1 | Hidden;\nexport type Options = [Inner];\nexport type Call = [Options];\n',
  }), {
    'index.d.ts': `import type { Call, Hidden } from './common.js';
type All = [Call, Options];
type Inner = 1 | Hidden;
type Options = [Inner];
export { type All };
`,
    'client/index.d.ts': "export { type Call } from '../common.js';\n",
    'common.d.ts': 'export interface Hidden {\n}\ntype Inner = 1 | Hidden;\ntype Options = [Inner];\nexport type Call = [Options];\nexport {};\n',
  });
});
types('names that several modules have are told apart, and properties keep theirs', () => {
  const { 'index.d.ts': text = '' } = bundle({
    'index.d.ts': "export type { One } from './one.ts';\nexport type { Two } from './two.ts';",
    'one.d.ts': 'type Part = 1;\nexport type One = Part;\n',
    'two.d.ts': 'type Part = 2;\nexport type Two<Of extends Part> = {\n    Part: Part;\n};\n',
  });
  assert.is(text, 'type Part = 1;\ntype One = Part;\ntype Part2 = 2;\ntype Two<Of extends Part2> = {\n    Part: Part2;\n};\nexport { type One, type Two };\n');
});
types('a statement that it cannot read is an error', () => {
  assert.throws(() => bundle({ 'index.d.ts': "export * from './zoo.ts';" }), /^index\.d\.ts: export \* from/);
  assert.throws(() => bundle({ 'index.d.ts': "export { Zoo } from './zoo.ts';" }), /zoo\.d\.ts is missing/);
});
types.run();
