/** Replies that the server can not use: of streams that are over, and of another copy of the package. */
import { Readable } from 'node:stream';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { defineEndpoint, stringId, type ApiServer } from '../../../src/index.ts';
import { message, readProblem } from '../../support/messages.ts';
import { RawClient, send } from '../../support/raw-client.ts';
import { serve } from '../../support/serve.ts';
import { declareStream } from '../../support/declare-stream.ts';

const makeFailed = (): Readable => new Readable().once('error', () => {}).destroy(new Error('gone'));

const over = suite('R10: a Node stream that was over before it was sent');
for (const [why, make, text] of [
  ['it has failed', makeFailed, 'gone'],
  ['it is destroyed', () => new Readable().destroy(), 'the stream was destroyed, or read to its end, before it was sent: make one for each response'],
] as const) {
  for (const method of ['GET', 'HEAD']) {
    over(`${why}: ${method} -> 500, logged, and the connection is kept`, async () => {
      await serve(declareStream(make), async ({ port, errors }) => {
        const client = await RawClient.connect(port);
        client.send(message(method, '/v1/stream/1') + message('GET', '/v1/good/1'));
        assert.is((await client.response(method)).status, 500);
        assert.is((await client.response()).body, '"1"');
        client.destroy();
        assert.equal(errors.map((error) => error.message), [`GET /v1/stream/:id: Internal error: ${text}`]);
      });
    });
  }
}
over('the same stream, returned a second time -> 500, and not an empty body', async () => {
  const stream = Readable.from(['a']);
  await serve(declareStream(() => stream), async ({ port, errors }) => {
    assert.is((await send(port, message('GET', '/v1/stream/1'))).body, 'a');
    assert.is((await send(port, message('GET', '/v1/stream/1'))).status, 500);
    assert.is(errors.length, 1);
  });
});
over.run();

const foreign = suite('R10: a reply of a different copy of the package');
const declare = (server: ApiServer): void => {
  const give = (): unknown => ({ ' internal': 'reply', status: 200, body: 'secret', headers: ['Set-Cookie', 'secret'] });
  const schema = (json: unknown): unknown => json;
  server.registerEndpoint('/thing', defineEndpoint({
    id: stringId, schema, create: () => give() as string, get: give, update: give, delete: give, custom: { make: { run: give } },
  }));
};
for (const [method, target, sent] of [
  ['GET', '/v1/thing/1', ''], ['POST', '/v1/thing', '1'], ['PUT', '/v1/thing/1', '1'], ['DELETE', '/v1/thing/1', ''], ['POST', '/v1/thing/make', ''],
] as const) {
  foreign(`${method} ${target} -> 500, logged, and nothing of it is sent`, async () => {
    await serve(declare, async ({ port, errors }) => {
      const response = await send(port, message(method, target, sent));
      readProblem(response);
      assert.not.match(response.body, 'secret');
      assert.match(errors[0]?.message ?? '', /: Internal error: the reply was made by a different copy of restpoint than the server: npm dedupe removes one$/);
    });
  });
}
for (const result of [{ ' internal': 1, status: 200, body: 1 }, { ' internal': { body: 1, status: 200, headers: {} } }, { status: 200, body: 1, headers: [], isJson: true }]) {
  foreign(`${JSON.stringify(result)} is sent as JSON`, async () => {
    await serve((server) => server.registerEndpoint('/thing', defineEndpoint({ id: stringId, get: () => result })), async ({ port }) => {
      assert.is((await send(port, message('GET', '/v1/thing/1'))).body, JSON.stringify(result));
    });
  });
}
foreign.run();
