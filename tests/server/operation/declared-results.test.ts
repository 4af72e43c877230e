/** What an operation's `output` and `errors` make of its results, and the results that mean that nothing is there. */
import { Readable } from 'node:stream';
import { ApiError, created, problem, reply, stringId, type ApiServer, type ApiServerOptions } from '../../../src/index.ts';
import { makeSchema } from '../../support/serve-decoder.ts';
import { assert, message, type RawResponse, readProblem, send, serve, suite, type Test, waitUntil } from '../../support/facts.ts';

type Give = () => any;

/** An endpoint with every kind of operation, each with these properties, and each gives this. */
function declareResult(properties: object, give: Give): (server: ApiServer) => void {
  const long = { ...properties, run: give };
  const withBody = { ...long, input: (json: unknown) => json };
  return (server) => server.registerEndpoint('/pet', {
    id: stringId, create: withBody, list: long, get: long, update: withBody, patch: withBody, delete: long, custom: { count: long }, itemCustom: { feed: long },
  } as never);
}

const REQUESTS = {
  create: ['POST', '/v1/pet', '1', 201],
  list: ['GET', '/v1/pet', '', 200],
  get: ['GET', '/v1/pet/a', '', 200],
  update: ['PUT', '/v1/pet/a', '1', 204],
  patch: ['PATCH', '/v1/pet/a', '1', 204],
  delete: ['DELETE', '/v1/pet/a', '', 204],
  custom: ['POST', '/v1/pet/count', '', 200],
  itemCustom: ['POST', '/v1/pet/a/feed', '', 200],
} as const;
type Kind = keyof typeof REQUESTS;
const KINDS = Object.keys(REQUESTS) as Kind[];

function sendKind(port: number, kind: Kind): ReturnType<typeof send> {
  const [method, target, body] = REQUESTS[kind];
  return send(port, message(method, target, body));
}

const shown = makeSchema((value) => {
  const { name } = Object(value) as { name?: unknown };
  return typeof name === 'string' ? { value: { name } } : { issues: [{ message: 'expected a name', path: ['name'] }] };
});
const ANN = { name: 'Ann', password: 'secret' };
const SHOWN = '{"name":"Ann"}';

const missing = suite('A2 A4: a result that means that nothing is there');
for (const [kind, result, status, body] of [
  ['get', undefined, 404, undefined],
  ['get', null, 404, undefined],
  ['get', false, 200, 'false'],
  ['get', 0, 200, '0'],
  ['get', '', 200, '""'],
  ['update', false, 404, undefined],
  ['patch', false, 404, undefined],
  ['delete', false, 404, undefined],
  ['update', true, 204, ''],
  ['patch', undefined, 204, ''],
  ['delete', null, 204, ''],
  ['delete', 0, 204, ''],
  ['list', null, 200, 'null'],
  ['list', false, 200, 'false'],
  ['custom', false, 200, 'false'],
  ['custom', null, 200, 'null'],
  ['itemCustom', false, 200, 'false'],
] as const) {
  missing(`${String(result)}, given or promised by ${kind} -> ${status} ${body ?? ''}`, async () => {
    for (const give of [() => result, async () => result]) {
      await serve(declareResult({}, give), async ({ port, errors }) => {
        const response = await sendKind(port, kind);
        assert.is(response.status, status);
        if (body === undefined) assert.is(readProblem(response).detail, 'Not found.');
        else assert.is(response.body, body);
        assert.equal(errors, []);
      });
    }
  });
}
for (const [why, properties] of [
  ['output', { output: () => { throw new Error('asked'); } }],
  ['an output by status', { output: { 200: shown } }],
  ['an output of one other status', { output: { 202: shown } }],
  ['an output without a body', { output: { 204: null } }],
] as const) {
  missing(`undefined and null of get, and false of update, patch and delete, with ${why} -> 404`, async () => {
    let result: unknown;
    await serve(declareResult(properties, () => result), async ({ port, errors }) => {
      for (const [kind, given] of [['get', undefined], ['get', null], ['update', false], ['patch', false], ['delete', false]] as const) {
        result = given;
        assert.is((await sendKind(port, kind)).status, 404, kind);
      }
      assert.equal(errors, []);
    });
  });
}

/** Declares a test that sends a request for each kind of operation to one server. */
function eachKind(test: Test, fact: string, properties: object, give: Give, check: (response: RawResponse, kind: Kind, logged: string) => void): void {
  test(`of each kind: ${fact}`, () => serve(declareResult(properties, give), async ({ port, errors }) => {
    for (const kind of KINDS) {
      const response = await sendKind(port, kind);
      check(response, kind, errors.at(-1)?.message ?? '');
    }
  }));
}

