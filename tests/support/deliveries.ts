/** Sends a body in every way: with a length or chunked, in one piece or byte by byte. */
import type { Test } from 'uvu';
import * as assert from 'uvu/assert';
import { chunkedMessage, message, type MakeMessage } from './messages.ts';
import { RawClient, type RawResponse } from './raw-client.ts';
import { serving, type ServingOptions } from './serving.ts';
import { Zoo } from './zoo.ts';

type Send = (client: RawClient, bytes: string) => Promise<void>;

const sendWhole: Send = async (client, bytes) => client.send(bytes);

const sendByteByByte: Send = async (client, bytes) => {
  for (const byte of bytes) {
    client.send(byte);
    await new Promise((resolve) => setImmediate(resolve));
  }
};

const DELIVERIES: readonly (readonly [how: string, makeMessage: MakeMessage, send: Send])[] = [
  ['with a length, in one piece', message, sendWhole],
  ['with a length, byte by byte', message, sendByteByByte],
  ['chunked, in one piece', chunkedMessage, sendWhole],
  ['chunked, byte by byte', chunkedMessage, sendByteByByte],
];

export const ANT = '{"name":"ant","legs":6}';

export interface Sent {
  readonly target?: string;
  readonly headers?: readonly string[];
  readonly body?: string;
  readonly options?: ServingOptions;
}

/** Declares a test for each way: the status of the response, and whether the operation is invoked. */
export function eachDelivery(
  test: Test,
  fact: string,
  { target = '/v1/pet', headers = [], body = ANT, options = {} }: Sent,
  status: number,
  check: (response: RawResponse, zoo: Zoo) => void = () => {},
): void {
  const invoked = status < 300 ? 1 : 0;
  for (const [how, makeMessage, send] of DELIVERIES) {
    test(`${fact} -> ${status}, ${invoked === 1 ? 'invoked' : 'not invoked'} (${how})`, async () => {
      const zoo = new Zoo();
      await serving(zoo.register, async ({ port, errors }) => {
        const client = await RawClient.connect(port);
        try {
          const responded = client.response();
          await Promise.race([send(client, makeMessage('POST', target, body, headers)), responded]);
          const response = await responded;
          assert.is(response.status, status, response.body);
          check(response, zoo);
        } finally {
          client.destroy();
        }
        assert.is(zoo.invoked, invoked);
        assert.equal(errors, []);
      }, options);
    });
  }
}
