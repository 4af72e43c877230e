/** Conditions on the version of an item that is to be changed (RFC 9110 sections 13.1.1 and 13.1.2, RFC 6585), as they stand on the wire. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { ApiError, type ApiRequest, bytes, defineFormat, type Interceptor, reply } from '../../../src/index.ts';
import { head, message, readProblem } from '../../support/messages.ts';
import { RawClient, send, type RawResponse } from '../../support/raw-client.ts';
import { serve } from '../../support/serve.ts';
import { CHANGES, Kennel, version } from '../../support/kennel.ts';

/** Asserts that a 412 tells nothing of the item. */
function assertUnmet(response: RawResponse): void {
  assert.equal(readProblem(response), { type: 'about:blank', title: 'Precondition Failed', status: 412, detail: 'A condition of the request is not met.' });
  assert.is(response.headers.get('etag'), undefined);
}

type Row = readonly [id: string, conditions: readonly string[], isMet: boolean, asks: boolean];

/** Sends each change with each condition. `asks` says whether `get` is asked, which happens once. */
function testConditions(cases: ReturnType<typeof suite>, properties: object, rows: readonly Row[]): void {
  for (const [id, conditions, isMet, asks] of rows) {
    cases(`of ${id} with ${conditions.join(' and ') || 'none'} -> ${isMet ? 'changed' : '412'}`, async () => {
      const kennel = new Kennel();
      await serve(kennel.declare(properties), async ({ port }) => {
        for (const [operation, method, suffix, body] of CHANGES) {
          kennel.calls.length = 0;
          const response = await send(port, message(method, `/v1/pet/${id}${suffix}`, body, conditions));
          if (isMet) assert.is(response.status, operation === 'feed' ? 200 : 204, method);
          else assertUnmet(response);
          assert.equal(kennel.calls, [...(asks ? [`get ${id}`] : []), ...(isMet ? [`${operation} ${id}`] : [])]);
        }
      });
    });
  }
  cases.run();
}

testConditions(suite('V4: a change of an item with a version'), { version }, [
  ['rex', [], true, false],
  ['rex', ['If-Match: "5"'], true, true],
  ['rex', ['If-Match: "4", "5"'], true, true],
  ['rex', ['If-Match: "4"', 'if-match: "5"'], true, true],
  ['rex', ['If-Match: *'], true, true],
  ['rex', ['If-Match: "4"'], false, true],
  ['rex', ['If-Match: ""'], false, true],
  // A proxy that compresses responses makes their tags weak, or adds a suffix.
  ['rex', ['If-Match: W/"5"'], true, true],
  ['rex', ['If-Match: "5-gzip"'], true, true],
  ['rex', ['If-Match: W/"4"'], false, true],
  ['rex', ['If-Match: 5'], false, false],
  ['rex', ['If-Match: "5'], false, false],
  ['rex', ['If-Match: w/"5"'], false, false],
  ['rex', ['If-Match: "5" "4"'], false, false],
  ['rex', ['If-Match:'], false, false],
  ['rex', ['If-Match: "5"', 'If-Match: *'], false, false],
  ['rex', ['If-None-Match: "4"'], true, true],
  ['rex', ['If-None-Match: "5"'], false, true],
  ['rex', ['If-None-Match: W/"5"'], false, true],
  ['rex', ['If-None-Match: *'], false, true],
  ['rex', ['If-None-Match: 4'], false, false],
  ['rex', ['If-Match: "5"', 'If-None-Match: "4"'], true, true],
  ['rex', ['If-Match: "5"', 'If-None-Match: "5"'], false, true],
  ['rex', ['If-Match: "5"', 'If-None-Match: x'], false, false],
  ['rex', ['If-Match: "4"', 'If-None-Match: "3"'], false, true],
  // Only `get` knows whether an item has a date: this one has none.
  ['rex', ['If-Unmodified-Since: Sun, 06 Nov 1994 08:49:37 GMT'], true, true],
  ['rex', ['If-Unmodified-Since: 1994-11-06'], true, false],
  ['rex', ['If-Match: "5"', 'If-Unmodified-Since: Sun, 06 Nov 1994 08:49:37 GMT'], true, true],
  ['rex', ['If-None-Match: x', 'If-Unmodified-Since: Sun, 06 Nov 1994 08:49:37 GMT'], false, false],
  ['rex', ['If-Modified-Since: Fri, 31 Dec 9999 00:00:00 GMT'], true, false],
  ['ghost', ['If-Match: "5"'], false, true],
  ['ghost', ['If-Match: *'], false, true],
  ['lost', ['If-Match: *'], false, true],
  ['ghost', ['If-None-Match: *'], true, true],
  ['ghost', ['If-None-Match: "5"'], true, true],
  ['lost', ['If-None-Match: *'], true, true],
]);

