/** T2 K7: The clock of quotas and of what expires: real time, and the time of mock timers. */
import { execFile } from 'node:child_process';
import { mock } from 'node:test';
import { promisify } from 'node:util';
import { readClock } from '../../src/interceptors/clock.ts';
import { assert, suite } from '../support/facts.ts';

const HOUR_MS = 3_600_000;
const INTERCEPTORS = JSON.stringify(new URL('../../src/interceptors/index.js', import.meta.url).href);

/** Sets `performance.now`, so that real time stands still. */
function withPerformance(use: (set: (now: () => number) => void) => void): void {
  const { now } = performance;
  try {
    use((replaced) => { performance.now = replaced; });
  } finally {
    performance.now = now;
  }
}

const clock = suite('the clock');
clock('is real time: it goes with performance.now, not with the clock of the system', () => withPerformance((set) => {
  set(() => 5000);
  const start = readClock();
  set(() => 5070);
  assert.is(Math.round(readClock() - start), 70);
}));
clock('a clock of the system that is set back and forth moves no quota and no key', async () => {
  const program = `
    const { now } = Date;
    let shift = 0;
    Date.now = () => now() + shift;
    const { memoryIdempotencyStore, memoryRates } = await import(${INTERCEPTORS});
    const [rates, keys] = [memoryRates(), memoryIdempotencyStore()];
    const seen = [];
    for (shift of [0, -1e9, 1e9, -4e10, 4e10]) {
      const { isAllowed } = rates.take('a', { limit: 3, windowSeconds: 3600, cost: 1 });
      const kept = await keys.once({ key: 'a', fingerprint: 'f' }, async () => ({ status: 204, headers: {}, body: undefined }));
      seen.push(isAllowed + ' ' + (kept === 'done' ? 'runs' : 'replayed'));
    }
    console.log(seen.join());
  `;
  const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '--eval', program]);
  assert.is(stdout.trim(), 'true runs,true replayed,true replayed,false replayed,false replayed');
});
clock('never goes back', () => withPerformance((set) => {
  set(() => 9000);
  const start = readClock();
  set(() => 10);
  const later = readClock();
  assert.ok(later >= start && later < start + 2);
  set(() => 30);
  assert.is(readClock() - later, 20);
}));
for (const [how, enable, tick] of [
  ['Date of node:test', () => mock.timers.enable({ apis: ['Date'] }), (ms: number) => mock.timers.tick(ms)],
  ['Date of node:test, at a time of its own', () => mock.timers.enable({ apis: ['Date'], now: 7 }), (ms: number) => mock.timers.tick(ms)],
  ['Date and setTimeout of node:test', () => mock.timers.enable({ apis: ['Date', 'setTimeout'] }), (ms: number) => mock.timers.tick(ms)],
] as const) {
  clock(`goes with mock timers, and stands still between their ticks: ${how}`, () => {
    const before = readClock();
    enable();
    try {
      const start = readClock();
      assert.ok(start >= before);
      const begun = performance.now();
      while (performance.now() - begun < 3);
      assert.is(readClock(), start);
      tick(HOUR_MS);
      assert.is(readClock() - start, HOUR_MS);
      tick(1);
      assert.is(readClock() - start, HOUR_MS + 1);
    } finally {
      mock.timers.reset();
    }
    const after = readClock();
    assert.ok(after - before >= HOUR_MS && after - before < 2 * HOUR_MS);
  });
}
clock('goes on in real time after mock timers', () => withPerformance((set) => {
  mock.timers.enable({ apis: ['Date'] });
  readClock();
  mock.timers.reset();
  set(() => 100);
  const start = readClock();
  set(() => 130);
  assert.is(Math.round(readClock() - start), 30);
}));
