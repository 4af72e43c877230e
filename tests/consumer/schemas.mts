/** A program that decodes with the schema libraries that the README names: compiles with their types, and rejects what they reject. */
import assert from 'node:assert/strict';
import { type } from 'arktype';
import { ApiServer, defineEndpoint, stringId } from 'restpoint';
import * as v from 'valibot';
import { z } from 'zod';

const server = new ApiServer('/v1', { logger: { info: () => {}, error: (error) => assert.fail(error) } });

const ark = type({ name: 'string', legs: 'number' });
server.registerEndpoint('/arktype', defineEndpoint({
  id: stringId,
  schema: ark,
  create: (pet) => pet.name.toUpperCase(),
  custom: { feed: { input: ark, run: ({ legs }) => legs.toFixed(1) } },
}));

const valibot = v.object({ name: v.string(), legs: v.number() });
server.registerEndpoint('/valibot', defineEndpoint({
  id: stringId,
  schema: valibot,
  create: (pet) => pet.name.toUpperCase(),
  custom: { feed: { input: valibot, run: ({ legs }) => legs.toFixed(1) } },
}));

const zod = z.object({ name: z.string(), legs: z.number() });
server.registerEndpoint('/zod', defineEndpoint({
  id: stringId,
  schema: zod,
  create: (pet) => pet.name.toUpperCase(),
  custom: { feed: { input: zod, run: ({ legs }) => legs.toFixed(1) } },
}));

const started = await server.start('127.0.0.1:0');
assert.ok(started.ok);
try {
  const post = async (path: string, body: unknown): Promise<readonly [status: number, text: string]> => {
    const request = { method: 'POST', body: JSON.stringify(body), headers: { 'Content-Type': 'application/json' } };
    const response = await fetch(`${started.url}/v1/${path}`, request);
    return [response.status, await response.text()];
  };
  const pointersOf = (problem: string): unknown => JSON.parse(problem).errors.map(({ pointer }: { pointer: string }) => pointer);
  for (const library of ['arktype', 'valibot', 'zod']) {
    assert.deepEqual(await post(library, { name: 'Rex', legs: 4 }), [201, 'REX'], library);
    assert.deepEqual(await post(`${library}/feed`, { name: 'Rex', legs: 4 }), [200, '"4.0"'], library);
    for (const [body, pointers] of [[null, ['#']], ['Rex', ['#']], [{ name: 'Rex', legs: '4' }, ['#/legs']]]) {
      const [status, problem] = await post(library, body);
      assert.equal(status, 400, library);
      assert.deepEqual(pointersOf(problem), pointers, library);
    }
  }
} finally {
  await server.stop();
}
console.log('decoded');
