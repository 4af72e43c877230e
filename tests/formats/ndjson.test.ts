/** NDJSON, in and out. */
import { ndjson } from '../../src/formats/index.ts';
import { defineEndpoint, reply, stringId, type ApiServer, type Format } from '../../src/index.ts';
import { SOURCE_KINDS, StreamSource } from '../support/declare-stream.ts';
import { assert, chunkedMessage, encodeUtf8, facts, head, message, RawClient, readProblem, rejections, send, serve, suite, toText, waitUntil } from '../support/facts.ts';

// With a `toJSON`, each V8 writes it recursively.
const nest = (levels: number, inner: unknown): unknown => Array.from({ length: levels }).reduce((value) => [value], inner);

const decodeLegs = (json: unknown): number => {
  if (!Number.isInteger(json)) throw new Error('no legs');
  return json as number;
};
const Legs = { '~standard': { version: 1, vendor: 'tests', validate: (value: unknown) => ({ issues: [{ message: `not ${String(value)}`, path: ['legs'] }] }) } } as const;
const TYPED = ['Content-Type: application/x-ndjson'];
const TAKE = ['POST', '/v1/pet/take'] as const;

function declareItemsInput(): (server: ApiServer) => void {
  const sum = async (items: AsyncIterable<number>): Promise<number[]> => {
    const all: number[] = [];
    for await (const item of items) all.push(item);
    return all;
  };
  return (server) => server.registerEndpoint('/pet', defineEndpoint({
    id: stringId,
    custom: {
      take: { input: ndjson(decodeLegs), run: sum },
      first: { input: ndjson(decodeLegs), run: async (items) => (await items[Symbol.asyncIterator]().next()).value ?? 'none' },
      reject: { input: ndjson(Legs), output: { 204: null }, run: async (items) => { for await (const _ of items); } },
    },
  }));
}

