/** How schemas and functions become decoders, and their messages when they reject. */
import { ApiError } from '../../src/errors/api-error.ts';
import { Rejection, LocatedIssue, type Problem } from '../../src/errors/problem.ts';
import { isThenable } from '../../src/util/promises.ts';
import { makeQueryDecoder, makeBodyDecoder, type Decode } from '../../src/endpoint/decoder.ts';
import type { StandardSchemaV1 } from '../../src/declaration/decoder.ts';
import { assert, badRequest, isTypeError, suite } from '../support/facts.ts';

const JSON_VALUE = { legs: 4 };
const BAD_LEGS = { issues: [{ message: 'legs: too many', path: ['legs'] }] };

type Validate = StandardSchemaV1['~standard']['validate'];

function schemaOf(validate: Validate): StandardSchemaV1 {
  return { '~standard': { version: 1, vendor: 'test', validate } };
}

/** A callable schema, as some libraries have it. A call does not return the schema's output. */
function callableSchemaOf(validate: Validate): StandardSchemaV1 {
  return Object.assign(() => 'the call', schemaOf(validate));
}

async function decodeWith(decode: Decode): Promise<unknown> {
  return decode(JSON_VALUE);
}

async function captureRejection(decode: Decode): Promise<Rejection> {
  const failure = await decodeWith(decode);
  if (!(failure instanceof Rejection)) throw new Error(`not rejected: ${String(failure)}`);
  return failure;
}

/** The issues as they are sent. */
function sentErrors({ json: text }: Rejection): unknown {
  return (JSON.parse(text) as Problem).errors;
}

const schemas = suite('a Standard Schema');
for (const [form, make] of [['an object', schemaOf], ['a function', callableSchemaOf]] as const) {
  schemas(`${form}, synchronous -> its output, at once`, () => {
    const decode = makeBodyDecoder(make((value) => ({ value: [value] })), 'schema');
    assert.equal(decode(JSON_VALUE), [JSON_VALUE]);
  });
  schemas(`${form}, asynchronous -> a promise of its output`, async () => {
    const decode = makeBodyDecoder(make(async (value) => ({ value: [value] })), 'schema');
    const promise = decode(JSON_VALUE);
    assert.ok(isThenable(promise));
    assert.equal(await promise, [JSON_VALUE]);
  });
  for (const [pace, validate] of [['synchronous', () => BAD_LEGS], ['asynchronous', async () => BAD_LEGS]] as const) {
    schemas(`${form}, ${pace}, with issues -> rejected with the messages and pointers of the issues`, async () => {
      const failure = await captureRejection(makeBodyDecoder(make(validate), 'schema'));
      assert.is(failure.problem.detail, 'Bad arguments: legs: too many');
      assert.equal(sentErrors(failure), [{ detail: 'legs: too many', pointer: '#/legs' }]);
    });
  }
}
schemas('is validated with its own `this`', () => {
  class Schema {
    readonly output = 'own';
    readonly version = 1;
    readonly vendor = 'test';
    validate(): StandardSchemaV1.Result<string> {
      return { value: this.output };
    }
  }
  assert.is(makeBodyDecoder({ '~standard': new Schema() }, 'schema')(JSON_VALUE), 'own');
});
for (const value of [undefined, null, 0, false, '']) {
  schemas(`can have the output ${JSON.stringify(value)}`, () => assert.is(makeBodyDecoder(schemaOf(() => ({ value })), 'schema')(JSON_VALUE), value));
}
schemas('that throws -> its error is thrown, and is not a decode failure', async () => {
  const bug = new Error('a bug');
  const throwing = makeBodyDecoder(schemaOf(() => { throw bug; }), 'schema');
  assert.throws(() => throwing(JSON_VALUE), (error: unknown) => error === bug);
  const rejecting = makeBodyDecoder(schemaOf(() => Promise.reject(bug)), 'schema');
  assert.is(await decodeWith(rejecting).catch((error: unknown) => error), bug);
});

/** Takes its items, where `Array` takes a length. So do the lists of ArkType. */
class ListOfItems<T> extends Array<T> {
  constructor(...items: T[]) {
    super();
    this.push(...items);
  }
}

