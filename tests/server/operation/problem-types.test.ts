/** The errors of an operation that declares several for a status, and errors that do not match what it declares. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { ApiError, type Interceptor, problem, type ApiServer, type ApiServerOptions } from '../../../src/index.ts';
import { message, readProblem } from '../../support/messages.ts';
import { send } from '../../support/raw-client.ts';
import { makeSchema } from '../../support/serve-decoder.ts';
import { serve } from '../../support/serve.ts';

const BUY = message('GET', '/v1/ticket');

function declareBuy(run: () => unknown, errors: unknown, use: readonly Interceptor[] = []): (server: ApiServer) => void {
  return (server) => server.registerEndpoint('/ticket', { get: { errors, use, run }, custom: { buy: { errors, run } } } as never);
}

/** A schema of an object whose property has this value, and which keeps only these properties. */
const schemaOf = (name: string, value: string, ...kept: readonly string[]): ReturnType<typeof makeSchema> => makeSchema((given) => {
  const properties = given as Readonly<Record<string, unknown>>;
  if (properties[name] !== value) return { issues: [{ message: `expected ${value}`, path: [name] }] };
  return { value: Object.fromEntries([name, ...kept].map((each) => [each, properties[each]])) };
});
const Taken = schemaOf('code', 'taken', 'seat');
const Closed = schemaOf('code', 'closed');
const later = (schema: ReturnType<typeof makeSchema>): ReturnType<typeof makeSchema> => makeSchema(async (given) => schema['~standard'].validate(given));
const row = { seat: 'A1', owner: 'ann@zoo.example' };

const several = suite('O18: an error with a list of schemas for its status');
for (const [how, fail] of [
  ['thrown', (extensions: object, options: object = {}) => { throw ApiError.status(409, 'no', { ...options, extensions: { ...extensions } }); }],
  ['returned', (extensions: object, options: object = {}) => problem(409, 'no', extensions, options)],
] as const) {
  for (const [when, errors] of [
    ['at once', [Taken, Closed]], ['later', [later(Taken), later(Closed)]], ['the first later', [later(Taken), Closed]],
    ['the second later', [Taken, later(Closed)]], ['by functions', [Taken, ({ code }: { code: unknown }) => { if (code !== 'closed') throw new Error('open'); return { code }; }]],
  ] as const) {
    several(`is sent as the schema that accepts it returns it, ${how} and decoded ${when}`, async () => {
      let code = 'taken';
      await serve(declareBuy(() => fail({ code, ...row }), { 409: errors }), async ({ port }) => {
        assert.equal(readProblem(await send(port, BUY)), { type: 'about:blank', title: 'Conflict', status: 409, detail: 'no', code, seat: 'A1' });
        code = 'closed';
        assert.equal(readProblem(await send(port, BUY)), { type: 'about:blank', title: 'Conflict', status: 409, detail: 'no', code });
      });
    });
  }
  several(`that has only one, ${how}`, async () => {
    await serve(declareBuy(() => fail({ code: 'taken', ...row }), { 409: [Taken] }), async ({ port }) => {
      assert.is(readProblem(await send(port, BUY))['seat'], 'A1');
    });
  });
  several(`that name the type: ${how}, a schema gets the type that is sent`, async () => {
    const errors = { 409: [schemaOf('type', '/taken', 'seat'), schemaOf('type', '/closed', 'title', 'status')] };
    let options = { type: '/taken', title: 'Taken' };
    await serve(declareBuy(() => fail(row, options), errors), async ({ port }) => {
      assert.equal(readProblem(await send(port, BUY)), { ...options, status: 409, detail: 'no', seat: 'A1' });
      options = { type: '/closed', title: 'Closed' };
      assert.equal(readProblem(await send(port, BUY)), { ...options, status: 409, detail: 'no' });
    });
  });
  several(`a schema that rejects other properties does not see the names of RFC 9457, ${how}`, async () => {
    const given: string[] = [];
    const Strict = makeSchema((value) => {
      given.push(...Object.keys(value as object));
      return { value: value as object };
    });
    await serve(declareBuy(() => fail({ seat: 'A1' }, { type: '/taken', title: 'Taken', instance: '/1' }), { 409: Strict }), async ({ port }) => {
      assert.equal(readProblem(await send(port, BUY)), { type: '/taken', title: 'Taken', status: 409, detail: 'no', instance: '/1', seat: 'A1' });
    });
    assert.equal(given, ['seat']);
  });
}
several.run();

