#!/usr/bin/env node
/**
 * Copies the starter of restpoint into a folder: `npm create restpoint [folder]`. Without a folder, into the current one. It rejects a folder
 * that has files, other than those of Git.
 */
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { basename, join, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';

const USAGE = `Usage: npm create restpoint [folder]

Makes a project with a restpoint server: an endpoint with a Zod schema, a typed client, a test, a page of the API and a Dockerfile.
Without a folder, the files go into the current folder, which must be empty.`;

const STARTER = fileURLToPath(new URL('starter', import.meta.url));

const { isHelp, folder } = parseCommand();
if (isHelp) console.log(USAGE);
else makeProject(resolve(folder));

function parseCommand() {
  try {
    const { values, positionals } = parseArgs({ options: { help: { type: 'boolean', short: 'h' } }, allowPositionals: true });
    const [folder = '.', ...others] = positionals;
    if (others.length > 0) throw new TypeError(`One folder is needed, and these are ${positionals.length}: ${positionals.map(quote).join(' ')}`);
    return { isHelp: values.help === true, folder };
  } catch (error) {
    fail(`${error.message}\n\n${USAGE}`);
  }
}

function makeProject(folder) {
  if (!existsSync(STARTER)) fail('The starter is not in this clone of restpoint. Pack it first: npm pack ./create');
  const manager = /^(?:pnpm|yarn|bun|deno)(?=\/)/.exec(process.env.npm_config_user_agent ?? '')?.[0] ?? 'npm';
  mkdirSync(folder, { recursive: true });
  const found = readdirSync(folder).filter((name) => name !== '.git');
  if (found.length > 0) fail(`${quote(folder)} is not empty: it has ${found.slice(0, 3).map(quote).join(', ')}. Name a new folder: npm create restpoint my-api`);

  cpSync(STARTER, folder, { recursive: true });
  renameSync(join(folder, 'gitignore'), join(folder, '.gitignore'));
  const manifest = join(folder, 'package.json');
  writeFileSync(manifest, readFileSync(manifest, 'utf8').replace('"starter"', JSON.stringify(nameFor(folder))));

  // pnpm does not install before someone has decided about scripts of packages. This one counts installations, and the page does without it.
  if (manager === 'pnpm') writeFileSync(join(folder, 'pnpm-workspace.yaml'), "allowBuilds:\n  '@scarf/scarf': false\n");

  const path = relative('', folder);
  const run = `${manager} ${manager === 'deno' ? 'task' : 'run'}`;
  // Node 20 does not run TypeScript.
  const start = process.features.typescript ? 'dev' : 'start';
  console.log(`
A server of notes is in ${path === '' ? 'this folder' : quote(path)}. Next:

  ${path === '' ? '' : `cd ${quote(path)} && `}${manager} install && ${run} ${start}

\`${run} test\` tests it.
`);
}

function fail(message) {
  console.error(message);
  process.exit(1);
}

/** A path as one word of a shell. */
function quote(path) {
  if (/^[\w@%+=:,./-]+$/.test(path)) return path;
  return process.platform === 'win32' ? `"${path}"` : `'${path.replaceAll("'", "'\\''")}'`;
}

/** A name that npm accepts. */
function nameFor(folder) {
  return basename(folder).toLowerCase().replaceAll(/[^a-z0-9._-]+/g, '-').replace(/^[._-]+/, '') || 'notes';
}
