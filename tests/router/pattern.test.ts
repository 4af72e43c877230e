/** How path templates are parsed, and why some are rejected. */
import { fillTemplate, splitLiterals, parseLiteralPath, parsePattern, parseTemplate, type Pattern, skipSegment, splitTemplate } from '../../src/router/pattern.ts';
import { readParameters } from '../support/read-parameters.ts';
import { assert, isTypeError, suite } from '../support/facts.ts';

const accepted = suite('a pattern');
for (const [text, literals, parameters, gaps, given] of [
  ['/', ['/'], [], []],
  ['/v1', ['/v1'], [], []],
  ['/v1/animal', ['/v1/animal'], [], []],
  ['/v1/animal/:id', ['/v1/animal/', ''], ['id'], [11]],
  ['/:id', ['/', ''], ['id'], [1]],
  ['/:id/feed', ['/', '/feed'], ['id'], [1]],
  ['/:a/:b', ['/', '/', ''], ['a', 'b'], [1, 1]],
  ['/zoo/:zoo/pet/:id', ['/zoo/', '/pet/', ''], ['zoo', 'id'], [5, 5]],
  ['/zoo/:zoo/a/b/:id/feed', ['/zoo/', '/a/b/', '/feed'], ['zoo', 'id'], [5, 5]],
  ['/:_/:A9z/:a_b', ['/', '/', '/', ''], ['_', 'A9z', 'a_b'], [1, 1, 1]],
  ['/:a/:A', ['/', '/', ''], ['a', 'A'], [1, 1]],
  ['/a:b/c:', ['/a:b/c:'], [], []],
  ['/__proto__/:constructor/:__proto__', ['/__proto__/', '/', ''], ['constructor', '__proto__'], [11, 1]],
  ['/toString/hasOwnProperty', ['/toString/hasOwnProperty'], [], []],
  ['/./..', ['/./..'], [], []],
  ['/a%2Fb/%zz', ['/a%2Fb/%zz'], [], []],
  ['/V1', ['/V1'], [], []],
  ['/!$&\'()*+,;=@~', ['/!$&\'()*+,;=@~'], [], []],
  ['/*path', ['/', ''], ['path'], [1]],
  ['/file/*path', ['/file/', ''], ['path'], [6]],
  ['/zoo/:zoo/*path', ['/zoo/', '/', ''], ['zoo', 'path'], [5, 1]],
  ['/a*b/c*', ['/a*b/c*'], [], []],
  ['/v2/*name/tag/:tag', ['/v2/', '/tag/', ''], ['name', 'tag'], [4, 5], { at: 0, slashesAfter: 2 }],
  ['/:a/*b/c', ['/', '/', '/c'], ['a', 'b'], [1, 1], { at: 1, slashesAfter: 1 }],
] as readonly (readonly [string, readonly string[], readonly string[], readonly number[], Pattern['wildcard']?])[]) {
  accepted(`${text} -> literals ${JSON.stringify(literals)}, parameters ${JSON.stringify(parameters)}`, () => {
    const pattern = parsePattern(text);
    const shape = text.replaceAll(/\/([:*])\w+/g, '/$1');
    const wildcard = given ?? (text.includes('/*') ? { at: parameters.length - 1, slashesAfter: 0 } : undefined);
    assert.equal(pattern, { template: text, shape, parameters, wildcard, gaps });
    assert.equal(splitLiterals(text), literals);
    const segments = splitTemplate(text);
    assert.is(`/${segments.map((segment) => segment.raw).join('/')}`, text);
    assert.equal(segments.flatMap(({ name }) => name ?? []), parameters);
    assert.is(segments.some(({ isWildcard }) => isWildcard), pattern.wildcard !== undefined);
    assert.is(fillTemplate(text, (name, isWildcard) => (isWildcard ? '*' : ':') + name), text);
  });
}
for (const [one, other, areSame] of [
  ['/pet/:id', '/pet/:name', true],
  ['/:a/x/:b', '/:b/x/:a', true],
  ['/pet/:id', '/pet/id', false],
  ['/pet/:id', '/pet/:id/feed', false],
  ['/:a/b', '/a/:b', false],
  ['/a:b', '/a:c', false],
  ['/a/*b', '/a/*c', true],
  ['/a/*b', '/a/:b', false],
  ['/:a/*b', '/:b/*a', true],
  ['/x:/:id', '/x:y/:id', false],
] as const) {
  accepted(`${one} and ${other} have ${areSame ? 'the same shape' : 'different shapes'}`, () => {
    assert.is(parsePattern(one).shape === parsePattern(other).shape, areSame);
  });
}
for (const [template, path, strings] of [
  ['/v1/pet', '/v1/pet', []],
  ['/v1/pet/:id', '/v1/pet/7', ['7']],
  ['/v1/pet/:id/feed', '/v1/pet/7/feed', ['7']],
  ['/zoo/:zoo/pet/:id', '/zoo/7/pet/a%2Fb', ['7', 'a%2Fb']],
  ['/:a/:b/:c', '/one/2/three', ['one', '2', 'three']],
] as const) {
  accepted(`the parameters of ${template} in ${path} are found by the gaps: [${strings.join(', ')}]`, () => {
    assert.equal(readParameters(parsePattern(template), path), strings);
  });
}
accepted('a segment ends before the next slash, or where the path ends', () => {
  assert.equal([0, 1, 3, 4, 6].map((start) => skipSegment('/ab/cd', start)), [0, 3, 3, 6, 6]);
});

