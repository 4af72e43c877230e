/** The long form of an operation: the same behaviour as the short form, and the further properties. */
import { byType, form, mergePatch, ndjson } from '../../../src/formats/index.ts';
import { bytes, integerId } from '../../../src/index.ts';
import { assert, check, facts, suite, type Declare } from '../../support/facts.ts';
import { makeSchema } from '../../support/serve-decoder.ts';

const wrapDecoded = (json: unknown): unknown => ({ decoded: json });

const forms = suite('O7: an operation as an options object');
class Store {
  readonly id = integerId;
  readonly schema = wrapDecoded;
  readonly got: unknown[] = [];
  readonly note = 'a property of its own';
  readonly create = { run: (pet: unknown) => (this.got.push(pet), 1) };
  readonly get = { run: this.#find.bind(this) };
  readonly update = { input: (json: unknown) => ({ own: json }), run: (...[, pet]: [number, unknown]) => void this.got.push(pet) };

  #find(id: number): unknown {
    return { id };
  }
}
forms('of a class that has further properties takes the schema or its own input', () => {
  const store = new Store();
  return check((server) => server.registerEndpoint('/pet', store as never), ['POST /v1/pet 1', 'PUT /v1/pet/1 2', 'GET /v1/pet/3'], ['201 text 1 | Location: /v1/pet/1', '204', '200 {"id":3}'], [], {
    after: () => assert.equal(store.got, [{ decoded: 1 }, { own: 2 }]),
  });
});
class Named {
  readonly #name = 'this';
  readonly run = function (this: Named): string {
    return this.#name;
  };
}
const named = { id: integerId, get: new Named(), list: new Named(), delete: new Named(), custom: { a: new Named() }, itemCustom: { b: new Named() } };
facts(forms, (server) => server.registerEndpoint('/pet', named as never), ['GET /v1/pet', 'GET /v1/pet/1', 'POST /v1/pet/a', 'POST /v1/pet/1/b', 'DELETE /v1/pet/1'].map((request) => (
  ['is called as a method of it', request, request.startsWith('DELETE') ? '204' : '200 "this"']
)));
const declareForms: Declare = (server) => {
  let invoked = 0;
  server.registerEndpoint('/pet', {
    id: integerId,
    create: { run: (request) => (invoked += Number(request.params !== undefined)) },
    custom: {
      optional: { input: wrapDecoded, optional: true, run: (input) => JSON.stringify(input) ?? 'undefined' },
      small: { input: String, limits: { bodyBytes: 4 }, run: (text) => text },
      large: { input: String, limits: { bodyBytes: 100 }, run: (text) => text },
      quick: { limits: { operationMs: 20 }, run: () => new Promise(() => {}) },
      usual: { input: String, run: (text) => text },
    },
  });
};
const tooLarge = (bytes: number): string => `413 The body must not be longer than ${bytes} bytes. | Connection: close`;
facts(forms, declareForms, [
  ...['', ' null', ' 1', ' {}', ' no JSON'].map((body) => ['without input and schema takes no body', `POST /v1/pet${body}`, '201 text 1 | Location: /v1/pet/1'] as const),
  ['whose input is optional', 'POST /v1/pet/optional', '200 "undefined"'],
  ['whose input is optional', 'POST /v1/pet/optional 7', '200 "{\\"decoded\\":7}"'],
  ['whose input is optional', 'POST /v1/pet/optional null', '200 "{\\"decoded\\":null}"'],
  ["its own limits override the server's", ['POST /v1/pet/small 1234', 'POST /v1/pet/small 12345'], ['200 "1234"', tooLarge(4)]],
  ["the server's limits", ['POST /v1/pet/usual 1234567890', 'POST /v1/pet/usual 12345678901'], ['200 "1234567890"', tooLarge(10)]],
  ['larger limits', [`POST /v1/pet/large ${'1'.repeat(15)}`, `POST /v1/pet/large "${'1'.repeat(99)}"`], ['200 "111111111111111"', tooLarge(100)]],
  ['a time limit', 'POST /v1/pet/quick', '503 The operation took too long.', 'POST /v1/pet/quick: the operation took longer than 20 ms'],
], { limits: { bodyBytes: 10 } });