const outputs = suite('O8 O25: a plain result with an output');
eachKind(outputs, 'as JSON, as the decoder makes it', { output: shown }, () => ANN, ({ status, headers, body }, kind) => {
  assert.equal([status, headers.get('content-type'), body], [kind === 'create' ? 201 : 200, 'application/json', SHOWN], kind);
  assert.is(headers.get('location'), undefined);
});
eachKind(outputs, 'rejected -> 500, logged with the error, and not sent', { output: shown }, () => ({ password: 'secret' }), ({ status, body }, kind, logged) => {
  assert.is(status, 500, kind);
  assert.not.match(body, /secret|name/);
  assert.match(logged, /: Internal error: the result does not match output: Bad arguments: expected a name$/);
});
for (const status of [200, 202, 299, 300]) {
  eachKind(outputs, `a reply with ${status} -> ${status < 300 ? 'what' : 'not what'} the decoder makes`, { output: shown }, () => reply(status, ANN), (response, kind) => {
    assert.equal([response.status, response.body], [status, status < 300 ? SHOWN : JSON.stringify(ANN)], kind);
  });
}
for (const [declared, sent] of [[{ 200: shown }, 200], [{ 201: shown }, 201], [{ 200: shown, 202: null, 303: null }, 200], [{ 202: shown, 303: null }, 202], [{ 299: shown }, 299]] as const) {
  eachKind(outputs, `of the statuses ${Object.keys(declared).join()} -> ${sent}`, { output: declared }, () => ANN, ({ status, body }, kind) => {
    assert.equal([status, body], [sent, SHOWN], kind);
  });
}
eachKind(outputs, 'of two other statuses than those of plain results -> 500, logged', { output: { 202: shown, 203: shown } }, () => 'a', ({ status }, kind, logged) => {
  assert.is(status, 500, kind);
  assert.match(logged, new RegExp(`: Internal error: output does not declare status ${REQUESTS[kind][3]}$`));
});
eachKind(outputs, 'nothing where 204 is declared without a body -> 204', { output: { 200: shown, 204: null } }, () => undefined, ({ status, headers, body }, kind) => {
  // Nothing from `get` is not an item.
  if (kind === 'get') assert.is(status, 404);
  else assert.equal([status, body, headers.get('content-length')], [204, '', undefined], kind);
});
/** Asserts a status without a body. */
function assertBodiless({ headers, ...response }: RawResponse, kind: Kind, status: number): void {
  assert.equal([response.status, response.body, headers.get('content-type')], [status, '', undefined], kind);
  assert.is(headers.get('content-length'), status === 204 ? undefined : '0', kind);
  assert.is(headers.get('location'), kind === 'create' && status === 201 ? '/v1/pet/a' : undefined);
}
for (const status of [200, 201, 202, 204, 205]) {
  eachKind(outputs, `${status} declared without a body -> that status, and no body`, { output: { [status]: null } }, () => 'a', (response, kind) => {
    assertBodiless(response, kind, status);
  });
}
outputs('of create, whose 201 is declared without a body, and which is not an id -> 500, logged', async () => {
  await serve(declareResult({ output: { 201: null } }, () => undefined), async ({ port, errors }) => {
    assert.is((await sendKind(port, 'create')).status, 500);
    assert.match(errors[0]?.message ?? '', /create must return the id of the new item/);
  });
});
for (const [why, give, text] of [
  ['of a status that is not declared', () => reply(203, ANN), 'output does not declare status 203'],
  ['without a body, of a status that is not declared', () => reply(204), 'output does not declare status 204'],
  ['as bytes, of a status that is not declared', () => reply(203, Buffer.from('x')), 'output does not declare status 203'],
  ['with a body that is declared as none', () => reply(202, ANN), 'output declares status 202 without a body'],
  ['with bytes where none are declared', () => reply(202, Buffer.from('x')), 'output declares status 202 without a body'],
] as const) {
  eachKind(outputs, `a reply ${why} -> 500, logged`, { output: { 200: shown, 202: null } }, give, ({ status }, kind, logged) => {
    assert.is(status, 500, kind);
    assert.ok(logged.endsWith(`: Internal error: ${text}`), logged);
  });
}
for (const [why, give] of [
  ['of a status that is not declared', (body: Readable) => reply(203, body, { 'Content-Type': 'text/plain' })],
  ['with an id that it cannot have', (body: Readable) => created({} as unknown as string, body, { 'Content-Type': 'text/plain' })],
] as const) {
  outputs(`a reply with a stream ${why} -> 500, logged, and the stream is closed`, async () => {
    let body: Readable | undefined;
    await serve(declareResult({ output: { 200: shown, 201: shown } }, () => give((body = Readable.from(['a'])))), async ({ port, errors }) => {
      assert.is((await sendKind(port, 'create')).status, 500);
      await waitUntil(() => body?.destroyed === true, 'the end of the stream');
      assert.is(errors.length, 1);
    });
  });
}