const issues = suite('an issue of a schema');
for (const [path, pointer, why] of [
  [undefined, '#', 'no path means the whole body'],
  [[], '#', 'an empty path means the whole body'],
  [new ListOfItems<PropertyKey>(), '#', 'an empty path of a class of its own means the whole body'],
  [new ListOfItems<PropertyKey>('pets', 0), '#/pets/0', 'a path of a class of its own'],
  [['legs'], '#/legs', 'a key'],
  [['pets', 0, 'legs'], '#/pets/0/legs', 'a number'],
  [[{ key: 'pets' }, { key: 0 }], '#/pets/0', 'parts that are objects with a key'],
  [[''], '#/', 'an empty key'],
  [['a/b'], '#/a~1b', 'a slash'],
  [['a~b'], '#/a~0b', 'a tilde'],
  [['~1'], '#/~01', 'a tilde before a 1 is not taken for a slash'],
  [['a b', 'c%d', 'e#f', 'g"h'], '#/a%20b/c%25d/e%23f/g%22h', 'what no fragment holds is percent-encoded'],
  [['caf\u00e9', '\u{1f41c}'], '#/caf%C3%A9/%F0%9F%90%9C', 'what is not ASCII is percent-encoded UTF-8'],
  [['\ud800', 'a\udc00b'], '#/%EF%BF%BD/a%EF%BF%BDb', 'a lone surrogate is U+FFFD'],
  [[Symbol('tag'), { key: Symbol('s') }], '#/Symbol(tag)/Symbol(s)', 'a symbol'],
  [['__proto__', 'constructor'], '#/__proto__/constructor', 'names that every object has'],
] as readonly (readonly [StandardSchemaV1.Issue['path'], string, string])[]) {
  issues(`${why} -> the pointer ${pointer}`, async () => {
    const issue: StandardSchemaV1.Issue = { message: 'bad', path };
    const failure = await captureRejection(makeBodyDecoder(schemaOf(() => ({ issues: [issue] })), 'schema'));
    assert.equal(sentErrors(failure), [{ detail: 'bad', pointer }]);
  });
}
issues('is listed with the others, in their order', async () => {
  const two = [{ message: 'name: missing' }, { message: 'legs: odd', path: ['legs'] }];
  const failure = await captureRejection(makeBodyDecoder(schemaOf(() => ({ issues: two })), 'schema'));
  assert.is(failure.problem.detail, 'Bad arguments: name: missing; legs: odd');
  assert.equal(sentErrors(failure), [{ detail: 'name: missing', pointer: '#' }, { detail: 'legs: odd', pointer: '#/legs' }]);
});
issues('is listed from an instance of a list class', async () => {
  const list = new ListOfItems<StandardSchemaV1.Issue>({ message: 'name: missing' });
  const failure = await captureRejection(makeBodyDecoder(schemaOf(() => ({ issues: list })), 'schema'));
  assert.equal(sentErrors(failure), [{ detail: 'name: missing', pointer: '#' }]);
});
for (const [count, named] of [[100, 100], [101, 100], [5000, 100]] as const) {
  issues(`${count} of them -> ${named} are listed`, async () => {
    const many = Array.from({ length: count }, (_, index) => ({ message: `bad ${index}`, path: [index] }));
    const failure = await captureRejection(makeBodyDecoder(schemaOf(() => ({ issues: many })), 'schema'));
    const { problem: { detail } } = failure;
    const listed = sentErrors(failure) as unknown[];
    assert.is(listed.length, named);
    assert.equal(listed.at(-1), { detail: 'bad 99', pointer: '#/99' });
    assert.is(detail?.split('; ').length, named);
  });
}
for (const [path, keys] of [
  [undefined, []],
  [[], []],
  [['pets', 0, { key: 'legs' }], ['pets', 0, 'legs']],
  [new ListOfItems<PropertyKey>('pets', 0), ['pets', 0]],
  [[Symbol('tag'), 0, { key: Symbol('s') }], ['Symbol(tag)', 0, 'Symbol(s)']],
] as readonly (readonly [StandardSchemaV1.Issue['path'], readonly (string | number)[]])[]) {
  issues(`has the path ${JSON.stringify(keys)}, which is not sent`, async () => {
    for (const make of [makeBodyDecoder, (schema: unknown, name: string) => makeQueryDecoder(schema, name, 400)]) {
      const failure = await captureRejection(make(schemaOf(() => ({ issues: [path === undefined ? { message: 'bad' } : { message: 'bad', path }] })), 'schema'));
      const [issue] = failure.problem.errors as readonly LocatedIssue[];
      assert.equal(issue?.path, keys);
      assert.not.match(failure.json, '"path"');
    }
  });
}
issues('of a query names its parameter', async () => {
  const two = [{ message: 'odd', path: ['filter', 'legs'] }, { message: 'missing' }];
  const failure = await captureRejection(makeQueryDecoder(schemaOf(() => ({ issues: two })), 'query', 400));
  assert.equal(sentErrors(failure), [{ detail: 'odd', parameter: 'filter' }, { detail: 'missing' }]);
});
for (const make of [makeBodyDecoder, makeQueryDecoder]) {
  issues(`has the status that ${make.name} is given`, async () => {
    for (const decoder of [schemaOf(() => BAD_LEGS), () => { throw new Error('no'); }, () => Promise.reject(new Error('no'))]) {
      const { problem: { status, title } } = await captureRejection(make(decoder, 'schema', 422));
      assert.equal([status, title], [422, 'Unprocessable Content']);
    }
  });
}
issues('an empty list of them -> rejected', async () => {
  assert.equal((await captureRejection(makeBodyDecoder(schemaOf(() => ({ issues: [] })), 'schema'))).problem.errors, []);
});

