/**
 * `docs/messages.md` has every message in the source, and no other. Each is made by a test, which asserts its text. The messages of the
 * compiler are in `docs/types.md`, and those of the client in `docs/client.md`.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { join, sep } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { listOptions, OPTION_TABLES } from './support/option-tables.ts';
import { readStrings } from './support/source-strings.ts';

/** Entries whose messages are in documents of their own. */
const OTHER_ENTRIES = /^(?:client|mcp|checks)\//;
/** The HTML, the script and the policy of a page. */
const PAGE = 'openapi/swagger-ui.ts';
/** The types that carry the messages of the compiler. */
const TYPES = ['endpoint/checked-declaration.ts', 'endpoint/declaration.ts', 'endpoint/operation-results.ts', 'endpoint/operation-forms.ts'];
/** Files of which the whole sentences are descriptions in a document of OpenAPI. */
const DOCUMENT = /^(?:openapi\/(?:responses|parameters|webhooks)|interceptors\/(?:page-query|idempotency-key)|formats\/merge-patch)\.ts$/;
/** The phrases of statuses. */
const PHRASE = /^(?:[A-Z]+[a-z]* ?)+$/;
/** The messages of the compiler in other files. */
const IN_TYPES = [
  '… is not a property that endpoints can share', 'a reply has a status from 200 to 399: return problem(…)',
  'a problem has a status from 400 to 599: return reply(status)',
  'the fields of a form are strings and files: … accepts neither. Convert the string, as z.coerce does',
];
/** Other strings with spaces: headers, lines on the wire, and pieces of messages. */
const OTHER_TEXTS = new Set([
  'multipart/form-data; boundary="…"',
  'Basic …, charset="UTF-8"', 'ApiKey …', 'Cookie …, …', 'error="insufficient_scope", scope="…"', 'GET, HEAD, OPTIONS', 'private, no-cache', 'no-store, no-transform',
  'application/json; charset=utf-8', 'text/plain; charset=utf-8', 'text/…; charset=utf-8', 'bytes */…', 'bytes …-…/…', 'HTTP/1.1 … …', 'Date: …',
  '…rnContent-Length: …rnConnection: closernrn…', 'id: …n', 'event: …n', 'retry: …n', '…data: …nn',
  'Duration of HTTP server requests.', 'Number of active HTTP server requests.',
  'Request cannot be satisfied as assigned quota has been exceeded',
  'The quota `q` that requests take from, and the seconds `w` in which it is whole again.', 'The quota `r` that is left, and the seconds `t` until there is more.',
  'function …', '… of …', 'UPGRADE …', ' (request …)', 'result …', 'webhook …', 'error …', 'Error: …', '  caused by …', 'one more', ' in UTF-8', '[object Object]', 'without input, it', ', or search', ...IN_TYPES,
]);
/** Where a status and the text of its problem stand together. */
const STATUS = /(?:createRejection|ApiError\.status|reject)\((\d{3}), (['`])(.+?)\2[,)]/g;
/** What options can be, in the tables of the reference. */
const OPTION_VALUES = new Set(Object.values(OPTION_TABLES).flatMap((shape) => listOptions(shape)).map(({ values }) => values));
const WORDS = /[A-Za-z_]{2,}\S* \S*[A-Za-z…]/;

interface Text {
  readonly file: string;
  readonly text: string;
  /** Matches the text with values instead of each `…`. */
  readonly pattern: RegExp;
}

function filesIn(folder: string, end: string): string[] {
  const names = readdirSync(folder, { recursive: true, encoding: 'utf8' }).map((name) => name.split(sep).join('/'));
  return names.filter((name) => name.endsWith(end));
}

const sources = filesIn('src', '.ts').filter((name) => !OTHER_ENTRIES.test(name) && name !== PAGE && !TYPES.includes(name));
const strings = sources.flatMap((file): Text[] => readStrings(readFileSync(join('src', file), 'utf8')).map((text) => ({ file, text, pattern: patternOf(text) })));
const patterns = new Map(strings.filter(isMessage).map(({ text, pattern }) => [text, pattern]));
const messages = [...patterns.keys()];

function isMessage({ file, text }: Text): boolean {
  if (!WORDS.test(text) || text.startsWith('^') || PHRASE.test(text) || OTHER_TEXTS.has(text) || OPTION_VALUES.has(text)) return false;
  return !DOCUMENT.test(file) || !text.endsWith('.');
}

function patternOf(text: string): RegExp {
  return new RegExp(text.split('…').map((part) => part.replaceAll(/[\\^$.*+?()[\]{}|]/g, '\\$&')).join('.*?'));
}

const page = readFileSync(join('docs', 'messages.md'), 'utf8');
const rows = [...page.matchAll(/^\| `(.+?)` \|(.+)\|$/gm)].map(([, message = '', explained = '']) => ({ message, explained }));
const shown = [...page.matchAll(/`([^`\n]+)`/g)].map(([, code = '']) => code);

// One can only be made on Bun.
const files = [...filesIn('tests', '.ts'), ...filesIn('tests', '.peer.js')];
const tests = files.filter((name) => !/^messages\.test|node_modules|^consumer/.test(name));
const asserted = tests.map((name) => readFileSync(join('tests', name), 'utf8')).join('\n').replaceAll('\\', '');

/** The longest part of a message that is the same in all of its forms. */
function fixedPartOf(message: string): string {
  return message.split('…').reduce((longest, part) => (part.length > longest.length ? part : longest)).trim();
}

/** The words of a message on the page that come from no text of the source. */
function strayWords(message: string): string[] {
  const made = strings.filter(({ text, pattern }) => text.length > 1 && pattern.test(message)).flatMap(({ text }) => text.split('…'));
  const parts = made.filter((part) => part.length > 1).sort((a, b) => b.length - a.length);
  return parts.reduce((rest, part) => rest.replaceAll(part, ' '), message).match(/[A-Za-z]{3,}/g) ?? [];
}

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
reading.run();

const index = suite('the index of messages');
index('has every message of the source', () => {
  assert.ok(messages.length > 200, `${messages.length} messages`);
  assert.equal([...patterns].filter(([, pattern]) => !shown.some((code) => pattern.test(code))).map(([message]) => message), []);
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
  const sent = sources.flatMap((file) => [...readFileSync(join('src', file), 'utf8').matchAll(STATUS)]);
  const problems = sent.map(([, status = '', , detail = '']) => ({ status, detail: detail.replaceAll(/\$\{.+?\}/g, '…') }));
  // Comments have examples.
  const made = problems.filter(({ detail }) => messages.includes(detail));
  assert.ok(made.length > 30, `${made.length} problems`);
  assert.equal(made.filter(({ status, detail }) => !rows.some(({ message, explained }) => (
    message === detail && explained.startsWith(` ${status} |`)
  ))), []);
});
index('lists no other text that the source does not have', () => {
  assert.equal([...OTHER_TEXTS].filter((text) => !strings.some((other) => other.text === text)), []);
});
index('each message is asserted by a test', () => {
  assert.equal(messages.filter((message) => !asserted.includes(fixedPartOf(message))), []);
});
index.run();

const compiled = suite('the messages in types');
compiled('are each made by a wrong program, which a test compiles', () => {
  const files = [...TYPES, 'client/paths.ts'];
  const carried = [...IN_TYPES, ...files.flatMap((file) => readStrings(readFileSync(join('src', file), 'utf8'))).filter((text) => WORDS.test(text))];
  const programs = readFileSync(join('tests', 'types', 'wrong-programs.md'), 'utf8') + readFileSync(join('docs', 'types.md'), 'utf8');
  assert.ok(carried.length > 30, `${carried.length} messages`);
  assert.equal(carried.filter((text) => !programs.includes(fixedPartOf(text))), []);
});
compiled.run();
