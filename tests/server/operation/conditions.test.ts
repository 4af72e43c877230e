/** Conditions on the version of an item that is to be changed (RFC 9110 sections 13.1.1 and 13.1.2, RFC 6585), as they stand on the wire. */
import { ApiError, type ApiRequest, bytes, defineFormat, type Interceptor, reply } from '../../../src/index.ts';
import { CHANGES, Kennel, version } from '../../support/kennel.ts';
import { assert, check, facts, head, message, RawClient, send, serve, suite, toText } from '../../support/facts.ts';

const UNMET = '412 A condition of the request is not met.';
const CHANGED = { update: '204', patch: '204', delete: '204', feed: '200' };

type Row = readonly [id: string, conditions: readonly string[], isMet: boolean, asks: boolean];

/** Sends each change with each condition. `asks` says whether `get` is asked, which happens once. */
function testConditions(cases: ReturnType<typeof suite>, properties: object, rows: readonly Row[]): void {
  for (const [id, conditions, isMet, asks] of rows) {
    cases(`of ${id} with ${conditions.join(' and ') || 'none'} -> ${isMet ? 'changed' : '412'}`, () => checkChanges(properties, id, conditions, isMet ? CHANGED : UNMET, asks ? [`get ${id}`] : []));
  }
}

/** Sends each change of an item. `asked` are the calls before it is made. */
async function checkChanges(properties: object, id: string, conditions: readonly string[], responses: string | typeof CHANGED, asked: readonly string[] = []): Promise<void> {
  for (const [operation, method, suffix, body] of CHANGES) {
    const kennel = new Kennel();
    const response = typeof responses === 'string' ? responses : responses[operation];
    const isMade = response.startsWith('2');
    await check(kennel.declare(properties), [[`${method} /v1/pet/${id}${suffix} ${body}`, ...conditions].join('\n')], [`${response}${response === '200' ? ` ${asked.length + 1}` : ''}`]);
    assert.equal(kennel.calls, [...asked, ...(isMade ? [`${operation} ${id}`] : [])]);
  }
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
const NEEDED = '428 The request must have If-Match, with the version of the item that it changes.';
for (const [conditions, ...asked] of [['no condition'], ['If-None-Match: "4"', 'get rex']] as const) {
  required(`with ${conditions} -> 428, and 200 for an operation of yours`, async () => {
    const kennel = new Kennel();
    const lines = asked.length === 0 ? '' : `\n${conditions}`;
    await check(kennel.declare({ version, requireIfMatch: true }), CHANGES.map(([, method, suffix, body]) => `${method} /v1/pet/rex${suffix} ${body}${lines}`), [NEEDED, NEEDED, NEEDED, `200 ${asked.length + 1}`]);
    assert.equal(kennel.calls.filter((call) => !call.startsWith('get')), ['feed rex']);
  });
}

const bodies = suite('Q7 Q8 V10: the body of a request whose conditions are not met');
const UPLOAD = { update: { input: bytes(), run: async (_id: string, body: AsyncIterable<Uint8Array>) => { for await (const chunk of body) void chunk; } } };
bodies('as bytes is not asked for: no 100 Continue', () => serve(new Kennel().declare({ version, ...UPLOAD }), async ({ port }) => {
  const client = await RawClient.send(port, head('PUT', '/v1/pet/rex', ['If-Match: "4"', 'Expect: 100-continue', 'Content-Length: 2']));
  assert.is(toText(await client.response()), `${UNMET} | Connection: close`);
  assert.is(await client.closed(), '');
}));
for (const [what, body, status] of [['broken', '{"a":', 400], ['whole', '{}', 412]] as const) {
  bodies(`as JSON is asked for, and decoded: ${what} -> ${status}`, async () => {
    const kennel = new Kennel();
    await serve(kennel.declare({ version }), async ({ port }) => {
      const client = await RawClient.send(port, head('PUT', '/v1/pet/rex', ['If-Match: "4"', 'Expect: 100-continue', `Content-Length: ${body.length}`]));
      assert.is((await client.response()).status, 100);
      client.send(body);
      assert.is((await client.response()).status, status);
      assert.equal(kennel.calls, status === 400 ? [] : ['get rex']);
    });
  });
}
const nameless = (json: unknown): unknown => {
  if (Object(json).name === undefined) throw new Error('name: expected');
  return json;
};
for (const [what, body, response] of [
  ['broken', '{"a":', '400 Bad arguments: the body is not JSON: it ends too early, at byte 5 @#'],
  ['rejected by its decoder', '{"a":1}', '400 Bad arguments: name: expected @#'], ['whole', '{"name":"rex"}', UNMET],
] as const) {
  for (const [operation, method] of [['update', 'PUT'], ['patch', 'PATCH']] as const) {
    const kennel = new Kennel();
    facts(bodies, kennel.declare({ version, [operation]: { input: nameless, run: () => kennel.calls.push('run') } }), [[`${what}, of a different version`, `${method} /v1/pet/rex ${body}\nIf-Match: "4"`, response]], {
      after: () => assert.equal(kennel.calls, response === UNMET ? ['get rex'] : []),
    });
  }
}
bodies('is asked for if they are met', async () => {
  const kennel = new Kennel();
  await serve(kennel.declare({ version }), async ({ port }) => {
    const client = await RawClient.send(port, head('PUT', '/v1/pet/rex', ['If-Match: "5"', 'Expect: 100-continue', 'Content-Length: 2']));
    assert.is((await client.response()).status, 100);
    client.send('{}');
    assert.is((await client.response()).status, 204);
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
      assert.is(toText(await send(port, message(method, `/v1/pet/rex${suffix}`, body, ['If-Match: "4"']))), UNMET);
      assert.equal([caught, kennel.calls, errors.length], [[412], ['get rex', 'get rex'], 0]);
      assert.ok((await send(port, message(method, `/v1/pet/rex${suffix}`, body, ['If-Match: "5"']))).status < 400);
      assert.equal(kennel.calls.slice(2), ['get rex', `${operation} rex`, 'get rex', `${operation} rex`]);
    });
  });
}

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
  dated(`with ${conditions.join(' and ')}, and ${Object.keys(properties).join(' and ') || 'no more'} -> ${status}`, () => {
    const get = (): unknown => reply(200, Buffer.from('rex'), { 'Last-Modified': NEW, ETag: '"a"' });
    const declared = 'get' in properties && properties.get === undefined ? properties : { get, version: (): string => 'a', ...properties };
    return checkChanges(declared, 'rex', conditions, status === 204 ? CHANGED : UNMET);
  });
}

