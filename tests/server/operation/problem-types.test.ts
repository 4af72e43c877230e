/** The errors of an operation that declares several for a status, and errors that do not match what it declares. */
import { ApiError, problem, type ApiServerOptions, type Interceptor } from '../../../src/index.ts';
import { assert, check, facts, suite, type Declare } from '../../support/facts.ts';
import { makeSchema } from '../../support/serve-decoder.ts';

const BUY = 'GET /v1/ticket';
const declareBuy = (run: () => unknown, errors: unknown, use: readonly Interceptor[] = []): Declare => (server) => {
  server.registerEndpoint('/ticket', { get: { errors, use, run }, custom: { buy: { errors, run } } } as never);
};

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
    ['the second later', [Taken, later(Closed)]],
    ['by functions', [Taken, ({ code }: { code: unknown }) => { if (code !== 'closed') throw new Error('open'); return { code }; }]],
    ['by one', [Taken]],
  ] as const) {
    const sent = { taken: '409 no {"code":"taken","seat":"A1"}', ...(errors.length > 1 && { closed: '409 no {"code":"closed"}' }) };
    for (const [code, expected] of Object.entries(sent)) {
      facts(several, declareBuy(() => fail({ code, ...row }), { 409: errors }),
        [[`is sent as the schema that accepts it returns it, ${how} and decoded ${when}`, BUY, expected]]);
    }
  }
  for (const [options, expected] of [
    [{ type: '/taken', title: 'Taken' }, '409 no {"seat":"A1","type":"/taken","title":"Taken"}'],
    [{ type: '/closed', title: 'Closed' }, '409 no {"type":"/closed","title":"Closed"}'],
  ] as const) {
    const errors = { 409: [schemaOf('type', '/taken', 'seat'), schemaOf('type', '/closed', 'title', 'status')] };
    facts(several, declareBuy(() => fail(row, options), errors), [[`a schema gets the type that is sent, ${how}`, BUY, expected]]);
  }
  const given: string[] = [];
  const Strict = makeSchema((value) => (given.push(...Object.keys(value as object)), { value: value as object }));
  facts(several, declareBuy(() => fail({ seat: 'A1' }, { type: '/taken', title: 'Taken', instance: '/1' }), { 409: Strict }), [
    [`a schema that rejects other properties does not see the names of RFC 9457, ${how}`,
      BUY, '409 no {"instance":"/1","seat":"A1","type":"/taken","title":"Taken"}'],
  ], { after: () => assert.equal(given, ['seat']) });
}

const NONE = 'the error does not match errors.409: Bad arguments: expected taken; Bad arguments: expected closed';
const tooLate = new RangeError('too late');
const options: ApiServerOptions = { mapError: (thrown) => (thrown === tooLate ? ApiError.status(409, 'no', { extensions: row }) : undefined) };
const throwLate = (): never => { throw tooLate; };
const LOG = 'GET /v1/ticket: ';

const unmatched = suite('O18: an error that does not match what is declared for its status: nothing of its properties is sent');
for (const [what, errors, text] of [
  ['a list of schemas', [Taken, Closed], NONE],
  ['a list of schemas that promise', [later(Taken), later(Closed)], NONE],
  ['one schema', Taken, 'the error does not match errors.409: Bad arguments: expected taken'],
  ['a function with a bug', [(given: any) => given.at.door], "the error does not match errors.409: Cannot read properties of undefined (reading 'door')"],
  ['a schema that returns a different type', () => ({ type: '/taken' }), 'the result of errors.409 must not have "type": a different argument or option sets it'],
  ['a schema that returns a string', () => 'taken', 'the result of errors.409 must be an object: taken'],
] as const) {
  const thrown = ApiError.status(409, 'no', { extensions: row, headers: { 'Retry-After': '5' } });
  facts(unmatched, declareBuy(() => { throw thrown; }, { 409: errors }), [[`${what}, thrown`, BUY, '409 no | Retry-After: 5', `${LOG}${text}`]], options);
  facts(unmatched, declareBuy(throwLate, { 409: errors }), [[`${what}, made by mapError`, BUY, '409 no', `${LOG}${text}`]], options);
  facts(unmatched, declareBuy(() => problem(409, 'no', row), { 409: errors }), [[`${what}, returned`, BUY, '500', `${LOG}Internal error: ${text}`]]);
}
facts(unmatched, declareBuy(() => { throw ApiError.argument('no', { errors: [{ detail: 'odd', pointer: '#/legs' }] }); }, { 400: Taken }), [
  ['of an Argument error keeps its issues', BUY, '400 Bad arguments: no {"errors":[{"detail":"odd","pointer":"#/legs"}]}',
    `${LOG}the error does not match errors.400: Bad arguments: expected taken`],
]);
unmatched('of the server: a 503 is logged once, with what was thrown as the cause', () => {
  const thrown = ApiError.status(503, 'no', { cause: new Error('the database is down') });
  return check(declareBuy(() => { throw thrown; }, { 503: Taken }), BUY, '503 no', [`${LOG}the error does not match errors.503: Bad arguments: expected taken`], {
    after: ({ errors }) => assert.is((errors[0]?.cause as Error).cause, thrown),
  });
});
const SINGLE = 'the error does not match errors.409: Bad arguments: expected taken';
facts(unmatched, declareBuy(throwLate, { 409: Taken }),
  [['of a Custom operation, whose errors are all logged: logged once', 'POST /v1/ticket/buy', '409 no', `POST /v1/ticket/buy: ${SINGLE}`]], options);
facts(unmatched, declareBuy(throwLate, { 409: Taken }), [['formatProblem gets what is sent', BUY, '409 {"type":"about:blank","title":"Conflict","status":409,"detail":"no"}', `${LOG}${SINGLE}`]], { ...options, formatProblem: (given) => ({ body: given }) });
facts(unmatched, declareBuy(() => 1, { 409: Taken }, [{ errors: { 409: [Taken, Closed] }, around: () => problem(409, 'no', row) }]), [
  ['of an interceptor that declares the status with a list: not compared', BUY, '409 no {"seat":"A1","owner":"ann@zoo.example"}'],
]);
