/** J6: The slots of a pool: how many of its connections can be held at the same time, and what waits for one. */
import { getEventListeners } from 'node:events';
import type { PostgresPool } from '../../src/postgres/index.ts';
import { findSlots } from '../../src/postgres/slots.ts';
import { FakePool, FakeShared } from '../support/fake-pool.ts';
import { assert, delay, Gate, suite } from '../support/facts.ts';

const slots = suite('the slots of a pool');
const makePool = (max: number | undefined): PostgresPool => Object.assign(new FakePool(), { options: { max } });
for (const [what, pool, expected] of [
  ['a pool of 1', makePool(1), 1],
  ['a pool of 2', makePool(2), 1],
  ['a pool of 3', makePool(3), 2],
  ['a pool of 10', makePool(10), 9],
  ['a pool that does not tell its maximum', makePool(undefined), 20],
  ['one connection for all', new FakeShared(new FakePool()), 1],
] as const) {
  slots(`${what}: ${expected} of 20 are held`, async () => {
    const taken: (() => void)[] = [];
    const all = Array.from({ length: 20 }, async () => taken.push(await findSlots(pool).take()));
    await delay(1);
    assert.is(taken.length, expected);
    assert.ok(findSlots(pool).count >= expected);
    // Each that is released goes to the next.
    for (let released = 0; released < 20; released += 1) {
      taken[released]?.();
      await delay(1);
      assert.is(taken.length, Math.min(20, expected + released + 1));
    }
    await Promise.all(all);
  });
}
for (const [max, expected] of [[1, 0], [2, 0], [3, 1], [4, 1], [5, 2], [10, 4], [undefined, 20]] as const) {
  slots(`a pool of ${max}: ${expected} of 20 streams are held, and each is one of all`, async () => {
    const pool = makePool(max);
    const held = { all: 0, streams: 0 };
    const gate = new Gate();
    const hold = async (kind: keyof typeof held): Promise<void> => {
      const release = await findSlots(pool, kind === 'streams').take();
      held[kind] += 1;
      await gate.passed;
      release();
    };
    const streams = Array.from({ length: 20 }, () => hold('streams'));
    await delay(1);
    const all = Array.from({ length: 20 }, () => hold('all'));
    await delay(1);
    assert.equal(held, { streams: expected, all: Math.min(20, findSlots(pool).count - expected) });
    gate.open();
    await Promise.all([...expected > 0 ? streams : [], ...all]);
  });
}
slots('a stream that waits for one of all ends with its signal, and its place is free', async () => {
  const pool = makePool(3);
  const release = await findSlots(pool).take();
  await findSlots(pool).take();
  const left = new AbortController();
  const waiting = findSlots(pool, true).take(left.signal);
  const reason = new Error('left');
  await delay(1);
  left.abort(reason);
  assert.is(await waiting.catch((error: unknown) => error), reason);
  release();
  (await findSlots(pool, true).take())();
});
slots('first come, first served', async () => {
  const { take } = bind(makePool(2));
  const order: number[] = [];
  const all = [1, 2, 3, 4].map(async (number) => {
    const release = await take();
    order.push(number);
    release();
  });
  await Promise.all(all);
  assert.equal(order, [1, 2, 3, 4]);
});
slots('what waits ends with its signal, and the next gets the slot', async () => {
  const { take } = bind(makePool(2));
  const release = await take();
  const left = new AbortController();
  const waiting = take(left.signal);
  const next = take(new AbortController().signal);
  const reason = new Error('left');
  left.abort(reason);
  assert.is(await waiting.catch((error: unknown) => error), reason);
  release();
  (await next)();
  (await take())();
});
slots('nothing is taken when the signal has aborted already', async () => {
  const { take } = bind(makePool(2));
  const reason = new Error('left');
  assert.is(await take(AbortSignal.abort(reason)).catch((error: unknown) => error), reason);
  (await take())();
});
slots('no listener stays on the signal', async () => {
  const { take } = bind(makePool(2));
  const { signal } = new AbortController();
  const release = await take();
  const waiting = take(signal);
  assert.is(getEventListeners(signal, 'abort').length, 1);
  release();
  (await waiting)();
  assert.is(getEventListeners(signal, 'abort').length, 0);
});

function bind(pool: PostgresPool): { take(signal?: AbortSignal): Promise<() => void> } {
  return { take: (signal) => findSlots(pool).take(signal) };
}
