/** The three kinds of failure, their display strings, and the kind of any other thrown value. */
import { toRejection, ApiError } from '../../src/errors/api-error.ts';
import type { LocatedIssue } from '../../src/errors/problem.ts';
import { formatError } from '../../src/util/promises.ts';
import { assert, isTypeError, suite } from '../support/facts.ts';

const cause = new Error('the disk is full');

const kinds = suite('E6: the kinds of errors');
for (const [kind, displayText, make] of [
  ['Argument', 'Bad arguments: legs must be even', (options) => ApiError.argument('legs must be even', options)],
  ['Internal', 'Internal error: disk is full', (options) => ApiError.internal('disk is full', options)],
  ['NotFound', 'Not found.', (options) => ApiError.notFound(options)],
] as readonly (readonly [string, string, (options?: ErrorOptions) => ApiError])[]) {
  kinds(`${kind} is displayed as "${displayText}"`, () => {
    const error = make();
    assert.is(error.kind, kind);
    assert.is(error.message, displayText);
    assert.is(String(error), `ApiError: ${displayText}`);
    assert.instance(error, Error);
  });
  kinds(`${kind} keeps its cause, and has no cause by default`, () => {
    assert.is(make({ cause }).cause, cause);
    assert.not.ok('cause' in make());
  });
}

const issues = suite('E1: the errors of ApiError.argument');
issues('are properties of the problem, without their paths', () => {
  const error = ApiError.argument('no', { cause, errors: [{ detail: 'odd', pointer: '#/legs', path: ['legs'] }, { detail: 'late', header: 'date' }] });
  assert.equal([error.kind, error.status, error.message, error.cause], ['Argument', 400, 'Bad arguments: no', cause]);
  assert.is(toRejection(error).json, JSON.stringify({
    type: 'about:blank', title: 'Bad Request', status: 400, detail: 'Bad arguments: no', errors: [{ detail: 'odd', pointer: '#/legs' }, { detail: 'late', header: 'date' }],
  }));
  const { errors } = toRejection(error).problem;
  assert.equal((errors as readonly LocatedIssue[]).map(({ path }) => path), [['legs'], []]);
});
issues('have no other properties than those that are known', () => {
  const error = ApiError.argument('no', { errors: [{ detail: 'odd', secret: 'x' } as { detail: string }] });
  assert.not.match(toRejection(error).json, 'secret');
});
issues('without a detail -> TypeError', () => {
  const wrong = { errors: [{ detail: 'odd' }, { pointer: '#' } as never] };
  assert.throws(() => ApiError.argument('no', wrong), isTypeError('options.errors[1].detail must be a string: undefined'));
});

const from = suite('ApiError.from');
for (const [thrown, kind, displayText, why] of [
  [new Error('no space left'), 'Internal', 'Internal error: no space left', 'an error of the store'],
  [Object.assign(new Error('gone'), { notFound: true }), 'NotFound', 'Not found.', 'an error that reports "not found"'],
  [Object.assign(new Error('no template'), { code: 'ENOENT' }), 'Internal', 'Internal error: no template', 'a missing file'],
  ['out of order', 'Internal', 'Internal error: out of order', 'text'],
  [null, 'Internal', 'Internal error: null', 'null'],
  [undefined, 'Internal', 'Internal error: undefined', 'undefined'],
  [Symbol('s'), 'Internal', 'Internal error: Symbol(s)', 'a symbol'],
  [Object.create(null), 'Internal', 'Internal error: an error without a message', 'an object without a prototype'],
  [{ code: 42, why: 'no disk' }, 'Internal', 'Internal error: {"code":42,"why":"no disk"}', 'an object'],
  [{ long: 'a'.repeat(300) }, 'Internal', `Internal error: {"long":"${'a'.repeat(191)}`, 'a long object'],
  [{ get code() { throw cause; } }, 'Internal', 'Internal error: [object Object]', 'an object whose getter throws'],
] as const) {
  from(`${why} -> ${kind}, "${displayText}", with the thrown value as its cause`, () => {
    const error = ApiError.from(thrown);
    assert.instance(error, ApiError);
    assert.is(error.kind, kind);
    assert.is(error.message, displayText);
    assert.ok('cause' in error);
    assert.is(error.cause, thrown);
  });
}
for (const error of [ApiError.argument('a'), ApiError.internal('b'), ApiError.notFound()]) {
  from(`an ApiError of kind ${error.kind} is returned unchanged`, () => assert.is(ApiError.from(error), error));
}
from('a revoked proxy, which throws on every access -> Internal', () => {
  const { proxy, revoke } = Proxy.revocable({}, {});
  revoke();
  const error = ApiError.from(proxy);
  assert.is(error.message, 'Internal error: an error without a message');
  assert.is(error.cause, proxy);
});
const notFound = suite('an error of a store');
for (const [error, expected] of [
  [{ notFound: true }, true],
  [{ name: 'NotFoundError' }, true],
  [{ code: 'ENOENT' }, false],
  [{ code: 'LEVEL_NOT_FOUND' }, true],
  [{ code: 'P2025' }, true],
  [{ notFound: 1 }, false],
  [{ notFound: 'true' }, false],
  [{ name: 'NotFound' }, false],
  [{ code: 'EACCES' }, false],
  [{ code: 'toString' }, false],
  [{ code: ['P2025'] }, false],
  [{ status: 404 }, false],
  [{}, false],
  [null, false],
  [undefined, false],
  ['P2025', false],
] as const) {
  notFound(`${JSON.stringify(error)} -> ${expected}`, () => assert.is(ApiError.from(error).kind === 'NotFound', expected));
}
notFound('a function with the properties of a "not found" -> false', () => {
  assert.is(ApiError.from(Object.assign(() => {}, { notFound: true })).kind, 'Internal');
});

const strings = suite('the text of a thrown value');
for (const [thrown, text, why] of [
  [new TypeError('bad'), 'bad', 'the text of an error is its message'],
  [Object.assign(new Error(), { message: 7 }), '7', 'a message that is not a string becomes one'],
  [new (class extends Error { override get message(): string { throw cause; } })(), 'an error without a message', 'a message that throws'],
  [7, '7', 'a number'],
  [{ toString: () => 'self-made' }, 'self-made', 'an object by its toString'],
  [{ toString: () => { throw cause; } }, 'an error without a message', 'a toString that throws'],
] as const) {
  strings(`${why} -> "${text}"`, () => assert.is(formatError(thrown), text));
}
for (const [characters, shown] of [[2 ** 24, 2 ** 24], [2 ** 24 + 1, 'a string of 16777217 characters'], [2 ** 29 - 24, 'a string of 536870888 characters']] as const) {
  strings(`${characters} characters -> ${typeof shown === 'number' ? 'all of them' : `"${shown}"`}`, () => {
    const long = 'x'.repeat(characters);
    for (const thrown of [long, Object.assign(new Error(), { message: long }), { toString: () => long }]) {
      const text = formatError(thrown);
      assert.is(typeof shown === 'number' ? text.length : text, shown);
    }
  });
}
