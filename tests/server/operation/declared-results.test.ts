/** What an operation's `output`, `status` and `errors` make of its results, and the results that mean that nothing is there. */
import { Readable } from 'node:stream';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { ApiError, created, reply, stringId, type ApiServer, type ApiServerOptions } from '../../../src/index.ts';
import { schemaOf } from '../../support/decoding.ts';
import { until } from '../../support/gate.ts';
import { message, problemIn } from '../../support/messages.ts';
import { rawRequest } from '../../support/raw-client.ts';
import { serving } from '../../support/serving.ts';

type Give = () => any;

/** An endpoint with every kind of operation, each with these properties, and each gives this. */
function declaring(properties: object, give: Give): (server: ApiServer) => void {
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

function send(port: number, kind: Kind): ReturnType<typeof rawRequest> {
  const [method, target, body] = REQUESTS[kind];
  return rawRequest(port, message(method, target, body));
}

const shown = schemaOf((value) => {
  const { name } = Object(value) as { name?: unknown };
  return typeof name === 'string' ? { value: { name } } : { issues: [{ message: 'expected a name', path: ['name'] }] };
});
const ANN = { name: 'Ann', password: 'secret' };
const SHOWN = '{"name":"Ann"}';

const missing = suite('a result that means that nothing is there');
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
  for (const [how, give] of [['given', () => result], ['promised', async () => result]] as const) {
    missing(`${String(result)}, ${how} by ${kind} -> ${status} ${body ?? ''}`, async () => {
      await serving(declaring({}, give), async ({ port, errors }) => {
        const response = await send(port, kind);
        assert.is(response.status, status);
        if (body === undefined) assert.is(problemIn(response).detail, 'Not found.');
        else assert.is(response.body, body);
        assert.equal(errors, []);
      });
    });
  }
}
for (const [kind, result] of [['get', undefined], ['get', null], ['update', false], ['patch', false], ['delete', false]] as const) {
  for (const [why, properties] of [
    ['output', { output: () => { throw new Error('asked'); } }],
    ['an output by status', { output: { 200: shown } }],
    ['status', { status: 202 }],
    ['status 204', { status: 204 }],
  ] as const) {
    missing(`${String(result)} of ${kind}, with ${why} -> 404`, async () => {
      await serving(declaring(properties, () => result), async ({ port, errors }) => {
        assert.is((await send(port, kind)).status, 404);
        assert.equal(errors, []);
      });
    });
  }
}
missing.run();

