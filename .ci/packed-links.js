/**
 * Throws when a document of a package links to a file that is not there.
 *
 *   node .ci/packed-links.js <the unpacked package>
 */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

const [, , folder = ''] = process.argv;
const documents = readdirSync(folder, { recursive: true }).filter((name) => /\.(?:md|txt)$/.test(name));
const links = documents.flatMap((document) => {
  const text = readFileSync(join(folder, document), 'utf8').replaceAll(/^```[^]*?^```$|`[^`\n]*`/gm, '');
  const targets = [...text.matchAll(/\]\((?!https:)([^()\s#]+)[^()]*\)/g)].map(([, path]) => path);
  return targets.map((path) => ({ document, path, isThere: existsSync(join(folder, dirname(document), path)) }));
});
const broken = links.filter(({ isThere }) => !isThere);
if (broken.length > 0) throw new Error(`the package has no ${broken.map(({ document, path }) => `${path}, as in ${document}`).join('; ')}`);
if (links.length < 50) throw new Error(`only ${links.length} links`);