testConditions(suite('V7: a change of an item without a version'), {}, [
  ['rex', ['If-Match: "5"'], false, false],
  ['rex', ['If-Match: *'], true, true],
  ['rex', ['If-None-Match: "5"'], true, false],
  ['rex', ['If-None-Match: *'], false, true],
  ['rex', ['If-Match: *', 'If-None-Match: "5"'], true, true],
  ['ghost', ['If-Match: *'], false, true],
  ['ghost', ['If-None-Match: *'], true, true],
]);

testConditions(suite('V7: a change of an item that nobody can ask for'), { get: undefined }, [
  ['rex', ['If-Match: "5"'], false, false],
  ['rex', ['If-Match: *'], true, false],
  ['rex', ['If-None-Match: *'], true, false],
  ['rex', ['If-None-Match: "5"'], true, false],
]);
testConditions(suite('V7: a change of an item whose get needs a query'), { get: { query: (query: unknown) => query, run: () => 'no' } }, [
  ['rex', ['If-Match: *'], true, false],
]);

testConditions(suite('V8: requireIfMatch'), { version, requireIfMatch: true }, [
  ['rex', ['If-Match: "5"'], true, true],
  ['rex', ['If-Match: *'], true, true],
  ['rex', ['If-Match: "4"'], false, true],
]);

const required = suite('Q7 V8: a change without If-Match, where it is required');
for (const conditions of [[], ['If-None-Match: "4"']]) {
  required(`with ${conditions.join() || 'no condition'} -> 428, and 200 for an operation of yours`, async () => {
    const kennel = new Kennel();
    await serve(kennel.declare({ version, requireIfMatch: true }), async ({ port }) => {
      for (const [operation, method, suffix, body] of CHANGES) {
        const response = await send(port, message(method, `/v1/pet/rex${suffix}`, body, conditions));
        assert.is(response.status, operation === 'feed' ? 200 : 428);
        if (operation !== 'feed') {
          assert.is(readProblem(response).detail, 'The request must have If-Match, with the version of the item that it changes.');
        }
      }
      assert.equal(kennel.calls.filter((call) => !call.startsWith('get')), ['feed rex']);
    });
  });
}
required.run();

