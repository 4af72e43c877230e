/**
 * Programs that would fail when they are called are rejected by the compiler, with the reason. Other compilers are asked by `.ci/run`. The messages in
 * `docs/types.md` are those of the compiler.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { compileCases } from './support/compiled-cases.ts';
import { compileWrongOptions } from './support/wrong-options.ts';
import { isRejected, compileWrongPrograms } from './support/wrong-programs.ts';
import { assert, suite } from './support/facts.ts';

const programs = compileWrongPrograms();
const rejected = suite('a wrong program');
rejected('is there, with its reason', () => {
  assert.ok(programs.length >= 60, `${programs.length} programs`);
  assert.equal(programs.filter(({ reason }) => reason === '').map(({ title }) => title), []);
});
for (const program of programs) {
  rejected(`${program.title} -> rejected at line ${program.line}: ${program.reason}`, () => assert.ok(isRejected(program), program.message || 'it compiles'));
}
rejected('is the only error: calls of its client are not checked', () => {
  const [message = ''] = compileCases([`
const api = server.registerEndpoints({ '/pet': defineEndpoint({ id: integerId, schema: petSchema, create: (pet) => pet.name }) });
const at = client<typeof api>('http://127.0.0.1:8080/v1');
await at('/pet').create({ name: 'Rex', legs: 4 });
await at.one('/pet').get();
`]);
  assert.is(message.match(/error TS/g)?.length, 1, message);
});
rejected('with a promise of a different shape -> a message about the property, and none about then', () => {
  const { message = 'none' } = programs.find(({ title }) => title === 'A promise of an item of a different shape') ?? {};
  assert.not.match(message, /\bthen\b|none/);
});
rejected('is not taken for rejected without a message, with one of another line, or with another reason', () => {
  const program = { title: '', line: 2, reason: 'a bigint', message: '(2,3): error TS2322: a bigint' };
  assert.ok(isRejected(program));
  for (const other of [{ message: '' }, { line: 3 }, { reason: 'a symbol' }, { reason: '' }]) assert.not.ok(isRejected({ ...program, ...other }));
});

const { right, wrong } = compileWrongOptions();
const option = suite('a wrong option');
for (const [name, message] of right) option(`of ${name}, left out -> a right program with exact types`, () => assert.is(message, ''));
for (const each of wrong) {
  option(`${each.title} -> one error, at the option`, () => assert.ok(isRejected(each) && each.isOnlyError, each.message || 'it compiles'));
}

// An operation of which the compiler knows nothing, beside each.
const UNKNOWN = ['() => any', 'async () => unknown', '() => fail()', 'any', 'never', '{ run: any }', '{ use: any, run: () => 1 }', '{ input: any, run: () => any }', '{ status: any, run: () => 1 }',
  '{ query: any, headers: any, context: any, errors: any, responseHeaders: any, run: () => 1 }', '() => (any ? Promise.resolve(any) : 1)', '() => reply(200, any)'];
const WRONG = ['() => new Map()', 'async () => undefined', '() => ({ a: any, b: 1n })', '() => new Error("a")', '() => (any ? Promise.resolve(any) : new Map())',
  '{ query: petOutput, run: () => 1 }', '{ headers: petOutput, run: () => 1 }', '{ run: (pet: Pet, request: ApiRequest) => 1 }', '{ ouput: 1, run: () => 1 }',
  '{ errors: { 402: null }, run: () => problem(409) }', '{ output: { 204: null }, run: () => reply(202, 1) }', '{ responseHeaders: { "X-A": Number }, run: () => 1 }',
  '{ use: [any, audited], run: () => 1 }', '{ context: () => signedIn, run: () => 1 }', '{ input: bornSchema, run: () => 1 }'];
const RIGHT = ['() => 1', '({ query }) => query.get("a")', '{ use: [any, adds], run: ({ added }) => added.a }', '{ input: petSchema, output: petOutput, run: (pet) => pet }'];
const toProgram = (one: string, other: string): string => `declare const any: any, unknown: unknown, never: never; declare function fail(): never;
declare const audited: Interceptor<{}, { context: User }>, adds: Interceptor<{ readonly added: { readonly a: 1 } }>, bornSchema: StandardSchemaV1<{ born: Date }, Pet>;
defineEndpoint({ id: integerId, custom: { one: ${one}, other: ${other} } });
`;
const beside = suite('an operation beside one of which nothing is known');
const pairs = [...WRONG, ...RIGHT].flatMap((one) => UNKNOWN.map((other) => [one, other] as const));
const found = compileCases(pairs.map(([one, other]) => toProgram(one, other)));
pairs.forEach(([one, other], index) => {
  const expected = WRONG.includes(one) ? '(3,' : '';
  beside(`${one} beside ${other} -> ${expected === '' ? 'compiles' : 'rejected'}`, () => assert.is(found[index]?.slice(0, 3), expected, found[index]));
});

const page = readFileSync(join('docs', 'types.md'), 'utf8');
const cases = [...page.matchAll(/^## (.+)\n\n```ts\n([^]+?)\n```\n\n```text\n([^]+?)\n```$/gm)];
const [unused = '', ...messages] = compileCases(['export {};', ...cases.map(([, , code = '']) => code)]);

const printed = suite('the messages of the compiler');
printed('has a case for each heading of the page but the last', () => {
  assert.ok(cases.length >= 7, `${cases.length} cases`);
  assert.is(cases.length, page.split(/^## /m).length - 2);
});
printed('of no declaration at all -> nothing', () => assert.is(unused, ''));
cases.forEach(([, title, , message], index) => {
  printed(`of: ${title} -> the message that docs/types.md has, at the same line`, () => assert.is(messages[index], message));
});
