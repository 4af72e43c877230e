/** `memoryRates`: exact counts, the time that passes, and callers who fill it. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { memoryRates, type RateStore, type RateTaken } from '../../src/interceptors/index.ts';

const HOUR = { limit: 3, windowSeconds: 3600 };

/** Calls with a clock that stands still, in milliseconds. */
function atRest(use: (pass: (ms: number) => void) => void): void {
  const { now } = performance;
  let time = 1000.7;
  performance.now = () => time;
  try {
    use((ms) => { time += ms; });
  } finally {
    performance.now = now;
  }
}

const take = (store: RateStore, key: string, cost = 1, policy = HOUR): RateTaken => store.take(key, { ...policy, cost }) as RateTaken;
const allowed = (store: RateStore, key: string, cost = 1, policy = HOUR): boolean => take(store, key, cost, policy).isAllowed;

const rates = suite('memoryRates');
for (const { limit, windowSeconds } of [HOUR, { limit: 1, windowSeconds: 1 }, { limit: 97, windowSeconds: 60 }, { limit: 1_000_000, windowSeconds: 7 }, { limit: 7, windowSeconds: 2_592_000 }]) {
  rates(`allows exactly ${limit} at once in ${windowSeconds} s`, () => atRest((pass) => {
    const store = memoryRates();
    const policy = { limit, windowSeconds };
    let count = 0;
    while (allowed(store, 'a', 1, policy)) count += 1;
    assert.is(count, limit);
    pass(windowSeconds * 1000 / limit);
    pass(1);
    assert.ok(allowed(store, 'a', 1, policy));
    assert.is(limit > 10_000 || allowed(store, 'a', 1, policy), limit > 10_000);
    pass(windowSeconds * 1000);
    assert.is(take(store, 'a', 0, policy).fullMs, 0);
  }));
}
rates('a cost is taken as a whole, or not at all', () => atRest((pass) => {
  const store = memoryRates();
  assert.equal(take(store, 'a', 2), { isAllowed: true, fullMs: 2_400_000 });
  assert.equal(take(store, 'a', 2), { isAllowed: false, fullMs: 2_400_000 });
  assert.equal(take(store, 'a', 0), { isAllowed: true, fullMs: 2_400_000 });
  pass(1_200_000);
  assert.equal(take(store, 'a', 2), { isAllowed: true, fullMs: 3_600_000 });
}));
rates('a clock of the system that is set back changes nothing', () => {
  const { now } = Date;
  const store = memoryRates();
  try {
    for (const shift of [0, -1e9, 1e9]) {
      Date.now = () => now() + shift;
      assert.ok(allowed(store, 'a'));
    }
    assert.not(allowed(store, 'a'));
  } finally {
    Date.now = now;
  }
});
rates('full: a key with some quota left makes room', () => atRest(() => {
  const store = memoryRates({ max: 2 });
  assert.equal([allowed(store, 'spent', 3), allowed(store, 'light'), allowed(store, 'new', 2)], [true, true, true]);
  // `light` has made room, and has its quota again.
  assert.is(take(store, 'light', 0).fullMs, 0);
  assert.not(allowed(store, 'spent'));
  assert.not(allowed(store, 'new', 2));
}));
rates('full of keys that are limited: further keys share one quota, and none gets rid of its limit', () => atRest((pass) => {
  const store = memoryRates({ max: 100 });
  for (let key = 0; key < 100; key += 1) assert.ok(allowed(store, `spent ${key}`, 3));
  assert.equal(['a', 'b', 'c', 'd', 'a'].map((key) => allowed(store, key)), [true, true, true, false, false]);
  for (let key = 0; key < 100; key += 1) assert.not(allowed(store, `spent ${key}`));
  pass(1_200_001);
  assert.ok(allowed(store, 'd', 3));
}));
rates('a quota that is whole again makes room first', () => atRest((pass) => {
  const store = memoryRates({ max: 3 });
  const second = { limit: 1, windowSeconds: 1 };
  assert.ok(allowed(store, 'short', 1, second));
  assert.ok(allowed(store, 'a'));
  assert.ok(allowed(store, 'b'));
  pass(1001);
  assert.ok(allowed(store, 'c'));
  assert.equal(['a', 'b', 'c'].map((key) => take(store, key, 0).fullMs > 0), [true, true, true]);
}));
rates('a million keys: memory stays bounded, and limits hold', () => atRest((pass) => {
  const store = memoryRates({ max: 1000 });
  for (let key = 0; key < 500; key += 1) assert.ok(allowed(store, `spent ${key}`, 3));
  for (let key = 0; key < 1_000_000; key += 1) {
    store.take(`${key}`, { ...HOUR, cost: 1 + key % 2 });
    if (key % 1000 === 0) pass(1);
  }
  // 1,000 s: less than one unit is back.
  for (let key = 0; key < 500; key += 1) assert.not(allowed(store, `spent ${key}`));
}));
for (const [options, text] of [
  [{ max: 0 }, 'options.max must be a whole number from 1 to 9007199254740991: 0'],
  [{ size: 1 }, 'unknown option options.size: it can be one of max'],
] as const) {
  rates(`TypeError: ${text}`, () => assert.throws(() => memoryRates(options as never), (thrown: unknown) => thrown instanceof TypeError && thrown.message === text));
}
rates.run();
