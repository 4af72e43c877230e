/**
 * docs/about.md: a program with each framework is compiled, served and called, and each cell of the tables is compared with the outcome.
 * The labels of rows that come from the documentation of the frameworks are in italics. Their packages are installed in `comparison`, and PGlite,
 * the database of two servers of restpoint, in this folder.
 */
import assert from 'node:assert/strict';
import { execFile, execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { checking } from './checks.js';
import { clientCells, serverCells } from './comparison/cells.js';
import { need } from './programs.js';
import { PATIENCE_MS } from './until.js';

need('openssl', 'openssl', 'version');

const FOLDER = fileURLToPath(new URL('comparison/', import.meta.url));
const COMPILER = fileURLToPath(new URL('../../node_modules/typescript/bin/tsc', import.meta.url));
const PAGE = new URL('../../docs/about.md', import.meta.url);

/** The columns of the page, and their programs. */
const PROGRAMS = {
  restpoint: 'restpoint', Fastify: 'fastify', Hono: 'hono', Express: 'express', NestJS: 'nest', Elysia: 'elysia',
  'ts-rest': 'ts-rest', oRPC: 'orpc', tRPC: 'trpc', 'Hono, `hc`': 'hono', 'Elysia, Eden': 'elysia',
};

const run = promisify(execFile);
const scratch = mkdtempSync(join(tmpdir(), 'restpoint-comparison-'));

/** Runs a program of the folder. Resolves to the outcomes that it writes to a file, and to its logs. */
async function outcomesOf(program, NODE_ENV, ...args) {
  const output = join(scratch, `${program}-${NODE_ENV}.json`);
  const env = { ...process.env, NODE_ENV };
  const { stdout, stderr } = await run(process.execPath, [program, output, ...args], { cwd: FOLDER, env, timeout: PATIENCE_MS, maxBuffer: 2 ** 26 });
  return { outcomes: JSON.parse(readFileSync(output, 'utf8')), logs: [stdout, stderr] };
}

/** The tables of the page, as their columns and their rows: `{ label, cells }`. */
function tablesOf(markdown) {
  return [...markdown.matchAll(/(?:^\|.*\|\n)+/gm)].map(([table]) => {
    const [[, ...columns], , ...rows] = table.trimEnd().split('\n').map((line) => line.split('|').slice(1, -1).map((cell) => cell.trim()));
    return { columns, rows: rows.map(([label, ...cells]) => ({ label, cells })) };
  });
}

/** Compares all rows of a table but those in italics. */
async function checkTable(check, { columns, rows }, cellsOf, facts) {
  const rowsToTest = rows.filter(({ label }) => !/^\*.*\*$/.test(label));
  await check(`${columns.join(', ')}: the rows`, () => assert.deepEqual(rowsToTest.map(({ label }) => label), Object.keys(cellsOf)));
  for (const { label, cells } of rowsToTest) {
    await check(label, () => assert.deepEqual(cells, columns.map((column) => cellsOf[label](facts[PROGRAMS[column]]))));
  }
}

function makeCertificate() {
  const [cert, key] = [join(scratch, 'cert.pem'), join(scratch, 'key.pem')];
  const args = ['req', '-x509', '-newkey', 'rsa:2048', '-nodes', '-keyout', key, '-out', cert, '-subj', '/CN=localhost', '-days', '1'];
  execFileSync('openssl', args, { stdio: 'ignore' });
  return [cert, key];
}

await checking('comparison', async (check) => {
  try {
    await check('all programs compile', () => run(process.execPath, [COMPILER, '-p', FOLDER], { timeout: PATIENCE_MS }));
    const names = [...new Set(Object.values(PROGRAMS))];
    const certificate = makeCertificate();
    const [asked, inProduction, { outcomes: calls }] = await Promise.all([
      outcomesOf('ask.js', undefined, ...certificate, ...names),
      outcomesOf('ask.js', 'production', ...certificate, ...names),
      outcomesOf('call.js', undefined, ...names),
    ]);
    const facts = Object.fromEntries(names.map((name) => [name, {
      name,
      ...asked.outcomes[name],
      inProduction: inProduction.outcomes[name].failure,
      isLogged: asked.logs.some((log) => log.split(`\n== ${name}\n`)[1]?.split('\n== ')[0].includes('swordfish')),
      client: calls[name],
    }]));
    const [servers, clients] = tablesOf(readFileSync(PAGE, 'utf8'));
    await checkTable(check, servers, serverCells, facts);
    await checkTable(check, clients, clientCells, facts);
  } finally {
    rmSync(scratch, { recursive: true });
  }
});