const bodies = suite('Q7 Q8 V10: the body of a request whose conditions are not met');
const UPLOAD = { update: { input: bytes(), run: async (_id: string, body: AsyncIterable<Uint8Array>) => { for await (const chunk of body) void chunk; } } };
bodies('as bytes is not asked for: no 100 Continue', async () => {
  await serve(new Kennel().declare({ version, ...UPLOAD }), async ({ port }) => {
    const client = await RawClient.connect(port);
    client.send(head('PUT', '/v1/pet/rex', ['If-Match: "4"', 'Expect: 100-continue', 'Content-Length: 2']));
    assertUnmet(await client.response());
    assert.is(await client.closed(), '');
    client.destroy();
  });
});
for (const [what, body, status] of [['broken', '{"a":', 400], ['whole', '{}', 412]] as const) {
  bodies(`as JSON is asked for, and decoded: ${what} -> ${status}`, async () => {
    const kennel = new Kennel();
    await serve(kennel.declare({ version }), async ({ port }) => {
      const client = await RawClient.connect(port);
      client.send(head('PUT', '/v1/pet/rex', ['If-Match: "4"', 'Expect: 100-continue', `Content-Length: ${body.length}`]));
      assert.is((await client.response()).status, 100);
      client.send(body);
      assert.is((await client.response()).status, status);
      assert.equal(kennel.calls, status === 400 ? [] : ['get rex']);
      client.destroy();
    });
  });
}
for (const [what, body, status] of [['broken', '{"a":', 400], ['rejected by its decoder', '{"a":1}', 400], ['whole', '{"name":"rex"}', 412]] as const) {
  for (const [operation, method] of [['update', 'PUT'], ['patch', 'PATCH']] as const) {
    bodies(`${what}: ${method} of a different version -> ${status}`, async () => {
      const kennel = new Kennel();
      const input = (json: unknown): unknown => {
        if (Object(json).name === undefined) throw new Error('name: expected');
        return json;
      };
      await serve(kennel.declare({ version, [operation]: { input, run: () => kennel.calls.push('run') } }), async ({ port }) => {
        assert.is((await send(port, message(method, '/v1/pet/rex', body, ['If-Match: "4"']))).status, status);
        assert.equal(kennel.calls, status === 400 ? [] : ['get rex']);
      });
    });
  }
}
bodies('is asked for if they are met', async () => {
  const kennel = new Kennel();
  await serve(kennel.declare({ version }), async ({ port }) => {
    const client = await RawClient.connect(port);
    client.send(head('PUT', '/v1/pet/rex', ['If-Match: "5"', 'Expect: 100-continue', 'Content-Length: 2']));
    assert.is((await client.response()).status, 100);
    client.send('{}');
    assert.is((await client.response()).status, 204);
    client.destroy();
  });
});
for (const [what, properties, smuggled] of [
  ['JSON', {}, (request: string) => JSON.stringify(request)],
  ['bytes', UPLOAD, (request: string) => request],
] as const) {
  bodies(`as ${what} is not taken for the next request: pipelined changes get their responses in order`, async () => {
    const kennel = new Kennel();
    await serve(kennel.declare({ version, ...properties }), async ({ port }) => {
      const client = await RawClient.connect(port);
      client.send(
        message('PUT', '/v1/pet/a', smuggled(message('DELETE', '/v1/pet/smuggled')), ['If-Match: "4"']) + message('PATCH', '/v1/pet/b', '{}', ['If-Match: "5"'])
        + message('DELETE', '/v1/pet/c', '', ['If-Match: "4"']) + message('DELETE', '/v1/pet/d', '', ['If-Match: *']),
      );
      for (const status of [412, 204, 412, 204]) assert.is((await client.response()).status, status);
      client.destroy();
      assert.equal(kennel.calls.filter((call) => !call.startsWith('get')), ['patch b', 'delete d']);
    });
  });
}
bodies('is rejected first by its type, its length and its origin', async () => {
  const kennel = new Kennel();
  await serve(kennel.declare({ version }), async ({ port }) => {
    const stale = 'If-Match: "4"';
    for (const [bytes, status] of [
      [message('PUT', '/v1/pet/a', '{}', [stale, 'Content-Type: text/plain']), 415],
      [message('PUT', '/v1/pet/a', '{}', [stale, 'Content-Range: bytes 0-1/2']), 400],
      [head('PUT', '/v1/pet/a', [stale, 'Content-Length: 99999999']), 413],
      [message('POST', '/v1/pet/a/feed', '', [stale, 'Sec-Fetch-Site: cross-site']), 415],
    ] as const) {
      assert.is((await send(port, bytes)).status, status);
    }
    assert.equal(kennel.calls, []);
  });
});
bodies.run();

const within = suite('Q10 V4: a change of a different version, within interceptors');
for (const [operation, method, suffix, body] of CHANGES) {
  within(`${method}: they get the 412 as an error, and run() again compares again; nothing is logged`, async () => {
    const kennel = new Kennel();
    const caught: unknown[] = [];
    const use: Interceptor = {
      around: async (_call, run) => {
        await run().catch((error: unknown) => caught.push((error as ApiError).status));
        return run();
      },
    };
    const properties = kennel.properties;
    const declared = {
      update: { use, run: properties.update },
      patch: { ...properties.patch, use },
      delete: { use, run: properties.delete },
      // Its own 412 has properties, and that of a condition has none.
      itemCustom: { feed: { use, errors: { 412: (problem: unknown) => { if (Object(problem).why === undefined) throw new Error('no why'); return problem; } }, run: properties.itemCustom.feed } },
    };
    await serve(kennel.declare({ version, ...declared }), async ({ port, errors }) => {
      assertUnmet(await send(port, message(method, `/v1/pet/rex${suffix}`, body, ['If-Match: "4"'])));
      assert.equal([caught, kennel.calls, errors.length], [[412], ['get rex', 'get rex'], 0]);
      assert.ok((await send(port, message(method, `/v1/pet/rex${suffix}`, body, ['If-Match: "5"']))).status < 400);
      assert.equal(kennel.calls.slice(2), ['get rex', `${operation} rex`, 'get rex', `${operation} rex`]);
    });
  });
}
within.run();

