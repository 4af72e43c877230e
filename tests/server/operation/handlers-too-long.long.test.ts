/** A response of about 2^29 characters, which JSON.stringify made: it takes a GB for a moment. */
import { stringId } from '../../../src/index.ts';
import { assert, message, RawClient, readProblem, serve, suite } from '../../support/facts.ts';

const LONGEST = 2 ** 29 - 24;

const results = suite('a result that is too long to send');
results('a string that JSON.stringify made -> 500, logged, and the connection stays open', () => serve((server) => server.registerEndpoint('/thing', {
  id: stringId,
  // JSON adds two quotes.
  get: (id) => (id === 'long' ? 'x'.repeat(LONGEST - 2) : id),
}), async ({ port, errors }) => {
  const client = await RawClient.send(port, message('GET', '/v1/thing/long') + message('GET', '/v1/thing/1'));
  assert.equal(readProblem(await client.response()), { type: 'about:blank', title: 'Internal Server Error', status: 500 });
  assert.is((await client.response()).body, '"1"');
  client.destroy();
  assert.equal(errors.map((error) => error.message), ['GET /v1/thing/:id: Internal error: the response is too long to be sent']);
}, { limits: { headersMs: 600_000, requestMs: 600_000 } }));
