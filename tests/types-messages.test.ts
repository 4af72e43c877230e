/**
 * What the compiler says about a wrong declaration. The cases are the blocks of `docs/types.md`: code, and below it the whole message, with
 * the line and column of the error.
 */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { casesIn, messagesFor } from './support/compiled-cases.ts';

const { page, cases } = casesIn('docs/types.md');
const [unused = '', ...messages] = messagesFor(['export {};', ...cases.map(({ code }) => code)]);

const printed = suite('what the compiler says');
printed('has a case for each heading of the page but the last', () => {
  assert.ok(cases.length >= 7, `${cases.length} cases`);
  assert.is(cases.length, page.split(/^## /m).length - 2);
});
printed('of no declaration at all -> nothing', () => assert.is(unused, ''));
cases.forEach(({ title, message }, index) => {
  printed(`of: ${title} -> the message that docs/types.md has, at the same line`, () => assert.is(messages[index], message));
});
printed.run();
