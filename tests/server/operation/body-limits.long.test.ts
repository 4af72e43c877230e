/** Clients that go on sending long bodies, many times: here a response is lost that is lost only sometimes. */
import { bearer } from '../../../src/auth/index.ts';
import { bytes, type ApiServer } from '../../../src/index.ts';
import { sendLongBodies } from '../../support/long-body.ts';
import { IS_TLS } from '../../support/transport.ts';
import { Zoo } from '../../support/zoo.ts';
import { assert, serve, suite } from '../../support/facts.ts';

// TLS takes most of the time, and closes as TCP does.
const ROUNDS = IS_TLS ? 5 : 20;

const stillSending = suite('a client that goes on sending 8 MiB');
for (const [method, target, status, why] of [
  ['POST', '/v1/pet', 413, 'too long'],
  ['GET', '/v1/pet/1', 200, 'ignored'],
  ['HEAD', '/v1/pet/1', 200, 'ignored'],
  ['DELETE', '/v1/pet/1', 204, 'ignored'],
  ['POST', '/v1/file', 401, 'JSON of a caller who is rejected'],
  ['POST', '/v1/file/put', 401, 'bytes of a caller who is rejected'],
] as const) {
  stillSending(`${why}: ${method} ${target} -> ${status} is read in each of ${ROUNDS} rounds`, async () => {
    const zoo = new Zoo();
    const declare = (server: ApiServer): void => {
      zoo.register(server);
      server.registerEndpoint('/file', {
        context: bearer(() => undefined), schema: String, create: () => assert.unreachable(), custom: { put: { input: bytes(), run: () => assert.unreachable() } },
      } as never);
    };
    await serve(declare, async ({ port }) => {
      for (let round = 0; round < ROUNDS; round += 1) {
        await sendLongBodies(port, method, target, (response) => assert.is(response.status, status), () => zoo.pets.set(1, { name: 'ant', legs: 6 }));
      }
      assert.is(zoo.invoked, status < 300 ? 4 * ROUNDS : 0);
    }, { limits: { bodyBytes: 100 } });
  });
}
