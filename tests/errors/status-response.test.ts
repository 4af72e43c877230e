/** The errors that `ApiError.status` makes, and that every misuse is a `TypeError` where the error is made. */
import { toRejection, ApiError, isApiError } from '../../src/errors/api-error.ts';
import { assert, isTypeError, suite } from '../support/facts.ts';

/** Called as from a program that has no types. */
const make = ApiError.status as (...args: unknown[]) => ApiError;

const made = suite('E6: an error with a custom status');
for (const [args, message, problem, headers] of [
  [[409], 'Conflict', { type: 'about:blank', title: 'Conflict', status: 409 }, []],
  [[422, 'no'], 'no', { type: 'about:blank', title: 'Unprocessable Content', status: 422, detail: 'no' }, []],
  [[400, ''], '', { type: 'about:blank', title: 'Bad Request', status: 400, detail: '' }, []],
  [[403, undefined, { type: 'https://a.example/credit' }], 'Forbidden', { type: 'https://a.example/credit', title: 'Forbidden', status: 403 }, []],
  [[403, undefined, { type: '/credit', title: 'No credit' }], 'No credit', { type: '/credit', title: 'No credit', status: 403 }, []],
  [[403, 'You have 30.', { type: '/credit', title: 'No credit', instance: '/account/1', extensions: { balance: 30, errors: [] } }], 'You have 30.', {
    type: '/credit', title: 'No credit', status: 403, detail: 'You have 30.', instance: '/account/1', balance: 30, errors: [],
  }, []],
  [[404, 'gone', { title: 'Not Found' }], 'gone', { type: 'about:blank', title: 'Not Found', status: 404, detail: 'gone' }, []],
  [[499], 'Client Error', { type: 'about:blank', title: 'Client Error', status: 499 }, []],
  [[599], 'Server Error', { type: 'about:blank', title: 'Server Error', status: 599 }, []],
  [[429, 'slow', { headers: { 'Retry-After': '3' } }], 'slow',
    { type: 'about:blank', title: 'Too Many Requests', status: 429, detail: 'slow' }, ['Retry-After', '3']],
  [[401, undefined, { headers: { 'www-authenticate': ['A', 'B'] } }], 'Unauthorized',
    { type: 'about:blank', title: 'Unauthorized', status: 401 }, ['www-authenticate', 'A', 'www-authenticate', 'B']],
  [[405, undefined, { headers: { allow: '' } }], 'Method Not Allowed', { type: 'about:blank', title: 'Method Not Allowed', status: 405 }, ['allow', '']],
] as const) {
  made(`${JSON.stringify(args)} -> "${message}"`, () => {
    const error = make(...args);
    assert.instance(error, ApiError);
    assert.is(error.kind, 'Status');
    assert.is(error.status, args[0]);
    assert.is(error.message, message);
    assert.is(error.name, 'ApiError');
    const response = toRejection(error);
    assert.equal(response.problem, problem);
    assert.equal(JSON.parse(response.json), problem);
    assert.equal(response.headers, headers);
  });
}
made('has a cause only if the options have one', () => {
  assert.is(ApiError.status(500, 'no', { cause: null }).cause, null);
  assert.not.ok('cause' in ApiError.status(500, 'no', {}));
});
made('keeps its values, even if the options change afterwards', () => {
  const properties = { balance: 30 };
  const headers = { 'Retry-After': '3' };
  const error = ApiError.status(503, undefined, { extensions: properties, headers });
  properties.balance = 0;
  headers['Retry-After'] = '\r\n';
  assert.is(toRejection(error).problem['balance'], 30);
  assert.equal(toRejection(error).headers, ['Retry-After', '3']);
});
made('a detail that is too long for a message is replaced', () => {
  const error = ApiError.status(400, 'x'.repeat(2 ** 24 + 1));
  assert.is(toRejection(error).problem.detail, 'a string of 16777217 characters');
});
made('a property named __proto__ is a property', () => {
  const error = ApiError.status(400, undefined, { extensions: JSON.parse('{"__proto__":{"detail":"no"}}') });
  assert.is(toRejection(error).json, '{"type":"about:blank","title":"Bad Request","status":400,"__proto__":{"detail":"no"}}');
});
for (const [error, status] of [[ApiError.argument('a'), 400], [ApiError.internal('b'), 500], [ApiError.notFound(), 404]] as const) {
  made(`kind ${error.kind} has the status ${status}`, () => assert.is(error.status, status));
}
made('an object that only looks like one is rejected', () => {
  const error = ApiError.status(409);
  assert.ok(isApiError(error));
  assert.is(ApiError.from(error), error);
  for (const fake of [
    Object.assign(Object.create(ApiError.prototype), { kind: 'Status', status: 409, message: 'no' }),
    Object.assign(ApiError.argument('no'), { kind: 'Status' }),
    new Proxy(error, {}),
  ]) {
    assert.not.ok(isApiError(fake));
    assert.is(ApiError.from(fake).kind, 'Internal');
  }
});

