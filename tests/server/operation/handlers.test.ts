/** The response to each kind of request, for operations that return and operations that promise. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import {
  ApiError,
  defineEndpoint,
  integerId,
  stringId,
  type ApiEndpoint,
  type ApiServer,
  type IdCodec,
  type MaybePromise,
} from '../../../src/index.ts';
import { message, readProblem, decodeUtf8, encodeUtf8 } from '../../support/messages.ts';
import { RawClient, send } from '../../support/raw-client.ts';
import { serve } from '../../support/serve.ts';
import { decodePet } from '../../support/zoo.ts';

type Give = <T>(value: T) => MaybePromise<T>;

async function returnLater<T>(value: T): Promise<T> {
  await new Promise((resolve) => setImmediate(resolve));
  return value;
}

const WAYS: readonly (readonly [way: string, give: Give])[] = [
  ['at once', (value) => value],
  ['by a promise', returnLater],
  ['by a thenable', (value) => ({ then: (resolve, reject) => returnLater(value).then(resolve, reject) })],
];

const ANT = { name: 'ant', legs: 6 };
const ANT_JSON = '{"name":"ant","legs":6}';

function declareGiving(give: Give): (server: ApiServer) => void {
  return (server) => server.registerEndpoint('/pet', defineEndpoint({
    id: integerId,
    schema: decodePet,
    create: () => give(7),
    get: () => give(ANT),
    // Hosts without types can return anything.
    update: () => give('what an update returns is not looked at' as unknown),
    delete: () => give(1n as unknown),
    custom: {
      feed: { input: (json: unknown) => Number(json), run: (grams) => give({ ate: grams }) },
      count: { run: () => give(0) },
    },
  }));
}

const responds = suite('A1 A2 A4 A5 Q11: the response to each kind of request');
for (const [way, give] of WAYS) {
  for (const [method, target, sent, status, headers, body] of [
    ['POST', '/v1/pet', ANT_JSON, 201, { 'content-type': 'text/plain; charset=utf-8', 'content-length': '1', location: '/v1/pet/7' }, '7'],
    ['GET', '/v1/pet/1', '', 200, { 'content-type': 'application/json', 'content-length': '23' }, ANT_JSON],
    ['HEAD', '/v1/pet/1', '', 200, { 'content-type': 'application/json', 'content-length': '23' }, ''],
    ['PUT', '/v1/pet/1', ANT_JSON, 204, {}, ''],
    ['DELETE', '/v1/pet/1', '', 204, {}, ''],
    ['POST', '/v1/pet/feed', '12', 200, { 'content-type': 'application/json', 'content-length': '10' }, '{"ate":12}'],
    ['POST', '/v1/pet/count', '', 200, { 'content-type': 'application/json', 'content-length': '1' }, '0'],
  ] as const) {
    responds(`${method} ${target}, ${way} -> ${status}, its headers and no others, its body`, async () => {
      await serve(declareGiving(give), async ({ port, errors }) => {
        const response = await send(port, message(method, target, sent));
        assert.is(response.status, status);
        assert.equal(headersOf(response.headers), { ...headers, 'x-content-type-options': 'nosniff' });
        assert.is(response.body, body);
        assert.is(errors.length, 0);
      });
    });
  }
}
responds.run();

/** The headers of the message, without those of the connection. */
function headersOf(headers: ReadonlyMap<string, string>): Record<string, string> {
  return Object.fromEntries([...headers].filter(([name]) => !['date', 'connection', 'keep-alive'].includes(name)));
}

