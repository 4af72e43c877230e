/** What the log shows of an error whose text a client has chosen. */
import { inspect } from 'node:util';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { loggedError } from '../../../src/server/settings/logged-error.ts';
import { message } from '../../support/messages.ts';
import { rawRequest } from '../../support/raw-client.ts';
import { serving } from '../../support/serving.ts';

const FAKE = '\nroute: GET /admin';
const CONTROLS = /[\0-\x09\x0b-\x1f\x7f-\x9f\u2028\u2029]/;

const messages = suite('the message of a logged error');
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
    const error = loggedError(raw, undefined);
    assert.is(error.message, shown);
    assert.ok(error.stack?.startsWith(`Error: ${shown}\n    at `));
  });
}
messages.run();

/** An error whose message was changed after its stack was made. */
function renamed(text: string): Error {
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
const broken = new Proxy(new Error('no'), { ownKeys: () => { throw new Error('hidden'); } });

const causes = suite('the cause of a logged error, as console shows it,');
for (const [what, cause, shown] of [
  ['an error', new Error(`no pet${FAKE}\n    at fake (x.js:1:1)`), /^  \[cause\]: Error: no pet\\nroute: GET \/admin\\n    at fake \(x\.js:1:1\)\n +at /m],
  ['an error with a color', new Error('no \x1b[31mpet'), /Error: no \\u001b\[31mpet\n/],
  ['an error of a class with a code', Object.assign(new RangeError(`no${FAKE}`), { code: 'E\x1b[0m' }), /RangeError: no\\nroute: GET \/admin\n[^]*code: 'E\\x1[bB]\[0m'/],
  ['a cause of the cause', new Error('outer', { cause: new TypeError(`inner${FAKE}`) }), /\[cause\]: TypeError: inner\\nroute: GET \/admin\n/],
  ['the errors of an AggregateError', new AggregateError([new Error(`one${FAKE}`)], `all${FAKE}`), /AggregateError: all\\nroute: GET \/admin\n[^]*\[errors\]: \[\s+Error: one\\nroute: GET \/admin\n/],
  ['an error in a property', Object.assign(new Error('a'), { parent: new Error(`b${FAKE}`) }), /parent: Error: b\\nroute: GET \/admin\n/],
  ['an error whose message was changed', renamed(FAKE), /Error: old\\nroute: GET \/admin\n +at /],
  ['an error without a stack', bare, /\[cause\]: \[?Error: bare\\nroute: GET \/admin/],
  ['an error that is its own cause', circular, /Error: again\\nroute: GET \/admin\n/],
  ['20,000 errors', long, /Error: link 19999\\nroute: GET \/admin\n/],
  ['a getter that throws', Object.defineProperty(new Error(`a${FAKE}`), 'own', { enumerable: true, get: () => { throw new Error('no'); } }), /Error: a\\nroute: GET \/admin\n/],
  ['an error that cannot be read', broken, /\[cause\]: 'an error that cannot be read'/],
  ['a text', `text${FAKE}\x1b[0m`, /\[cause\]: ['"]text\\nroute: GET \/admin\\x1[bB]\[0m/],
  ['an object', { text: `a${FAKE}` }, /\[cause\]: \{ text: 'a\\nroute: GET \/admin' \}/],
] as const) {
  for (const options of [{}, { depth: Infinity }]) {
    causes(`${what}, is escaped: ${JSON.stringify(options)}`, () => {
      const text = inspect(loggedError('GET /pet: failed', cause), options);
      assert.match(text, /^Error: GET \/pet: failed\n    at /);
      assert.match(text, shown);
      assert.not.match(text, /^route/m);
      assert.not.match(text, CONTROLS);
    });
  }
}
causes('is the value that was thrown', () => {
  const cause = new Error('a\nb');
  assert.is(loggedError('failed', cause).cause, cause);
  assert.is(cause.message, 'a\nb');
});
causes('keeps the colors of a terminal that console has', () => {
  assert.match(inspect(loggedError('failed', { a: 1 }), { colors: true }), /\x1b\[33m1\x1b\[39m/);
});
causes.run();

const wire = suite('the log of a request');
wire('has no line that a client has chosen, whatever the operation throws', () => serving((server) => {
  server.registerEndpoint('/pet', { get: ({ query }) => { throw new Error(`no pet ${query.get('name')}`); } });
}, async ({ port, errors }) => {
  assert.is((await rawRequest(port, message('GET', '/v1/pet?name=%0Aroute:%20GET%20/admin%1B[31m'))).status, 500);
  const [error] = errors;
  assert.is(error?.message, 'GET /v1/pet: Internal error: no pet \\nroute: GET /admin\\u001b[31m');
  assert.not.match(inspect(error), /^route/m);
  assert.not.match(inspect(error), CONTROLS);
}));
wire.run();
