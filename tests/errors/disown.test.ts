/** Shows that a promise in the wrong place ends nothing, and that whatever else stands there is left alone. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { disown } from '../../src/errors/disown.ts';
import { revoked } from '../support/failing.ts';
import { unhandledBy } from '../support/unhandled.ts';

const failure = new Error('nobody waits for it');

const disowned = suite('what is disowned');
disowned('a promise that rejects without it is unhandled', async () => {
  assert.equal(await unhandledBy(() => void Promise.reject(failure)), [failure]);
});
for (const [why, make] of [
  ['a promise that rejects', () => Promise.reject(failure)],
  ['a promise that resolves', () => Promise.resolve(7)],
  ['a thenable that rejects', () => ({ then: (_resolve: unknown, reject: (error: Error) => void) => reject(failure) })],
  ['a thenable that throws', () => ({ then: () => { throw failure; } })],
  ['a thenable that resolves with a promise that rejects', () => ({ then: (resolve: (value: unknown) => void) => resolve(Promise.reject(failure)) })],
  ['a callable thenable that throws', () => Object.assign(() => {}, { then: () => { throw failure; } })],
  ['an object whose then getter throws', () => ({ get then() { throw failure; } })],
  ['a promise whose constructor getter throws', () => Object.defineProperty(Promise.resolve(), 'constructor', { get: () => { throw failure; } })],
  ['a proxy that was revoked', revoked],
  ['a function', () => () => {}],
  ['null', () => null],
  ['undefined', () => undefined],
  ['a text', () => 'text'],
] as const) {
  disowned(`${why}: nothing is thrown, and nothing rejects`, async () => {
    const value = make();
    assert.equal(await unhandledBy(() => disown(value)), []);
  });
}
disowned.run();
