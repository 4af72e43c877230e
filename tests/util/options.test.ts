/** Tables of options: what each option can be, its default, and the message that names a wrong one. */
import {
  anything, boolean, checkObject, formatValue, functionOr, integer, isPlainObject, oneOf, type Option, option, required, shape, string, strings,
} from '../../src/util/options.ts';
import { assert, isTypeError, suite } from '../support/facts.ts';

const OPTIONS = shape({
  max: integer(1, 100, 20),
  kind: oneOf(['json', 'text']),
  isOn: boolean(),
  limits: shape({ bytes: integer(0, Infinity) }),
});

const tables = suite('a table of options');
tables('gives every option that is left out its default, and its tables theirs', () => {
  const expected = { max: 20, kind: 'json', isOn: false, limits: { bytes: undefined } };
  assert.equal(OPTIONS.check({}, 'options'), expected);
  assert.equal(OPTIONS.check({ max: undefined, limits: undefined }, 'options'), expected);
  assert.equal(OPTIONS.byDefault, expected);
});
tables('gives the values that are there', () => {
  const given = { max: 7, kind: 'text', isOn: true, limits: { bytes: Infinity } };
  assert.equal(OPTIONS.check(given, 'options'), given);
});
tables('reads the properties of an instance, its getters too, and ignores those that it does not know', () => {
  class Own {
    readonly other = 1;
    get max(): number {
      return 5;
    }
  }
  assert.is(OPTIONS.check(new Own(), 'options').max, 5);
});
for (const [given, path, message] of [
  [{ mx: 5 }, 'options', 'unknown option options.mx: did you mean max? It can be one of max, kind, isOn, limits'],
  [{ mx: 5 }, '', 'unknown option mx: did you mean max? It can be one of max, kind, isOn, limits'],
  [{ limits: { byte: 5 } }, '', 'unknown option limits.byte: did you mean bytes? It can be one of bytes'],
  [{ limits: { bytes: -1 } }, 'options', 'options.limits.bytes must be a whole number from 0 to Infinity: -1'],
  [{ max: 0 }, '', 'max must be a whole number from 1 to 100: 0'],
  [undefined, 'options', 'options must be an object: undefined'],
  [null, '', 'options must be an object: null'],
  ['max', 'a.b', 'a.b must be an object: max'],
] as const) {
  tables(`${JSON.stringify(given)} at "${path}" -> ${message}`, () => assert.throws(() => OPTIONS.check(given, path), isTypeError(message)));
}

const wrong = suite('a wrong value');
const codec = option('a codec', (value, path) => checkObject(value, path), undefined as object | undefined);
for (const [checked, value, message] of [
  [integer(1, 5), 1.5, 'x must be a whole number from 1 to 5: 1.5'],
  [integer(1, 5), '3', 'x must be a whole number from 1 to 5: 3'],
  [integer(1, 5), null, 'x must be a whole number from 1 to 5: null'],
  [boolean(), 0, 'x must be a boolean: 0'],
  [oneOf([400, 422]), 401, 'x must be one of 400, 422: 401'],
  [functionOr(), {}, 'x must be a function: object'],
  [string('a'), 7, 'x must be a string: 7'],
  [strings([]), ['a', 7], 'x must be a list of strings: a,7'],
  [strings(), 'a', 'x must be a list of strings: a'],
  [codec, 7, 'x must be an object: 7'],
  [required(string()), undefined, 'x is required'],
  [required(functionOr(), '(item) => item.id'), undefined, 'x is required: (item) => item.id'],
  [required(functionOr(), '(item) => item.id'), 7, 'x must be a function: number'],
] as readonly [Option<unknown>, unknown, string][]) {
  wrong(message, () => assert.throws(() => shape({ x: checked }).check({ x: value }, ''), isTypeError(message)));
}

const values = suite('what an option can be, for the reference');
for (const [checked, expected, byDefault] of [
  [integer(1, 5, 2), '1 to 5', 2],
  [integer(1, Infinity), '1 to Infinity', undefined],
  [boolean(true), 'a boolean', true],
  [oneOf(['json', 'text']), '"json", "text"', 'json'],
  [functionOr(), 'a function', undefined],
  [string('api'), 'a string', 'api'],
  [strings(['Bearer']), 'a list of strings', ['Bearer']],
  [anything('a schema'), 'a schema', undefined],
] as readonly [Option<unknown>, string, unknown][]) {
  values(`${expected}, ${formatValue(byDefault)} by default`, () => {
    assert.is(checked.values, expected);
    assert.equal(checked.byDefault, byDefault);
  });
}

const shown = suite('a value in a message');
for (const [value, expected] of [['int', '"int"'], [Number, 'function Number'], [() => 1, 'function'], [7, '7'], [undefined, 'undefined']] as const) {
  shown(`${String(value)} -> ${expected}`, () => assert.is(formatValue(value), expected));
}
shown('an object without a prototype is plain, an instance is not', () => {
  assert.ok(isPlainObject(Object.create(null) as object));
  assert.not.ok(isPlainObject(new Date()));
});