const cyclic: Record<string, unknown> = {};
cyclic['self'] = cyclic;

const rejected = suite('E6: an error that is rejected');
for (const [args, message] of [
  ...[200, 399, 600, 400.5, NaN, Infinity, '404', undefined, null, 404n].map((status) => {
    return [[status], `status must be a whole number from 400 to 599: ${String(status)}`] as const;
  }),
  [[400, 7], 'detail must be a string: 7'],
  [[400, null], 'detail must be a string: null'],
  [[400, 'no', { type: 7 }], 'options.type must be a string: 7'],
  [[400, 'no', { type: '/a', title: 7 }], 'options.title must be a string: 7'],
  [[400, 'no', { instance: {} }], 'options.instance must be a string: [object Object]'],
  [[400, 'no', { title: 'Other' }], 'title needs a type: "Other"'],
  [[400, 'no', { title: 'Other', type: 'about:blank' }], 'title needs a type: "Other"'],
  [[400, 'no', { titel: 'Other' }], 'unknown option options.titel: did you mean title? It can be one of type, title, instance, extensions, headers, cause'],
  [[400, 'no', { extensions: 7 }], 'options.extensions must be an object: 7'],
  [[400, 'no', { extensions: null }], 'options.extensions must be an object: null'],
  ...['type', 'title', 'status', 'detail', 'instance'].map((name) => {
    return [[400, 'no', { extensions: { [name]: undefined } }], `options.extensions must not have "${name}": a different argument or option sets it`] as const;
  }),
  [[400, 'no', { extensions: { big: 1n } }], /BigInt/],
  [[400, 'no', { extensions: cyclic }], /circular/],
  [[400, 'no', { headers: { 'X-A': 'a\r\nX-B: b' } }], 'header X-A must have only printable ASCII'],
  [[400, 'no', { headers: { 'X-A\r\nX-B': 'b' } }], 'header name is not valid: "X-A\\r\\nX-B"'],
  [[400, 'no', { headers: { 'content-type': 'text/plain' } }], 'header content-type cannot be set: the server sets it'],
  [[400, 'no', { headers: { Connection: 'close' } }], 'header Connection cannot be set: the server sets it'],
  [[400, 'no', { headers: new Map() }], 'headers must be a plain object of names and values'],
  [[401], 'status 401 needs the header WWW-Authenticate'],
  [[401, 'no', {}], 'status 401 needs the header WWW-Authenticate'],
  [[401, 'no', { headers: { 'WWW-Authenticate': [] } }], 'status 401 needs the header WWW-Authenticate'],
  [[405, 'no', { headers: { 'WWW-Authenticate': 'A' } }], 'status 405 needs the header Allow'],
] as const) {
  const shown = args.map((arg) => (typeof arg === 'object' ? Object.keys(arg ?? {}).join() : String(arg))).join(', ');
  rejected(`(${shown}) -> TypeError: ${message}`, () => {
    assert.throws(() => make(...args), (thrown: unknown) => {
      return thrown instanceof TypeError && (typeof message === 'string' ? thrown.message === message : message.test(thrown.message));
    });
  });
}

