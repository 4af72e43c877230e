/** The blocks of the guide are files, changes of them, and commands. `npm run guide` compiles and runs its steps with the packages that they need. */
import { guide, readSteps } from './support/guide.ts';
import { readFences } from './support/markdown.ts';
import { addBlock } from './support/shown-files.ts';
import { assert, suite } from './support/facts.ts';

const read = readSteps(guide);
const steps = suite('the steps of the guide');

steps('are nine, in their order', () => assert.equal(read.map(({ number }) => number), [1, 2, 3, 4, 5, 6, 7, 8, 9]));

steps('are all read, with every block', () => {
  assert.is(readFences(guide).length * 2, guide.match(/^```/gm)?.length);
  assert.is(read.flatMap(({ commands }) => commands).length, guide.match(/^\$ /gm)?.length);
});

for (const { number, heading, files, packages } of read) {
  steps(`${number}, ${heading}: imports files that are there, and packages that are installed`, () => {
    for (const [name, code] of files) {
      for (const [, imported = ''] of code.matchAll(/^import .* from '([^']+)';$/gm)) {
        const [first = ''] = imported.split('/');
        const isThere = first === '.' ? files.has(imported.slice(2)) : imported.startsWith('node:') || packages.includes(first);
        assert.ok(isThere, `${name} imports ${imported}`);
      }
    }
  });
}

steps('end with the files of a program that is deployed', () => {
  const files = ['tsconfig.json', 'store.ts', 'api.ts', 'main.ts', 'users.ts', 'client.ts', 'api.test.ts', 'schema.sql', 'postgres.ts', 'Dockerfile', 'compose.yaml'];
  assert.equal([...read.at(-1)?.files.keys() ?? []], files);
});

const blocks = suite('a block of a guide');
const files = new Map([['pet.ts', 'a\n\nb\nb\nc\n']]);
for (const [why, language, block, expected] of [
  ['a file', 'ts', '// note.ts\nlet x;\n', ['note.ts', 'let x;\n']],
  ['a file without an extension', 'dockerfile', '# Dockerfile\nFROM a\n', ['Dockerfile', 'FROM a\n']],
  ['a change, with an empty line around it', 'diff', '--- pet.ts\n a\n\n+x\n b\n@@\n-c\n', ['pet.ts', 'a\n\nx\nb\nb\n']],
] as const) {
  blocks(`${why} is read`, () => {
    const [name, text] = expected;
    assert.is(addBlock(files, language, block).get(name), text);
  });
}
for (const [why, language, block, message] of [
  ['code without the name of a file', 'ts', 'let x;\n', 'a block without a file: let x;\n'],
  ['a change of lines that are not there', 'diff', '--- pet.ts\n d\n+x\n', 'pet.ts does not have these lines once:\nd\n'],
  ['a change of lines that are there twice', 'diff', '--- pet.ts\n b\n+x\n', 'pet.ts does not have these lines once:\nb\n'],
  ['a change of a file that is not there', 'diff', '--- note.ts\n b\n+x\n', 'note.ts does not have these lines once:\nb\n'],
] as const) {
  blocks(`${why} is rejected`, () => assert.throws(() => addBlock(files, language, block), message));
}