const read = suite('F5: lines that an operation iterates');
for (const [body, expected, why] of [
  ['1\n2\n3\n', '[1,2,3]', 'three'],
  ['1\n2', '[1,2]', 'the last without an end'],
  ['1\r\n2\r\n', '[1,2]', 'with a carriage return'],
  ['\n\n1\n\n', '[1]', 'empty ones are skipped'],
  ['', '[]', 'none'],
  [' 1 \n', '[1]', 'white space'],
] as const) {
  for (const makeMessage of [message, chunkedMessage]) {
    read(`${JSON.stringify(body)}: ${why}`, () => serve(declareItemsInput(), async ({ port }) => {
      const response = await send(port, makeMessage(...TAKE, body, TYPED));
      assert.equal([response.status, response.body], [200, expected]);
    }));
  }
}
read('each is given before the next has come', () => serve(declareItemsInput(), async ({ port }) => {
  const client = await RawClient.send(port, `${head('POST', '/v1/pet/first', [...TYPED, 'Transfer-Encoding: chunked'])}2\r\n7\n\r\n`);
  assert.is((await client.response()).body, '7');
}));
read('in pieces of any size', () => serve(declareItemsInput(), async ({ port }) => {
  const client = await RawClient.send(port, head(...TAKE, [...TYPED, 'Transfer-Encoding: chunked']));
  for (const character of '12\n345\n6') client.send(`1\r\n${character}\r\n`);
  client.send('0\r\n\r\n');
  assert.is((await client.response()).body, '[12,345,6]');
}));
read('calls of next that overlap get one item each, and after a failure there are none', async () => {
  const run = async (items: AsyncIterable<number>): Promise<unknown> => {
    const iterator = items[Symbol.asyncIterator]();
    const calls = Array.from({ length: 5 }, () => iterator.next().catch((error: Error) => error.message));
    return Promise.all(calls);
  };
  for (const item of [decodeLegs, async (json: unknown) => decodeLegs(json)]) {
    const declare = (server: ApiServer): void => server.registerEndpoint('/pet', defineEndpoint({ custom: { take: { input: ndjson(item), run } } }));
    await serve(declare, async ({ port }) => {
      const taken = async (body: string): Promise<unknown> => JSON.parse((await send(port, message(...TAKE, body, TYPED))).body);
      assert.equal(await taken('1\n2'), [{ done: false, value: 1 }, { done: false, value: 2 }, { done: true }, { done: true }, { done: true }]);
      assert.equal(await taken('1\n"a"\n'), [{ done: false, value: 1 }, 'Bad arguments: no legs', { done: true }, { done: true }, { done: true }]);
    });
  }
});
read('lines that are not ASCII, with carriage returns, across chunks', async () => {
  const declare = (server: ApiServer): void => server.registerEndpoint('/pet', defineEndpoint({
    custom: { take: { input: ndjson(String), run: async (items) => { let all = ''; for await (const item of items) all += `${item};`; return all; } } },
  }));
  await serve(declare, async ({ port }) => {
    for (const makeMessage of [message, chunkedMessage]) {
      const response = await send(port, makeMessage(...TAKE, encodeUtf8('"a"\r\n"ä"\r\n\r\n"b"\n"日本"\n"c"'), TYPED));
      assert.is(Buffer.from(response.body, 'latin1').toString(), '"a;ä;b;日本;c;"');
    }
  });
});
read('in 100,000 short lines: another client is served meanwhile', async () => {
  let isOver = false;
  const declare = (server: ApiServer): void => server.registerEndpoint('/pet', defineEndpoint({
    get: () => 'quick',
    custom: { take: { input: ndjson(decodeLegs), run: async (items) => { for await (const _ of items); isOver = true; }, output: { 204: null } } },
  }));
  await serve(declare, async ({ port }) => {
    const [slow, quick] = [await RawClient.connect(port), await RawClient.connect(port)];
    slow.send(message(...TAKE, '1\n'.repeat(100_000), TYPED));
    let served = 0;
    for (; !isOver; served += 1) {
      quick.send(message('GET', '/v1/pet'));
      await quick.response();
    }
    assert.is((await slow.response()).status, 204);
    assert.ok(served > 4, `${served}`);
    for (const client of [slow, quick]) client.destroy();
  });
});

