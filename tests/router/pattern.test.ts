/** How path templates are parsed, and why some are refused. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { parseLiteralPath, parsePattern } from '../../src/router/pattern.ts';

const accepted = suite('a pattern');
for (const [text, literals, parameter] of [
  ['/', [], undefined],
  ['/v1', ['v1'], undefined],
  ['/v1/animal', ['v1', 'animal'], undefined],
  ['/v1/animal/:id', ['v1', 'animal'], 'id'],
  ['/:id', [], 'id'],
  ['/:::', [], '::'],
  ['/a:b/c:', ['a:b', 'c:'], undefined],
  ['/__proto__/:constructor', ['__proto__'], 'constructor'],
  ['/toString/hasOwnProperty', ['toString', 'hasOwnProperty'], undefined],
  ['/./..', ['.', '..'], undefined],
  ['/a%2Fb/%zz', ['a%2Fb', '%zz'], undefined],
  ['/V1', ['V1'], undefined],
  ['/!$&\'()*+,;=@~', ['!$&\'()*+,;=@~'], undefined],
] as const) {
  accepted(`${text} -> literals ${JSON.stringify(literals)}, parameter ${parameter}`, () => {
    assert.equal(parsePattern(text), { text, literals, parameter });
  });
}
accepted.run();

// Invalid both as a template and as a literal path.
const NO_PATH = [
  ['', 'must begin with "/"'],
  ['v1', 'must begin with "/"'],
  [':id', 'must begin with "/"'],
  [' /v1', 'must begin with "/"'],
  ['//', 'has an empty segment'],
  ['//v1', 'has an empty segment'],
  ['/v1//animal', 'has an empty segment'],
  ['/v1/', 'has an empty segment'],
  ['/v1?x', 'has a character that no request path can hold'],
  ['/v1#x', 'has a character that no request path can hold'],
  ['/v1\\x', 'has a character that no request path can hold'],
  ['/v 1', 'has a character that no request path can hold'],
  ['/v1\n', 'has a character that no request path can hold'],
  ['/v1\t', 'has a character that no request path can hold'],
  ['/\0', 'has a character that no request path can hold'],
  ['/\x7f', 'has a character that no request path can hold'],
  ['/caf\u00e9', 'has a character that no request path can hold'],
  ['/\u{1f41c}', 'has a character that no request path can hold'],
  ['/\ud800', 'has a character that no request path can hold'],
] as const;

const refused = suite('an invalid pattern');
for (const [text, reason] of [
  ...NO_PATH,
  ['/:', 'has a parameter without a name'],
  ['/v1/:', 'has a parameter without a name'],
  ['/:a/b', 'has a parameter that is not last'],
  ['/v1/:a/:b', 'has a parameter that is not last'],
  ['/:/b', 'has a parameter that is not last'],
] as const) {
  refused(`${JSON.stringify(text)} ${reason} -> TypeError that says so`, () => {
    assert.throws(() => parsePattern(text), typeError(`pattern ${reason}: ${JSON.stringify(text)}`));
  });
}
refused.run();

const literal = suite('a path without a parameter');
for (const path of ['/', '/v1', '/a/b/c', '/a:b', '/__proto__', '/constructor/toString', '/...', '/.a/b./..c', '/%2e%2e%2e', '/a%2e', '/%252e']) {
  literal(`${path} is returned unchanged`, () => {
    assert.is(parseLiteralPath('sub-path', path), path);
  });
}
for (const [path, reason] of [
  ...NO_PATH,
  ['/:', 'must not have a segment that begins with ":"'],
  ['/:id', 'must not have a segment that begins with ":"'],
  ['/v1/:id/x', 'must not have a segment that begins with ":"'],
  ...['/.', '/..', '/v1/.', '/v1/../x', '/./x', '/a/.../..', '/%2e', '/%2E/x', '/v1/.%2e', '/v1/%2e./x', '/%2E%2e'].map((path) => {
    return [path, 'must not have a segment "." or ".."'] as const;
  }),
] as const) {
  literal(`${JSON.stringify(path)} ${reason} -> TypeError that says what the path is for`, () => {
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
literal.run();

function typeError(message: string): (error: unknown) => boolean {
  return (error) => error instanceof TypeError && error.message === message;
}