const named = suite('V9: request.ifMatch and request.ifNoneMatch');
for (const [conditions, ifMatch, ifNoneMatch] of [
  [[], undefined, undefined],
  [['If-Match: *'], '*', undefined],
  [['If-Match: "5", "a%22%2Cb"'], ['5', 'a",b'], undefined],
  [['If-Match: "5"', 'If-Match: W/"6", "7-gzip"'], ['5', '6', '7-gzip', '7'], undefined],
  [['If-None-Match: *'], undefined, '*'],
  [['If-None-Match: "5", "a%22%2Cb"'], undefined, ['5', 'a",b']],
  [['If-None-Match: "5"', 'If-None-Match: W/"6"'], undefined, ['5', '6']],
] as const) {
  named(`of ${conditions.join(' and ') || 'no condition'} -> ${JSON.stringify([ifMatch, ifNoneMatch])}`, async () => {
    let seen: unknown = 'nothing';
    const update = (_id: string, _pet: unknown, request: ApiRequest): void => void (seen = [request.ifMatch, request.ifNoneMatch]);
    const currentVersion = (): string | undefined => (ifNoneMatch === undefined ? '5' : undefined);
    await serve(new Kennel().declare({ currentVersion, update }), async ({ port }) => {
      assert.is((await send(port, message('PUT', '/v1/pet/rex', '{}', [...conditions]))).status, 204);
      assert.equal(seen, [ifMatch, ifNoneMatch]);
    });
  });
}
named('is there for an endpoint without versions, also if it is malformed', async () => {
  let seen: unknown;
  await serve((server) => server.registerEndpoint('/a', { custom: { read: ({ ifMatch }) => { seen = ifMatch; return 1; } } }), async ({ port }) => {
    await send(port, message('POST', '/v1/a/read', '', ['If-Match: 5']));
    assert.equal(seen, []);
  });
});
named.run();

const OLD = 'Sun, 06 Nov 1994 08:49:37 GMT';
const NEW = 'Mon, 07 Nov 1994 08:49:37 GMT';
const dated = suite('V16: a change of an item whose get sends Last-Modified');
for (const [conditions, properties, status] of [
  [[`If-Unmodified-Since: ${OLD}`], {}, 412],
  [[`If-Unmodified-Since: ${NEW}`], {}, 204],
  [['If-Unmodified-Since: yesterday'], {}, 204],
  [[`If-Unmodified-Since: ${OLD}`, `If-Unmodified-Since: ${OLD}`], {}, 204],
  [[`If-Modified-Since: ${NEW}`], {}, 204],
  [['If-Match: "a"', `If-Unmodified-Since: ${OLD}`], {}, 204],
  [['If-Match: *', `If-Unmodified-Since: ${OLD}`], {}, 204],
  [['If-None-Match: "b"', `If-Unmodified-Since: ${NEW}`], {}, 204],
  [['If-None-Match: "b"', `If-Unmodified-Since: ${OLD}`], {}, 412],
  [['If-None-Match: *', `If-Unmodified-Since: ${NEW}`], {}, 412],
  // The version is that of `currentVersion`, and the date that of `get`.
  [[`If-Unmodified-Since: ${OLD}`], { currentVersion: () => '5' }, 412],
  [['If-None-Match: "5"', `If-Unmodified-Since: ${NEW}`], { currentVersion: () => '5' }, 412],
  [['If-None-Match: "a"', `If-Unmodified-Since: ${NEW}`], { currentVersion: () => '5' }, 204],
  [['If-None-Match: *', `If-Unmodified-Since: ${NEW}`], { currentVersion: () => undefined }, 204],
  [[`If-Unmodified-Since: ${OLD}`], { currentVersion: () => '5', get: undefined }, 204],
  [[`If-Unmodified-Since: ${OLD}`], { get: () => undefined }, 204],
  [[`If-Unmodified-Since: ${NEW}`], { get: () => { throw ApiError.status(403, 'no'); } }, 412],
] as const) {
  dated(`with ${conditions.join(' and ')}, and ${Object.keys(properties).join(' and ') || 'no more'} -> ${status}`, async () => {
    const kennel = new Kennel();
    const get = (): unknown => reply(200, Buffer.from('rex'), { 'Last-Modified': NEW, ETag: '"a"' });
    const version = (): string => 'a';
    await serve(kennel.declare('get' in properties && properties.get === undefined ? properties : { get, version, ...properties }), async ({ port }) => {
      for (const [operation, method, suffix, body] of CHANGES) {
        kennel.calls.length = 0;
        const response = await send(port, message(method, `/v1/pet/rex${suffix}`, body, conditions));
        assert.is(response.status, status === 204 && operation === 'feed' ? 200 : status);
        assert.equal(kennel.calls, status === 204 ? [`${operation} rex`] : []);
      }
    });
  });
}
dated.run();

