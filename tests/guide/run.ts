/**
 * The programs of the guide in docs compile after each step, with the configuration and the packages that it shows, and print what it shows. The
 * later steps run over a PostgreSQL server of their own.
 *
 *   npm run guide [-- number of a step]
 *
 * Leaves the files of each step in build/guide, for readers. The last line is `N passed, N failed`, and `, N skipped` if there is no PostgreSQL.
 */
import { execFile } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import assert from 'node:assert/strict';
import { promisify } from 'node:util';
import { Cluster, connect, missingPostgres } from '../postgres/cluster.ts';
import { Checks } from '../support/checks.ts';
import { Child } from '../support/child.ts';
import { isShown, SHOWN_ADDRESS } from '../support/curl.ts';
import { guide, readSteps, type Step } from '../support/guide.ts';
import type { ShownCommand } from '../support/markdown.ts';

const FOLDER = join(process.cwd(), 'build', 'guide');
const COMPAT = join(process.cwd(), 'tests', 'compat');
const LISTENS = /listening on (http:\S+)\n/;
const takesTypeScript = 'typescript' in process.features && process.features.typescript !== false;
const TSC = join(process.cwd(), 'node_modules', 'typescript', 'bin', 'tsc');

const checks = new Checks();
const { check } = checks;

const folderOf = ({ number }: Step): string => join(FOLDER, `step-${number}`);
const usesDatabase = ({ files }: Step): boolean => files.has('schema.sql');

/** Writes the files of each step. The packages are links to those of this repository. */
function writeSteps(steps: readonly Step[]): void {
  rmSync(FOLDER, { recursive: true, force: true });
  for (const step of steps) {
    mkdirSync(folderOf(step), { recursive: true });
    for (const [name, text] of step.files) writeFileSync(join(folderOf(step), name), text);
    writeFileSync(join(folderOf(step), 'package.json'), JSON.stringify({ name: 'pets', version: '1.0.0', type: 'module' }));
  }
  const modules = join(FOLDER, 'node_modules');
  mkdirSync(join(modules, '@types'), { recursive: true });
  for (const name of steps.at(-1)?.packages ?? []) {
    const inCompat = join(COMPAT, 'node_modules', name);
    const inRoot = join(process.cwd(), 'node_modules', name);
    symlinkSync(name === 'restpoint' ? process.cwd() : existsSync(inRoot) ? inRoot : inCompat, join(modules, name));
  }
}

async function compile(folder: string): Promise<string> {
  const compiler = new Child([TSC, '-p', folder]);
  const status = await compiler.exit();
  return status === 0 ? '' : compiler.output;
}

/** The path of a file in the folder of its step: as it is printed if this Node takes TypeScript, else compiled. */
function locate(name: string): string {
  return takesTypeScript ? `${name}.ts` : join('build', `${name}.js`);
}

/** Runs `use` while a file of a step is changed. */
async function runChanged(step: Step, name: string, change: (code: string) => string, use: () => Promise<void>): Promise<void> {
  const file = join(folderOf(step), locate(name));
  const code = readFileSync(file, 'utf8');
  assert.notEqual(change(code), code);
  writeFileSync(file, change(code));
  try {
    await use();
  } finally {
    writeFileSync(file, code);
  }
}

/** Runs `use` while the program of a step listens at any port, if its port is fixed. */
function whileAnywhere(step: Step, use: () => Promise<void>): Promise<void> {
  const isFixed = step.files.get('main.ts')?.includes(SHOWN_ADDRESS) === true;
  return isFixed ? runChanged(step, 'main', (code) => code.replace(SHOWN_ADDRESS, '127.0.0.1:0'), use) : use();
}

/** Runs a command at the address of a server. Returns its output. */
async function runCommand(step: Step, command: string, url: string): Promise<string> {
  const [, file] = /^node (\w+)\.ts$/.exec(command) ?? [];
  if (file !== undefined) {
    const child = new Child([locate(file)], { API_URL: `${url}/v1` }, folderOf(step));
    assert.equal(await child.exit(), 0, child.output);
    return child.output.trimEnd();
  }
  assert.match(command, /^curl /);
  const script = command.replace(/^curl /, 'curl --disable --noproxy "*" -sS ').replaceAll(`http://${SHOWN_ADDRESS}`, url);
  const { stdout } = await promisify(execFile)('bash', ['-c', script], { timeout: 600_000 });
  return stdout.replaceAll('\r', '').trimEnd();
}

/** Starts the program of a step, runs the other commands, and stops it. */
function runStep(step: Step, commands: readonly ShownCommand[], environment: Readonly<Record<string, string>>): Promise<void> {
  return whileAnywhere(step, () => runCommands(step, commands, environment));
}

async function runCommands(step: Step, commands: readonly ShownCommand[], environment: Readonly<Record<string, string>>): Promise<void> {
  const [first] = commands;
  const isStart = first?.command === 'node --watch main.ts';
  const child = new Child([locate('main')], { PORT: '0', ...environment }, folderOf(step));
  try {
    const [, url = ''] = await child.waitForOutput(LISTENS);
    if (isStart) await check(`step ${step.number}: ${first.command}`, () => assert.equal(child.output.replace(url, `http://${SHOWN_ADDRESS}`).trimEnd(), first.printed));
    for (const { command, printed } of commands.slice(isStart ? 1 : 0)) {
      await check(`step ${step.number}: ${command}`, async () => {
        const output = await runCommand(step, command, url);
        assert.ok(isShown(output, printed), `printed\n${output}\nand the guide shows\n${printed}`);
      });
    }
  } finally {
    const status = await child.end();
    await check(`step ${step.number}: SIGTERM stops the program`, () => assert.equal(status, 0, child.output));
  }
}

