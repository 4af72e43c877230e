/** Shows which strings are the same secret. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { secretsEqual } from '../../src/auth/index.ts';

const secrets = suite('U6: two secrets');
for (const [a, b, expected, why] of [
  ['secret', 'secret', true, 'the same'],
  ['', '', true, 'both empty'],
  ['secret', 'Secret', false, 'another case'],
  ['secret', 'secre', false, 'one is shorter'],
  ['', 'secret', false, 'one is empty'],
  ['a'.repeat(100_000), 'a'.repeat(100_000), true, 'both long'],
  ['a'.repeat(100_000), `${'a'.repeat(99_999)}b`, false, 'both long, with another end'],
  ['\u00e4', 'a\u0308', false, 'what looks the same'],
  ['\ud800', '\ud801', false, 'unpaired surrogates'],
  ['\ud800', '\ufffd', false, 'an unpaired surrogate and what UTF-8 writes for it'],
] as const) {
  secrets(`${why} -> ${expected}`, () => {
    assert.is(secretsEqual(a, b), expected);
    assert.is(secretsEqual(b, a), expected);
  });
}
for (const value of [undefined, null, 7, Buffer.from('secret'), ['secret']]) {
  secrets(`${Object.prototype.toString.call(value)} is not a string -> TypeError that does not show it`, () => {
    for (const pair of [[value, value], [value, 'secret'], ['secret', value]]) {
      assert.throws(() => (secretsEqual as (...values: unknown[]) => boolean)(...pair), (thrown: unknown) => {
        return thrown instanceof TypeError && thrown.message === `secretsEqual compares strings: ${typeof value}`;
      });
    }
  });
}
secrets.run();

const crypto = process.getBuiltinModule('node:crypto');
const { createHash, timingSafeEqual } = crypto;

/** The arguments of `timingSafeEqual` while `act` runs. Each of its calls returns `result`. */
function captureComparisons(act: () => void, result: boolean): Buffer[][] {
  const compared: Buffer[][] = [];
  crypto.timingSafeEqual = (...given) => {
    compared.push(given as unknown as Buffer[]);
    return result;
  };
  try {
    act();
  } finally {
    crypto.timingSafeEqual = timingSafeEqual;
  }
  return compared;
}

function digestOf(text: string): string {
  return createHash('sha256').update(text, 'utf16le').digest('hex');
}

const constant = suite('U6: how two secrets are compared');
for (const [a, b, why] of [
  ['secret', 'secret', 'the same'],
  ['', '', 'both empty'],
  ['', 'secret', 'one empty'],
  ['Xecret', 'secret', 'with another start'],
  ['secreX', 'secret', 'with another end'],
  ['s', 'secret', 'one a part of the other'],
  ['secret', 's'.repeat(100_000), 'of very different lengths'],
  ['\ud800', '\ufffd', 'that UTF-8 would write alike'],
] as const) {
  constant(`strings ${why}: by timingSafeEqual alone, which gets two digests of 32 bytes`, () => {
    for (const result of [true, false]) {
      const compared = captureComparisons(() => assert.is(secretsEqual(a, b), result), result);
      assert.equal(compared.map((given) => given.map(({ byteLength }) => byteLength)), [[32, 32]]);
      assert.equal(compared.map((given) => given.map((digest) => digest.toString('hex'))), [[digestOf(a), digestOf(b)]]);
    }
    assert.is(secretsEqual(a, b), a === b);
  });
}
constant.run();