const NONE = /the error does not match errors\.409: Bad arguments: expected taken; Bad arguments: expected closed$/;
const tooLate = new RangeError('too late');
const options: ApiServerOptions = { mapError: (thrown) => (thrown === tooLate ? ApiError.status(409, 'no', { extensions: row }) : undefined) };

const unmatched = suite('O18: an error that does not match what is declared for its status');
for (const [what, errors, text] of [
  ['a list of schemas', [Taken, Closed], NONE],
  ['a list of schemas that promise', [later(Taken), later(Closed)], NONE],
  ['one schema', Taken, /the error does not match errors\.409: Bad arguments: expected taken$/],
  ['a function with a bug', [(given: any) => given.at.door], /the error does not match errors\.409: Cannot read properties of undefined/],
  ['a schema that returns a different type', () => ({ type: '/taken' }), /the result of errors\.409 must not have "type"/],
  ['a schema that returns a string', () => 'taken', /the result of errors\.409 must be an object/],
] as const) {
  for (const [how, thrown] of [['thrown', ApiError.status(409, 'no', { extensions: row, headers: { 'Retry-After': '5' } })], ['made by mapError', tooLate]] as const) {
    unmatched(`${what}: ${how}, it keeps its status, nothing of its properties is sent, and it is logged once`, async () => {
      await serve(declareBuy(() => { throw thrown; }, { 409: errors }), async ({ port, errors: logged }) => {
        const response = await send(port, BUY);
        assert.equal(readProblem(response), { type: 'about:blank', title: 'Conflict', status: 409, detail: 'no' });
        assert.is(response.headers.get('retry-after'), thrown === tooLate ? undefined : '5');
        assert.is(logged.length, 1);
        assert.match(logged[0]?.message ?? '', text);
      }, options);
    });
  }
  unmatched(`${what}: returned, it is a 500, logged`, async () => {
    await serve(declareBuy(() => problem(409, 'no', row), { 409: errors }), async ({ port, errors: logged }) => {
      assert.equal(readProblem(await send(port, BUY)), { type: 'about:blank', title: 'Internal Server Error', status: 500 });
      assert.match(logged[0]?.message ?? '', text);
    });
  });
}
unmatched('of an Argument error keeps its issues', async () => {
  const fail = (): never => { throw ApiError.argument('no', { errors: [{ detail: 'odd', pointer: '#/legs' }] }); };
  await serve(declareBuy(fail, { 400: Taken }), async ({ port, errors: logged }) => {
    const { status, errors } = readProblem(await send(port, BUY));
    assert.equal([status, errors, logged.length], [400, [{ detail: 'odd', pointer: '#/legs' }], 1]);
  });
});
unmatched('of the server: a 503 is logged once, with what was thrown as the cause', async () => {
  const thrown = ApiError.status(503, 'no', { cause: new Error('the database is down') });
  await serve(declareBuy(() => { throw thrown; }, { 503: Taken }), async ({ port, errors: logged }) => {
    assert.is((await send(port, BUY)).status, 503);
    assert.equal([logged.length, (logged[0]?.cause as Error).cause], [1, thrown]);
  });
});
unmatched('of a Custom operation, whose errors are all logged: logged once', async () => {
  await serve(declareBuy(() => { throw tooLate; }, { 409: Taken }), async ({ port, errors: logged }) => {
    assert.equal([(await send(port, message('POST', '/v1/ticket/buy'))).status, logged.length], [409, 1]);
  }, options);
});
unmatched('formatProblem gets what is sent', async () => {
  await serve(declareBuy(() => { throw tooLate; }, { 409: Taken }), async ({ port, errors: logged }) => {
    assert.is((await send(port, BUY)).body, '{"type":"about:blank","title":"Conflict","status":409,"detail":"no"}');
    assert.is(logged.length, 1);
  }, { ...options, formatProblem: (given) => ({ body: given }) });
});
unmatched('of an interceptor that declares the status with a list: not compared', async () => {
  const use: Interceptor = { errors: { 409: [Taken, Closed] }, around: () => problem(409, 'no', row) };
  await serve(declareBuy(() => 1, { 409: Taken }, [use]), async ({ port }) => {
    assert.is(readProblem(await send(port, BUY))['owner'], 'ann@zoo.example');
  });
});
unmatched.run();
