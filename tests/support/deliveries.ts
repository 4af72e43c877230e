/** Sends a body in every way: with a length or chunked, in one piece or byte by byte. */
import type { Test } from 'uvu';
import * as assert from 'uvu/assert';
import { chunkedMessage, message, type MakeMessage } from './messages.ts';
import { RawClient, type RawResponse } from './raw-client.ts';
import { serve, type ServeOptions } from './serve.ts';
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

export interface DeliveredRequest {
  readonly target?: string;
  readonly headers?: readonly string[];
  readonly body?: string;
  readonly options?: ServeOptions;
}

/** Declares a test of all ways: the status of the response, and whether the operation is invoked. */
export function testDeliveries(
  test: Test,
  fact: string,
  { target = '/v1/pet', headers = [], body = ANT, options = {} }: DeliveredRequest,
  status: number,
  check: (response: RawResponse, zoo: Zoo) => void = () => {},
): void {
  const invoked = status < 300 ? 1 : 0;
  test(`${fact} -> ${status}, ${invoked === 1 ? 'invoked' : 'not invoked'}`, async () => {
    const zoo = new Zoo();
    await serve(zoo.register, async ({ port, errors }) => {
      for (const [how, makeMessage, send] of DELIVERIES) {
        zoo.clear();
        const client = await RawClient.connect(port);
        try {
          const responded = client.response();
          await Promise.race([send(client, makeMessage('POST', target, body, headers)), responded]);
          const response = await responded;
          assert.is(response.status, status, `${how}: ${response.body}`);
          check(response, zoo);
        } finally {
          client.destroy();
        }
        assert.is(zoo.invoked, invoked, how);
        assert.equal(errors, [], how);
      }
    }, options);
  });
}