// Invalid both as a template and as a literal path.
const NO_PATH = [
  ['', 'must begin with "/"'],
  ['v1', 'must begin with "/"'],
  [':id', 'must begin with "/"'],
  [' /v1', 'must begin with "/"'],
  ['//', 'has an empty segment'],
  ['//v1', 'has an empty segment'],
  ['/v1//animal', 'has an empty segment'],
  ['/v1//', 'has an empty segment'],
  ['/v1?x', 'has a character that must be percent-encoded'],
  ['/v1#x', 'has a character that must be percent-encoded'],
  ['/v1\\x', 'has a character that must be percent-encoded'],
  ['/v 1', 'has a character that must be percent-encoded'],
  ['/v1\n', 'has a character that must be percent-encoded'],
  ['/v1\t', 'has a character that must be percent-encoded'],
  ['/\0', 'has a character that must be percent-encoded'],
  ['/\x7f', 'has a character that must be percent-encoded'],
  ['/caf\u00e9', 'has a character that must be percent-encoded'],
  ['/\u{1f41c}', 'has a character that must be percent-encoded'],
  ['/\ud800', 'has a character that must be percent-encoded'],
] as const;

const MALFORMED_NAME = 'has a parameter with a name that is not of A-Z a-z 0-9 _, or begins with a digit';
const PARAMETER_ERRORS = [
  ['/:', 'has a parameter without a name'],
  ['/v1/:', 'has a parameter without a name'],
  ['/:/b', 'has a parameter without a name'],
  ['/:a/:/b', 'has a parameter without a name'],
  ['/:::', MALFORMED_NAME],
  ['/:a:b', MALFORMED_NAME],
  ['/:a-b', MALFORMED_NAME],
  ['/:a.b/c', MALFORMED_NAME],
  ['/:9', MALFORMED_NAME],
  ['/:9a/b', MALFORMED_NAME],
  ['/a/:b%20', MALFORMED_NAME],
  ['/*', 'has a parameter without a name'],
  ['/a/*', 'has a parameter without a name'],
  ['/*a-b', MALFORMED_NAME],
  ['/**', MALFORMED_NAME],
  ['/a/*b/*c', 'has two wildcards: where the first ends would not be clear'],
  ['/*b/a/*c', 'has two wildcards: where the first ends would not be clear'],
  ['/:a/*a', 'has two parameters with the same name'],
  ['/:a/:a', 'has two parameters with the same name'],
  ['/:id/pet/:id', 'has two parameters with the same name'],
  ['/:__proto__/:__proto__', 'has two parameters with the same name'],
] as const;

