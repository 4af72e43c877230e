/** The subscriber of the fuzzer detects each kind of mistake. */
import { tracingChannel } from 'node:diagnostics_channel';
import type { IncomingMessage } from 'node:http';
import { assert, suite } from '../support/facts.ts';
import type { RequestMessage } from '../../src/index.ts';
import { Subscriber } from './subscriber.ts';

const channel = tracingChannel<unknown, RequestMessage>('restpoint.request');

function messageFor(url: string): RequestMessage {
  return { request: { method: 'GET', url } } as RequestMessage;
}

type Event = 'end' | 'error' | 'asyncStart' | 'asyncEnd';

/** Publishes these events of a request, in its store. */
function publish(events: readonly Event[], message = messageFor('/a')): void {
  channel.start.runStores(message, () => {
    for (const event of events) channel[event].publish(message);
  });
}

/** The complaints of a subscriber. */
function complaints(act: (subscriber: Subscriber) => void): readonly string[] {
  const subscriber = new Subscriber();
  act(subscriber);
  return subscriber.stop();
}

const subscribers = suite('the subscriber of the fuzzer');
for (const events of [
  ['end', 'asyncStart', 'asyncEnd'], ['error', 'end', 'asyncStart', 'asyncEnd'], ['end', 'error', 'asyncStart', 'asyncEnd'],
] as const) {
  subscribers(`accepts start, ${events.join(', ')}`, () => {
    assert.equal(complaints((subscriber) => {
      publish(events);
      assert.is(subscriber.ended, 1);
    }), []);
  });
}
for (const events of [
  ['end'], ['end', 'asyncStart'], ['asyncStart', 'asyncEnd'], ['end', 'asyncEnd'], ['end', 'end', 'asyncStart', 'asyncEnd'],
  ['error', 'error', 'end', 'asyncStart', 'asyncEnd'], ['end', 'asyncStart', 'error', 'asyncEnd'], ['end', 'asyncStart', 'asyncEnd', 'asyncEnd'],
] as const) {
  subscribers(`detects start, ${events.join(', ')}`, () => {
    assert.ok(complaints(() => publish(events)).length > 0);
  });
}
subscribers('detects an event that is not published in the store of its request', () => {
  const message = messageFor('/a');
  assert.equal(complaints(() => {
    channel.start.runStores(message, () => channel.end.publish(message));
    channel.asyncStart.publish(message);
    channel.asyncEnd.publish(message);
  }), ['asyncStart of /a found another store', 'asyncEnd of /a found another store']);
});
subscribers('detects a function of the host in the store of another request', () => {
  const message = messageFor('/a');
  const found = complaints((subscriber) => {
    channel.start.runStores(message, () => {
      subscriber.check('an operation', message.request);
      subscriber.check('an operation', { url: '/b' } as IncomingMessage);
      for (const event of ['end', 'asyncStart', 'asyncEnd'] as const) channel[event].publish(message);
    });
  });
  assert.equal(found, ['an operation of /b found the store of /a']);
});