const outputs = suite('a plain result with an output');
for (const kind of KINDS) {
  const status = kind === 'create' ? 201 : 200;
  outputs(`of ${kind} -> ${status}, as JSON, as the decoder makes it`, async () => {
    await serving(declaring({ output: shown }, () => ANN), async ({ port }) => {
      const response = await send(port, kind);
      assert.equal([response.status, response.headers.get('content-type'), response.body], [status, 'application/json', SHOWN]);
      assert.is(response.headers.get('location'), undefined);
    });
  });
  outputs(`of ${kind}, rejected -> 500, logged with the error, and not sent`, async () => {
    await serving(declaring({ output: shown }, () => ({ password: 'secret' })), async ({ port, errors }) => {
      const response = await send(port, kind);
      assert.is(response.status, 500);
      assert.not.match(response.body, /secret|name/);
      assert.match(errors[0]?.message ?? '', /: Internal error: the result does not match output: Bad arguments: expected a name$/);
    });
  });
  outputs(`of ${kind}: a decoder takes the bodies of all replies with a status from 200 to 299`, async () => {
    let status = 200;
    await serving(declaring({ output: shown }, () => reply(status, ANN)), async ({ port }) => {
      for (status of [200, 202, 299]) {
        const response = await send(port, kind);
        assert.equal([response.status, response.body], [status, SHOWN]);
      }
      status = 300;
      assert.is((await send(port, kind)).body, JSON.stringify(ANN));
    });
  });
  for (const [declared, sent] of [[{ 200: shown }, 200], [{ 201: shown }, 201], [{ 200: shown, 202: null, 303: null }, 200]] as const) {
    outputs(`of ${kind}, of the statuses ${Object.keys(declared).join()} -> ${sent}`, async () => {
      await serving(declaring({ output: declared }, () => ANN), async ({ port }) => {
        const response = await send(port, kind);
        assert.equal([response.status, response.body], [sent, SHOWN]);
      });
    });
  }
  outputs(`of ${kind}, of other statuses than those of plain results -> 500, logged`, async () => {
    await serving(declaring({ output: { 202: shown } }, () => 'a'), async ({ port, errors }) => {
      assert.is((await send(port, kind)).status, 500);
      assert.match(errors[0]?.message ?? '', new RegExp(`: Internal error: output does not declare status ${REQUESTS[kind][3]}$`));
    });
  });
  outputs(`of ${kind}, which is nothing where 204 is declared without a body -> 204`, async () => {
    // Nothing from `get` is not an item.
    if (kind === 'get') return;
    await serving(declaring({ output: { 200: shown, 204: null } }, () => undefined), async ({ port }) => {
      const response = await send(port, kind);
      assert.equal([response.status, response.body, response.headers.get('content-length')], [204, '', undefined]);
    });
  });
}
for (const kind of ['update', 'patch', 'delete'] as const) {
  outputs(`of ${kind}, where only 204 is declared: whatever it is -> 204`, async () => {
    await serving(declaring({ output: { 204: null } }, () => true), async ({ port }) => assert.is((await send(port, kind)).status, 204));
  });
}
for (const kind of KINDS) {
  for (const [why, properties, status] of [
    ['whose own status', { output: { [REQUESTS[kind][3]]: null } }, REQUESTS[kind][3]],
    ['whose 202', { status: 202, output: { 202: null } }, 202],
    ['whose 201', { status: 201, output: { 201: null } }, 201],
  ] as const) {
    outputs(`of ${kind}, ${why} is declared without a body -> that status, and no body`, async () => {
      await serving(declaring(properties, () => 'a'), async ({ port }) => {
        const { headers, ...response } = await send(port, kind);
        assert.equal([response.status, response.body, headers.get('content-type')], [status, '', undefined]);
        assert.is(headers.get('content-length'), status === 204 ? undefined : '0');
        assert.is(headers.get('location'), kind === 'create' && status === 201 ? '/v1/pet/a' : undefined);
      });
    });
  }
}
outputs('of create, whose 201 is declared without a body, and which is not an id -> 500, logged', async () => {
  await serving(declaring({ output: { 201: null } }, () => undefined), async ({ port, errors }) => {
    assert.is((await send(port, 'create')).status, 500);
    assert.match(errors[0]?.message ?? '', /create must return the id of the new item/);
  });
});
for (const kind of ['update', 'patch', 'delete'] as const) {
  outputs(`of ${kind}, where only 200 is declared, without a body -> 200, and no body`, async () => {
    await serving(declaring({ output: { 200: null } }, () => 'a'), async ({ port }) => {
      const { headers, ...response } = await send(port, kind);
      assert.equal([response.status, response.body, headers.get('content-length')], [200, '', '0']);
    });
  });
}
for (const [why, give, text] of [
  ['of a status that is not declared', () => reply(203, ANN), 'output does not declare status 203'],
  ['without a body, of a status that is not declared', () => reply(204), 'output does not declare status 204'],
  ['as bytes, of a status that is not declared', () => reply(203, Buffer.from('x')), 'output does not declare status 203'],
  ['with a body that is declared as none', () => reply(202, ANN), 'output declares status 202 without a body'],
  ['with bytes where none are declared', () => reply(202, Buffer.from('x')), 'output declares status 202 without a body'],
] as const) {
  for (const kind of KINDS) {
    outputs(`a reply of ${kind} ${why} -> 500, logged`, async () => {
      await serving(declaring({ output: { 200: shown, 202: null } }, give), async ({ port, errors }) => {
        assert.is((await send(port, kind)).status, 500);
        assert.ok(errors[0]?.message.endsWith(`: Internal error: ${text}`), errors[0]?.message);
      });
    });
  }
}
for (const [why, give] of [
  ['of a status that is not declared', (body: Readable) => reply(203, body, { 'Content-Type': 'text/plain' })],
  ['with an id that it cannot have', (body: Readable) => created({} as unknown as string, body, { 'Content-Type': 'text/plain' })],
] as const) {
  outputs(`a reply with a stream ${why} -> 500, logged, and the stream is closed`, async () => {
    let body: Readable | undefined;
    await serving(declaring({ output: { 200: shown, 201: shown } }, () => give((body = Readable.from(['a'])))), async ({ port, errors }) => {
      assert.is((await send(port, 'create')).status, 500);
      await until(() => body?.destroyed === true, 'the end of the stream');
      assert.is(errors.length, 1);
    });
  });
}
outputs.run();