const credit = ApiError.status(402, 'You have 30.', { type: '/credit', instance: '/1', extensions: { balance: 30 }, headers: { 'Retry-After': '3', Link: '</pay>' } });
const CREDIT = { type: '/credit', title: 'Payment Required', status: 402, detail: 'You have 30.', instance: '/1' };

const more = suite('E6: an error with more properties');
for (const [error, additions, problem, headers] of [
  [credit, { extensions: { trace: 'a' } }, { ...CREDIT, balance: 30, trace: 'a' }, ['Retry-After', '3', 'Link', '</pay>']],
  [credit, { extensions: { balance: 0 } }, { ...CREDIT, balance: 0 }, ['Retry-After', '3', 'Link', '</pay>']],
  [credit, { headers: { 'retry-after': '9' } }, { ...CREDIT, balance: 30 }, ['Link', '</pay>', 'retry-after', '9']],
  [credit, {}, { ...CREDIT, balance: 30 }, ['Retry-After', '3', 'Link', '</pay>']],
  [ApiError.notFound(), { extensions: { id: 7 } }, { type: 'about:blank', title: 'Not Found', status: 404, detail: 'Not found.', id: 7 }, []],
  [ApiError.argument('no', { errors: [{ detail: 'odd', pointer: '#/legs' }] }), { extensions: { trace: 'a' } }, {
    type: 'about:blank', title: 'Bad Request', status: 400, detail: 'Bad arguments: no', errors: [{ detail: 'odd', pointer: '#/legs' }], trace: 'a',
  }, []],
  [ApiError.internal('a secret'), { extensions: { trace: 'a' } }, { type: 'about:blank', title: 'Internal Server Error', status: 500, trace: 'a' }, []],
] as const) {
  more(`${error.message} with ${JSON.stringify(additions)} keeps all else`, () => {
    const added = error.with(additions);
    assert.equal([added.kind, added.status, added.message, added.cause], [error.kind, error.status, error.message, error]);
    assert.ok(isApiError(added));
    assert.equal(JSON.parse(toRejection(added).json), problem);
    assert.equal(toRejection(added).headers, headers);
  });
}
more('is another one: that error is as it was', () => {
  const before = toRejection(credit).json;
  assert.is.not(credit.with({ extensions: { trace: 'a' } }), credit);
  assert.is(toRejection(credit).json, before);
});
more('that is Internal does not have its text', () => {
  const { problem } = toRejection(ApiError.internal('disk').with({ extensions: { trace: 'a' } }));
  assert.equal([problem.detail, problem['trace']], [undefined, 'a']);
});
more('can be read, and be given more', () => {
  assert.equal(credit.extensions, { balance: 30 });
  assert.equal(credit.with({ extensions: { trace: 'a' } }).with({ extensions: { span: 'b' } }).extensions, { balance: 30, trace: 'a', span: 'b' });
  assert.equal(ApiError.notFound().extensions, {});
});
for (const [additions, message] of [
  [{ balance: 1 }, 'unknown option additions.balance: it can be one of extensions, headers'],
  [{ extensions: { status: 200 } }, 'options.extensions must not have "status": a different argument or option sets it'],
  [{ headers: { 'X-A': 'a\n' } }, 'header X-A must have only printable ASCII'],
] as const) {
  more(`cannot be made with ${JSON.stringify(additions)} -> TypeError`, () => assert.throws(() => credit.with(additions as {}), isTypeError(message)));
}
more('cannot be made by a write -> TypeError', () => {
  const write = (): unknown => Object.assign(ApiError.notFound(), { extensions: { id: 7 } });
  assert.throws(write, isTypeError('the extensions of an ApiError are read-only: throw error.with({ extensions })'));
});
more('cannot be made by a copy', () => {
  const text = 'a copy of an ApiError was thrown, without its message and its extensions: throw error.with({ extensions })';
  const error = ApiError.from({ ...credit, balance: 0 });
  assert.equal([error.kind, error.message], ['Internal', `Internal error: ${text}`]);
  for (const other of [{ name: 'ApiError' }, Object.assign(new Error('mine'), { name: 'ApiError', kind: 'Status' }), { name: 'Pet', kind: 'Status' }]) {
    assert.not.match(ApiError.from(other).message, 'a copy of');
  }
});
