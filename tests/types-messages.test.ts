/**
 * The compiler's messages for wrong declarations. The cases are the blocks of `docs/types.md`: code, and below it the whole message, with
 * the line and column of the error.
 */
import { spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const FOLDER = `${ROOT}build/types-messages/`;

/** The declarations that the blocks use. They stand below the blocks, whose lines so keep their numbers. */
const DECLARATIONS = `
 import { ApiServer, defineEndpoint, integerId, stringId, type StandardSchemaV1 } from 'restpoint';
interface Pet { readonly name: string; readonly legs: number }
interface User { readonly name: string }
declare const petSchema: StandardSchemaV1<unknown, Pet>;
declare const pets: Map<number, Pet>;
declare function signedIn(request: object): Promise<User>;
declare const server: ApiServer;
`;

interface Case {
  readonly title: string;
  readonly code: string;
  readonly message: string;
}

function casesOf(page: string): Case[] {
  const blocks = page.matchAll(/^## (.+)\n\n```ts\n([^]+?)\n```\n\n```text\n([^]+?)\n```$/gm);
  return [...blocks].map(([, title = '', code = '', message = '']) => ({ title, code, message }));
}

/** Compiles each text as a separate file, and returns the messages for each. */
function messagesFor(texts: readonly string[]): string[] {
  const files = texts.map((_, index) => `case-${index}.ts`);
  const compilerOptions = {
    noEmit: true, strict: true, skipLibCheck: true, exactOptionalPropertyTypes: true, target: 'es2023', module: 'node20', types: ['node'],
    paths: { restpoint: [`${ROOT}dist/index.d.ts`] },
  };
  mkdirSync(FOLDER, { recursive: true });
  try {
    texts.forEach((text, index) => writeFileSync(`${FOLDER}${files[index]}`, text));
    writeFileSync(`${FOLDER}tsconfig.json`, JSON.stringify({ compilerOptions, files }));
    const compiler = `${ROOT}node_modules/typescript/bin/tsc`;
    const { stdout } = spawnSync(process.execPath, [compiler, '-p', '.', '--pretty', 'false'], { cwd: FOLDER, encoding: 'utf8' });
    const parts = stdout.trimEnd().split(/^(?=case-)/m);
    return files.map((file) => parts.filter((part) => part.startsWith(`${file}(`)).map((part) => part.slice(file.length)).join('').trimEnd());
  } finally {
    rmSync(FOLDER, { recursive: true });
  }
}

const page = readFileSync(`${ROOT}docs/types.md`, 'utf8');
const cases = casesOf(page);
const [unused = '', ...messages] = messagesFor(['export {};', ...cases.map(({ code }) => code)].map((code) => code + DECLARATIONS));

const printed = suite('the messages of the compiler');
printed('has a case for each heading of the page but the last', () => {
  assert.ok(cases.length >= 7, `${cases.length} cases`);
  assert.is(cases.length, page.split(/^## /m).length - 2);
});
printed('of no declaration at all -> nothing', () => assert.is(unused, ''));
cases.forEach(({ title, message }, index) => {
  printed(`of: ${title} -> the message that docs/types.md has, at the same line`, () => assert.is(messages[index], message));
});
printed.run();
