/** The complaints of two validators about a document, and whether responses conform to it. Both work without a network. */
import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { validate } from '@hyperjump/json-schema/openapi-3-1';
import '@hyperjump/json-schema/openapi-3-2';

const REDOCLY = fileURLToPath(new URL('node_modules/@redocly/cli/bin/cli.js', import.meta.url));
const OFFLINE = { REDOCLY_TELEMETRY: 'off', REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true' };

/** A document in a file: hyperjump reads its schemas from there. */
export async function withFile(document, use) {
  const folder = await mkdtemp(join(tmpdir(), 'restpoint-openapi-'));
  try {
    const file = join(folder, 'zoo.openapi.json');
    await writeFile(file, JSON.stringify(document));
    return await use(file);
  } finally {
    await rm(folder, { recursive: true });
  }
}

/** The complaints of `@hyperjump/json-schema`: it checks the form of the document and of all schemas in it. */
export async function schemaComplaints(document) {
  const { valid, errors = [] } = await validate(`https://spec.openapis.org/oas/${document.openapi.slice(0, 3)}/schema-base`, document, 'BASIC');
  return valid ? [] : errors.map(({ instanceLocation, absoluteKeywordLocation }) => `${instanceLocation}: ${absoluteKeywordLocation}`);
}

/** The complaints of `redocly lint`: with the rules `spec`, it checks references, operationIds and parameters too. */
export function lintComplaints(document, rules = 'spec') {
  return withFile(document, async (file) => {
    const words = [REDOCLY, 'lint', file, `--extends=${rules}`, '--format=json'];
    const lint = promisify(execFile)(process.execPath, words, { env: { ...process.env, ...OFFLINE } });
    // It exits with 1 if it complains.
    const { stdout } = await lint.catch((error) => error);
    return JSON.parse(stdout).problems.map(({ ruleId, message }) => `${ruleId}: ${message}`);
  });
}

/** Why a value does not conform to a schema in a document. `keys` lead to the schema. */
export async function valueComplaints(file, keys, value) {
  const pointer = keys.map((key) => `/${encodeURIComponent(key.replaceAll('~', '~0').replaceAll('/', '~1'))}`).join('');
  const { valid, errors = [] } = await validate(`${pathToFileURL(file)}#${pointer}`, value, 'BASIC');
  return valid ? [] : errors.map(({ instanceLocation, absoluteKeywordLocation }) => `${instanceLocation}: ${absoluteKeywordLocation}`);
}
