/** Which bodies are JSON, however they are framed and split. */
import { integerId } from '../../../src/index.ts';
import { ANT, testDeliveries } from '../../support/deliveries.ts';
import { Zoo } from '../../support/zoo.ts';
import { assert, badRequest, encodeUtf8, message, RawClient, readProblem, send, serve, suite } from '../../support/facts.ts';

const unreadable = suite('Q8 B5: a body that is not JSON in UTF-8');
for (const [body, detail, why] of [
  ['', 'the body is empty', 'empty'],
  [' \r\n', 'the body is not JSON: it ends too early, at byte 3', 'blank'],
  ['{"name":"ant","legs":6', 'the body is not JSON: it ends too early, at byte 22', 'cut short'],
  ['{"name":"ant","legs":6,}', 'the body is not JSON: it has an error at byte 23', 'a trailing comma'],
  [`${ANT}x`, 'the body is not JSON: it has an error at byte 23', 'text after it'],
  [`${ANT}${ANT}`, 'the body is not JSON: it has an error at byte 23', 'two values'],
  ["{'name':'ant','legs':6}", 'the body is not JSON: it has an error at byte 1', 'other quotes'],
  ['{"name":"ant","legs":NaN}', 'the body is not JSON: it has an error at byte 21', 'a number that JSON has not'],
  ['{"name":"ant","legs":06}', 'the body is not JSON: it has an error at byte 22', 'a leading zero'],
  ['name=ant&legs=6', 'the body is not JSON: it has an error at byte 1', 'a form'],
  ['{"name":"ant\n","legs":6}', 'the body is not JSON: it has an error at byte 12', 'a raw line break in a string'],
  ['{"name":"\xff","legs":6}', 'the body is not UTF-8', 'a byte that UTF-8 has not'],
  ['{"name":"\xe4\xbd","legs":6}', 'the body is not UTF-8', 'a sequence cut short'],
  ['{"name":"\xc0\xaf","legs":6}', 'the body is not UTF-8', 'an overlong sequence'],
  ['{"name":"\xed\xa0\x80","legs":6}', 'the body is not UTF-8', 'a surrogate in UTF-8'],
  [`\xef\xbb\xbf${ANT}`, 'the body is not JSON: it has an error at byte 0', 'a byte order mark'],
  [Buffer.from(ANT, 'utf16le').toString('latin1'), 'the body is not JSON: it has an error at byte 1', 'UTF-16'],
] as const) {
  testDeliveries(unreadable, why, { body }, 400, (response) => {
    assert.equal(readProblem(response), badRequest(detail));
  });
}
unreadable('Content-Length: 0 -> 400', async () => {
  const zoo = new Zoo();
  await serve(zoo.register, async ({ port }) => {
    const problem = readProblem(await send(port, message('POST', '/v1/pet', '', ['Content-Length: 0'])));
    assert.is(problem.detail, 'Bad arguments: the body is empty');
    assert.is(zoo.invoked, 0);
  });
});

const readable = suite('a body that is JSON in UTF-8');
for (const [body, name, why] of [
  [` \r\n\t${ANT}\n`, 'ant', 'white space around it'],
  [encodeUtf8('{"name":"你好 🐜","legs":6}'), '你好 🐜', 'characters of several bytes'],
  [encodeUtf8('{"name":"\ufffd","legs":6}'), '\ufffd', 'the replacement character itself'],
  [encodeUtf8('{"name":"\ufeff","legs":6}'), '\ufeff', 'a byte order mark within a string'],
  ['{"name":"\\ud83d\\udc1c","legs":6}', '🐜', 'escapes'],
  ['{"name":"ant","name":"bee","legs":6}', 'bee', 'a repeated key, whose last value counts'],
] as const) {
  testDeliveries(readable, `${why} is read as it stands`, { body }, 201, (_response, zoo) => {
    assert.equal(zoo.pets.get(1), { name, legs: 6 });
  });
}