const REPORT = makeSchema((value) => {
  const { balance } = Object(value) as { balance?: unknown };
  return typeof balance === 'number' ? { value: { balance, more: true } } : { issues: [{ message: 'expected a balance', path: ['balance'] }] };
});
const UNDECLARED = /^GET \/v1\/pet\/:id: the error does not match errors\.409: Bad arguments: expected a balance$/;
const tooPoor = new RangeError('too poor');

const errors = suite('O18: the properties of an error');
const row = { name: 'Rex', ownerEmail: 'ann@zoo.example' };
const Named = makeSchema((value) => ({ value: { name: (value as typeof row).name } }));
const FAIL_OPTIONS = { type: 'https://zoo.example/taken', title: 'Taken', instance: '/v1/pet/7' };
for (const [how, give] of [
  ['thrown', () => { throw ApiError.status(409, 'no', { ...FAIL_OPTIONS, extensions: { ...row } }); }],
  ['returned', () => problem(409, 'no', { ...row }, FAIL_OPTIONS)],
] as const) {
  for (const [when, decoder] of [['at once', Named], ['later', async ({ name }: typeof row) => ({ name })]] as const) {
    errors(`are sent as the decoder returns them, ${how} and decoded ${when}: what it drops is not sent`, async () => {
      await serve(declareResult({ errors: { 409: decoder } }, give), async ({ port }) => {
        assert.is((await send(port, message('GET', '/v1/pet/a'))).body,
          '{"type":"https://zoo.example/taken","title":"Taken","status":409,"detail":"no","instance":"/v1/pet/7","name":"Rex"}');
      });
    });
  }
  for (const [what, result, text] of [
    ['a string', 'Rex', 'the result of errors.409 must be an object'],
    ['a property of RFC 9457', { detail: 'yes' }, 'the result of errors.409 must not have "detail"'],
  ] as const) {
    const status = how === 'thrown' ? 409 : 500;
    errors(`that are ${how}, and decoded to ${what} -> ${status}, logged`, async () => {
      await serve(declareResult({ errors: { 409: () => result } }, give), async ({ port, errors: logged }) => {
        assert.is((await sendKind(port, 'get')).status, status);
        assert.match(logged[0]?.message ?? '', text);
      });
    });
  }
}
errors('are those of formatProblem too', async () => {
  const fail = (): never => { throw ApiError.status(409, 'no', { extensions: { ...row } }); };
  await serve(declareResult({ errors: { 409: Named } }, fail), async ({ port }) => {
    assert.is((await sendKind(port, 'get')).body, '{"type":"about:blank","title":"Conflict","status":409,"detail":"no","name":"Rex"}');
  }, { formatProblem: (given) => ({ body: given }) });
});
for (const [why, declared, give, status, isLogged] of [
  ['that are as declared', { 409: REPORT }, () => ApiError.status(409, 'no', { extensions: { balance: 7 } }), 409, false],
  ['that are as a function wants them', { 409: ({ balance }: { balance: number }) => ({ balance }) },
    () => ApiError.status(409, 'no', { extensions: { balance: 7 } }), 409, false],
  ['that are as declared, later', { 409: async (properties: unknown) => properties },
    () => ApiError.status(409, 'no', { extensions: { balance: 7 } }), 409, false],
  ['that are rejected', { 409: REPORT }, () => ApiError.status(409, 'no', { extensions: { balance: 'x' } }), 409, true],
  ['that are missing', { 409: REPORT }, () => ApiError.status(409), 409, true],
  ['that are rejected later', { 409: async () => { throw new Error('expected a balance'); } }, () => ApiError.status(409), 409, true],
  ['of a different status', { 409: REPORT }, () => ApiError.status(410), 410, false],
  ['of a status without a decoder', { 409: null }, () => ApiError.status(409), 409, false],
  ['of an error that mapError has made', { 409: REPORT }, () => tooPoor, 409, true],
  ['of an item that does not exist', { 404: (properties: unknown) => { assert.equal(properties, {}); return properties; } },
    () => ApiError.notFound(), 404, false],
] as const) {
  errors(`${why}, thrown and rejected with -> ${status}`, async () => {
    const options: ApiServerOptions = { mapError: (thrown) => (thrown === tooPoor ? ApiError.status(409) : undefined) };
    for (const fail of [() => { throw give(); }, async () => { throw give(); }]) {
      await serve(declareResult({ errors: declared }, fail), async ({ port, errors: logged }) => {
        const response = await sendKind(port, 'get');
        const sent = readProblem(response);
        assert.is(response.status, status);
        assert.is(sent['more'], !isLogged && '409' in declared && declared[409] === REPORT && status === 409 ? true : undefined);
        if (status === 409 && 'balance' in sent) assert.is(sent['balance'], 7);
        assert.is(logged.length, isLogged ? 1 : 0);
        if (isLogged) assert.match(logged[0]?.message ?? '', UNDECLARED);
      }, options);
    }
  });
}
errors('that are rejected: the log has what was thrown as the cause', async () => {
  const thrown = ApiError.status(409, 'no');
  await serve(declareResult({ errors: { 409: REPORT } }, () => { throw thrown; }), async ({ port, errors: logged }) => {
    assert.is((await sendKind(port, 'get')).status, 409);
    assert.is((logged[0]?.cause as Error).cause, thrown);
  });
});
errors('of an Argument error are its errors', async () => {
  const given: unknown[] = [];
  const note = (properties: unknown): unknown => (given.push(JSON.stringify(properties)), properties);
  const fail = (): never => { throw ApiError.argument('no', { errors: [{ detail: 'odd', pointer: '#/legs' }] }); };
  await serve(declareResult({ errors: { 400: note } }, fail), async ({ port }) => {
    assert.equal(readProblem(await sendKind(port, 'get')).errors, [{ detail: 'odd', pointer: '#/legs' }]);
    assert.equal(given, ['{"errors":[{"detail":"odd","pointer":"#/legs"}]}']);
  });
  await serve(declareResult({ errors: { 400: () => ({ hint: 'count' }) } }, fail), async ({ port }) => {
    const { errors: sent, hint } = readProblem(await sendKind(port, 'get'));
    assert.equal([sent, hint], [[{ detail: 'odd', pointer: '#/legs' }], 'count']);
  });
});