const singletons = suite('a change of a singleton');
const me = { get: () => ({ revision: 5 }), version: ({ revision }: { revision: number }) => revision, delete: () => {} };
facts(singletons, (server) => server.registerEndpoint('/me', me), [
  ['', 'DELETE /v1/me\nIf-Match: "5"', '204'],
  ['', 'DELETE /v1/me\nIf-Match: "4"', UNMET],
  ['', 'DELETE /v1/me\nIf-None-Match: *', UNMET],
]);
const seen: unknown[] = [];
facts(singletons, (server) => server.registerEndpoint('/me', { currentVersion: (...args: readonly unknown[]) => String(seen.push(args.length)), delete: () => {} }), [
  ['asks currentVersion without an id', 'DELETE /v1/me\nIf-Match: "1"', '204'],
], { after: () => assert.equal(seen, [1]) });

const replied = suite('V5: a get that returns a reply, asked for a version');
for (const [why, give, condition, response] of [
  ['its ETag', () => reply(200, 1, { ETag: '"a"' }), 'If-Match: "a"', '204'],
  ['another ETag', () => reply(200, 1, { ETag: '"a"' }), 'If-Match: "5"', UNMET],
  ['a weak ETag', () => reply(200, 1, { ETag: 'W/"a"' }), 'If-Match: W/"a"', UNMET],
  ['no ETag', () => reply(200, 1), 'If-Match: "5"', UNMET],
  ['no ETag, and any', () => reply(200, 1), 'If-Match: *', '204'],
] as const) {
  facts(replied, new Kennel().declare({ version, get: give }), [[why, `DELETE /v1/pet/rex\n${condition}`, response]]);
}
let closed = 0;
const stream = () => ({ [Symbol.asyncIterator]: () => ({ next: () => { throw new Error('read'); }, return: () => { closed += 1; } }) });
const lines = defineFormat<never, unknown>({ types: ['text/plain'], encode: (items) => items as AsyncIterable<string> });
for (const [what, get] of [['as a stream', () => reply(200, stream(), { ETag: '"a"' })], ['as a stream for a format, which GET sends', { output: lines, run: stream }]] as const) {
  facts(replied, (server) => {
    closed = 0;
    new Kennel().declare({ version: () => 'a', get })(server);
  }, [[`${what}: it is closed unread`, ['DELETE /v1/pet/rex\nIf-Match: "a"', 'GET /v1/pet/rex\nIf-None-Match: "a"'], ['204', '304 | ETag: "a"']]], { after: () => assert.is(closed, 2) });
}