const statuses = suite('the status of a plain result');
for (const kind of KINDS) {
  for (const status of [200, 201, 202, 299]) {
    statuses(`${status} of ${kind} -> the result as JSON`, async () => {
      await serving(declaring({ status }, () => ANN), async ({ port }) => {
        const response = await send(port, kind);
        assert.equal([response.status, response.headers.get('content-type'), response.body], [status, 'application/json', JSON.stringify(ANN)]);
      });
    });
  }
  for (const [status, length] of [[204, undefined], [205, '0']] as const) {
    statuses(`${status} of ${kind} -> no body`, async () => {
      await serving(declaring({ status }, () => 'a'), async ({ port }) => {
        const { headers, ...response } = await send(port, kind);
        assert.equal([response.status, response.body, headers.get('content-length'), headers.get('content-type')], [status, '', length, undefined]);
      });
    });
  }
  statuses(`202 of ${kind}, with an output -> what it makes`, async () => {
    for (const output of [shown, { 202: shown }]) {
      await serving(declaring({ status: 202, output }, () => ANN), async ({ port }) => {
        const response = await send(port, kind);
        assert.equal([response.status, response.body], [202, SHOWN]);
      });
    }
  });
  statuses(`202 of ${kind}: a reply has its own`, async () => {
    await serving(declaring({ status: 202 }, () => reply(203, 1)), async ({ port }) => assert.is((await send(port, kind)).status, 203));
  });
}
statuses.run();

const REPORT = schemaOf((value) => {
  const { balance } = Object(value) as { balance?: unknown };
  return typeof balance === 'number' ? { value: { balance, more: true } } : { issues: [{ message: 'expected a balance', path: ['balance'] }] };
});
const UNDECLARED = /: Internal error: the error does not match errors\.409: Bad arguments: expected a balance$/;
const tooPoor = new RangeError('too poor');

