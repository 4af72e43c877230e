/**
 * Checks that no regular expression of the library takes more than linear time: bytes from outside reach most of them. `recheck` decides it,
 * for each literal and for each expression that a module makes when it is loaded. A function that makes one must be listed, with a reason.
 *
 *   node tests/compat/regular-expressions.tool.js
 */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { parse } from 'acorn';
import { check as judge } from 'recheck';
import { checking } from './checks.js';

const DIST = new URL('../../dist/', import.meta.url);
const ALLOWED = new Set(['safe', 'linear']);
// The modules with functions that make an expression, and why it needs no check.
const MADE_IN_FUNCTIONS = new Map([
  ['checks/lists.js', 'the relation is a word of the check itself'],
  ['checks/schema-validator.js', 'the pattern is in a schema of the program that is tested'],
  ['endpoint/decoder-json-schema.js', 'the pattern of a schema is made to see whether it can be documented, and not run'],
  ['http/date.js', 'called when the module is loaded, so it is checked'],
  ['queries/keys.js', 'the pattern is a path of the page, which compares it with the URLs of its own requests'],
]);

/** Calls `visit` for each node of a syntax tree, with whether the node is within a function. */
function walk(node, visit, isWithin = false) {
  if (Array.isArray(node)) return node.forEach((each) => walk(each, visit, isWithin));
  if (typeof node?.type !== 'string') return undefined;
  visit(node, isWithin);
  const isFunction = /Function/.test(node.type);
  return Object.values(node).forEach((property) => walk(property, visit, isWithin || isFunction));
}

const files = readdirSync(DIST, { recursive: true }).map((name) => name.replaceAll('\\', '/')).filter((name) => name.endsWith('.js'));
const expressions = new Map();
const madeInFunctions = new Set();
for (const file of files) {
  walk(parse(readFileSync(new URL(file, DIST), 'utf8'), { ecmaVersion: 'latest', sourceType: 'module' }), (node, isWithin) => {
    if (node.type === 'Literal' && node.regex !== undefined) expressions.set(`/${node.regex.pattern}/${node.regex.flags}`, file);
    // `addMade` sees no calls without `new`.
    const isMade = node.callee?.name === 'RegExp' && (isWithin || node.type === 'CallExpression');
    if (isMade) madeInFunctions.add(file);
  });
}

/** Adds the expressions that modules make when they are loaded. */
async function addMade() {
  const { RegExp } = globalThis;
  let file = '';
  globalThis.RegExp = new Proxy(RegExp, {
    construct(target, given, newTarget) {
      const made = Reflect.construct(target, given, newTarget);
      expressions.set(String(made), file);
      return made;
    },
  });
  for (file of files) await import(new URL(file, DIST));
  globalThis.RegExp = RegExp;
}
const literals = expressions.size;
await addMade();

/** The complexity of an expression, such as `linear`, or why it is not known. Takes as long as it takes. */
async function findComplexity(expression) {
  const end = expression.lastIndexOf('/');
  const { complexity, error } = await judge(expression.slice(1, end), expression.slice(end + 1), { timeout: null });
  return complexity?.type ?? JSON.stringify(error);
}

await checking('regular expressions', async (check) => {
  await check('a slow one is found', async () => {
    assert.equal(await findComplexity('/[ ,]*,[ ,]*$/'), 'polynomial');
    assert.equal(await findComplexity('/^(?:a|a)+$/'), 'exponential');
  });
  await check(`there are many, and some are made when a module is loaded: ${literals}, ${expressions.size - literals}`, () => {
    assert.ok(literals > 100 && expressions.size > literals + 5);
  });
  await check('those that functions make are listed, and no others', () => {
    assert.deepEqual([...madeInFunctions].sort(), [...MADE_IN_FUNCTIONS.keys()].sort());
  });
  for (const [expression, file] of expressions) {
    await check(`${file}: ${expression}`, async () => {
      const complexity = await findComplexity(expression);
      assert.ok(ALLOWED.has(complexity), complexity);
    });
  }
});
// The native program of recheck outlives the one that started it.
const children = spawnSync('pgrep', ['-P', String(process.pid), 'recheck'], { encoding: 'utf8' }).stdout ?? '';
for (const pid of children.split('\n').filter(Boolean).map(Number)) {
  process.kill(pid);
  while (isRunning(pid)) await delay(20);
}

function isRunning(pid) {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}
