/**
 * Copies `examples/starter` into this package before it is packed, with the version of restpoint that it is published with. Only files that
 * Git would have are copied. npm leaves a file named `.gitignore` out of a package, so the copy has a different name.
 */
import { cpSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { basename } from 'node:path';
import { fileURLToPath } from 'node:url';

const path = (relative) => fileURLToPath(new URL(relative, import.meta.url));
const read = (file) => JSON.parse(readFileSync(path(file), 'utf8'));
const INSTALLED = new Set(['node_modules', 'dist', 'package-lock.json']);

rmSync(path('starter'), { recursive: true, force: true });
cpSync(path('../examples/starter'), path('starter'), { recursive: true, filter: (source) => !INSTALLED.has(basename(source)) });
renameSync(path('starter/.gitignore'), path('starter/gitignore'));
const manifest = read('starter/package.json');
manifest.dependencies.restpoint = `^${read('../package.json').version}`;
writeFileSync(path('starter/package.json'), `${JSON.stringify(manifest, undefined, 2)}\n`);
