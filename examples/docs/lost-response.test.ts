import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ApiServer, defineEndpoint } from 'restpoint';
import { client } from 'restpoint/client';
import { idempotent, memoryIdempotencyStore } from 'restpoint/interceptors';
import { z } from 'zod';

const payments: number[] = [];
const server = new ApiServer('/v1', { logger: { info: () => {}, error: console.error } });
const api = server.registerEndpoints({
  '/payment': defineEndpoint({
    custom: {
      make: { use: idempotent(memoryIdempotencyStore(), { required: true }), input: z.int32(), run: (cents) => ({ paid: payments.push(cents) }) },
    },
  }),
});

test('a payment whose response is lost is sent twice, and made once', async () => {
  let requests = 0;
  const losesFirst = async (...args: Parameters<typeof fetch>) => {
    const response = await server.fetch(...args);
    requests += 1;
    if (requests === 1) throw new TypeError('the connection was lost');
    return response;
  };
  const payment = client<typeof api>('http://localhost/v1', { fetch: losesFirst, retries: 3 }).one('/payment');
  assert.deepEqual(await payment.custom.make(500, { idempotencyKey: crypto.randomUUID() }), { paid: 1 });
  assert.equal(requests, 2);
  assert.deepEqual(payments, [500]);
});
