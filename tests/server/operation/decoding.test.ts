/** JSON that is rejected: for its numbers, by the issues of a schema, by a function that throws. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { ApiError, type StandardSchemaIssue } from '../../../src/index.ts';
import { serveDecoder, OPERATIONS, SCHEMA_MAKERS } from '../../support/serve-decoder.ts';
import { makeRevokedProxy } from '../../support/failing-operations.ts';
import { badRequest, message, readProblem } from '../../support/messages.ts';
import { send } from '../../support/raw-client.ts';
import { captureUnhandled } from '../../support/capture-unhandled.ts';

const numbers = suite('B7: a number that a double cannot hold exactly');
for (const [json, why] of [
  ['18446744073709551615', 'the largest of 64 bits'],
  ['9007199254740993', 'one over 2^53'],
  ['-9007199254740993', 'one below -2^53'],
  ['[1,{"legs":9007199254740993}]', 'deep inside'],
  ['{"9":9007199254740993}', 'after a key that is a number'],
  ['["\\"",9007199254740993]', 'after an escaped quote'],
  ['1e400', 'beyond the range'],
  ['-1e400', 'beyond the range, negative'],
  ['1E+0400', 'beyond the range, with leading zeros in the exponent'],
  ['123456789e301', 'beyond the range by its digits and its exponent'],
  ['1.5e999', 'a fraction beyond the range'],
  ['9'.repeat(400), 'beyond the range in digits alone'],
] as const) {
  numbers(`${why} -> 400, and no operation is invoked`, async () => {
    await serveDecoder((value) => value, async ({ received, served }) => {
      for (const [method, target] of OPERATIONS) {
        const problem = readProblem(await send(served.port, message(method, target, json)));
        assert.is(problem.status, 400);
        assert.is(problem.detail, 'Bad arguments: the body has a number that cannot be represented exactly');
      }
      assert.equal([received, served.errors], [[], []]);
    });
  });
}
for (const [json, pointer] of [
  ['1e400', '#'],
  ['{"a":{"b":[1,1e400]}}', '#/a/b/1'],
  ['[{"a":[],"b":{}},{"c":1,"d~/é\\u0041":-9007199254740993}]', '#/1/d~0~1%C3%A9A'],
  ['{"a":"1e400","b":"{[,:","c":[[],["]"],1e400],"d":1e400}', '#/c/2'],
  ['{"":{"__proto__":1e400}}', '#//__proto__'],
  // A name is repeated only if it is short.
  [`{"${'a'.repeat(998)}":1e400}`, `#/${'a'.repeat(998)}`],
  [`{"${'a'.repeat(999)}":1e400}`, '#'],
  [`${'{"a":'.repeat(600)}1e400${'}'.repeat(600)}`, '#'],
] as const) {
  numbers(`${json.slice(0, 60)} -> 400 with the pointer ${pointer.slice(0, 60)}`, async () => {
    await serveDecoder((value) => value, async ({ served }) => {
      const problem = readProblem(await send(served.port, message('POST', '/v1/thing', Buffer.from(json).toString('latin1'))));
      assert.equal(problem.errors, [{ detail: 'the body has a number that cannot be represented exactly', pointer }]);
    });
  });
}
for (const [json, value] of [
  ['9007199254740992', 2 ** 53],
  ['-9007199254740992', -(2 ** 53)],
  ['9007199254740994', 2 ** 53 + 2],
  ['18446744073709551616', 2 ** 64],
  ['0.1', 0.1],
  ['0.12345678901234567890', 0.12345678901234568],
  ['1e308', 1e308],
  ['1e-400', 0],
  ['"18446744073709551615"', '18446744073709551615'],
  ['{"18446744073709551615":1}', { '18446744073709551615': 1 }],
  ['"1e400"', '1e400'],
] as const) {
  numbers(`${json} has no such number -> accepted`, async () => {
    await serveDecoder((decoded) => decoded, async ({ received, served }) => {
      assert.is((await send(served.port, message('POST', '/v1/thing', json))).status, 201);
      assert.equal(received, [value]);
    });
  });
}
numbers.run();

const ISSUES: readonly (readonly [why: string, issues: readonly StandardSchemaIssue[], errors: unknown, detail: string])[] = [
  ['a property', [{ message: 'expected 6', path: ['legs'] }], [{ detail: 'expected 6', pointer: '#/legs' }], 'expected 6'],
  ['no place', [{ message: 'expected a pet' }], [{ detail: 'expected a pet', pointer: '#' }], 'expected a pet'],
  ['the whole', [{ message: 'expected a pet', path: [] }], [{ detail: 'expected a pet', pointer: '#' }], 'expected a pet'],
  ['an item', [{ message: 'no', path: ['legs', 0, { key: 'toes' }] }], [{ detail: 'no', pointer: '#/legs/0/toes' }], 'no'],
  ['two properties', [{ message: 'one', path: ['a'] }, { message: 'two', path: ['b'] }],
    [{ detail: 'one', pointer: '#/a' }, { detail: 'two', pointer: '#/b' }], 'one; two'],
  ['a name to escape', [{ message: 'no', path: ['a/b~c', 'd e', '你', ''] }],
    [{ detail: 'no', pointer: '#/a~1b~0c/d%20e/%E4%BD%A0/' }], 'no'],
  ['a name that is a lone surrogate', [{ message: 'no', path: ['\ud800'] }], [{ detail: 'no', pointer: '#/%EF%BF%BD' }], 'no'],
];

const schemas = suite('B8: a Standard Schema');
for (const [kind, makeSchema] of SCHEMA_MAKERS) {
  for (const [method, target, status] of OPERATIONS) {
    schemas(`${kind}: ${method} ${target} -> ${status}, and the operation gets its output`, async () => {
      await serveDecoder(makeSchema((value) => ({ value: { wrapped: value } })), async ({ received, served }) => {
        assert.is((await send(served.port, message(method, target, '[1]'))).status, status);
        assert.equal(received, [{ wrapped: [1] }]);
      });
    });
    schemas(`${kind} that throws: ${method} ${target} -> 500, logged, and the operation is not invoked`, async () => {
      const failure = new Error('the schema is broken');
      await serveDecoder(makeSchema(() => { throw failure; }), async ({ received, served }) => {
        const problem = readProblem(await send(served.port, message(method, target, '1')));
        assert.equal(problem, { type: 'about:blank', title: 'Internal Server Error', status: 500 });
        const route = `${method} ${target.replace(/1$/, ':id')}`;
        assert.equal(served.errors.map((error) => error.message), [`${route}: Internal error: the schema is broken`]);
        assert.is(served.errors[0]?.cause, failure);
        assert.equal(received, []);
      });
    });
  }
  for (const [why, issues, errors, detail] of ISSUES) {
    schemas(`${kind} with issues at ${why} -> 400 with them, and the operation is not invoked`, async () => {
      await serveDecoder(makeSchema(() => ({ issues })), async ({ received, served }) => {
        for (const [method, target] of OPERATIONS) {
          const problem = readProblem(await send(served.port, message(method, target, '1')));
          assert.equal(problem, { type: 'about:blank', title: 'Bad Request', status: 400, detail: `Bad arguments: ${detail}`, errors });
        }
        assert.equal(received, []);
        assert.equal(served.errors, []);
      });
    });
  }
}
schemas.run();

const functions = suite('B8: a decoder function');
for (const [why, thrown, detail] of [
  ['an Error', new RangeError('legs: expected 6'), 'legs: expected 6'],
  ['what a store reports as not found', Object.assign(new Error('no such table'), { code: 'P2025' }), 'no such table'],
  ['a string', 'legs: expected 6', 'legs: expected 6'],
  ['null', null, 'null'],
  ['undefined', undefined, 'undefined'],
  ['an object that cannot be made text', Object.create(null), 'an error without a message'],
  ['a revoked proxy', makeRevokedProxy(), 'an error without a message'],
] as const) {
  for (const [way, decode] of [
    ['throws', () => { throw thrown; }],
    ['rejects with', async () => { throw thrown; }],
  ] as const) {
    functions(`${way} ${why} -> 400 with its message, and the operation is not invoked`, async () => {
      await serveDecoder(decode, async ({ received, served }) => {
        for (const [method, target] of OPERATIONS) {
          const problem = readProblem(await send(served.port, message(method, target, '1')));
          assert.equal(problem, badRequest(detail));
        }
        assert.equal(received, []);
        assert.equal(served.errors, []);
      });
    });
  }
}
for (const [way, decode] of [
  ['throws', () => { throw ApiError.argument('legs: expected 6', { errors: [{ detail: 'odd', pointer: '#/legs' }] }); }],
  ['rejects with', async () => { throw ApiError.argument('legs: expected 6', { errors: [{ detail: 'odd', pointer: '#/legs' }] }); }],
] as const) {
  functions(`${way} an Argument error -> its own problem`, async () => {
    await serveDecoder(decode, async ({ served }) => {
      for (const [method, target] of OPERATIONS) {
        const { detail, errors } = readProblem(await send(served.port, message(method, target, '1')));
        assert.equal([detail, errors], ['Bad arguments: legs: expected 6', [{ detail: 'odd', pointer: '#/legs' }]]);
      }
    });
  });
}
for (const [way, decode] of [
  ['throws', () => { throw Promise.reject(new Error('not awaited')); }],
  ['rejects with', async () => { throw Promise.reject(new Error('not awaited')); }],
] as const) {
  functions(`${way} a rejected promise -> 400, and nothing is unhandled`, async () => {
    assert.equal(await captureUnhandled(() => serveDecoder(decode, async ({ served }) => {
      for (const [method, target] of OPERATIONS) {
        const problem = readProblem(await send(served.port, message(method, target, '1')));
        assert.equal([problem.status, problem.detail], [400, 'Bad arguments: [object Promise]']);
      }
    })), []);
  });
}
for (const [way, decode] of [
  ['returns', (json: unknown) => ({ wrapped: json })],
  ['promises', async (json: unknown) => ({ wrapped: json })],
] as const) {
  functions(`${way} the value that the operation gets`, async () => {
    await serveDecoder(decode, async ({ received, served }) => {
      for (const [method, target, status] of OPERATIONS) {
        assert.is((await send(served.port, message(method, target, '[1]'))).status, status);
      }
      assert.equal(received, [{ wrapped: [1] }, { wrapped: [1] }, { wrapped: [1] }]);
    });
  });
}
functions.run();
