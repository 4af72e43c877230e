/**
 * The work that an API is for the compiler, beside the same API with Hono and its client `hc`: a count of type instantiations, which is the
 * same on every machine. It counts twice: server and client from source, and the client alone, against the declarations that the compiler has
 * emitted of the server (`declarations`).
 */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { checking } from './checks.js';
import { hono, honoInParts, restpoint, makeSources } from './types-apis.js';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const HONO = fileURLToPath(new URL('node_modules/hono', import.meta.url));
const COMPILER = `${ROOT}node_modules/typescript/bin/tsc`;
const ENDPOINTS = 25;

/** Compiles files of a folder. Throws the compiler's messages. */
function compile(folder, files, options) {
  const compilerOptions = { strict: true, skipLibCheck: true, target: 'es2023', module: 'nodenext', types: ['node'], ...options };
  writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions, files }));
  const { stdout } = spawnSync(process.execPath, [COMPILER, '-p', folder, '--extendedDiagnostics'], { encoding: 'utf8', maxBuffer: 2 ** 26 });
  const [, count] = /^Instantiations:\s+(\d+)/m.exec(stdout) ?? [];
  if (count === undefined || /error TS/.test(stdout)) throw new Error(`the compiler rejects: ${stdout.slice(0, 1_000)}`);
  return Number(count);
}

function write(folder, files) {
  mkdirSync(folder, { recursive: true });
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text);
}

/** Makes a folder where both libraries are installed, calls a function with it, and removes it. */
function inProject(use) {
  const folder = mkdtempSync(join(tmpdir(), 'restpoint-types-'));
  try {
    write(join(folder, 'node_modules'), {});
    symlinkSync(ROOT, join(folder, 'node_modules/restpoint'), 'dir');
    symlinkSync(HONO, join(folder, 'node_modules/hono'), 'dir');
    symlinkSync(`${ROOT}node_modules/@types`, join(folder, 'node_modules/@types'), 'dir');
    write(folder, { 'package.json': '{ "type": "module" }' });
    return use(folder);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** The instantiations of an API with so many endpoints. */
function instantiationsOf(library, endpoints) {
  return inProject((folder) => {
    const { server, client } = makeSources(library, endpoints);
    const [servers, clients] = [server, client].map(Object.keys);
    write(join(folder, 'src'), { ...server, ...client });
    const source = compile(folder, [...servers, ...clients].map((name) => `src/${name}`), { noEmit: true });
    compile(folder, servers.map((name) => `src/${name}`), { declaration: true, emitDeclarationOnly: true, noCheck: true, rootDir: 'src', outDir: 'emitted' });
    write(join(folder, 'emitted'), client);
    const declarations = compile(folder, clients.map((name) => `emitted/${name}`), { noEmit: true });
    return { source, declarations };
  });
}

// The most that ours may be of Hono's.
const PEERS = [
  { title: 'one client of Hono', peer: hono, most: { source: 0.25, declarations: 0.08 } },
  { title: 'a client of Hono for each resource', peer: honoInParts, most: { source: 0.4, declarations: 0.1 } },
];

await checking('types', async (check) => {
  const ours = instantiationsOf(restpoint, ENDPOINTS);
  for (const { title, peer, most } of PEERS) {
    const theirs = instantiationsOf(peer, ENDPOINTS);
    for (const from of ['source', 'declarations']) {
      const ratio = ours[from] / theirs[from];
      console.log(`${ENDPOINTS} endpoints with their clients, from ${from}: ${ours[from]} instantiations, ${title} ${theirs[from]}: ${ratio.toFixed(3)}`);
      await check(`from ${from}, less than ${most[from]} of ${title}`, () => assert.ok(ratio < most[from], `it is ${ratio}`));
    }
  }
});