const functions = suite('a function');
functions('synchronous -> its result, at once', () => {
  assert.equal(makeBodyDecoder((json: unknown) => [json], 'schema')(JSON_VALUE), [JSON_VALUE]);
});
functions('asynchronous -> a promise of its result', async () => {
  const promise = makeBodyDecoder(async (json: unknown) => [json], 'schema')(JSON_VALUE);
  assert.ok(isThenable(promise));
  assert.equal(await promise, [JSON_VALUE]);
});
const cause = new Error('legs: expected a number');
const unknownKind = Object.assign(ApiError.notFound(), { kind: 'Teapot' });
for (const [thrown, message] of [
  [cause, 'legs: expected a number'],
  ['no', 'no'],
  [null, 'null'],
  [Object.assign(new Error('gone'), { code: 'P2025' }), 'gone'],
  [unknownKind, 'Not found.'],
] as const) {
  for (const [how, decode] of [['throws', () => { throw thrown; }], ['rejects with', () => Promise.reject(thrown)]] as const) {
    functions(`that ${how} ${String(thrown)} -> rejected with its text, of the whole body`, async () => {
      assert.equal(JSON.parse((await captureRejection(makeBodyDecoder(decode, 'schema'))).json), badRequest(message));
    });
  }
}
for (const error of [ApiError.argument('legs must be even'), ApiError.notFound(), ApiError.internal('no')]) {
  for (const [how, decode] of [['throws', () => { throw error; }], ['rejects with', () => Promise.reject(error)]] as const) {
    functions(`that ${how} an ApiError of kind ${error.kind} -> the error is thrown unchanged`, async () => {
      assert.is(await decodeWith(makeBodyDecoder(decode, 'schema')).catch((thrown: unknown) => thrown), error);
    });
  }
}

const neither = suite('a decoder that is neither a schema nor a function');
for (const [decoder, why, type] of [
  [undefined, 'undefined', 'undefined'],
  [null, 'null', 'object'],
  ['zod', 'text', 'string'],
  [7, 'a number', 'number'],
  [{}, 'an object', 'object'],
  [{ '~standard': null }, 'an object whose ~standard is null', 'object'],
  [{ '~standard': { version: 1, vendor: 'test' } }, 'an object whose ~standard has no validate', 'object'],
  [{ '~standard': { validate: true } }, 'an object whose validate is not a function', 'object'],
  [{ type: 'object', required: ['name'] }, 'a JSON Schema', 'a JSON Schema'],
] as const) {
  neither(`${why} -> TypeError that names the property`, () => {
    const message = `endpoint.schema must be a Standard Schema such as Zod's, or a function: ${type}`;
    assert.throws(() => makeBodyDecoder(decoder, 'endpoint.schema'), isTypeError(message));
  });
}
neither('a class -> TypeError with a function that makes an instance', () => {
  class Pet {}
  const message = 'endpoint.schema must be a function, not the class Pet: (json) => new Pet(json)';
  assert.throws(() => makeBodyDecoder(Pet, 'endpoint.schema'), isTypeError(message));
});
neither('a class that is a schema is one', () => {
  class Pet {
    static readonly '~standard' = { version: 1, vendor: 'test', validate: (value: unknown) => ({ value }) };
  }
  assert.is(makeBodyDecoder(Pet, 'endpoint.schema')(7), 7);
});
