/** The examples of the docstrings in `src` compile. An editor shows them with the names. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { compileExamples, findExamples, readExamples } from './support/name-examples.ts';

const examples = suite('the examples of docstrings');

// Its second line is wrong.
const WRONG = `
/**
 * Makes a server.
 *
 * @example
 * \`\`\`ts
 * const other = new ApiServer('/v1');
 * other.begin();
 * \`\`\`
 */
`;

examples('compile, and a wrong one is reported with its file, line and column', async () => {
  const all = readExamples();
  assert.ok(all.length > 40, `${all.length} examples`);
  const errors = await compileExamples([...all, ...findExamples('src/wrong.ts', WRONG)]);
  assert.equal(errors, ["src/wrong.ts:8:10: error TS2339: Property 'begin' does not exist on type 'ApiServer'."]);
});
examples('stand in fences', () => {
  for (const [comment, line] of [
    ['/**\n * @example\n * start();\n */\n', 2],
    ['/**\n * @example\n *\n * start();\n */\n/**\n * @example\n * ```ts\n * stop();\n * ```\n */\n', 2],
    ['/**\n * Begins.\n *\n * @example `start()`\n */\n', 4],
    ['/**\n * @example\n * ```js\n * start();\n * ```\n */\n', 2],
  ] as const) {
    assert.throws(() => findExamples('src/a.ts', comment), new RegExp(`^src/a\\.ts:${line}: @example is not followed by a fence: `), comment);
  }
});
examples.run();
