/** How the server reads an id from a path. */
import { ApiError, defineEndpoint, integerId, stringId, uint64Id, uuidId, type ApiServer, type IdCodec, type Problem } from '../../../src/index.ts';
import { makeRevokedProxy } from '../../support/failing-operations.ts';
import { captureUnhandled } from '../../support/capture-unhandled.ts';
import { assert, badRequest, check, message, RawClient, readProblem, send, serve, suite } from '../../support/facts.ts';

const FAILED = { type: 'about:blank', title: 'Internal Server Error', status: 500 } as const;
const WRONG = { type: 'about:blank', title: 'Bad Request', status: 400, detail: 'Bad arguments: pick another' } as const;
const MISSING = { type: 'about:blank', title: 'Not Found', status: 404, detail: 'Not found.' } as const;

/** An endpoint that notes the ids that its operations get. */
class Recorder {
  readonly got: unknown[] = [];

  registering<Id>(id: IdCodec<Id>): (server: ApiServer) => void {
    const note = (got: unknown): string => `${this.got.push(got)} so far`;
    // The compiler does not know whether an `Id` that is not known yet is one.
    const codec: IdCodec<any> = id;
    return (server) => server.registerEndpoint('/pet', { id: codec, schema: String, get: note, update: (got) => void note(got), delete: (got) => void note(got) });
  }
}

const METHODS = [['GET', ''], ['PUT', '0'], ['DELETE', '']] as const;
const WITH_BROKEN = [...METHODS, ['PUT', '{"broken']] as const;

/** Asserts that an id `bad` gets this problem, and that the connection stays open. Returns what was logged. */
async function assertAfterwards(id: IdCodec<string>, problem: Problem): Promise<readonly Error[]> {
  const recorder = new Recorder();
  let logged: readonly Error[] = [];
  await serve(recorder.registering(id), async ({ port, errors }) => {
    const client = await RawClient.connect(port);
    for (const [method, sent] of WITH_BROKEN) {
      client.send(message(method, '/v1/pet/bad', sent) + message('GET', '/v1/pet/good'));
      assert.equal(readProblem(await client.response()), problem, method);
      assert.is((await client.response()).status, 200);
    }
    client.destroy();
    logged = errors;
  });
  assert.equal(recorder.got, WITH_BROKEN.map(() => 'good'));
  return logged;
}

const decoded = suite('P3: an id in a path');
for (const [segment, id, why] of [
  ['ant', 'ant', 'stays as it is'],
  ['a%2Fb', 'a/b', 'may hold an encoded slash'],
  ['a%2fb', 'a/b', 'may be encoded in lower case'],
  ['%E4%BD%A0', '你', 'is decoded as UTF-8'],
  ['%F0%9F%90%9C', '🐜', 'may be outside the basic plane'],
  ['a%252Fb', 'a%2Fb', 'is decoded once'],
  ['a+b', 'a+b', 'keeps a plus'],
  ['a%20b', 'a b', 'may hold an encoded space'],
  ['%61nt', 'ant', 'is decoded where that was not needed'],
  ['..', '..', 'is not a step to the parent'],
  ['%2e%2E', '..', 'is not a step to the parent when encoded'],
  [':id', ':id', 'may begin with a colon'],
  ['__proto__', '__proto__', 'is text, whatever objects inherit'],
  ['constructor', 'constructor', 'is text, whatever objects inherit'],
  ['ant?id=bee', 'ant', 'ends where the query begins'],
] as const) {
  decoded(`${segment} ${why}`, async () => {
    const recorder = new Recorder();
    await check(recorder.registering(stringId), [`GET /v1/pet/${segment}`, `PUT /v1/pet/${segment} 0`, `DELETE /v1/pet/${segment}`], ['200 "1 so far"', '204', '204']);
    assert.equal(recorder.got, [id, id, id]);
  });
}

const undecodable = suite('P3: an id that is not percent-encoded UTF-8');
for (const [segment, why] of [
  ['%zz', 'digits that are none'],
  ['%', 'no digits'],
  ['ant%4', 'one digit'],
  ['%ff', 'a byte that UTF-8 has not'],
  ['%E4%BD', 'a sequence cut short'],
  ['%c0%af', 'an overlong slash'],
  ['%ed%a0%80', 'a surrogate'],
] as const) {
  undecodable(`${segment}, ${why} -> 400, and no operation is invoked`, async () => {
    const recorder = new Recorder();
    await check(recorder.registering(stringId), METHODS.map(([method, sent]) => `${method} /v1/pet/${segment} ${sent}`), METHODS.map(() => '400 Bad arguments: the id is not percent-encoded UTF-8 @id'));
    assert.equal(recorder.got, []);
  });
}

