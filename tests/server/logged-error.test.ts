/** What the log shows of an error whose text a client has chosen. */
import { inspect } from 'node:util';
import { ApiError } from '../../src/index.ts';
import { makeLoggedError } from '../../src/server/settings/logger.ts';
import { assert, message, send, serve, suite } from '../support/facts.ts';

const FAKE = '\nroute: GET /admin';
const CONTROLS = /[\0-\x09\x0b-\x1f\x7f-\x9f\u2028\u2029]/;

const messages = suite('E4: the message of a logged error');
for (const [what, raw, shown] of [
  ['a line end', 'a\nb', 'a\\nb'],
  ['a carriage return', 'a\r\nb', 'a\\r\\nb'],
  ['a tab', 'a\tb', 'a\\tb'],
  ['a color of a terminal', '\x1b[31mred\x1b[0m', '\\u001b[31mred\\u001b[0m'],
  ['NUL', 'a\0b', 'a\\u0000b'],
  ['DEL', 'a\x7fb', 'a\\u007fb'],
  ['a control character of Latin-1', 'a\x9b31mb', 'a\\u009b31mb'],
  ['the line ends of Unicode', 'a\u2028b\u2029c', 'a\\u2028b\\u2029c'],
  ['other letters', 'é 猫 🦊', 'é 猫 🦊'],
] as const) {
  messages(`has ${what} escaped`, () => {
    const error = makeLoggedError(raw, undefined);
    assert.is(error.message, shown);
    assert.is(error.stack, `Error: ${shown}`);
  });
}
const MANY = 1_000_000;
const repeatCut = (letter: string): string => `${letter.repeat(10_000)}… (${MANY} characters)`;
for (const [what, raw, shown] of [
  ['of letters', 'a'.repeat(MANY), repeatCut('a')],
  ['of control characters, each of which is escaped', '\x7f'.repeat(MANY), repeatCut('\\u007f')],
  ['that is just short enough', 'a'.repeat(10_000), 'a'.repeat(10_000)],
] as const) {
  messages(`has at most 10,000 characters: one ${what}`, () => {
    assert.ok(makeLoggedError(raw, undefined).message === shown);
    const { stack } = makeLoggedError('failed', new Error('a', { cause: new RangeError(raw) }));
    const title = String(stack?.split('\n').find((line) => line.includes('caused by')));
    assert.ok(title.startsWith(`  caused by RangeError: ${shown.slice(0, 9000)}`));
    assert.ok(title.length <= 6 * 10_000 + 100, String(title.length));
  });
}
messages('is not shown by frames that it has in the stack of an error whose message was changed', () => {
  const text = '\n    at fake\x7f (x.js:1:1)'.repeat(MANY / 20);
  const stack = String(makeLoggedError('failed', makeRenamed(text)).stack);
  assert.ok(stack.split('\n').length <= 12);
  assert.not.match(stack, CONTROLS);
});

function captureThrown(call: () => unknown): unknown {
  try {
    return call();
  } catch (thrown) {
    return thrown;
  }
}

/** An error whose message was changed after its stack was made. */
function makeRenamed(text: string): Error {
  const error = new Error(`old${text}`);
  // V8 may write it when it is first read.
  const { stack } = error;
  return Object.assign(error, { message: 'new', stack });
}

const bare = new Error(`bare${FAKE}`);
delete bare.stack;
const circular = new Error(`again${FAKE}`);
circular.cause = circular;
let long: unknown = 'the end';
for (let at = 0; at < 20_000; at += 1) long = new Error(`link ${at}${FAKE}`, { cause: long });
const hidden = new Proxy(new Error('no'), { get: () => { throw new Error('hidden'); } });

function throwDeep(calls: number): never {
  if (calls > 0) throwDeep(calls - 1);
  throw new Error('deep', { cause: new Error('inner', { cause: new Error('innermost', { cause: new Error('not shown') }) }) });
}