const errors = suite('the properties of an error');
for (const [why, declared, give, status, isLogged] of [
  ['that are as declared', { 409: REPORT }, () => ApiError.status(409, 'no', { extensions: { balance: 7 } }), 409, false],
  ['that are as a function wants them', { 409: ({ balance }: { balance: number }) => balance }, () => ApiError.status(409, 'no', { extensions: { balance: 7 } }), 409, false],
  ['that are as declared, later', { 409: async (properties: unknown) => properties }, () => ApiError.status(409, 'no', { extensions: { balance: 7 } }), 409, false],
  ['that are rejected', { 409: REPORT }, () => ApiError.status(409, 'no', { extensions: { balance: 'x' } }), 500, true],
  ['that are missing', { 409: REPORT }, () => ApiError.status(409), 500, true],
  ['that are rejected later', { 409: async () => { throw new Error('expected a balance'); } }, () => ApiError.status(409), 500, true],
  ['of a different status', { 409: REPORT }, () => ApiError.status(410), 410, false],
  ['of a status without a decoder', { 409: null }, () => ApiError.status(409), 409, false],
  ['of an error that mapError has made', { 409: REPORT }, () => tooPoor, 500, true],
  ['of an item that does not exist', { 404: (properties: unknown) => { assert.equal(properties, {}); return properties; } }, () => ApiError.notFound(), 404, false],
] as const) {
  for (const [how, give_] of [['thrown', () => { throw give(); }], ['rejected with', async () => { throw give(); }]] as const) {
    errors(`${why}, ${how} -> ${status}`, async () => {
      const options: ApiServerOptions = { mapError: (thrown) => (thrown === tooPoor ? ApiError.status(409) : undefined) };
      await serving(declaring({ errors: declared }, give_), async ({ port, errors: logged }) => {
        const response = await send(port, 'get');
        const problem = problemIn(response);
        assert.is(response.status, status);
        // A decoder checks the properties, and does not change them.
        assert.is(problem['more'], undefined);
        if (status === 409 && 'balance' in problem) assert.is(problem['balance'], 7);
        assert.is(logged.length, isLogged ? 1 : 0);
        if (isLogged) assert.match(logged[0]?.message ?? '', UNDECLARED);
      }, options);
    });
  }
}
errors('that are rejected: the log has what was thrown as the cause', async () => {
  const thrown = ApiError.status(409, 'no');
  await serving(declaring({ errors: { 409: REPORT } }, () => { throw thrown; }), async ({ port, errors: logged }) => {
    assert.is((await send(port, 'get')).status, 500);
    assert.is((logged[0]?.cause as Error).cause, thrown);
  });
});
errors('of an Argument error are its errors', async () => {
  const given: unknown[] = [];
  const note = (properties: unknown): unknown => (given.push(JSON.stringify(properties)), properties);
  const fail = (): never => { throw ApiError.argument('no', { errors: [{ detail: 'odd', pointer: '#/legs' }] }); };
  await serving(declaring({ errors: { 400: note } }, fail), async ({ port }) => {
    assert.equal(problemIn(await send(port, 'get')).errors, [{ detail: 'odd', pointer: '#/legs' }]);
    assert.equal(given, ['{"errors":[{"detail":"odd","pointer":"#/legs"}]}']);
  });
});
errors.run();

const made = suite('created');
for (const [why, give, body, type] of [
  ['an id', () => created('a/b'), '', undefined],
  ['an id and a body', () => created('a/b', ANN), JSON.stringify(ANN), 'application/json'],
  ['an id and text', () => created('a/b', 'x,y', { 'Content-Type': 'text/csv' }), 'x,y', 'text/csv'],
  ['a promise of them', async () => created('a/b', [1]), '[1]', 'application/json'],
] as const) {
  made(`${why} -> 201 with Location`, async () => {
    await serving(declaring({}, give), async ({ port }) => {
      const response = await send(port, 'create');
      assert.equal([response.status, response.headers.get('location'), response.headers.get('content-type'), response.body], [201, '/v1/pet/a%2Fb', type, body]);
    });
  });
}
made('with a Location of its own', async () => {
  await serving(declaring({}, () => created('a', undefined, { location: '/elsewhere' })), async ({ port }) => {
    assert.is((await send(port, 'create')).headers.get('location'), '/elsewhere');
  });
});
made('with an output: its body is decoded', async () => {
  await serving(declaring({ output: shown }, () => created('a', ANN)), async ({ port }) => {
    const response = await send(port, 'create');
    assert.equal([response.status, response.headers.get('location'), response.body], [201, '/v1/pet/a', SHOWN]);
  });
});
for (const kind of KINDS.filter((each) => each !== 'create')) {
  made(`by ${kind} -> 500, logged`, async () => {
    await serving(declaring({}, () => created('a')), async ({ port, errors: logged }) => {
      assert.is((await send(port, kind)).status, 500);
      assert.match(logged[0]?.message ?? '', /only create of an endpoint with ids can return created\(\)$/);
    });
  });
}
made('by a create without ids -> 500, logged', async () => {
  await serving((server) => server.registerEndpoint('/me', { schema: String, create: (() => created('a')) as never }), async ({ port, errors: logged }) => {
    assert.is((await rawRequest(port, message('POST', '/v1/me', '1'))).status, 500);
    assert.is(logged.length, 1);
  });
});
for (const [why, make] of [['undefined', () => created(undefined as never)], ['a promise', () => created(Promise.resolve('a') as never)]] as const) {
  made(`of ${why} -> TypeError`, () => assert.throws(make, (thrown: unknown) => thrown instanceof TypeError));
}
made.run();
