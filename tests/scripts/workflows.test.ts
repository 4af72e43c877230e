/** The workflows of GitHub. `scripts/api/workflows.js` checks that they would run. */
import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { assert, suite } from '../support/facts.ts';

const FOLDER = join('.github', 'workflows');

const actions = suite('the actions of the workflows');
for (const name of readdirSync(FOLDER)) {
  actions(`${name} names each by the hash of a commit, with its version`, () => {
    const used = [...readFileSync(join(FOLDER, name), 'utf8').matchAll(/uses: (.+)/g)].map(([, action = '']) => action);
    assert.ok(used.length > 0);
    for (const action of used) assert.match(action, /^[\w-]+\/[\w-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$/);
  });
}