const HERE = /^    at [^\n]*logged-error\.test\.js/;
const shown = suite('E4: the lines of a logged error');
for (const [what, cause, lines] of [
  ['an error', new Error(`no pet${FAKE}\n    at fake (x.js:1:1)`), [HERE]],
  ['an error of another one, with a color', new Error('a', { cause: new TypeError(`no${FAKE} \x1b[31mpet`) }),
    [HERE, /^  caused by TypeError: no\\nroute: GET \/admin \\u001b\[31mpet$/, HERE]],
  ['the first error of an AggregateError', new AggregateError([new Error(`one${FAKE}`), new Error('two')]),
    [HERE, /^  caused by Error: one\\nroute: GET \/admin$/, HERE]],
  ['an error that the engine throws', captureThrown(() => JSON.parse('{')), [HERE]],
  ['an error of a package', Object.assign(new Error('pg'), { stack: 'Error: pg\n    at query (/app/node_modules/pg/lib/client.js:1:1)\n    at find (/app/store.js:2:2)\n    at /app/node_modules/x.js:3:3' }),
    [/^    at find \(\/app\/store\.js:2:2\)$/, /^    at \/app\/node_modules\/x\.js:3:3$/]],
  ['an error without a frame of the user', Object.assign(new Error('a'), { stack: `Error: a${'\n    at run (node:net:1:1)'.repeat(10)}` }),
    Array(3).fill(/^    at run \(node:net:1:1\)$/)],
  ['an error of this package', captureThrown(() => ApiError.status(200 as 400, 'no')), [HERE]],
  ['an error whose message was changed', makeRenamed(FAKE), [HERE]],
  ['an error without a message', new Error(), [HERE]],
  ['an error without a stack', bare, []],
  ['a string', `text${FAKE}\x1b[0m`, []],
  ['an object', { text: `a${FAKE}` }, []],
  ['an error caused by an object', new Error('a', { cause: { code: 42 } }), [HERE, /^  caused by \{"code":42\}$/]],
  ['an error caused by one without a stack', new Error('a', { cause: bare }), [HERE, /^  caused by bare\\nroute: GET \/admin$/]],
  ['an error that cannot be read', hidden, []],
] as readonly (readonly [string, unknown, readonly RegExp[]])[]) {
  shown(`${what}: ${lines.length === 0 ? 'the message alone' : lines.map(String).join(' ')}`, () => {
    const error = makeLoggedError('GET /pet: failed', cause);
    const [first, ...rest] = inspect(error).split('\n');
    assert.is(first, 'Error: GET /pet: failed');
    assert.is(error.stack, inspect(error));
    // Below the first frame of this file are others of it, and those of the runner.
    const firsts = rest.filter((line, at) => !/run-files|uvu-internals/.test(line) && !(HERE.test(line) && HERE.test(rest[at - 1] ?? '')));
    assert.is(firsts.length, lines.length, inspect(error));
    for (const [at, line] of lines.entries()) assert.match(String(firsts[at]), line);
    assert.not.match(inspect(error), CONTROLS);
    assert.not.match(inspect(error), /fake|^route/m);
  });
}
for (const [what, cause] of [['many frames', captureThrown(() => throwDeep(30))], ['an error that is its own cause', circular], ['20,000 errors', long]] as const) {
  shown(`${what}: at most twelve lines`, () => {
    const lines = inspect(makeLoggedError('GET /pet: failed', cause)).split('\n');
    assert.ok(lines.length <= 12, String(lines.length));
    assert.match(String(lines[1]), HERE);
  });
}
shown('if it is brief: the message alone', () => {
  assert.is(inspect(makeLoggedError('the server is not started', new Error('a'), true)), 'Error: the server is not started');
});

const causes = suite('the cause of a logged error');
causes('is the value that was thrown', () => {
  const cause = new Error('a\nb');
  assert.is(makeLoggedError('failed', cause).cause, cause);
  assert.is(cause.message, 'a\nb');
});

const wire = suite('the log of a request');
wire('has no line that a client has chosen, whatever the operation throws', () => serve((server) => {
  server.registerEndpoint('/pet', { get: ({ query }) => { throw new Error(`no pet ${query.get('name')}`); } });
}, async ({ port, errors }) => {
  assert.is((await send(port, message('GET', '/v1/pet?name=%0Aroute:%20GET%20/admin%1B[31m'))).status, 500);
  const [error] = errors;
  assert.is(error?.message, 'GET /v1/pet: Internal error: no pet \\nroute: GET /admin\\u001b[31m');
  assert.not.match(inspect(error), /^route/m);
  assert.not.match(inspect(error), CONTROLS);
}));
