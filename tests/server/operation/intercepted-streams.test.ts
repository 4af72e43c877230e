/** Interceptors that replace the stream which an operation reads: a scan, a hash, a file. */
import { createHash } from 'node:crypto';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { ndjson } from '../../../src/formats/index.ts';
import { ApiError, bytes, defineEndpoint, type ApiServer, type Interceptor, type Interceptors } from '../../../src/index.ts';
import { assert, chunkedMessage, head, message, RawClient, readProblem, send, serve, suite, waitUntil } from '../../support/facts.ts';

type Body = AsyncIterable<Uint8Array>;
const bodyOf = ({ input }: { readonly input: unknown }): Body => input as Body;
const TYPE = 'Content-Type: application/octet-stream';

/** Declares `PUT /v1/file`, which reads its body to the end, and records it. */
class Files {
  readonly stored: string[] = [];
  readonly failed: unknown[] = [];
  readonly #use: Interceptors;
  readonly #read: (body: Body) => Promise<Uint8Array>;

  constructor(use: Interceptors, read: (body: Body) => Promise<Uint8Array> = buffer) {
    this.#use = use;
    this.#read = read;
  }

  readonly declare = (server: ApiServer): void => {
    const update = async (body: Body): Promise<void> => {
      try {
        this.stored.push(Buffer.from(await this.#read(body)).toString());
      } catch (error) {
        this.failed.push(error);
        throw error;
      }
    };
    server.registerEndpoint('/file', defineEndpoint({
      update: { input: bytes(), limits: { bodyBytes: 100 }, use: this.#use, run: update },
    }));
  };
}

const put = (body: string, ...headers: string[]): string => message('PUT', '/v1/file', body, [TYPE, ...headers]);

/** Passes a body on, and rejects it as soon as it has a virus. */
async function* scanBody(body: Body): AsyncGenerator<Uint8Array> {
  for await (const chunk of body) {
    if (Buffer.from(chunk).includes('virus')) throw ApiError.status(422, 'The file has a virus.');
    yield chunk;
  }
}
const scan: Interceptor = { errors: { 422: null }, around: (call, run) => run({}, { input: scanBody(bodyOf(call)) }) };

/** Compares the body with its `Digest`, after the operation has read it. */
const hash: Interceptor = {
  around: async (call, run) => {
    const digest = createHash('sha256');
    const hashBody = async function* (): AsyncGenerator<Uint8Array> {
      for await (const chunk of bodyOf(call)) {
        digest.update(chunk);
        yield chunk;
      }
    };
    const result = await run(undefined, { input: hashBody() });
    if (digest.digest('hex') !== call.request.raw.headers.digest) throw ApiError.argument('The body has another digest.');
    return result;
  },
};
const sha = (text: string): string => createHash('sha256').update(text).digest('hex');

const replaced = suite('N2: an interceptor that replaces the input stream');
for (const [what, use, sent, status, stored] of [
  ['a scan that finds nothing', scan, put('abc'), 204, ['abc']],
  ['a scan that finds nothing in no bytes', scan, put(''), 204, ['']],
  ['a scan of chunks', scan, chunkedMessage('PUT', '/v1/file', 'abcdef', [TYPE]), 204, ['abcdef']],
  ['a scan that finds something', scan, put('a virus'), 422, []],
  ['a hash that is right', hash, put('abc', `Digest: ${sha('abc')}`), 204, ['abc']],
  ['a hash that is wrong', hash, put('abc', `Digest: ${sha('abd')}`), 400, ['abc']],
  ['a scan within a hash', [hash, scan], put('abc', `Digest: ${sha('abc')}`), 204, ['abc']],
  ['a hash within a scan that finds something', [scan, hash], put('a virus', `Digest: ${sha('a virus')}`), 422, []],
  ['another stream', { around: (_call, run) => run({}, { input: Readable.from([Buffer.from('other')]) }) }, put('abc'), 204, ['other']],
  ['a web stream', { around: (_call, run) => run({}, { input: new Blob(['web']).stream() as never }) }, put('abc'), 204, ['web']],
  ['the same stream', { around: (call, run) => run({}, { input: bodyOf(call) }) }, put('abc'), 204, ['abc']],
  ['no options', { around: (_call, run) => run({}, {}) }, put('abc'), 204, ['abc']],
] as readonly (readonly [string, Interceptors, string, number, readonly string[]])[]) {
  replaced(`${what} -> ${status}`, async () => {
    const files = new Files(use);
    await serve(files.declare, async ({ port }) => {
      assert.is((await send(port, sent)).status, status);
      assert.equal(files.stored, stored);
    });
  });
}
replaced('gives each run a stream of its own, so the operation can run again', async () => {
  const twice: Interceptor = {
    around: async (call, run) => {
      const whole = await buffer(bodyOf(call));
      await run({}, { input: Readable.from([whole]) });
      return run({}, { input: Readable.from([whole]) });
    },
  };
  const files = new Files(twice);
  await serve(files.declare, async ({ port }) => {
    assert.is((await send(port, put('abc'))).status, 204);
    assert.equal(files.stored, ['abc', 'abc']);
  });
});
replaced('adds to the request too, and inner interceptors see both', async () => {
  const seen: unknown[] = [];
  const outer: Interceptor<{ readonly name: string }> = { around: (call, run) => run({ name: 'rex' }, { input: scanBody(bodyOf(call)) }) };
  const inner: Interceptor = {
    around: async (call, run) => {
      seen.push(call.request.name, Buffer.from(await buffer(bodyOf(call))).toString());
      return run({}, { input: Readable.from([Buffer.from('inner')]) });
    },
  };
  const files = new Files([outer, inner]);
  await serve(files.declare, async ({ port }) => {
    assert.is((await send(port, put('abc'))).status, 204);
    assert.equal([seen, files.stored], [['rex', 'abc'], ['inner']]);
  });
});
replaced('of items: a format of a sequence is a stream as well', async () => {
  const doubleItems = async function* (items: AsyncIterable<number>): AsyncGenerator<number> {
    for await (const item of items) yield item * 2;
  };
  const use: Interceptor = { around: (call, run) => run({}, { input: doubleItems(call.input as AsyncIterable<number>) }) };
  const sum = async (items: AsyncIterable<number>): Promise<number> => {
    let total = 0;
    for await (const item of items) total += item;
    return total;
  };
  await serve((server) => server.registerEndpoint('/file', defineEndpoint({ custom: { sum: { input: ndjson(Number), use, run: sum } } })), async ({ port }) => {
    const { status, body } = await send(port, message('POST', '/v1/file/sum', '1\n2\n', ['Content-Type: application/x-ndjson']));
    assert.equal([status, body], [200, '6']);
  });
});
replaced('of a body that is too long -> 413, and nothing is logged', async () => {
  const files = new Files([hash, scan]);
  await serve(files.declare, async ({ port }) => {
    assert.is((await send(port, chunkedMessage('PUT', '/v1/file', 'x'.repeat(101), [TYPE]))).status, 413);
    await waitUntil(() => files.failed.length === 1, 'the operation to fail');
    assert.equal(files.stored, []);
  });
});
replaced('of a client that leaves: the operation fails, and nothing is logged', async () => {
  const files = new Files([hash, scan]);
  await serve(files.declare, async ({ port, received }) => {
    const client = await RawClient.send(port, `${head('PUT', '/v1/file', [TYPE, 'Content-Length: 10'])}abc`);
    await waitUntil(() => received() === 1, 'the head');
    client.destroy();
    await waitUntil(() => files.failed.length === 1, 'the operation to fail');
    assert.match(String(files.failed[0]), 'the client left before its body was read');
  });
});
replaced('by a Node stream that fails before it is read -> 500, logged, and the server goes on', async () => {
  const failing: Interceptor = {
    around: (_call, run) => {
      const input = new Readable({ read: () => {} });
      const result = run({}, { input });
      input.destroy(new Error('the disk is full'));
      return result;
    },
  };
  const files = new Files(failing, async (body) => (await new Promise((resolve) => setTimeout(resolve, 20)), buffer(body)));
  await serve(files.declare, async ({ port, errors }) => {
    for (let count = 1; count <= 2; count += 1) {
      assert.is((await send(port, put('abc'))).status, 500);
      assert.match(errors.at(-1)?.message ?? '', 'the disk is full');
      assert.is(errors.length, count);
    }
  });
});

const wrong = suite('an interceptor that replaces an input by something wrong');
const json = { input: (value: unknown): any => value };
const CANNOT = 'endpoint.update.use.around must not replace the input: only a stream can be replaced, and only by a stream';
for (const [what, declared, options, text] of [
  ['a decoded value, by a stream', json, { input: Readable.from(['1']) }, CANNOT],
  ['a decoded value, by another one', json, { input: 7 }, CANNOT],
  ['a stream, by a string', { input: bytes() }, { input: 'abc' }, CANNOT],
  ['a stream, by bytes', { input: bytes() }, { input: Buffer.from('abc') }, CANNOT],
  ['a stream, by null', { input: bytes() }, { input: null }, CANNOT],
  ['by a different name', { input: bytes() }, { body: Readable.from(['1']) }, 'unknown option options.body: did you mean input? It can be one of input'],
  ['with options that are not an object', { input: bytes() }, 7, 'options must be an object: 7'],
] as const) {
  wrong(`${what} -> 500, logged: ${text}`, async () => {
    const use: Interceptor = { around: (_call, run) => run({}, options as never) };
    const update = { ...declared, use, run: () => assert.unreachable() };
    await serve((server) => server.registerEndpoint('/file', { update } as never), async ({ port, errors }) => {
      assert.is(readProblem(await send(port, message('PUT', '/v1/file', '1', ['Content-Type: application/json']))).status, 500);
      assert.match(errors[0]?.message ?? '', text);
    });
  });
}
for (const [what, around] of [
  ['the same replacement', async (call, run) => {
    const input = scanBody(bodyOf(call));
    await run({}, { input });
    return run({}, { input });
  }],
  ['the body, after a replacement', async (call, run) => {
    await run({}, { input: Readable.from(['1']) });
    await run();
    return run({}, { input: bodyOf(call) });
  }],
] as readonly (readonly [string, Interceptor['around']])[]) {
  wrong(`${what}, twice -> 500, logged`, async () => {
    const files = new Files({ around });
    await serve(files.declare, async ({ port, errors }) => {
      assert.is((await send(port, put('abc'))).status, 500);
      assert.match(errors[0]?.message ?? '', 'run() must not be called again: the input is a stream, and has been read');
    });
  });
}
