/** The pools of the programs of docs and examples: none waits without an end for a server that does not respond. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { readFences } from './support/markdown.ts';

const FOLDERS = ['docs', 'examples', 'create', 'skills'];
const POOL = /\bnew (?:\(.*\.Pool\)|\w*Pool|PrismaPg)\(|\bdrizzle\(/g;
const TIMES = ['connectionTimeoutMillis', 'statement_timeout', 'query_timeout'];
// They have a pool that is made beside them.
const GIVEN_POOL = /^\{ client: pool \}$/;

/** The code of each program: a file, or a fence of a page. */
function listPrograms(): readonly (readonly [name: string, code: string])[] {
  const files = FOLDERS.flatMap((folder) => readdirSync(folder, { recursive: true, encoding: 'utf8' }).map((name) => join(folder, name)));
  return ['README.md', ...files].filter((name) => /\.(?:md|[jt]s)$/.test(name) && !name.includes('node_modules')).flatMap((name) => {
    const text = readFileSync(name, 'utf8');
    if (!name.endsWith('.md')) return [[name, text] as const];
    return readFences(text).filter(({ language }) => /^[jt]s$/.test(language)).map(({ text: code }) => [`${name}: ${code.split('\n')[0]}`, code] as const);
  });
}

/** The arguments of a call that begins before `start`, with what is spread into them. */
function readArguments(code: string, start: number): string {
  let depth = 1;
  let end = start;
  for (; depth > 0 && end < code.length; end += 1) depth += '([{'.includes(code[end] ?? '') ? 1 : ')]}'.includes(code[end] ?? '') ? -1 : 0;
  return code.slice(start, end - 1).replaceAll(/\.\.\.(\w+)/g, (_, name: string) => new RegExp(`const ${name} = (\\{.*?\\})`, 's').exec(code)?.[1] ?? '');
}

const pools = suite('the pools of the programs that docs and examples show');
const found = listPrograms().flatMap(([name, code]) => [...code.matchAll(POOL)].map(({ index, 0: call }) => [name, readArguments(code, index + call.length)] as const));
for (const [name, options] of found.filter(([, each]) => !GIVEN_POOL.test(each))) {
  pools(`${name} says how long it waits`, () => {
    assert.equal(TIMES.filter((time) => !options.includes(`${time}: `)), []);
    const [connect = 0, statement = 0, query = 0] = TIMES.map((time) => Number(new RegExp(`${time}: ([\\d_]+)`).exec(options)?.[1]?.replaceAll('_', '')));
    // The server ends the statement first: the connection stays.
    assert.ok(connect > 0 && statement > 0 && query > statement, options);
  });
}
pools('are those of 12 programs at least', () => assert.ok(found.length >= 12, String(found.length)));
pools.run();
