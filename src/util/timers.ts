/** The timers and the clock that a server goes on by. A test's mock timers replace the global ones, and nobody advances them. */
export { clearImmediate, clearInterval, clearTimeout, setImmediate, setInterval, setTimeout } from 'node:timers';
export const nextTick: typeof process.nextTick = process.nextTick;
export const performance: { now(): number } = { now: globalThis.performance.now.bind(globalThis.performance) };
