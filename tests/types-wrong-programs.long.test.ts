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
  rejected(`${program.title} -> rejected at line ${program.line}: ${program.reason}`, () => {
    assert.ok(isRejected(program), program.message || 'it compiles');
  });
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