const rejected = suite('F5: a line that is rejected');
const NDJSON = 'Content-Type: application/x-ndjson';
const LOGGED = /^POST \/v1\/pet\/(?:take|reject): /;
facts(rejected, declareItemsInput(), [
  ['by a function', `POST /v1/pet/take 1␊"a"␊3␊\n${NDJSON}`, '400 Bad arguments: no legs @#/1', LOGGED],
  ['by a schema', `POST /v1/pet/reject 5␊\n${NDJSON}`, '400 Bad arguments: not 5 @#/0/legs', LOGGED],
  ['not JSON', `POST /v1/pet/take 1␊{␊\n${NDJSON}`, '400 Bad arguments: the body is not JSON: it ends too early, at byte 1 @#/1', LOGGED],
  ['a prototype', `POST /v1/pet/take {"__proto__":1}\n${NDJSON}`, '400 Bad arguments: the body has a key named "__proto__" @#/0', LOGGED],
  ['endless', `POST /v1/pet/take 1␊${'2'.repeat(200_000)}\n${NDJSON}`, '413 A line must not be longer than 65536 bytes. | Connection: close', LOGGED],
  ['another Content-Type', 'POST /v1/pet/take 1\nContent-Type: application/json', '415 The body must be application/x-ndjson, application/ndjson or application/jsonl. | Accept: application/x-ndjson, application/ndjson, application/jsonl | Accept-Post: application/x-ndjson, application/ndjson, application/jsonl'],
]);
rejected('not UTF-8: empty lines do not count -> 400', () => serve(declareItemsInput(), async ({ port, errors }) => {
  assert.is(toText(await send(port, message(...TAKE, '\n\n\xff\n', TYPED))), '400 Bad arguments: the body is not UTF-8 @#/0');
  assert.is(errors.length, 1);
}));
const nestLists = (levels: number): string => '['.repeat(levels) + ']'.repeat(levels);
facts(rejected, declareItemsInput(), [
  ['nested as deeply as it may be', `POST /v1/pet/take 1␊${nestLists(1000)}␊\n${NDJSON}`, '422 Bad arguments: no legs @#/1', LOGGED],
  ['nested too deeply', `POST /v1/pet/take 1␊${nestLists(1001)}␊\n${NDJSON}`, '400 Bad arguments: the body is nested too deeply @#/1', LOGGED],
  ['by a schema, with validationStatus 422 and uniqueKeys', `POST /v1/pet/reject 5␊\n${NDJSON}`, '422 Bad arguments: not 5 @#/0/legs', LOGGED],
  ['by a function, with validationStatus 422 and uniqueKeys', `POST /v1/pet/take 1␊"a"␊\n${NDJSON}`, '422 Bad arguments: no legs @#/1', LOGGED],
  ['by JSON.parse, with validationStatus 422 and uniqueKeys', `POST /v1/pet/take 1␊{␊\n${NDJSON}`,
    '400 Bad arguments: the body is not JSON: it ends too early, at byte 1 @#/1', LOGGED],
  ['by uniqueKeys, with validationStatus 422', `POST /v1/pet/take 1␊{"a":1,"a":1}␊\n${NDJSON}`,
    '400 Bad arguments: an object of the body has a key twice @#/1', LOGGED],
], { validationStatus: 422, uniqueKeys: true });
facts(rejected, declareItemsInput(),
  [['a key twice, without uniqueKeys: by the decoder', `POST /v1/pet/take {"a":1,"a":1}\n${NDJSON}`, '400 Bad arguments: no legs @#/0', LOGGED]]);
rejected('that never ends -> 413 while the client still sends, and the connection closes', () => serve(declareItemsInput(), async ({ port, errors }) => {
  const client = await RawClient.send(port, head(...TAKE, [...TYPED, 'Transfer-Encoding: chunked']));
  const piece = `4000\r\n${'2'.repeat(0x4000)}\r\n`;
  let pieces = 0;
  await waitUntil(() => {
    if (!client.unread.includes('\r\n\r\n')) pieces += client.socket.write(piece) ? 1 : 0;
    return client.isClosed;
  }, 'the connection to close');
  const response = await client.response();
  assert.equal([readProblem(response).status, response.headers.get('connection')], [413, 'close']);
  assert.ok(pieces > 3, `${pieces} pieces`);
  assert.is(errors.length, 1);
}));

const declareItems = (give: () => unknown, item: (value: any) => unknown = (value: any) => value): ((server: ApiServer) => void) => (server) => {
  const output: Format = ndjson(item);
  server.registerEndpoint('/pet', { id: stringId, list: { output, run: give }, get: { output: { 200: output, 203: String }, run: give } });
};

const written = suite('F6: items that an operation gives');
for (const [what, give] of [
  ['an array', () => [1, 2, 3]],
  ['a set', () => new Set([1, 2, 3])],
  ['a generator', function* () { yield* [1, 2, 3]; }],
  ['an async generator', async function* () { yield* [1, 2, 3]; }],
  ['a promise', async () => [1, 2, 3]],
  ['a web stream', () => new ReadableStream({ start: (controller) => { [1, 2, 3].forEach((each) => controller.enqueue(each)); controller.close(); } })],
  ['a reply', () => reply(200, [1, 2, 3], { 'X-Count': '3' })],
  ['a reply with a stream', () => reply(200, (async function* () { yield* [1, 2, 3]; })(), { 'X-Count': '3' })],
] as const) {
  const response = `200 application/x-ndjson {"legs":1}\n{"legs":2}\n{"legs":3}\n${what.startsWith('a reply') ? ' | X-Count: 3' : ''} | Transfer-Encoding: chunked`;
  facts(written, declareItems(give, (value: number) => ({ legs: value })),
    [[`${what}: a line for each, through the decoder`, ['GET /v1/pet', 'GET /v1/pet/1'], [response, response]]]);
}
facts(written, declareItems(() => reply(200, (async function* () { yield 1; })(), { 'Content-Type': 'application/jsonl' })), [
  ['a type of the reply stays', 'GET /v1/pet', '200 application/jsonl 1\n | Transfer-Encoding: chunked'],
]);
facts(written, declareItems(() => reply(203, 1)), [['a status that has another output is not NDJSON', 'GET /v1/pet/1', '203 "1"']]);
facts(written, declareItems(() => ['фу\n']),
  [['text is UTF-8, and a line end in it stays escaped', 'GET /v1/pet', '200 application/x-ndjson "фу\\n"\n | Transfer-Encoding: chunked']]);
