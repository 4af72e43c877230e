/**
 * Responses of about 2^29 characters, the longest string of V8: Node cannot put a head before them. `repeat` makes these strings as
 * ropes, which take no memory until they are read. `handlers-too-long.long.test.ts` reads one.
 */
import { ApiError, defineEndpoint, defineFormat, stringId, type ApiServer, type Problem } from '../../../src/index.ts';
import { assert, badRequest, message, RawClient, readProblem, send, serve, suite } from '../../support/facts.ts';

const LONGEST = 2 ** 29 - 24;
const FAILED = { type: 'about:blank', title: 'Internal Server Error', status: 500 } as const;

const repeatX = (characters = LONGEST): string => 'x'.repeat(characters);

interface Asked {
  readonly method: string;
  readonly target: string;
  readonly sent?: string;
}

/** Sends a request, asserts its response, and that this and another connection stay open. Returns the log. */
async function assertFails(
  declare: (server: ApiServer) => void,
  { method, target, sent = '' }: Asked,
  problem: Problem = FAILED,
): Promise<readonly Error[]> {
  const logged: Error[] = [];
  await serve((server) => {
    declare(server);
    server.registerEndpoint('/good', { id: stringId, get: (id) => id });
  }, async ({ port, errors }) => {
    const client = await RawClient.connect(port);
    const other = await RawClient.connect(port);
    try {
      client.send(message(method, target, sent) + message('GET', '/v1/good/1'));
      assert.equal(readProblem(await client.response()), problem);
      assert.is((await client.response()).body, '"1"');
      other.send(message('GET', '/v1/good/2'));
      assert.is((await other.response()).body, '"2"');
    } finally {
      client.destroy();
      other.destroy();
    }
    logged.push(...errors);
    // A string of 512 MiB can hold the process up for longer than a head may take by default.
  }, { limits: { headersMs: 120_000, requestMs: 120_000 } });
  return logged;
}

const results = suite('A10: a result that is too long to send');
for (const [way, give] of [['at once', () => 'pet'], ['by a promise', async () => 'pet']] as const) {
  const repeated = defineFormat({ encode: () => repeatX() });
  const endpoint = defineEndpoint({
    id: { parse: String, format: () => repeatX() },
    schema: String,
    create: give,
    get: { run: give, output: repeated },
    custom: { feed: { run: give, output: repeated } },
  });
  for (const [method, target, sent, route] of [
    ['GET', '/v1/thing/1', '', 'GET /v1/thing/:id'],
    ['POST', '/v1/thing/feed', '', 'POST /v1/thing/feed'],
    ['POST', '/v1/thing', '0', 'POST /v1/thing'],
  ] as const) {
    results(`${route}, ${way} -> 500, logged, and the connections stay open`, async () => {
      const errors = await assertFails((server) => server.registerEndpoint('/thing', endpoint), { method, target, sent });
      assert.equal(errors.map((error) => error.message), [`${route}: Internal error: the response is too long to be sent`]);
    });
  }
}

const SHOWN = `a string of ${LONGEST} characters`;
const REJECTED = { type: 'about:blank', title: 'Bad Request', status: 400 } as const;
const REJECTED_BY_DECODER = badRequest(SHOWN);

const failures = suite('an error with a message that is too long to send');
for (const [why, thrown, ofOperation, logged, ofDecoder] of [
  ['an Error', () => Object.assign(new Error(), { message: repeatX() }), FAILED, `Internal error: ${SHOWN}`, REJECTED_BY_DECODER],
  ['a string', () => repeatX(), FAILED, `Internal error: ${SHOWN}`, REJECTED_BY_DECODER],
  ['an object', () => ({ toString: () => repeatX() }), FAILED, `Internal error: ${SHOWN}`, REJECTED_BY_DECODER],
  ['an Internal error', () => ApiError.internal(repeatX(LONGEST - 16)), FAILED, SHOWN, FAILED],
  ['an Argument error', () => ApiError.argument(repeatX(LONGEST - 15)), { ...REJECTED, detail: SHOWN }, undefined, { ...REJECTED, detail: SHOWN }],
] as const) {
  for (const [way, fail] of [['thrown', () => { throw thrown(); }], ['rejected with', async () => { throw thrown(); }]] as const) {
    failures(`${why}, ${way} by an operation -> ${ofOperation.status}, and the connections stay open`, async () => {
      const declare = (server: ApiServer): void => server.registerEndpoint('/thing', { id: stringId, get: fail });
      const errors = await assertFails(declare, { method: 'GET', target: '/v1/thing/1' }, ofOperation);
      assert.equal(errors.map((error) => error.message), logged === undefined ? [] : [`GET /v1/thing/:id: ${logged}`]);
    });
    failures(`${why}, ${way} by a decoder -> ${ofDecoder.status}, and the connections stay open`, async () => {
      const endpoint = defineEndpoint({ id: stringId, schema: fail, update: () => {} });
      const declare = (server: ApiServer): void => server.registerEndpoint('/thing', endpoint);
      const errors = await assertFails(declare, { method: 'PUT', target: '/v1/thing/1', sent: '0' }, ofDecoder);
      assert.equal(errors.length, ofDecoder === FAILED ? 1 : 0);
    });
  }
}
failures('of a mounted handler -> 500, and its length is logged', async () => {
  await serve((server) => server.mount('/files', () => { throw new Error(repeatX()); }), async ({ port, errors }) => {
    const problem = readProblem(await send(port, message('GET', '/files')));
    assert.equal(problem, FAILED);
    assert.equal(errors.map((error) => error.message), [`* /files: ${SHOWN}`]);
  });
});