const rejected = suite('P3 Q3: an id that its codec rejects');
for (const [thrown, detail, why] of [
  [new Error('pick another'), 'pick another', 'an Error'],
  [Object.assign(new Error('pick another'), { code: 'P2025' }), 'pick another', 'what a store reports as not found'],
  ['pick another', 'pick another', 'a string'],
  [null, 'null', 'null'],
  [Object.create(null), 'an error without a message', 'an object that cannot be made text'],
  [makeRevokedProxy(), 'an error without a message', 'a revoked proxy'],
] as const) {
  rejected(`by throwing ${why} -> 400 with its message, and no operation is invoked`, async () => {
    const recorder = new Recorder();
    const rejecting: IdCodec<string> = { parse: () => { throw thrown; }, format: String };
    await check(recorder.registering(rejecting), METHODS.map(([method, sent]) => `${method} /v1/pet/ant ${sent}`), METHODS.map(() => `400 Bad arguments: ${detail} @id`));
    assert.equal(recorder.got, []);
  });
}
for (const [thrown, problem, logged, why] of [
  [ApiError.argument('pick another'), WRONG, undefined, 'an Argument error'],
  [ApiError.notFound(), MISSING, undefined, 'a NotFound error'],
  [ApiError.internal('the key is lost'), FAILED, 'Internal error: the key is lost', 'an Internal error'],
] as const) {
  rejected(`by throwing ${why} -> ${problem.status}, ${logged ? 'logged' : 'not logged'}, and the connection stays open`, async () => {
    const rejecting: IdCodec<string> = { parse: (text) => { if (text === 'bad') throw thrown; return text; }, format: String };
    const errors = await assertAfterwards(rejecting, problem);
    assert.equal(errors.map((error) => [error.message, error.cause]), logged ? WITH_BROKEN.map(([method]) => [`${method} /v1/pet/:id: ${logged}`, thrown]) : []);
  });
}
rejected('by an error: mapError is not called', async () => {
  const asked: unknown[] = [];
  const id: IdCodec<string> = { parse: () => { throw new Error('no'); }, format: () => { throw new Error('no'); } };
  const endpoint = defineEndpoint({ id, schema: String, create: String, get: String, mapError: (error) => void asked.push(error) });
  await check((server) => server.registerEndpoint('/pet', endpoint), ['GET /v1/pet/1', 'POST /v1/pet 1'], ['400 Bad arguments: no @id', '500'], ['POST /v1/pet: Internal error: no']);
  assert.equal(asked, []);
});
rejected('after the segment was percent-decoded: the codec gets the decoded text', async () => {
  const recorder = new Recorder();
  await check(recorder.registering(integerId), 'GET /v1/pet/%31%32', '200 "1 so far"');
  assert.equal(recorder.got, [12]);
});

const builtIn = suite('an id that a codec of the library rejects');
for (const [name, id, detail] of [
  ['integerId', integerId, 'id: expected a decimal integer from -9007199254740991 to 9007199254740991'],
  ['uint64Id', uint64Id, 'id: expected a decimal integer from 0 to 18446744073709551615'],
  ['uuidId', uuidId, 'id: expected a UUID, such as 123e4567-e89b-12d3-a456-426614174000'],
] as readonly (readonly [string, IdCodec<unknown>, string])[]) {
  builtIn(`${name} -> 400, with the same bytes as a codec that throws the same error`, async () => {
    const recorder = new Recorder();
    const responses: string[][] = [];
    for (const codec of [id, { parse: (text: string) => id.parse(text), format: id.format }]) {
      await serve(recorder.registering(codec), async ({ port, errors }) => {
        const own: string[] = [];
        for (const [method, sent] of METHODS) {
          const { status, headers, body } = await send(port, message(method, '/v1/pet/ant', sent));
          own.push(JSON.stringify([status, [...headers].filter(([header]) => header !== 'date'), body]));
          assert.is(body, JSON.stringify(badRequest(detail, { parameter: 'id' })));
        }
        responses.push(own);
        assert.equal(errors, []);
      });
    }
    assert.equal(responses[0], responses[1]);
    assert.equal(recorder.got, []);
  });
}
builtIn('is parsed by the user\'s parse if the user replaces it', async () => {
  const recorder = new Recorder();
  await check(recorder.registering({ ...integerId, parse: (text) => text.length }), 'GET /v1/pet/ant', '200 "1 so far"');
  assert.equal(recorder.got, [3]);
});

const lost = new Error('the key is lost');

/** Casts a codec that the types reject. */
function makeAsync(codec: (given: string) => unknown): (given: string) => string {
  return codec as (given: string) => string;
}

const promised = suite('P3: an id that is parsed as a promise');
for (const [why, parse] of [
  ['that resolves', async () => 'ant'],
  ['that rejects', async () => { throw lost; }],
  ['that is a thenable and rejects', () => ({ then: (_resolve: unknown, reject: (error: Error) => void) => reject(lost) })],
  ['that is a callable thenable and throws', () => Object.assign(() => {}, { then: () => { throw lost; } })],
] as const) {
  promised(`${why} -> 500, logged, nothing is unhandled, and the connection stays open`, async () => {
    const id: IdCodec<string> = { parse: (text) => (text === 'bad' ? makeAsync(parse)(text) : text), format: String };
    let errors: readonly Error[] = [];
    assert.equal(await captureUnhandled(async () => void (errors = await assertAfterwards(id, FAILED))), []);
    const text = 'Internal error: parse of a codec must not be async: it returned a promise';
    assert.equal(errors.map((error) => error.message), WITH_BROKEN.map(([method]) => `${method} /v1/pet/:id: ${text}`));
  });
}
