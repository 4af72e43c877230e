/** `memoryRates`: exact counts, the time that passes, and callers who fill it. */
import { memoryRates, type RateStore, type RateTaken } from '../../src/interceptors/index.ts';
import { assert, rejections, suite } from '../support/facts.ts';

const HOUR = { limit: 3, windowSeconds: 3600 };

/** Calls with a clock that stands still, in milliseconds. */
function withFrozenClock(use: (pass: (ms: number) => void) => void): void {
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
const isAllowed = (store: RateStore, key: string, cost = 1, policy = HOUR): boolean => take(store, key, cost, policy).isAllowed;

const rates = suite('T2 T5: memoryRates');
for (const { limit, windowSeconds } of [HOUR, { limit: 1, windowSeconds: 1 }, { limit: 97, windowSeconds: 60 }, { limit: 20_000, windowSeconds: 7 }, { limit: 7, windowSeconds: 2_592_000 }]) {
  rates(`allows exactly ${limit} at once in ${windowSeconds} s`, () => withFrozenClock((pass) => {
    const store = memoryRates();
    const policy = { limit, windowSeconds };
    let count = 0;
    while (isAllowed(store, 'a', 1, policy)) count += 1;
    assert.is(count, limit);
    pass(windowSeconds * 1000 / limit);
    pass(1);
    assert.ok(isAllowed(store, 'a', 1, policy));
    assert.is(limit > 10_000 || isAllowed(store, 'a', 1, policy), limit > 10_000);
    pass(windowSeconds * 1000);
    assert.is(take(store, 'a', 0, policy).fullMs, 0);
  }));
}
rates('a cost is taken as a whole, or not at all', () => withFrozenClock((pass) => {
  const store = memoryRates();
  assert.equal(take(store, 'a', 2), { isAllowed: true, fullMs: 2_400_000 });
  assert.equal(take(store, 'a', 2), { isAllowed: false, fullMs: 2_400_000 });
  assert.equal(take(store, 'a', 0), { isAllowed: true, fullMs: 2_400_000 });
  pass(1_200_000);
  assert.equal(take(store, 'a', 2), { isAllowed: true, fullMs: 3_600_000 });
}));
rates('full: a key with some quota left makes room', () => withFrozenClock(() => {
  const store = memoryRates({ max: 2 });
  assert.equal([isAllowed(store, 'spent', 3), isAllowed(store, 'light'), isAllowed(store, 'new', 2)], [true, true, true]);
  // `light` has made room, and has its quota again.
  assert.is(take(store, 'light', 0).fullMs, 0);
  assert.not(isAllowed(store, 'spent'));
  assert.not(isAllowed(store, 'new', 2));
}));
rates('full of keys that are limited: further keys share one quota, and none gets rid of its limit', () => withFrozenClock((pass) => {
  const store = memoryRates({ max: 100 });
  for (let key = 0; key < 100; key += 1) assert.ok(isAllowed(store, `spent ${key}`, 3));
  assert.equal(['a', 'b', 'c', 'd', 'a'].map((key) => isAllowed(store, key)), [true, true, true, false, false]);
  for (let key = 0; key < 100; key += 1) assert.not(isAllowed(store, `spent ${key}`));
  pass(1_200_001);
  assert.ok(isAllowed(store, 'd', 3));
}));
rates('a quota that is whole again makes room first', () => withFrozenClock((pass) => {
  const store = memoryRates({ max: 3 });
  const second = { limit: 1, windowSeconds: 1 };
  assert.ok(isAllowed(store, 'short', 1, second));
  assert.ok(isAllowed(store, 'a'));
  assert.ok(isAllowed(store, 'b'));
  pass(1001);
  assert.ok(isAllowed(store, 'c'));
  assert.equal(['a', 'b', 'c'].map((key) => take(store, key, 0).fullMs > 0), [true, true, true]);
}));
rates('50,000 keys: limits hold', () => withFrozenClock((pass) => {
  const store = memoryRates({ max: 200 });
  for (let key = 0; key < 100; key += 1) assert.ok(isAllowed(store, `spent ${key}`, 3));
  for (let key = 0; key < 50_000; key += 1) {
    store.take(`${key}`, { ...HOUR, cost: 1 + key % 2 });
    if (key % 50 === 0) pass(1);
  }
  // 1,000 s: less than one unit is back.
  for (let key = 0; key < 100; key += 1) assert.not(isAllowed(store, `spent ${key}`));
}));
for (const [options, text] of [
  [{ max: 0 }, 'options.max must be a whole number from 1 to 9007199254740991: 0'],
  [{ size: 1 }, 'unknown option options.size: it can be one of max'],
] as const) rejections(rates, [['', () => memoryRates(options as never), text]]);

const room = suite('a full store of rates');
room('looks at 16 keys in turn, and replaces the one that is whole again soonest', () => withFrozenClock(() => {
  const store = memoryRates({ max: 40 });
  const policies = Array.from({ length: 40 }, (_, key) => ({ limit: 3, windowSeconds: 3600 - key }));
  for (const [key, policy] of policies.entries()) assert.ok(isAllowed(store, `${key}`, 1, policy));
  const isReplaced = (key: number): boolean => take(store, `${key}`, 0, policies[key]).fullMs === 0;
  const seen = ['a', 'b'].map((name) => {
    assert.ok(isAllowed(store, name));
    return [...policies.keys()].filter(isReplaced);
  });
  // The later a key, the sooner it is whole. The first 40 have looked at 78 of each other, the last time at those up to 14.
  assert.equal(seen, [[30], [30, 39]]);
}));
for (const [cost, isReplaced] of [[2, true], [3, false]] as const) {
  room(`${isReplaced ? 'replaces' : 'keeps'} a key with ${3 - cost} of 3 requests left`, () => withFrozenClock(() => {
    const store = memoryRates({ max: 1 });
    assert.ok(isAllowed(store, 'old', cost));
    assert.ok(isAllowed(store, 'new'));
    assert.is(take(store, 'old', 0).fullMs, isReplaced ? 0 : cost * 1_200_000);
  }));
}
room('a new key takes the room of two whose quota is whole again, so that memory shrinks', () => withFrozenClock((pass) => {
  const store = memoryRates();
  for (const key of 'abcdef') assert.ok(isAllowed(store, key));
  pass(3_600_001);
  const removed: unknown[] = [];
  const { delete: remove } = Map.prototype;
  Map.prototype.delete = function (key) {
    removed.push(key);
    return remove.call(this, key);
  };
  try {
    assert.ok(isAllowed(store, 'g'));
  } finally {
    Map.prototype.delete = remove;
  }
  assert.is(removed.length, 2);
}));
