/** The sources, the tests and the documents are as large as `.ci/budget.txt` allows, and not much smaller. */
import { readFileSync } from 'node:fs';
import { compareSizes, countCode, measureSizes, readBudget } from './support/budget.ts';
import { assert, suite } from './support/facts.ts';

const budget = suite('the budget');
budget('is kept', () => assert.equal(compareSizes(measureSizes(), readBudget(readFileSync('.ci/budget.txt', 'utf8'))), []));
for (const [unit, most] of [['lines of code', 1010], ['lines', 1040], ['words', 1010]] as const) {
  for (const [size, advice] of [
    [most + 1, [`src/a ${unit}: ${most + 1}, and ${most} are allowed: remove 1. Raise the number only for a rule that the commit names`]],
    [most, []],
    [900, []],
    [899, [`src/a ${unit}: only 899: lower the number 1000 in .ci/budget.txt, so that they do not come back`]],
  ] as const) {
    budget(`of 1000 ${unit}: ${size} -> ${advice[0] ?? 'nothing to do'}`, () => {
      assert.equal(compareSizes(new Map([[`src/a ${unit}`, size]]), readBudget(`# The first.\nsrc/a 1000 ${unit}\n`)), advice);
    });
  }
}
budget('has a number for each folder, and for no other', () => {
  assert.equal(compareSizes(new Map([['src/new lines of code', 7]]), readBudget('src/old 5 lines of code\n')), [
    'src/new lines of code have no number in .ci/budget.txt: add 7',
    'src/old lines of code have the number 5 in .ci/budget.txt, and are gone: remove it',
  ]);
});
budget('counts neither comments nor blank lines, and the code after what looks like the beginning of a comment', () => {
  assert.is(countCode("/**\n * One.\n */\nconst a = ['image/*'];\n\n  // Two.\n  /* Three. */\nconst b = 1; // Four.\n/** Five. */\n"), 2);
});