const shows = { optional: true, run: (input: unknown): string => (typeof input === 'object' && Symbol.asyncIterator in Object(input) ? 'stream' : typeof input) } as const;
const FORM = 'Content-Type: application/x-www-form-urlencoded';
facts(forms, (server) => server.registerEndpoint('/pet', {
  custom: {
    form: { input: form((fields: unknown) => fields), ...shows },
    either: { input: byType(wrapDecoded, form(wrapDecoded)), ...shows },
    bytes: { input: bytes({ types: ['image/png'] }), ...shows },
    items: { input: ndjson(wrapDecoded), ...shows },
    change: { input: mergePatch(wrapDecoded), ...shows },
  },
} as never), [
  ...['form', 'either', 'bytes', 'items', 'change'].flatMap((name) => [
    ['whose format is optional', `POST /v1/pet/${name}`, '200 "undefined"'],
    ['with an empty body', `POST /v1/pet/${name} \nContent-Length: 0`, '200 "undefined"'],
    ['from a different origin', `POST /v1/pet/${name}\nSec-Fetch-Site: cross-site`, '415 From a page of a different origin, a POST needs a Content-Type that requires a preflight.'],
  ] as const),
  ['with a patch', 'POST /v1/pet/change {}\nContent-Type: application/json', '200 "function"'],
  ['with a form', `POST /v1/pet/form a=1\n${FORM}`, '200 "object"'],
  ['with a form', `POST /v1/pet/either a=1\n${FORM}`, '200 "object"'],
  ['with a body', 'POST /v1/pet/bytes 1\nContent-Type: image/png', '200 "stream"'],
  ['with a body of a different type', 'POST /v1/pet/bytes 1\nContent-Type: text/plain', '415 The body must be image/png. | Accept: image/png | Accept-Post: image/png'],
  ['with a type, and no body', 'POST /v1/pet/bytes\nContent-Type: image/png', '200 "undefined"'],
  ['with a different type, and no body', 'POST /v1/pet/bytes\nContent-Type: text/plain', '415 The body must be image/png. | Accept: image/png | Accept-Post: image/png'],
]);

/** Drops secret properties, and rejects an object without a name. */
const shown = makeSchema((value) => {
  const { name } = value as { name?: unknown };
  return typeof name === 'string' ? { value: { name } } : { issues: [{ message: 'expected a name' }] };
});
const fail = (): never => {
  throw new Error('secret');
};

const outputs = suite('O8 O25 Q12: the output of an operation');
const USER = { name: 'Ann', password: 'secret' };
const declare: Declare = (server) => server.registerEndpoint('/user', {
  id: integerId,
  list: { output: (all: unknown) => (all as unknown[]).length, run: () => [USER, USER] },
  get: { output: shown, run: (id) => [USER, { password: 'secret' }, undefined][id] },
  custom: {
    me: { output: async (user) => ({ ...(user as object), password: undefined }), run: () => USER },
    mapped: { output: { 200: shown, 304: null }, run: () => USER },
    rejected: { output: () => Promise.reject(new Error('secret')), run: () => USER },
    thrown: { output: fail, run: () => USER },
    broken: { output: makeSchema(fail), run: () => USER },
  },
  delete: { output: { 200: shown, 204: null }, run: (id) => (id === 2 ? undefined : USER) },
});
const REJECTED = 'Internal error: the result does not match output: Bad arguments: ';
facts(outputs, declare, [
  ['its result is sent', 'GET /v1/user', '200 2'],
  ['its result is sent', 'GET /v1/user/0', '200 {"name":"Ann"}'],
  ['its result is sent', 'POST /v1/user/me', '200 {"name":"Ann"}'],
  ['its result is sent', 'POST /v1/user/mapped', '200 {"name":"Ann"}'],
  ['its result is sent', 'DELETE /v1/user/1', '200 {"name":"Ann"}'],
  ['a result that it rejects', 'GET /v1/user/1', '500', `GET /v1/user/:id: ${REJECTED}expected a name`],
  ['a result that it rejects', 'POST /v1/user/broken', '500', 'POST /v1/user/broken: Internal error: secret'],
  ['a result that it rejects', 'POST /v1/user/rejected', '500', `POST /v1/user/rejected: ${REJECTED}secret`],
  ['a result that it rejects', 'POST /v1/user/thrown', '500', `POST /v1/user/thrown: ${REJECTED}secret`],
  ['is not asked for an item that does not exist', 'GET /v1/user/2', '404 Not found.'],
  ['is not asked for nothing where 204 is declared', 'DELETE /v1/user/2', '204'],
]);
