/** The links of the documents in the package, as `npm pack` writes them. */
import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join, posix } from 'node:path';
import { pathToFileURL } from 'node:url';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { withTemporaryFolder } from '../support/temporary-folder.ts';

const SCRIPT = join(process.cwd(), 'scripts', 'packed-links.js');
const REPOSITORY = 'https://example.com/owner/restpoint';
const NOTE = '\nFiles that are named without a link are in the repository.\n';

interface PackedDocument {
  readonly document: string;
  readonly text: string;
  readonly inPackage: string;
}

const { packedDocuments, withLinks } = await import(pathToFileURL(SCRIPT).href) as {
  readonly packedDocuments: () => PackedDocument[];
  readonly withLinks: (document: string, text: string, isThere: (target: string) => boolean, place?: { repository: string; tag: string }) => string;
};

const isThere = (target: string): boolean => target.startsWith('docs/') || target === 'LICENSE';
const changed = suite('a link of a packed document');
for (const [document, link, named] of [
  ['README.md', '[a](docs/b.md#c)', '[a](docs/b.md#c)'],
  ['README.md', '[a](https://b.example/c)', '[a](https://b.example/c)'],
  ['README.md', '[a](#b)', '[a](#b)'],
  ['docs/a.md', '[b](c.md)', '[b](c.md)'],
  ['docs/a.md', '[b](../LICENSE)', '[b](../LICENSE)'],
  ['docs/a.md', '[b](../tests/c.test.ts "d e")', 'b (`tests/c.test.ts`)'],
  ['docs/a.md', '[the `c` file](../tests/c.ts#d)', 'the `c` file (`tests/c.ts`)'],
  ['docs/a.md', '[c.ts](../tests/c.ts)', '`tests/c.ts`'],
  ['README.md', '[`examples/zoo`](examples/zoo/server.ts)', '`examples/zoo/server.ts`'],
  ['README.md', '![a chart](bench/b.svg)', 'a chart (`bench/b.svg`)'],
  ['README.md', '`calls[name](value)`', '`calls[name](value)`'],
  ['README.md', '```ts\ncalls[name](value);\n```', '```ts\ncalls[name](value);\n```'],
] as const) {
  changed(`${link} of ${document}, without a repository -> ${named}`, () => {
    assert.is(withLinks(document, link, isThere), link === named ? named : named + NOTE);
  });
}
for (const [document, link, expected] of [
  ['README.md', '[a](docs/b.md)', '[a](docs/b.md)'],
  ['README.md', '![a](bench/b.svg)', `![a](${REPOSITORY}/raw/v1/bench/b.svg)`],
  ['docs/a.md', '[b](../tests/c.test.ts "d e")', `[b](${REPOSITORY}/blob/v1/tests/c.test.ts "d e")`],
  ['docs/a.md', '[b](../tests/c.ts#d)', `[b](${REPOSITORY}/blob/v1/tests/c.ts#d)`],
] as const) {
  changed(`${link} of ${document}, with a repository -> ${expected}`, () => {
    assert.is(withLinks(document, link, isThere, { repository: REPOSITORY, tag: 'v1' }), expected);
  });
}
changed.run();

/** The targets of the relative links of a string, without its code. */
function targetsIn(document: string, text: string): string[] {
  const links = text.replaceAll(/^```[^]*?^```$|`[^`\n]*`/gm, '').matchAll(/\]\((?!https:)([^()\s#]+)[^()]*\)/g);
  return [...links].map(([, path = '']) => posix.join(posix.dirname(document), path));
}

const documents = packedDocuments();
const packed = suite('the packed documents');
packed('are all of them', async () => {
  const expected = [
    'README.md', 'CHANGELOG.md', 'SECURITY.md', 'STABILITY.md', 'llms.txt', 'skills/restpoint/SKILL.md', ...(await readdir('docs')).map((name) => `docs/${name}`),
  ];
  assert.equal(documents.map(({ document }) => document).sort(), expected.sort());
});
packed('link to packed files alone, and some of them do not in the repository', async () => {
  const { files } = JSON.parse(await readFile('package.json', 'utf8')) as { readonly files: readonly string[] };
  const isPacked = (target: string): boolean => ['README.md', 'LICENSE', ...files].some((name) => target === name || target.startsWith(`${name}/`)) && existsSync(target);
  const stray = (strings: readonly (readonly [document: string, text: string])[]): string[] => {
    return strings.flatMap(([document, text]) => targetsIn(document, text).filter((target) => !isPacked(target)).map((target) => `${document}: ${target}`));
  };
  assert.equal(stray(documents.map(({ document, inPackage }) => [document, inPackage])), []);
  assert.ok(stray(documents.map(({ document, text }) => [document, text])).length > 20);
});
packed.run();

async function withCheckout(test: (run: (command: string) => void, read: (file: string) => Promise<string>, folder: string) => Promise<void>): Promise<void> {
  await withTemporaryFolder(async (folder) => {
    const files = {
      'package.json': JSON.stringify({ version: '1.2.3', files: ['docs'] }), 'README.md': '[a](docs/a.md) [b](bench/b.md)\n', 'docs/a.md': '[t](../tests/a.ts)\n', 'docs/b.md': '[a](a.md)\n',
    };
    for (const [file, text] of Object.entries(files)) {
      await mkdir(dirname(join(folder, file)), { recursive: true });
      await writeFile(join(folder, file), text);
    }
    const run = (command: string): void => void execFileSync(process.execPath, [SCRIPT, command], { cwd: folder, stdio: 'pipe' });
    await test(run, (file) => readFile(join(folder, file), 'utf8'), folder);
  });
}

const commands = suite('the documents while npm packs');
commands('have the links of the package, and afterwards their own', () => withCheckout(async (run, read, folder) => {
  const own = [await read('README.md'), await read('docs/a.md'), await read('docs/b.md')];
  run('write');
  assert.equal([await read('README.md'), await read('docs/a.md'), await read('docs/b.md')], [
    `[a](docs/a.md) b (\`bench/b.md\`)\n${NOTE}`, `t (\`tests/a.ts\`)\n${NOTE}`, own[2],
  ]);
  run('restore');
  assert.equal([await read('README.md'), await read('docs/a.md'), await read('docs/b.md')], own);
  assert.equal((await readdir(folder)).sort(), ['README.md', 'docs', 'package.json']);
  run('restore');
}));
commands('lead to the repository that the manifest names, at the tag of its version', () => withCheckout(async (run, read, folder) => {
  await writeFile(join(folder, 'package.json'), JSON.stringify({ version: '1.2.3', files: ['docs'], repository: { url: `git+${REPOSITORY}.git` } }));
  run('write');
  assert.is(await read('docs/a.md'), `[t](${REPOSITORY}/blob/v1.2.3/tests/a.ts)\n`);
}));
commands('are restored before they are written again, after a pack that was interrupted', () => withCheckout(async (run, read) => {
  const own = await read('README.md');
  run('write');
  run('write');
  run('restore');
  assert.is(await read('README.md'), own);
}));
commands('stay as they are if someone has changed them since', () => withCheckout(async (run, read, folder) => {
  run('write');
  await writeFile(join(folder, 'README.md'), 'mine\n');
  run('restore');
  assert.equal([await read('README.md'), await read('docs/a.md')], ['mine\n', '[t](../tests/a.ts)\n']);
}));
commands('cannot be written by another command', () => withCheckout(async (run) => {
  assert.throws(() => run('undo'), /write or restore: undo/);
}));
commands.run();