/** The tests of a step pass, and fail if the server is wrong. */
async function runTests(step: Step, command: string): Promise<void> {
  const [, file] = /^node --test (\w+\.test)\.ts$/.exec(command) ?? [];
  assert.ok(file !== undefined, command);
  const test = (): Child => new Child(['--test', locate(file)], {}, folderOf(step));
  await check(`step ${step.number}: ${command}`, async () => {
    const child = test();
    assert.equal(await child.exit(), 0, child.output);
    assert.match(child.output, /^(?:#|ℹ) pass [2-9]\d$/m);
    assert.match(child.output, /^(?:#|ℹ) skipped 0$/m);
  });
  await check(`step ${step.number}: the tests fail if a name can be given twice`, () => {
    return runChanged(step, 'store', (code) => code.replace('throw new NameTaken(name)', '0'), async () => {
      const child = test();
      assert.equal(await child.exit(), 1, child.output);
    });
  });
}

/** `node --watch` starts the program again when a file has changed. */
function runWatch(step: Step): Promise<void> {
  return whileAnywhere(step, async () => {
    const child = new Child(['--watch', locate('main')], {}, folderOf(step));
    try {
      await child.waitForOutput(LISTENS);
      await runChanged(step, 'api', (code) => code.replace("'/pet'", "'/animal'"), async () => {
        await child.waitForOutput(/route: GET \/v1\/animal\/:id\n[^]*listening on /);
      });
    } finally {
      await child.end();
    }
  });
}

/** The client does not compile when the server has renamed a property, with the words of the guide. */
async function rejectClient(step: Step): Promise<void> {
  const [, message = ''] = /`npx tsc` lists every call that must change:\n`(.+?)`\./.exec(guide) ?? [];
  const folder = join(FOLDER, 'renamed');
  mkdirSync(folder);
  for (const [name, text] of step.files) writeFileSync(join(folder, name), name === 'client.ts' ? text : text.replaceAll(/\blegs\b/g, 'feet'));
  writeFileSync(join(folder, 'package.json'), '{ "type": "module" }');
  const output = await compile(folder);
  rmSync(folder, { recursive: true });
  assert.notEqual(message, '');
  assert.match(output, /client\.ts/);
  assert.ok(output.includes(message), output);
  assert.doesNotMatch(output, /^\S*(?<!\/client)\.ts\(/m);
}

/** What compose.yaml says fits the Dockerfile, the program and the files beside it. */
async function checkCompose({ files }: Step): Promise<void> {
  const { parse } = await import(join(COMPAT, 'node_modules', 'yaml', 'dist', 'index.js')) as { parse: (text: string) => any };
  const { services: { api, db }, volumes } = parse(files.get('compose.yaml') ?? '');
  assert.equal(api.build, '.');
  assert.deepEqual(api.ports, ['8080:8080']);
  assert.deepEqual(Object.keys(api.depends_on), ['db']);
  const { username, password, hostname } = new URL(api.environment.DATABASE_URL.replace('${DB_PASSWORD}', 'x'));
  assert.deepEqual([username, password, hostname], ['postgres', 'x', 'db']);
  assert.equal(db.environment.POSTGRES_PASSWORD, '${DB_PASSWORD}');
  for (const volume of db.volumes) {
    const [from = ''] = volume.split(':');
    assert.ok(from.startsWith('./') ? files.has(from.slice(2)) : from in volumes, volume);
  }
}

async function runDatabaseStep(step: Step, cluster: Cluster): Promise<void> {
  const url = await cluster.database();
  const pool = connect(url);
  try {
    await pool.query(step.files.get('schema.sql') ?? '');
    await runStep(step, step.commands, { DATABASE_URL: url });
  } finally {
    await pool.end();
  }
}

async function runAll(steps: readonly Step[]): Promise<void> {
  for (const step of steps) {
    await check(`step ${step.number}, ${step.heading}: compiles`, async () => assert.equal(await compile(folderOf(step)), ''));
  }
  for (const step of steps.filter((each) => !usesDatabase(each))) {
    const tests = step.commands.filter(({ command }) => command.startsWith('node --test '));
    for (const { command } of tests) await runTests(step, command);
    if (step.number === 1) await check('step 1: --watch starts the program again', () => runWatch(step));
    if (step.number === 6) await check('step 6: the compiler finds a property that was renamed', () => rejectClient(step));
    await runStep(step, step.commands.filter((shown) => !tests.includes(shown)), {});
  }
  const later = steps.filter(usesDatabase);
  for (const step of later.filter(({ files }) => files.has('compose.yaml'))) await check(`step ${step.number}: compose.yaml`, () => checkCompose(step));
  const missing = missingPostgres();
  if (missing !== undefined) {
    checks.skip(later.length, missing);
    return;
  }
  // The cluster loads `pg` from the folder in which it runs.
  process.chdir(COMPAT);
  const cluster = new Cluster();
  try {
    cluster.create();
    for (const step of later) await runDatabaseStep(step, cluster);
  } finally {
    await cluster.end();
  }
}

const [, , only] = process.argv;
const steps = readSteps(guide);
writeSteps(steps);
await check('the guide ends', () => runAll(steps.filter(({ number }) => only === undefined || String(number) === only)));
console.log(checks.counts);
process.exitCode = checks.areGood ? 0 : 1;