const heads = suite('A3: HEAD');
for (const [why, result] of [
  ['that succeeds', () => ({ name: '你好' })],
  ['that finds nothing', () => { throw ApiError.notFound(); }],
  ['that fails', () => { throw new Error('disk is full'); }],
  ['whose result JSON cannot carry', () => undefined],
] as const) {
  heads(`on a Get ${why}: the head is the same, without a body`, async () => {
    await serve((server) => server.registerEndpoint('/pet', { id: stringId, get: result }), async ({ port, errors }) => {
      const client = await RawClient.connect(port);
      try {
        client.send(message('GET', '/v1/pet/1') + message('HEAD', '/v1/pet/1') + message('OPTIONS', '/v1/pet'));
        const ofGet = await client.response();
        const ofHead = await client.response('HEAD');
        assert.is(withoutDate(ofHead.head), withoutDate(ofGet.head));
        assert.is.not(ofGet.body, '');
        assert.is((await client.response()).status, 200);
        assert.is(client.unread, '');
        assert.is(errors.length, ofGet.status === 500 ? 2 : 0);
      } finally {
        client.destroy();
      }
    });
  });
}
heads.run();

function withoutDate(responseHead: string): string {
  return responseHead.replace(/^Date: .*$/m, '');
}

type Endpoint = ApiEndpoint<string, StringConstructor, Readonly<Record<string, undefined>>>;

const BODIES: readonly (readonly [why: string, endpoint: Endpoint, sent: string, body: string])[] = [
  ['the JSON of a Get', { id: stringId, get: () => '你好 🐜' }, message('GET', '/v1/pet/1'), '"你好 🐜"'],
  ['the text of an id', { id: stringId, schema: String, create: () => '你好 🐜' }, message('POST', '/v1/pet', '0'), '你好 🐜'],
  ['the JSON of a Custom', { id: stringId, custom: { feed: { run: () => ['é'] } } }, message('POST', '/v1/pet/feed'), '["é"]'],
];

const lengths = suite('A2: Content-Length');
for (const [why, endpoint, sent, body] of BODIES) {
  lengths(`counts the bytes of ${why}, not its characters`, async () => {
    await serve((server) => server.registerEndpoint('/pet', endpoint), async ({ port }) => {
      const response = await send(port, sent);
      assert.is(response.headers.get('content-length'), String(encodeUtf8(body).length));
      assert.is(decodeUtf8(response.body), body);
    });
  });
}
lengths('counts the bytes of a problem, not its characters', async () => {
  const reject = (): never => { throw ApiError.argument('你好 🐜'); };
  await serve((server) => server.registerEndpoint('/pet', { id: stringId, get: reject }), async ({ port }) => {
    assert.is(readProblem(await send(port, message('GET', '/v1/pet/1'))).detail, 'Bad arguments: 你好 🐜');
  });
});
lengths.run();

/** Keeps everything in private fields, which a method without its `this` cannot read. */
class Kennel {
  readonly #name = 'Rex';
  readonly id = new Tags();
  readonly schema = String;
  readonly custom = { call: new Call() };

  create(): string { return this.#name; }
  get(): string { return this.#name; }
  update(): void { if (this.#name !== 'Rex') throw ApiError.notFound(); }
  delete(): void { this.update(); }
}

class Tags implements IdCodec<string> {
  readonly #prefix = 'tag-';
  parse(text: string): string { return text.replace(this.#prefix, ''); }
  format(id: string): string { return this.#prefix + id; }
}

class Call {
  readonly #sound = 'woof';
  run(): string { return this.#sound; }
}

const instances = suite('an endpoint that is a class instance');
for (const [method, target, sent, status, body] of [
  ['POST', '/v1/pet', '0', 201, 'tag-Rex'],
  ['GET', '/v1/pet/tag-Rex', '', 200, '"Rex"'],
  ['PUT', '/v1/pet/tag-Rex', '0', 204, ''],
  ['DELETE', '/v1/pet/tag-Rex', '', 204, ''],
  ['POST', '/v1/pet/call', '', 200, '"woof"'],
] as const) {
  instances(`${method} ${target} -> ${status}: its methods get their \`this\``, async () => {
    await serve((server) => server.registerEndpoint('/pet', new Kennel()), async ({ port }) => {
      const response = await send(port, message(method, target, sent));
      assert.is(response.status, status);
      assert.is(response.body, body);
    });
  });
}
instances.run();
