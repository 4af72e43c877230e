/** The timers and the clock that a server goes on by. A test's mock timers replace the global ones, and nobody advances them. */
type Timers = typeof import('node:timers');
const timers: Timers = process.getBuiltinModule('node:timers');
export const clearImmediate: Timers['clearImmediate'] = timers.clearImmediate;
export const clearInterval: Timers['clearInterval'] = timers.clearInterval;
export const clearTimeout: Timers['clearTimeout'] = timers.clearTimeout;
export const setImmediate: Timers['setImmediate'] = timers.setImmediate;
export const setInterval: Timers['setInterval'] = timers.setInterval;
export const setTimeout: Timers['setTimeout'] = timers.setTimeout;
export const nextTick: typeof process.nextTick = process.nextTick;
export const performance: { now(): number } = { now: globalThis.performance.now.bind(globalThis.performance) };
