/**
 * The links of the documents, as they are in the package. A link to a file that is not packed leads to the repository that the manifest names, at
 * the tag of the version. A checkout has no such name: there, the link becomes the path of the file. `npm pack` and `npm publish` run this:
 *
 *   node scripts/packed-links.js write       before: writes the documents of the package, and keeps the others in `.unpacked`
 *   node scripts/packed-links.js restore     after
 */
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, posix } from 'node:path';
import { argv } from 'node:process';
import { fileURLToPath } from 'node:url';

const KEPT = '.unpacked';
// Code comes first: `calls[name](value)` is not a link.
const LINK = /^```[^]*?^```$|`[^`\n]*`|(!?)\[([^\]]*)\]\(([^()\s#:]+)(#[^()\s]+)?( "[^"]*")?\)/gm;
const NOTE = '\nFiles that are named without a link are in the repository.\n';

const read = (file) => readFileSync(file, 'utf8');

/**
 * The text of a document, with other links to what is not there. `place` has the address of the repository, such as `https://example.com/owner/name`,
 * and a tag or a branch. Without it, the targets are named.
 */
export function withLinks(document, text, isThere, place) {
  let isNamed = false;
  const changed = text.replaceAll(LINK, (link, image, label, path, anchor = '', title = '') => {
    if (path === undefined) return link;
    const target = posix.join(posix.dirname(document), path);
    if (isThere(target)) return link;
    if (place !== undefined) return `${image}[${label}](${place.repository}/${image ? 'raw' : 'blob'}/${place.tag}/${target}${anchor}${title})`;
    isNamed = true;
    const name = label.replaceAll('`', '');
    const isPath = name === target || (/[./]/.test(name) && (target.startsWith(name) || target.endsWith(name)));
    return isPath ? `\`${target}\`` : `${label} (\`${target}\`)`;
  });
  return isNamed ? changed + NOTE : changed;
}

/** The documents that are packed, with their text in the package. */
export function packedDocuments() {
  const { files, repository, version } = JSON.parse(read('package.json'));
  const packed = ['README.md', 'LICENSE', ...files];
  const isPacked = (path) => packed.some((name) => path === name || path.startsWith(`${name}/`));
  const inFolders = ['docs', 'skills'].filter((folder) => existsSync(folder)).flatMap((folder) => (
    readdirSync(folder, { recursive: true }).map((name) => posix.join(folder, name.replaceAll('\\', '/')))
  ));
  const place = repository === undefined ? undefined : { repository: repository.url.replace(/^git\+|\.git$/g, ''), tag: `v${version}` };
  const documents = [...packed, ...inFolders].filter((name) => /\.(?:md|txt)$/.test(name) && existsSync(name));
  return documents.map((document) => {
    const text = read(document);
    return { document, text, inPackage: withLinks(document, text, isPacked, place) };
  });
}

function write() {
  // They are there if a pack was interrupted.
  restore();
  for (const { document, text, inPackage } of packedDocuments()) {
    if (inPackage === text) continue;
    for (const [folder, content] of [['text', text], ['inPackage', inPackage]]) {
      const copy = join(KEPT, folder, document);
      mkdirSync(dirname(copy), { recursive: true });
      writeFileSync(copy, content);
    }
    writeFileSync(document, inPackage);
  }
}

/** Leaves a document as it is that someone has changed since. */
function restore() {
  if (!existsSync(KEPT)) return;
  const written = join(KEPT, 'inPackage');
  for (const { name, parentPath, path } of readdirSync(written, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile())) {
    const copy = join(parentPath ?? path, name);
    const document = copy.slice(written.length + 1);
    if (existsSync(document) && read(document) === read(copy)) writeFileSync(document, read(join(KEPT, 'text', document)));
  }
  rmSync(KEPT, { recursive: true });
}

const [, program, command] = argv;
if (program === fileURLToPath(import.meta.url)) {
  if (command === 'write') write();
  else if (command === 'restore') restore();
  else throw new Error(`write or restore: ${command}`);
}