const rejected = suite('an invalid pattern');
for (const [text, reason] of [...NO_PATH, ...PARAMETER_ERRORS] as const) {
  rejected(`${JSON.stringify(text)} ${reason} -> TypeError that says so`, () => {
    assert.throws(() => parsePattern(text), typeError(`pattern ${reason}: ${JSON.stringify(text)}`));
  });
}

// Segments that no client sends.
const DOTS = ['/.', '/..', '/v1/.', '/v1/../x', '/./x', '/a/.../..', '/%2e', '/%2E/x', '/v1/.%2e', '/v1/%2e./x', '/%2E%2e'].map((path) => {
  return [path, 'must not have a segment "." or ".."'] as const;
});

const STRAY = ['/a:b', '/a:', '/a*', '/a*b/:c', '/:a/b:c', '/a**', '/a:b/*c'].map((path) => [path, 'must only have ":" and "*" at the beginning of a segment'] as const);

const BRACES = [['/pet/{id}', 'id'], ['/zoo/{zoo}/pet', 'zoo'], ['/{}', '']].map(([path = '', name]) => [path, `has a parameter in braces, where ":${name}" is meant`] as const);

const template = suite('a path that may have parameters');
for (const path of ['/', '/v1', '/...', '/*path', '/zoo/:zoo/*path', '/zoo/:zoo/pet', '/:a/:b', '/__proto__/:constructor', '/a{b}', '/{a}b', '/{a', '/a}']) {
  template(`${path} is parsed as a pattern is`, () => assert.equal(parseTemplate('sub-path', path), parsePattern(path)));
}
for (const [path, reason] of [...NO_PATH, ...PARAMETER_ERRORS, ...DOTS, ['/:a/..', 'must not have a segment "." or ".."'], ...STRAY, ...BRACES] as const) {
  template(`${JSON.stringify(path)} ${reason} -> TypeError that names the kind of path`, () => {
    assert.throws(() => parseTemplate('sub-path', path), typeError(`sub-path ${reason}: ${JSON.stringify(path)}`));
  });
}
template('a path that is not a string -> TypeError', () => {
  assert.throws(() => parseTemplate('sub-path', undefined), typeError('sub-path must be a string: undefined'));
});

const literal = suite('a path without a parameter');
for (const path of ['/', '/v1', '/a/b/c', '/a:b', '/__proto__', '/constructor/toString', '/...', '/.a/b./..c', '/%2e%2e%2e', '/a%2e', '/%252e']) {
  literal(`${path} is returned unchanged`, () => assert.is(parseLiteralPath('sub-path', path), path));
}
for (const [path, reason] of [
  ...NO_PATH,
  ['/:', 'must not have a segment that begins with ":"'],
  ['/:id', 'must not have a segment that begins with ":"'],
  ['/v1/:id/x', 'must not have a segment that begins with ":"'],
  ['/*', 'must not have a segment that begins with "*"'],
  ['/v1/*x', 'must not have a segment that begins with "*"'],
  ...DOTS,
] as const) {
  literal(`${JSON.stringify(path)} ${reason} -> TypeError that names the use of the path`, () => {
    assert.throws(() => parseLiteralPath('sub-path', path), typeError(`sub-path ${reason}: ${JSON.stringify(path)}`));
  });
}
for (const [path, type] of [
  [undefined, 'undefined'],
  [null, 'object'],
  [7, 'number'],
  [['/v1'], 'object'],
  [Symbol('/v1'), 'symbol'],
] as const) {
  literal(`a path that is ${String(path)} of type ${type} -> TypeError`, () => {
    assert.throws(() => parseLiteralPath('root', path), typeError(`root must be a string: ${type}`));
  });
}

function typeError(message: string): (error: unknown) => boolean {
  return isTypeError(message);
}