const made = suite('O19: created');
for (const [why, give, body, type] of [
  ['an id', () => created('a/b'), '', undefined],
  ['an id and a body', () => created('a/b', ANN), JSON.stringify(ANN), 'application/json'],
  ['an id and text', () => created('a/b', 'x,y', { 'Content-Type': 'text/csv' }), 'x,y', 'text/csv'],
  ['a promise of them', async () => created('a/b', [1]), '[1]', 'application/json'],
] as const) {
  made(`${why} -> 201 with Location`, () => serve(declareResult({}, give), async ({ port }) => {
    const response = await sendKind(port, 'create');
    assert.equal([response.status, response.headers.get('location'), response.headers.get('content-type'), response.body], [201, '/v1/pet/a%2Fb', type, body]);
  }));
}
made('with a Location of its own', () => serve(declareResult({}, () => created('a', undefined, { location: '/elsewhere' })), async ({ port }) => {
  assert.is((await sendKind(port, 'create')).headers.get('location'), '/elsewhere');
}));
made('with an output: its body is decoded', () => serve(declareResult({ output: shown }, () => created('a', ANN)), async ({ port }) => {
  const response = await sendKind(port, 'create');
  assert.equal([response.status, response.headers.get('location'), response.body], [201, '/v1/pet/a', SHOWN]);
}));
eachKind(made, '500, logged, except of create', {}, () => created('a'), ({ status }, kind, logged) => {
  assert.is(status, kind === 'create' ? 201 : 500, kind);
  if (kind !== 'create') assert.match(logged, /only create of an endpoint with ids can return created\(\): return reply\(status, body\)$/);
});
made('by a create without ids -> 500, logged', async () => {
  await serve((server) => server.registerEndpoint('/me', { schema: String, create: (() => created('a')) as never }), async ({ port, errors: logged }) => {
    assert.is((await send(port, message('POST', '/v1/me', '1'))).status, 500);
    assert.is(logged.length, 1);
  });
});
for (const [why, make] of [['undefined', () => created(undefined as never)], ['a promise', () => created(Promise.resolve('a') as never)]] as const) {
  made(`of ${why} -> TypeError`, () => assert.throws(make, (thrown: unknown) => thrown instanceof TypeError));
}