for (const kind of SOURCE_KINDS) {
  written(`${kind}: closed when the client leaves`, async () => {
    const source = new StreamSource(kind === 'readable' || kind === 'web' ? 'chunk' : 'item');
    await serve(declareItems(() => source[kind](), String), async ({ port }) => {
      const client = await RawClient.send(port, message('GET', '/v1/pet'));
      await client.receives('\n"');
      client.destroy();
      await waitUntil(() => source.closed === 1, 'closed');
    });
  });
}
written('HEAD reads no item, and closes the source', async () => {
  let closed = 0;
  const iterator = { next: () => assert.unreachable(), return: () => ({ done: true, value: (closed += 1) }), [Symbol.iterator]: () => iterator };
  await serve(declareItems(() => iterator), async ({ port }) => {
    const { status, headers } = await send(port, message('HEAD', '/v1/pet'));
    assert.equal([status, headers.get('content-type')], [200, 'application/x-ndjson']);
    assert.is(closed, 1);
  });
});

const failing = suite('F6: items that cannot be sent: 500, logged, and the source is closed');
for (const [what, item, message_] of [
  ['the decoder rejects it', decodeLegs, /no legs/],
  ['JSON cannot carry it', () => Symbol('a'), /JSON cannot represent an item of type symbol/],
  ['it has a bigint', () => ({ pet: { legs: 4n } }),
    /: an item cannot be sent: JSON cannot represent an item: pet\.legs is a bigint: return a string or a number$/],
  ['it is too deep', () => nest(100_000, { toJSON: () => 1 }), /: JSON cannot represent an item: 0(?:\.0)+\.…(?:\.0)+ is nested too deeply$/],
] as const) {
  failing(what, async () => {
    let closed = 0;
    const give = async function* (): AsyncGenerator<string> {
      try {
        yield 'a';
      } finally {
        closed += 1;
      }
    };
    await serve(declareItems(give, item), async ({ port, errors }) => {
      assert.is((await send(port, message('GET', '/v1/pet'))).status, 500);
      assert.match(errors[0]?.message ?? '', message_);
      assert.is(closed, 1);
    });
  });
}
for (const [why, give, text] of [
  ['a generator throws', function* () { throw new Error('the store is down'); }, /the store is down/],
  ['an async generator throws', async function* () { throw new Error('the store is down'); }, /the store is down/],
  ['a number is not a sequence', () => 7, /a sequence must be an iterable/],
  ['a string is not a sequence', () => 'abc', /a sequence must be an iterable/],
  ['an object is not a sequence', () => ({}), /a sequence must be an iterable/],
] as const) {
  facts(failing, declareItems(give), [[why, 'GET /v1/pet', '500', text]]);
}

rejections(suite('ndjson'), [
  ['a number', () => ndjson(7 as never), "the decoder of a format must be a Standard Schema such as Zod's, or a function: number"],
  ['a format', () => ndjson(ndjson(decodeLegs)), 'the decoder of a format must be a schema or a function, not a format'],
]);
