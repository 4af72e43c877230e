/** The test runner where it measures coverage, which takes long since it reads all sources. */
import { join } from 'node:path';
import { runTests } from './support/tests-run.ts';
import { assert, suite } from './support/facts.ts';

const coverage = suite('the test runner with --coverage');
coverage('tests that cover too little of src -> exit 1, though all pass', async () => {
  const good = "const good = SUITE('good'); good('passes', () => {}); good.run();";
  const options = ['--coverage', join(process.cwd(), 'build', 'runner', 'coverage-report')];
  const { code, counts, output } = await runTests('coverage', [good], options);
  assert.equal([code, counts], [1, '1 passed, 0 failed'], output);
  assert.match(output, /ERROR: Coverage for lines[^]*\nThe tests do not cover enough of src: see above\.\n/);
});
