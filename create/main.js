#!/usr/bin/env node
/**
 * Copies the starter of restpoint into a folder: `npm create restpoint [folder]`. Without a folder, into the current one. It refuses a folder
 * that has files, other than those of Git.
 */
import { cpSync, mkdirSync, readdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { basename, join, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

const folder = resolve(process.argv[2] ?? '.');
const manager = /^(?:pnpm|yarn|bun|deno)(?=\/)/.exec(process.env.npm_config_user_agent ?? '')?.[0] ?? 'npm';

mkdirSync(folder, { recursive: true });
const found = readdirSync(folder).filter((name) => name !== '.git');
if (found.length > 0) {
  console.error(`${folder} is not empty: it has ${found.slice(0, 3).join(', ')}. Name a new folder: npm create restpoint my-api`);
  process.exit(1);
}

cpSync(fileURLToPath(new URL('starter', import.meta.url)), folder, { recursive: true });
renameSync(join(folder, 'gitignore'), join(folder, '.gitignore'));
const manifest = join(folder, 'package.json');
writeFileSync(manifest, readFileSync(manifest, 'utf8').replace('"starter"', JSON.stringify(nameFor(folder))));

// pnpm does not install before someone has decided about scripts of packages. This one counts installations, and the page does without it.
if (manager === 'pnpm') writeFileSync(join(folder, 'pnpm-workspace.yaml'), "allowBuilds:\n  '@scarf/scarf': false\n");

const shown = relative('', folder);
console.log(`
A server of notes is in ${shown || 'this folder'}. These commands test and start it:
${shown === '' ? '' : `\n  cd ${shown}`}
  ${manager} install
  ${manager} ${manager === 'deno' ? 'task' : 'run'} test
  ${manager} ${manager === 'deno' ? 'task' : 'run'} start
`);

/** A name that npm accepts. */
function nameFor(folder) {
  return basename(folder).toLowerCase().replaceAll(/[^a-z0-9._-]+/g, '-').replace(/^[._-]+/, '') || 'notes';
}
