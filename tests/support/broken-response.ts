/** Responses that fail after they have begun. */
import type { ApiServer } from '../../src/index.ts';
import { assert, message, RawClient, serve } from './facts.ts';

/** Asserts that the response to a GET begins, that its connection is destroyed before its end, and that the failure is logged. */
export async function assertBrokenResponse(declare: (server: ApiServer) => void, target: string): Promise<void> {
  await serve(declare, async ({ port, errors }) => {
    const client = await RawClient.connect(port);
    client.send(message('GET', target));
    const response = await client.closed();
    assert.ok(response.startsWith('HTTP/1.1 200 OK') && !response.endsWith('0\r\n\r\n'), response);
    client.destroy();
    assert.is(errors.length, 1);
  });
}
