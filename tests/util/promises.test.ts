/** Which values count as promises, and that a promise in the wrong place breaks nothing. */
import { adopt, disown, disownAll, isThenable } from '../../src/util/promises.ts';
import { makeRevokedProxy } from '../support/failing-operations.ts';
import { captureUnhandled } from '../support/capture-unhandled.ts';
import { assert, suite } from '../support/facts.ts';

const thenables = suite('a promise or thenable');
for (const [value, expected, why] of [
  [Promise.resolve(), true, 'a promise'],
  [{ then: () => {} }, true, 'an object with a method then'],
  [Object.assign(() => {}, { then: () => {} }), true, 'a function with a method then'],
  [() => {}, false, 'a function'],
  [class {}, false, 'a class'],
  [{ then: true }, false, 'an object whose then is not a method'],
  [{}, false, 'an object'],
  [null, false, 'null'],
  [undefined, false, 'undefined'],
  ['then', false, 'text'],
] as const) {
  thenables(`${why} -> ${expected}`, () => assert.is(isThenable(value), expected));
}

const failure = new Error('not awaited');

const adopted = suite('an adopted thenable');
adopted('a native promise -> the same promise', () => {
  const promise = Promise.resolve(7);
  assert.is(adopt(promise), promise);
});
for (const [why, promised] of [
  ['a thenable', { then: (resolve: (value: number) => unknown) => resolve(7) }],
  ['a callable one', Object.assign(() => {}, { then: (resolve: (value: number) => unknown) => resolve(7) })],
  ['one that resolves to a promise', { then: (resolve: (value: unknown) => unknown) => resolve(Promise.resolve(7)) }],
  ['one whose then returns itself', { then(resolve: (value: number) => unknown): unknown { return resolve(7), this; } }],
  ['a promise of a class of its own', new (class Own extends Promise<number> {})((resolve) => resolve(7))],
] as readonly (readonly [string, PromiseLike<number>])[]) {
  adopted(`${why} -> a native promise of its value`, async () => {
    const promise = adopt(promised);
    assert.is(promise.constructor, Promise);
    assert.is(await promise, 7);
  });
}
adopted('its then is called once, regardless of its result', async () => {
  let calls = 0;
  const query = { then(resolve: (value: number) => unknown): unknown { return resolve(++calls), query; } };
  assert.is(await adopt(query as unknown as PromiseLike<number>), 1);
  await new Promise((resolve) => setImmediate(resolve));
  assert.is(calls, 1);
});
for (const [why, then] of [
  ['rejects', (_resolve: unknown, reject: (error: Error) => void) => reject(failure)],
  ['throws', () => { throw failure; }],
  ['is asynchronous and rejects', async () => { throw failure; }],
] as const) {
  adopted(`its then ${why} -> rejects with that`, async () => {
    const promised = { then } as unknown as PromiseLike<unknown>;
    assert.is(await adopt(promised).catch((error: unknown) => error), failure);
  });
}
for (const [why, own] of [
  ['throws', () => { throw failure; }],
  ['is asynchronous and rejects', async () => { throw failure; }],
] as const) {
  adopted(`a promise whose own then ${why} -> rejects with that, and nothing else rejects`, async () => {
    const seen: unknown[] = [];
    const rejected = await captureUnhandled(() => {
      void adopt(Object.assign(Promise.resolve(7), { then: own })).then(undefined, (error: unknown) => seen.push(error));
    });
    assert.equal([seen, rejected], [[failure], []]);
  });
}

const disowned = suite('a disowned thenable');
disowned('a rejected promise that is not disowned is unhandled', async () => {
  assert.equal(await captureUnhandled(() => void Promise.reject(failure)), [failure]);
});
for (const [why, make] of [
  ['a promise that rejects', () => Promise.reject(failure)],
  ['a promise that resolves', () => Promise.resolve(7)],
  ['a promise that rejects, with a catch of its own', () => Object.assign(Promise.reject(failure), { catch: () => {} })],
  ['a promise whose own then rejects', () => Object.assign(Promise.resolve(), { then: async () => { throw failure; } })],
  ['a thenable that rejects', () => ({ then: (_resolve: unknown, reject: (error: Error) => void) => reject(failure) })],
  ['a thenable whose then rejects', () => ({ then: async () => { throw failure; } })],
  ['a thenable that throws', () => ({ then: () => { throw failure; } })],
  ['a thenable that resolves with a promise that rejects', () => ({ then: (resolve: (value: unknown) => void) => resolve(Promise.reject(failure)) })],
  ['a callable thenable that throws', () => Object.assign(() => {}, { then: () => { throw failure; } })],
  ['an object whose then getter throws', () => ({ get then() { throw failure; } })],
  ['a promise whose constructor getter throws', () => Object.defineProperty(Promise.resolve(), 'constructor', { get: () => { throw failure; } })],
  ['a revoked proxy', makeRevokedProxy],
  ['a function', () => () => {}],
  ['null', () => null],
  ['undefined', () => undefined],
  ['a string', () => 'text'],
] as const) {
  disowned(`${why}: nothing is thrown, and nothing rejects`, async () => {
    const value = make();
    assert.equal(await captureUnhandled(() => disown(value)), []);
  });
}
const nestRejection = (levels: number): unknown => (levels === 0 ? Promise.reject(failure) : { inner: [nestRejection(levels - 1)] });
for (const [why, make, expected] of [
  ['a promise', () => Promise.reject(failure), []],
  ['a list of promises', () => [Promise.reject(failure), Promise.reject(failure)], []],
  ['a promise in an object in a list', () => nestRejection(1), []],
  ['a promise four levels below', () => nestRejection(2), []],
  ['a promise deeper than that: no value is searched for ever', () => nestRejection(3), [failure]],
  ['an object that contains itself', () => { const loop: { self?: unknown } = {}; return (loop.self = loop); }, []],
  ['an object whose getter throws', () => ({ get broken() { throw failure; } }), []],
  ['bytes', () => new Uint8Array(1_000_000), []],
] as const) {
  disowned(`all in ${why}`, async () => {
    const value = make();
    assert.equal(await captureUnhandled(() => disownAll(value)), expected);
  });
}
