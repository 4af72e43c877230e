/**
 * Runs the programs that a document shows: blocks of code whose first line is the name of a file. They listen at port 8080 there. A program is a block
 * with commands, or a test. The other blocks below its heading are files beside it. A link to a file of examples/docs is a block with that file.
 */
import { execFile } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { findFreePort } from './free-port.js';
import { Program } from './program.js';
import { PATIENCE_MS } from './until.js';

const FOLDER = fileURLToPath(new URL('.', import.meta.url));
const PACKAGE = fileURLToPath(new URL('../..', import.meta.url));
const PRISMA = join(FOLDER, 'node_modules/prisma/build/index.js');
const DOCS = new URL('../../docs/', import.meta.url);
const LINKED = /\]\((\.\.\/examples\/docs\/([\w.-]+))\)/g;
/** What the pages say to set in the environment. */
export const ENVIRONMENT = { WEBHOOK_SECRET: 'whsec_dGhlIGtleSBvZiB0aGlzIGV4YW1wbGUh' };
const NEXT = '--- next ---';
// A block, and the commands behind it if there is only prose between.
const BLOCK = /```(?:[jt]s|html|prisma)\n(?:\/\/|<!--) (\S+)(?: -->)?\n(.*?)^```\n(?:(?:(?!^```).)*^```console\n(.*?)^```)?/gms;

/** The pages whose programs run as they are shown. The guide has a test of its own. */
export const PAGES = readdirSync(DOCS).filter((page) => page !== 'guide.md');

/** The blocks of a document below each of its headings, each with the commands that follow it, and their output. */
export function listSections(document) {
  const markdown = readFileSync(new URL(document, DOCS), 'utf8').split('\n').map((line) => [
    line, ...[...line.matchAll(LINKED)].map(([, path, name]) => `\`\`\`ts\n// ${name}\n${readFileSync(new URL(path, DOCS), 'utf8')}\`\`\``),
  ].join('\n')).join('\n');
  return markdown.split(/^## /m).map((section) => {
    return [...section.matchAll(BLOCK)].map(([, name, code, terminal = '']) => ({ name, code, commands: commandsOf(terminal) }));
  });
}

/** The programs of a document, each with the files beside it. */
export function listPrograms(document) {
  const isProgram = ({ name, commands }) => commands.length > 0 || (/\.test\.[jt]s$/.test(name) && !(document === 'client.md' && name === 'pets.test.ts'));
  return listSections(document).flatMap((blocks) => {
    const files = blocks.filter((block) => !isProgram(block));
    return blocks.filter(isProgram).map((program) => ({ ...program, files }));
  });
}

function commandsOf(terminal) {
  return terminal.split(/^\$ /m).slice(1).map((step) => {
    const [command, ...printed] = step.split('\n');
    return { command, printed: printed.join('\n').trimEnd() };
  });
}

/** Runs commands in one shell, at the port of a program whose process is `$SERVER`. Resolves to the output of each. */
export async function printedBy(commands, { port, pid }) {
  const script = commands.map(({ command }) => `${command}\necho; echo '${NEXT}'`).join('\n').replaceAll('8080', port);
  const { stdout } = await promisify(execFile)('bash', ['-c', script], { timeout: PATIENCE_MS, env: { ...process.env, SERVER: pid } });
  return stdout.replaceAll('\r', '').split(`${NEXT}\n`).slice(0, -1).map((text) => text.trim());
}

/** Calls `use` with a folder from which this package and those of this folder are found. */
export async function withScratch(use) {
  const folder = mkdtempSync(join(FOLDER, '.shown-'));
  mkdirSync(join(folder, 'node_modules'));
  symlinkSync(PACKAGE, join(folder, 'node_modules', 'restpoint'));
  try {
    return await use(folder);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Writes a program and the files beside it. Resolves to the path of the program. */
export async function writeProgram({ name = 'program.js', code, files = [] }, folder, port) {
  const all = [...files, { name, code }];
  // Node removes types, but knows no decorators.
  const isRunnable = process.features.typescript && !all.some(({ code: text }) => /^ *@\w/m.test(text));
  const written = [];
  for (const { name: each, code: text } of all) {
    // The dev server of a page compiles the programs that its HTML names.
    const isCompiled = !isRunnable && each.endsWith('.ts') && !isNamedInHtml(each, files);
    const file = join(folder, isCompiled ? each.replace(/\.ts$/, '.js') : each);
    mkdirSync(dirname(file), { recursive: true });
    const code = isCompiled ? await toJavaScript(text) : text;
    writeFileSync(file, (isRunnable ? code : code.replace(/(script: '\w+)\.ts'/, "$1.js'")).replaceAll('8080', port));
    written.push(file);
  }
  await generatePrisma(files, folder);
  if (!isRunnable) await compileFolder(join(folder, 'generated'));
  return written.at(-1);
}

function isNamedInHtml(name, files) {
  return files.some((file) => file.name.endsWith('.html') && file.code.includes(`src="/${name}"`));
}

/** Generates the client of Prisma, if there is a schema. To generate it, its engine for migrations is looked for, and not used. */
export async function generatePrisma(files, folder) {
  if (!files.some(({ name }) => name === 'schema.prisma')) return;
  const env = { ...process.env, PRISMA_SCHEMA_ENGINE_BINARY: '/bin/true', PRISMA_HIDE_UPDATE_MESSAGE: '1', CHECKPOINT_DISABLE: '1' };
  await promisify(execFile)(process.execPath, [PRISMA, 'generate'], { cwd: folder, env });
}

export async function toJavaScript(code) {
  const { default: typescript } = await import('typescript');
  const { ModuleKind: { ESNext: module }, ScriptTarget: { ES2022: target } } = typescript;
  const compilerOptions = { module, target, rewriteRelativeImportExtensions: true, experimentalDecorators: true, emitDecoratorMetadata: true };
  return typescript.transpileModule(code, { compilerOptions }).outputText;
}

async function compileFolder(folder) {
  const names = existsSync(folder) ? readdirSync(folder, { recursive: true }).filter((name) => name.endsWith('.ts')) : [];
  for (const name of names) writeFileSync(join(folder, name.replace(/\.ts$/, '.js')), await toJavaScript(readFileSync(join(folder, name), 'utf8')));
}

/** Starts a program, and calls `use` when it listens. `printed` waits for something that it prints. */
export async function withRunning(program, folder, use) {
  const port = await findFreePort();
  const running = await start(program, folder, port);
  try {
    await running.responds(`http://127.0.0.1:${port}`);
    return await use({ port, pid: running.pid, printed: (pattern) => running.printed(pattern) });
  } finally {
    running.kill();
  }
}

/** Runs a program that ends. Resolves to its exit status and its output. `command`: the arguments of Node, instead of the file. */
export async function run(program, folder, command) {
  const running = await start(program, folder, 0, command);
  return { status: await running.ended(), output: running.output };
}

async function start(program, folder, port, command) {
  const file = await writeProgram(program, folder, port);
  return new Program(process.execPath, command ?? [file], { cwd: folder, env: { ...ENVIRONMENT, ...process.env } });
}
