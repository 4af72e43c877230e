/** Placeholder listeners, which stand in while the host has no listener. */
import { EventEmitter } from 'node:events';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { Placeholders } from '../../src/attach/placeholders.ts';

function made(): { readonly source: EventEmitter; readonly placeholders: Placeholders; readonly calls: string[] } {
  const source = new EventEmitter();
  const placeholders = new Placeholders(source);
  const calls: string[] = [];
  placeholders.add('request', () => calls.push('placeholder'));
  return { source, placeholders, calls };
}

const hosts = suite('a placeholder');
for (const [what, use, expected] of [
  ['nothing', () => {}, ['placeholder']],
  ['a listener', (source, host) => source.on('request', host), ['host']],
  ['a listener before it', (source, host) => source.prependListener('request', host), ['host']],
  ['a listener that is removed', (source, host) => source.on('request', host).off('request', host), ['placeholder']],
  ['two listeners, of which one is removed', (source, host) => source.on('request', host).on('request', () => {}).off('request', host), []],
  ['all listeners removed', (source, host) => source.on('request', host).on('request', host).removeAllListeners('request'), ['placeholder']],
  ['its placeholder removed', (source) => source.removeAllListeners('request'), ['placeholder']],
  ['its placeholder removed, and a listener', (source, host) => source.removeAllListeners('request').on('request', host), ['host']],
  ['a listener for another event', (source, host) => source.on('other', host), ['placeholder']],
] as readonly (readonly [string, (source: EventEmitter, host: () => void) => unknown, readonly string[]])[]) {
  hosts(`of a host with ${what}: ${expected.join() || 'none'} is called`, () => {
    const { source, placeholders, calls } = made();
    use(source, () => calls.push('host'));
    assert.is(placeholders.hasOther('request'), !expected.includes('placeholder'));
    assert.is(source.emit('request'), true);
    assert.equal(calls, expected);
  });
}
hosts('is called from the second event on, if a listener is called once', () => {
  const { source, calls } = made();
  source.once('request', () => calls.push('host'));
  for (let times = 0; times < 3; times += 1) source.emit('request');
  assert.equal(calls, ['host', 'placeholder', 'placeholder']);
});
hosts('does nothing by default, and is counted', () => {
  const { source, placeholders } = made();
  placeholders.add('upgrade');
  assert.is(source.listenerCount('upgrade'), 1);
  assert.is(source.emit('upgrade'), true);
});
hosts('is not added again after clear, and leaves nothing behind', () => {
  const { source, placeholders } = made();
  placeholders.clear();
  assert.equal(source.eventNames(), []);
  const host = (): void => {};
  source.on('request', host).off('request', host);
  assert.equal(source.eventNames(), []);
});
hosts.run();
