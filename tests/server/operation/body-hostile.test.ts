/** Bodies within the limit that are made to be expensive: deep, wide or long. Each gets a response, and so does the next request. */
import { defineEndpoint, stringId, type ApiServer } from '../../../src/index.ts';
import { testDeliveries } from '../../support/deliveries.ts';
import { assert, chunkedMessage, type MakeMessage, message, RawClient, readProblem, serve, suite } from '../../support/facts.ts';

const LEVELS = 50_000;
const DEEPEST = 1000;
const KEYS = 10_000;
const LENGTH = 2 ** 18;

const FRAMINGS: readonly MakeMessage[] = [message, chunkedMessage];

/** The depth of a value: follows the first property of each level. */
function depthOf(value: unknown): number {
  let levels = 0;
  let inner = value;
  for (; typeof inner === 'object' && inner !== null; levels += 1) [inner] = Object.values(inner);
  return levels;
}

function sizeOf(value: unknown): number {
  return typeof value === 'string' ? value.length : Object.keys(Object(value)).length;
}

const keys = (make: (index: number) => string): string => Array.from({ length: KEYS }, (_, index) => make(index)).join(',');

const large = suite('a body that is expensive to read');
for (const [why, body, measure, size] of [
  [`${DEEPEST} levels of lists`, '['.repeat(DEEPEST) + ']'.repeat(DEEPEST), depthOf, DEEPEST],
  [`${DEEPEST} levels of objects, and an escape`, `${'{"a":'.repeat(DEEPEST)}"\\u0061"${'}'.repeat(DEEPEST)}`, depthOf, DEEPEST],
  [`${KEYS} keys`, `{${keys((index) => `"key${index}":0`)}}`, sizeOf, KEYS],
  [`${KEYS} keys that are numbers`, `{${keys((index) => `"${index * 7919}":0`)}}`, sizeOf, KEYS],
  [`${KEYS} times the same key`, `{${keys(() => '"key":0')}}`, sizeOf, 1],
  [`${KEYS} numbers that are looked at closely`, `[${keys(() => '9007199254740991')}]`, sizeOf, KEYS],
  ['a list of 256 KiB', `[0${',0'.repeat(LENGTH / 2 - 2)}]`, sizeOf, LENGTH / 2 - 1],
  ['text of 256 KiB', `"${'x'.repeat(LENGTH - 2)}"`, sizeOf, LENGTH - 2],
  ['text of 256 KiB, all of it escapes', `"${'\\u0078'.repeat(Math.floor((LENGTH - 2) / 6))}"`, sizeOf, Math.floor((LENGTH - 2) / 6)],
  ['text of 256 KiB, all of it digits', `"${'7'.repeat(LENGTH - 2)}"`, sizeOf, LENGTH - 2],
  ['a fraction of 256 KiB', `0.${'7'.repeat(LENGTH - 2)}`, sizeOf, 0],
] as const) {
  large(`${why}: the operation gets it, and the connection stays open`, () => serve(declareMeasure(measure), async ({ port, errors }) => {
    const client = await RawClient.connect(port);
    for (const makeMessage of FRAMINGS) {
      client.send(makeMessage('POST', '/v1/thing/measure', body) + message('OPTIONS', '/v1/thing'));
      assert.is((await client.response()).body, String(size));
      assert.is((await client.response()).status, 200);
    }
    client.destroy();
    assert.equal(errors, []);
  }));
}
for (const [why, body] of [
  [`${LEVELS} levels of lists`, '['.repeat(LEVELS) + ']'.repeat(LEVELS)],
  [`${LEVELS / 2} levels of objects, and an escape`, `${'{"a":'.repeat(LEVELS / 2)}"\\u0061"${'}'.repeat(LEVELS / 2)}`],
  [`${LEVELS} levels that are not closed`, '['.repeat(LEVELS)],
  [`${LEVELS} levels of objects that are not closed`, '{"a":'.repeat(LEVELS)],
  ['an integer of 256 KiB', '7'.repeat(LENGTH)],
  ['an exponent of 256 KiB', `1e${'7'.repeat(LENGTH - 2)}`],
  ['a string of 256 KiB that is not closed', `"${'\\\\'.repeat(LENGTH / 2 - 1)}`],
] as const) {
  large(`${why} -> 400, and the connection stays open`, () => serve(declareMeasure(sizeOf), async ({ port, errors }) => {
    const client = await RawClient.connect(port);
    for (const makeMessage of FRAMINGS) {
      client.send(makeMessage('POST', '/v1/thing/measure', body) + message('OPTIONS', '/v1/thing'));
      assert.is(readProblem(await client.response()).status, 400);
      assert.is((await client.response()).status, 200);
    }
    client.destroy();
    assert.equal(errors, []);
  }));
}

/** Declares `/thing` with a Custom operation `measure`, which returns the measure of its input. */
function declareMeasure(measure: (value: unknown) => number): (server: ApiServer) => void {
  return (server) => server.registerEndpoint('/thing', defineEndpoint({
    id: stringId,
    custom: { measure: { input: (json: unknown) => ({ json }), run: ({ json }) => measure(json) } },
  }));
}

const escapes = suite('escapes of half a surrogate pair');
for (const [escape, name, why] of [
  ['\\ud800', '\ud800', 'a first half alone'],
  ['\\udc1c', '\udc1c', 'a second half alone'],
  ['\\udc1c\\ud83d', '\udc1c\ud83d', 'two halves the wrong way round'],
  ['\\u0000', '\0', 'a NUL'],
  ['\\uffff', '\uffff', 'a noncharacter'],
] as const) {
  testDeliveries(escapes, `${why} is read as it stands`, { body: `{"name":"${escape}","legs":6}` }, 201, (_response, zoo) => {
    assert.equal(zoo.pets.get(1), { name, legs: 6 });
  });
}
testDeliveries(escapes, 'half a surrogate pair is an ordinary key', { body: '{"name":"ant","legs":6,"\\ud800":1}' }, 201);

const rejected = suite('a body that looks harmless');
for (const [body, why] of [
  ['{"name":"ant","legs":1e400}', 'a number beyond the range'],
  ['{"name":"ant","legs":-1e400}', 'a number beyond the range, negative'],
  ['{"name":"ant","legs":6,"more":[18446744073709551615]}', 'a number that cannot be held'],
  ['{"name":"ant","legs":6,"legs":1e999}', 'a repeated key whose last value is beyond the range'],
  ['{"name":"ant","legs":1e999,"legs":6}', 'a repeated key whose first value is beyond the range'],
  [`\xfe\xff${Buffer.from('{"name":"ant","legs":6}', 'utf16le').swap16().toString('latin1')}`, 'UTF-16 with the high byte first'],
  [`\xff\xfe${Buffer.from('{"name":"ant","legs":6}', 'utf16le').toString('latin1')}`, 'UTF-16 with its byte order mark'],
  [Buffer.from('\ufeff{"name":"ant","legs":6}').toString('latin1').repeat(2), 'a byte order mark, twice'],
  ['{"name":"ant","legs":6}\0', 'a NUL after it'],
] as const) {
  testDeliveries(rejected, why, { body }, 400);
}
