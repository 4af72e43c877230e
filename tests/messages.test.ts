/**
 * `docs/messages.md` has every message in the source, and no other. A message is a string with words, or the argument of a function that makes
 * an error or writes to the log. Each is made by a test, which asserts it. The messages in types are made by wrong programs.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { join, sep } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { listOptions, OPTION_TABLES } from './support/option-tables.ts';
import { readSourceStrings, readStrings, type SourceString } from './support/source-strings.ts';

/** The HTML, the script and the policy of a page. */
const PAGE = 'openapi/swagger-ui.ts';
/** Files whose whole sentences are descriptions in a document of OpenAPI. */
const DOCUMENT = /^(?:openapi\/(?:responses|parameters|webhooks)|interceptors\/(?:page-query|idempotency-key)|formats\/merge-patch)\.ts$/;
/** The phrases of statuses. */
const PHRASE = /^(?:[A-Z]+[a-z]* ?)+$/;
/** Other strings with spaces: headers, lines on the wire, and pieces of messages. */
const OTHER_TEXTS = new Set([
  'multipart/form-data; boundary="…"', '--formrnContent-Disposition: form-data; …rnrnxrn', 'multipart/form-data; boundary=form',
  '…--form--', '--form--', '…: …, at …',
  'name="a file that nobody declares"; filename="a"',
  'Basic …, charset="UTF-8"', 'ApiKey …', 'Cookie …, …', 'error="insufficient_scope", scope="…"', 'GET, HEAD, OPTIONS', 'private, no-cache', 'no-store, no-transform',
  '…, no-transform', 'application/json; charset=utf-8', 'text/plain; charset=utf-8', 'text/…; charset=utf-8', 'bytes */…', 'bytes …-…/…', 'HTTP/1.1 … …',
  '…rnContent-Length: …rnConnection: closernrn…', 'id: …n', 'event: …n', 'retry: …n', '…data: …nn', '<…>; rel="deprecation"', '<…>; rel="…"',
  '<([^>]*)>; *rel="?…"?', 'Duration of HTTP server requests.', 'Number of active HTTP server requests.',
  'Request cannot be satisfied as assigned quota has been exceeded',
  'The quota `q` that requests take from, and the seconds `w` in which it is whole again.', 'The quota `r` that is left, and the seconds `t` until there is more.',
  'function …', '… of …', 'UPGRADE …', ' (request …)', 'result …', 'webhook …', 'error …', 'Error: …', '  caused by …', 'one more', ' in UTF-8', '[object Object]', '[object ',
  'without input, it', ', or search', ' or ', ' or $1', ' and ', ' and no ', ', by …', ', and changes nothing', 'a time', 'its version', 'too long', 'GET …', 'a request',
]);
/** Messages that only values make, from pieces that are messages themselves, and how many each file has. */
const FRAMES: Readonly<Record<string, number>> = {
  'checks/requests.ts': 1, 'client/problem-error.ts': 1, 'endpoint/codec.ts': 3, 'endpoint/endpoint.ts': 1, 'endpoint/outputs.ts': 2, 'openapi/schemas/schemas.ts': 1,
  'router/pattern.ts': 1, 'server/api-server.ts': 1, 'server/error-responses.ts': 1, 'server/logger.ts': 1, 'server/mounts.ts': 1,
};
/** Functions that make an error or write to the log. */
const MAKERS = /(?:Error|Failure|Rejection\w*|^ApiError\.\w+|^(?:fail|logFailure|onWarning|reject\w*|super)|logger\.\w+)$/;
/** Arguments of these that are not messages: kinds of errors, and names for the log. */
const ARGUMENTS = new Set(['ApiError', 'RpcError', 'describeError', 'makeRequestError', 'rejectCredentials', 'rejectPromise']);
/** Where a status and the text of its problem stand together. */
const STATUS = /(?:createRejection|ApiError\.status|reject)\((\d{3}), (['`])(.+?)\2[,)]/g;
/** What options can be, in the tables of the reference. */
const OPTION_VALUES = new Set(Object.values(OPTION_TABLES).flatMap((shape) => listOptions(shape)).map(({ values }) => values));

interface Text extends SourceString {
  readonly file: string;
  /** Matches the text with values instead of each `…`. */
  readonly pattern: RegExp;
}

function filesIn(folder: string, end: string): string[] {
  const names = readdirSync(folder, { recursive: true, encoding: 'utf8' }).map((name) => name.split(sep).join('/'));
  return names.filter((name) => name.endsWith(end));
}

function read(file: string): string {
  return readFileSync(join('src', file), 'utf8');
}

function textsIn(file: string, source: string): Text[] {
  return readSourceStrings(source).map((string) => ({ ...string, file, pattern: patternOf(string.text) }));
}

function patternOf(text: string): RegExp {
  return new RegExp(text.split('…').map((part) => part.replaceAll(/[\\^$.*+?()[\]{}|]/g, '\\$&')).join('.*?'));
}

const sources = filesIn('src', '.ts');
const strings = sources.flatMap((file) => textsIn(file, read(file)));
/** The names of properties that editors do not suggest: they begin with a space. */
const privateNames = new Set(sources.flatMap((file) => [...read(file).matchAll(/'( \w+)'(?:\??:|\])/g)].map(([, name = '']) => name)));

function isArgument({ callee }: Text): boolean {
  return MAKERS.test(callee) && !ARGUMENTS.has(callee);
}

function isMessage(string: Text): boolean {
  const { file, text } = string;
  if (OTHER_TEXTS.has(text) || privateNames.has(text) || !/[A-Za-z]/.test(text)) return false;
  if (isArgument(string)) return true;
  if (!/[A-Za-z]{2}/.test(text) || !/\s/.test(text) || text.startsWith('^') || PHRASE.test(text) || OPTION_VALUES.has(text)) return false;
  return file !== PAGE && (!DOCUMENT.test(file) || !text.endsWith('.'));
}

/** Whether a string consists only of values, so that nothing of the message is in it. */
function isFrame(string: Text): boolean {
  return MAKERS.test(string.callee) && string.text.includes('…') && !/[A-Za-z]/.test(string.text);
}

const page = readFileSync(join('docs', 'messages.md'), 'utf8');
const rows = [...page.matchAll(/^\| `(.+?)` \|(.+)\|$/gm)].map(([, message = '', explained = '']) => ({ message, explained }));
const shown = listShown(page);
const ofCompiler = listShown(/^## The compiler$.*?^## /ms.exec(page)?.[0] ?? '');
const programs = readFileSync(join('tests', 'types', 'wrong-programs.md'), 'utf8') + readFileSync(join('docs', 'types.md'), 'utf8');

// One can only be made on Bun.
const files = [...filesIn('tests', '.ts'), ...filesIn('tests', '.peer.js')];
const tests = files.filter((name) => !/^messages\.test|node_modules|^consumer/.test(name));
const asserted = tests.map((name) => readFileSync(join('tests', name), 'utf8')).join('\n').replaceAll('\\', '');

function listShown(markdown: string): string[] {
  return [...markdown.matchAll(/`([^`\n]+)`/g)].map(([, code = '']) => code);
}

/** The longest part of a message that is the same in all of its forms. */
function fixedPartOf(message: string): string {
  return message.split('…').reduce((longest, part) => (part.length > longest.length ? part : longest)).trim();
}

/** Whether the page has a message: as it is, or with values in place of `…` if it has enough letters of its own. */
function isShown({ text, pattern }: Text, codes: readonly string[]): boolean {
  const canVary = [...text.matchAll(/[A-Za-z]/g)].length >= 7;
  // A piece of a message begins with a space.
  const whole = new RegExp(`^${text.startsWith(' ') ? '.*' : ''}(?:${pattern.source})$`);
  return codes.some((code) => code.includes(text.trim()) || (canVary && whole.test(code)));
}

/** The words of a message on the page that come from no text of the source. */
function strayWords(message: string): string[] {
  const made = strings.filter(({ text, pattern }) => text.length > 1 && pattern.test(message)).flatMap(({ text }) => text.split('…'));
  const parts = made.filter((part) => part.length > 1).sort((a, b) => b.length - a.length);
  return parts.reduce((rest, part) => rest.replaceAll(part, ' '), message).match(/[A-Za-z]{3,}/g) ?? [];
}

const messages = strings.filter(isMessage);

const reading = suite('the strings of a source');
for (const [source, expected] of [
  ["a('b c', \"d\\'e\")", ['b c', "d'e"]],
  ["// 'a'\n/* 'b' */ 'c'", ['c']],
  ['`a ${b(`c ${d}`, { e: 1 })} f`', ['c …', 'a … f']],
  ["x = /'[/']/; 'a'", ['a']],
  ["x = 1 / 2; 'a'", ['a']],
] as const) {
  reading(`${JSON.stringify(source)} -> ${JSON.stringify(expected)}`, () => assert.equal(readStrings(source), expected));
}
for (const [source, expected] of [
  ["new TypeError('a')", 'TypeError'],
  ["throw new Error<B>(c ? 'a' : d)", 'Error'],
  ["ApiError.status(404, 'a')", 'ApiError.status'],
  ["f(g, { h: 'a' })", ''],
  ["f([g, 'a'])", ''],
  ["f(`${'a'}`)", ''],
  ["type A = 'a'", ''],
] as const) {
  reading(`${source}: 'a' is an argument of "${expected}"`, () => {
    assert.equal(readSourceStrings(source).filter(({ text }) => text === 'a'), [{ text: 'a', callee: expected }]);
  });
}
for (const source of ["a = 'b\n'", 'a = `b', 'a = (b', 'a) = b', "x = /a\n'b c'/"]) {
  reading(`${JSON.stringify(source)} is not read to its end: an error, and no string is lost silently`, () => {
    assert.throws(() => readStrings(source));
  });
}
reading.run();

/** A source with a message of each form, of which no document knows. */
const MADE_UP = `
  const GONE = 'the moon is gone';
  type Mistake<Name> = \`\${Name & string} waxes\`;
  export function check(name: string, count: number): void {
    if (count === 1) throw new TypeError('eclipsed');
    if (count === 2) throw new RangeError(\`\${name} wanes: \${count > 1 ? \`by \${count} nights\` : 'at dawn'}\`);
    if (count === 3) throw ApiError.status(409, \`new:\${name}\`);
    if (count === 4) throw createRejection(503, 'a crater ' + name);
    if (count === 5) logger.error(new Error(name + ' rises'));
    if (count === 6) throw fail(name, 'sets in the west');
    if (count === 7) throw new TypeError(\`\${name} \${count}\`);
    lines.push(['no tide', name].join(' '));
  }
  function fail(name: string, why: string): Error {
    return new Error(\`\${name}: \${why}\`);
  }
`;

const index = suite('the index of messages');
index('has every message of the source', () => {
  assert.ok(messages.length > 600, `${messages.length} messages`);
  for (const folder of ['auth', 'checks', 'client', 'endpoint', 'mcp', 'openapi', 'server']) {
    assert.ok(messages.filter(({ file }) => file.startsWith(`${folder}/`)).length >= 10, folder);
  }
  assert.equal(messages.filter((message) => !isShown(message, shown)).map(({ file, text }) => `${file}: ${text}`), []);
});
index('would miss each message of a new file: constants, templates, types, single words, and arguments of helpers', () => {
  const missed = textsIn('moon.ts', MADE_UP).filter((string) => isMessage(string) && !isShown(string, shown)).map(({ text }) => text);
  assert.equal(missed, [
    'the moon is gone', '… waxes', 'eclipsed', 'by … nights', 'at dawn', '… wanes: …', 'new:…', 'a crater ', ' rises', 'sets in the west', 'no tide',
  ]);
});
index('would miss a message that only values make, unless its pieces are known to be messages', () => {
  assert.equal(textsIn('moon.ts', MADE_UP).filter(isFrame).map(({ text }) => text), ['… …', '…: …']);
  const frames = strings.filter(isFrame).map(({ file }) => file);
  assert.equal(Object.fromEntries(frames.map((file) => [file, frames.filter((other) => other === file).length])), FRAMES);
});
index('has no message that the source does not have', () => {
  assert.equal(rows.map(({ message }) => ({ message, stray: strayWords(message) })).filter(({ stray }) => stray.length > 0), []);
});
index('has each message once, with a cause and a fix', () => {
  const known = rows.map(({ message }) => message);
  assert.equal(known.filter((message, at) => known.indexOf(message) !== at), []);
  for (const { message, explained } of rows) assert.match(explained, /^ .{3,} \| .{3,} $/, message);
});
index('has each problem with the status that the source sends', () => {
  const sent = sources.flatMap((file) => [...read(file).matchAll(STATUS)]);
  const problems = sent.map(([, status = '', , detail = '']) => ({ status, detail: detail.replaceAll(/\$\{.+?\}/g, '…') }));
  // Comments have examples.
  const made = problems.filter(({ detail }) => messages.some(({ text }) => text === detail));
  assert.ok(made.length > 30, `${made.length} problems`);
  assert.equal(made.filter(({ status, detail }) => !rows.some(({ message, explained }) => (
    message === detail && explained.startsWith(` ${status} |`)
  ))), []);
});
index('lists no other text that the source does not have', () => {
  assert.equal([...OTHER_TEXTS].filter((text) => !strings.some((other) => other.text === text)), []);
});
index('each message is asserted by a test, or made by a wrong program', () => {
  const made = messages.filter((message) => isShown(message, ofCompiler));
  assert.ok(made.length > 30, `${made.length} messages in types`);
  assert.equal(made.filter(({ text }) => !programs.includes(fixedPartOf(text)) && !asserted.includes(fixedPartOf(text))).map(({ text }) => text), []);
  const thrown = messages.filter((message) => !made.includes(message));
  assert.equal(thrown.filter(({ text }) => !asserted.includes(fixedPartOf(text))).map(({ file, text }) => `${file}: ${text}`), []);
});
index.run();