const singletons = suite('a change of a singleton');
for (const [condition, status] of [['If-Match: "5"', 204], ['If-Match: "4"', 412], ['If-None-Match: *', 412]] as const) {
  singletons(`with ${condition} -> ${status}`, async () => {
    const declared = { get: () => ({ revision: 5 }), version: ({ revision }: { revision: number }) => revision, delete: () => {} };
    await serve((server) => server.registerEndpoint('/me', declared), async ({ port }) => {
      assert.is((await send(port, message('DELETE', '/v1/me', '', [condition]))).status, status);
    });
  });
}
singletons('asks currentVersion without an id', async () => {
  const seen: unknown[] = [];
  const currentVersion = (...args: readonly unknown[]): string => String(seen.push(args.length));
  await serve((server) => server.registerEndpoint('/me', { currentVersion, delete: () => {} }), async ({ port }) => {
    assert.is((await send(port, message('DELETE', '/v1/me', '', ['If-Match: "1"']))).status, 204);
    assert.equal(seen, [1]);
  });
});
singletons.run();

const replied = suite('V5: a get that returns a reply, asked for a version');
for (const [why, give, condition, status] of [
  ['its ETag', () => reply(200, 1, { ETag: '"a"' }), 'If-Match: "a"', 204],
  ['another ETag', () => reply(200, 1, { ETag: '"a"' }), 'If-Match: "5"', 412],
  ['a weak ETag', () => reply(200, 1, { ETag: 'W/"a"' }), 'If-Match: W/"a"', 412],
  ['no ETag', () => reply(200, 1), 'If-Match: "5"', 412],
  ['no ETag, and any', () => reply(200, 1), 'If-Match: *', 204],
] as const) {
  replied(`${why}: DELETE with ${condition} -> ${status}`, async () => {
    await serve(new Kennel().declare({ version, get: give }), async ({ port }) => {
      assert.is((await send(port, message('DELETE', '/v1/pet/rex', '', [condition]))).status, status);
    });
  });
}
replied('as a stream: it is closed unread', async () => {
  let isClosed = false;
  const stream = { [Symbol.asyncIterator]: () => ({ next: () => { throw new Error('read'); }, return: () => { isClosed = true; } }) };
  await serve(new Kennel().declare({ version, get: () => reply(200, stream, { ETag: '"a"' }) }), async ({ port }) => {
    assert.is((await send(port, message('DELETE', '/v1/pet/rex', '', ['If-Match: "a"']))).status, 204);
    assert.ok(isClosed);
  });
});
replied('as a stream for a format, which GET sends: it is closed unread', async () => {
  let closed = 0;
  const stream = () => ({ [Symbol.asyncIterator]: () => ({ next: () => { throw new Error('read'); }, return: () => { closed += 1; } }) });
  const lines = defineFormat<never, unknown>({ types: ['text/plain'], encode: (items) => items as AsyncIterable<string> });
  await serve(new Kennel().declare({ version: () => 'v', get: { output: lines, run: stream } }), async ({ port }) => {
    assert.is((await send(port, message('DELETE', '/v1/pet/rex', '', ['If-Match: "v"']))).status, 204);
    assert.is((await send(port, message('GET', '/v1/pet/rex', '', ['If-None-Match: "v"']))).status, 304);
    assert.is(closed, 2);
  });
});
replied.run();