const protoKeys = suite('B6: a key named __proto__');
for (const [body, why] of [
  ['{"__proto__":1}', 'at the top'],
  ['{"name":"ant","legs":6,"__proto__":{"admin":true}}', 'after good properties'],
  ['{"name":"ant","legs":6,"more":[{"a":{"__proto__":null}}]}', 'deep inside'],
  ['{"name":"ant","legs":6,"\\u005f_proto__":1}', 'after an escape'],
  ['{"name":"ant","legs":6,"\\u005F\\u005Fprot\\u006f\\u005f_":1}', 'after several escapes'],
  [`${'{"a":'.repeat(200)}{"__proto__":1}${'}'.repeat(200)}`, '200 levels down'],
] as const) {
  testDeliveries(protoKeys, why, { body }, 400, (response) => {
    assert.is(readProblem(response).detail, 'Bad arguments: the body has a key named "__proto__"');
  });
}
for (const [body, why] of [
  ['{"name":"__proto__","legs":6}', 'a value'],
  ['{"name":"ant","legs":6,"__proto":1,"proto__":1}', 'a part of the name'],
  ['{"name":"ant","legs":6,"constructor":1,"prototype":1}', 'another inherited name'],
  ['{"name":"{\\"__proto__\\":1}","legs":6}', 'text that looks like one'],
] as const) {
  testDeliveries(protoKeys, `${why} is not one`, { body }, 201);
}

const deep = suite('B5: a body nested over 1,000 deep');
for (const [body, why] of [
  [`${'['.repeat(1001)}${']'.repeat(1001)}`, 'lists'],
  [`${'{"a":'.repeat(3000)}1${'}'.repeat(3000)}`, 'objects'],
] as const) {
  testDeliveries(deep, why, { body }, 400, (response) => {
    const { detail, errors } = readProblem(response);
    assert.equal([detail, errors], ['Bad arguments: the body is nested too deeply', [{ detail: 'the body is nested too deeply', pointer: '#' }]]);
  });
}

const noInput = suite('B9: the body of an operation that takes no input');
for (const [body, headers] of [
  ['', []],
  ['null', []],
  ['{}', []],
  ['0', []],
  ['nul', []],
  ['\xff', []],
  ['{"__proto__":1}', []],
  ['[1e999]', []],
  ['{}', ['Content-Type: text/plain']],
  ['{}', ['Content-Type: /']],
  ['{}', ['Content-Encoding: gzip']],
  ['a=1', ['Content-Type: application/x-www-form-urlencoded']],
] as const) {
  testDeliveries(noInput, `${JSON.stringify(body)} ${headers.join('')}is ignored`, { target: '/v1/pet/count', body, headers }, 200, (response) => {
    assert.is(response.body, '0');
  });
}
noInput('is not taken for the next request', async () => {
  const zoo = new Zoo();
  await serve(zoo.register, async ({ port }) => {
    const client = await RawClient.send(port, message('POST', '/v1/pet/count', message('POST', '/v1/pet', ANT)) + message('GET', '/v1/pet/1'));
    assert.is((await client.response()).status, 200);
    assert.is((await client.response()).status, 404);
    assert.is(zoo.pets.size, 0);
  });
});
for (const [why, headers] of [
  ['a simple POST of a different origin', ['Sec-Fetch-Site: cross-site']],
  ['one as text', ['Sec-Fetch-Site: cross-site', 'Content-Type: text/plain']],
] as const) {
  testDeliveries(noInput, `of ${why}`, { target: '/v1/pet/count', body: '{}', headers }, 415);
}
for (const [name, method, target] of [['update', 'PUT', '/v1/thing/1'], ['delete', 'DELETE', '/v1/thing/1'], ['itemCustom', 'POST', '/v1/thing/1/feed']] as const) {
  noInput(`${name} with a Content-Range -> ${name === 'update' ? 400 : 'ignored'}`, async () => {
    let invoked = 0;
    const run = (): boolean => (invoked += 1) > 0;
    await serve((server) => {
      server.registerEndpoint('/thing', { id: integerId, update: { run }, delete: run, itemCustom: { feed: run } });
    }, async ({ port }) => {
      const { status } = await send(port, message(method, target, '{}', ['Content-Range: bytes 0-1/2']));
      assert.equal([status, invoked], name === 'update' ? [400, 0] : [name === 'delete' ? 204 : 200, 1]);
    });
  });
}
