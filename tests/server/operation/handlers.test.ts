/** The response to each kind of request, for operations that return and operations that promise. */
import { ApiError, defineEndpoint, integerId, stringId, type ApiServer, type IdCodec, type MaybePromise } from '../../../src/index.ts';
import { decodePet } from '../../support/zoo.ts';
import { assert, facts, message, RawClient, serve, suite } from '../../support/facts.ts';

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
    // A program without types can return anything.
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
  facts(responds, declareGiving(give), [
    [way, `POST /v1/pet ${ANT_JSON}`, '201 text 7 | Location: /v1/pet/7'],
    [way, 'GET /v1/pet/1', `200 ${ANT_JSON}`],
    [way, 'HEAD /v1/pet/1', '200 length 23'],
    [way, `PUT /v1/pet/1 ${ANT_JSON}`, '204'],
    [way, 'DELETE /v1/pet/1', '204'],
    [way, 'POST /v1/pet/feed 12', '200 {"ate":12}'],
    [way, 'POST /v1/pet/count', '200 0'],
  ]);
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
      const client = await RawClient.send(port, message('GET', '/v1/pet/1') + message('HEAD', '/v1/pet/1') + message('OPTIONS', '/v1/pet'));
      const ofGet = await client.response();
      const ofHead = await client.response('HEAD');
      assert.is(withoutDate(ofHead.head), withoutDate(ofGet.head));
      assert.is.not(ofGet.body, '');
      assert.is((await client.response()).status, 200);
      assert.is(client.unread, '');
      assert.is(errors.length, ofGet.status === 500 ? 2 : 0);
    });
  });
}

function withoutDate(responseHead: string): string {
  return responseHead.replace(/^Date: .*$/m, '');
}

const lengths = suite('A2: Content-Length counts bytes, not characters');
facts(lengths, (server) => server.registerEndpoint('/pet', {
  id: stringId,
  schema: String,
  create: () => '你好 🐜',
  get: (id) => {
    if (id === 'rejected') throw ApiError.argument('你好 🐜');
    return '你好 🐜';
  },
  custom: { feed: { run: () => ['é'] } },
}), [
  ['the JSON of a Get', 'GET /v1/pet/1', '200 "你好 🐜"'],
  ['the text of an id', 'POST /v1/pet 0', '201 text 你好 🐜 | Location: /v1/pet/%E4%BD%A0%E5%A5%BD%20%F0%9F%90%9C'],
  ['the JSON of a Custom', 'POST /v1/pet/feed', '200 ["é"]'],
  ['a problem', 'GET /v1/pet/rejected', '400 Bad arguments: 你好 🐜'],
]);

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

const instances = suite('an endpoint that is a class instance: its methods get their `this`');
facts(instances, (server) => server.registerEndpoint('/pet', new Kennel()), [
  ['', 'POST /v1/pet 0', '201 text tag-Rex | Location: /v1/pet/tag-Rex'],
  ['', 'GET /v1/pet/tag-Rex', '200 "Rex"'],
  ['', 'PUT /v1/pet/tag-Rex 0', '204'],
  ['', 'DELETE /v1/pet/tag-Rex', '204'],
  ['', 'POST /v1/pet/call', '200 "woof"'],
]);
