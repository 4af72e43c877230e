/** Which bodies are JSON, however they are framed and split. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { ANT, eachDelivery } from '../../support/deliveries.ts';
import { message, problemIn, utf8 } from '../../support/messages.ts';
import { rawRequest } from '../../support/raw-client.ts';
import { serving } from '../../support/serving.ts';
import { Zoo } from '../../support/zoo.ts';

const unreadable = suite('a body that is not JSON in UTF-8');
for (const [body, detail, why] of [
  ['', 'the body is empty', 'empty'],
  [' \r\n', 'the body is not JSON', 'blank'],
  ['{"name":"ant","legs":6', 'the body is not JSON', 'cut short'],
  ['{"name":"ant","legs":6,}', 'the body is not JSON', 'a trailing comma'],
  [`${ANT}x`, 'the body is not JSON', 'text after it'],
  [`${ANT}${ANT}`, 'the body is not JSON', 'two values'],
  ["{'name':'ant','legs':6}", 'the body is not JSON', 'other quotes'],
  ['{"name":"ant","legs":NaN}', 'the body is not JSON', 'a number that JSON has not'],
  ['{"name":"ant","legs":06}', 'the body is not JSON', 'a leading zero'],
  ['name=ant&legs=6', 'the body is not JSON', 'a form'],
  ['{"name":"ant\n","legs":6}', 'the body is not JSON', 'a raw line break in a string'],
  ['{"name":"\xff","legs":6}', 'the body is not UTF-8', 'a byte that UTF-8 has not'],
  ['{"name":"\xe4\xbd","legs":6}', 'the body is not UTF-8', 'a sequence cut short'],
  ['{"name":"\xc0\xaf","legs":6}', 'the body is not UTF-8', 'an overlong sequence'],
  ['{"name":"\xed\xa0\x80","legs":6}', 'the body is not UTF-8', 'a surrogate in UTF-8'],
  [`\xef\xbb\xbf${ANT}`, 'the body is not JSON', 'a byte order mark'],
  [Buffer.from(ANT, 'utf16le').toString('latin1'), 'the body is not JSON', 'UTF-16'],
] as const) {
  eachDelivery(unreadable, why, { body }, 400, (answer) => {
    assert.equal(problemIn(answer), { type: 'about:blank', title: 'Bad Request', status: 400, detail: `Bad arguments: ${detail}` });
  });
}
unreadable('Content-Length: 0 -> 400', async () => {
  const zoo = new Zoo();
  await serving(zoo.register, async ({ port }) => {
    const problem = problemIn(await rawRequest(port, message('POST', '/v1/pet', '', ['Content-Length: 0'])));
    assert.is(problem.detail, 'Bad arguments: the body is empty');
    assert.is(zoo.invoked, 0);
  });
});
unreadable.run();

const readable = suite('a body that is JSON in UTF-8');
for (const [body, name, why] of [
  [` \r\n\t${ANT}\n`, 'ant', 'white space around it'],
  [utf8('{"name":"你好 🐜","legs":6}'), '你好 🐜', 'characters of several bytes'],
  [utf8('{"name":"\ufffd","legs":6}'), '\ufffd', 'the replacement character itself'],
  [utf8('{"name":"\ufeff","legs":6}'), '\ufeff', 'a byte order mark within a string'],
  ['{"name":"\\ud83d\\udc1c","legs":6}', '🐜', 'escapes'],
  ['{"name":"ant","name":"bee","legs":6}', 'bee', 'a repeated key, whose last value counts'],
] as const) {
  eachDelivery(readable, `${why} is read as it stands`, { body }, 201, (_answer, zoo) => {
    assert.equal(zoo.pets.get(1), { name, legs: 6 });
  });
}
readable.run();

const protoKeys = suite('a key named __proto__');
for (const [body, why] of [
  ['{"__proto__":1}', 'at the top'],
  ['{"name":"ant","legs":6,"__proto__":{"admin":true}}', 'after good members'],
  ['{"name":"ant","legs":6,"more":[{"a":{"__proto__":null}}]}', 'deep inside'],
  ['{"name":"ant","legs":6,"\\u005f_proto__":1}', 'after an escape'],
  ['{"name":"ant","legs":6,"\\u005F\\u005Fprot\\u006f\\u005f_":1}', 'after several escapes'],
  [`${'{"a":'.repeat(200)}{"__proto__":1}${'}'.repeat(200)}`, '200 levels down'],
] as const) {
  eachDelivery(protoKeys, why, { body }, 400, (answer) => {
    assert.is(problemIn(answer).detail, 'Bad arguments: the body has a key named "__proto__"');
  });
}
for (const [body, why] of [
  ['{"name":"__proto__","legs":6}', 'a value'],
  ['{"name":"ant","legs":6,"__proto":1,"proto__":1}', 'a part of the name'],
  ['{"name":"ant","legs":6,"constructor":1,"prototype":1}', 'another inherited name'],
  ['{"name":"{\\"__proto__\\":1}","legs":6}', 'text that looks like one'],
] as const) {
  eachDelivery(protoKeys, `${why} is not one`, { body }, 201);
}
protoKeys('nested deeper than the stack allows -> 400', async () => {
  const zoo = new Zoo();
  await serving(zoo.register, async ({ port }) => {
    const body = `${'['.repeat(200_000)}{"__proto__":1}${']'.repeat(200_000)}`;
    const problem = problemIn(await rawRequest(port, message('POST', '/v1/pet', body)));
    assert.is(problem.detail, 'Bad arguments: the body has a key named "__proto__"');
    assert.is(zoo.invoked, 0);
  });
});
protoKeys.run();

const noInput = suite('the body of an operation that takes no input');
for (const [body, status] of [
  ['', 200],
  ['null', 200],
  [' null\n', 200],
  ['{}', 400],
  ['[]', 400],
  ['0', 400],
  ['""', 400],
  ['false', 400],
  ['nul', 400],
  ['not JSON', 400],
  ['\xff', 400],
] as const) {
  eachDelivery(noInput, JSON.stringify(body), { target: '/v1/pet/count', body }, status, (answer) => {
    if (status === 400) assert.is(problemIn(answer).detail, 'Bad arguments: the operation takes no input');
  });
}
noInput.run();
