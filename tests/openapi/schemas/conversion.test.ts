/** Where the schema of a decoder comes from, and how the document shows one that fails. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { ApiServer, stringId, type AnyDecoder } from '../../../src/index.ts';
import { openApi } from '../../../src/openapi/index.ts';
import { describe, INFO, jsonSchemaOf, operationOf, run, type DescribingOptions } from '../../support/describing.ts';

/** The schema of a decoder as a body and as a result, and the messages to `onWarning`. */
function shown(decoder: AnyDecoder, options: DescribingOptions = {}): { body: unknown; result: unknown; problems: string[] } {
  const problems: string[] = [];
  const document = describe((server) => server.registerEndpoint('/pet', { id: stringId, custom: { feed: { input: decoder, output: decoder, run } } }), {
    onWarning: (message) => problems.push(message),
    ...options,
  });
  const { requestBody, responses } = operationOf(document, 'petFeed') as any;
  return { body: requestBody.content['application/json'].schema, result: responses['200'].content['application/json'].schema, problems };
}

const text = { type: 'string' };
const legs = { type: 'integer' };
const plainFunction = (json: unknown): unknown => json;
const withoutJsonSchema = { '~standard': { version: 1, vendor: 'tests', validate: (value: unknown) => ({ value }) } } as const;
const oneSided = { '~standard': { ...withoutJsonSchema['~standard'], jsonSchema: { input: () => text } } } as const;

const sources = suite('the JSON Schema of a decoder');
sources('is its Standard JSON Schema, for each side', () => {
  assert.equal(shown(jsonSchemaOf(text, legs)), { body: text, result: legs, problems: [] });
});
sources('is asked for as draft 2020-12, as a method of its object', () => {
  const asked: unknown[] = [];
  const jsonSchema = {
    schema: text,
    input(options: unknown) { asked.push(options); return this.schema; },
    output(options: unknown) { asked.push(options); return this.schema; },
  };
  const decoder = { '~standard': { ...withoutJsonSchema['~standard'], jsonSchema } };
  assert.equal(shown(decoder).body, text);
  assert.equal(asked, [{ target: 'draft-2020-12' }, { target: 'draft-2020-12' }]);
});
sources('of a callable schema is that of the schema', () => {
  assert.equal(shown(Object.assign(() => 'called', jsonSchemaOf(text, legs))).result, legs);
});
for (const [why, decoder] of [['a function', plainFunction], ['a schema without one', withoutJsonSchema]] as const) {
  sources(`${why} -> {}, and onWarning is called`, () => {
    const problems = ['body of petFeed', 'result of petFeed'].map((place) => `${place} has no JSON Schema: the decoder has none, and options.jsonSchema returned none`);
    assert.equal(shown(decoder), { body: {}, result: {}, problems });
  });
  sources(`${why} -> the schema that the option returns`, () => {
    const jsonSchema = (asked: AnyDecoder, side: string): object | undefined => (asked === decoder ? { title: side } : undefined);
    assert.equal(shown(decoder, { jsonSchema }), { body: { title: 'input' }, result: { title: 'output' }, problems: [] });
  });
}
sources('the option is not asked for a decoder that has one', () => {
  const jsonSchema = (): never => { throw new Error('asked'); };
  assert.equal(shown(jsonSchemaOf(text, legs), { jsonSchema }), { body: text, result: legs, problems: [] });
});
sources('the option is asked for the side that is missing', () => {
  assert.equal(shown(oneSided, { jsonSchema: () => legs }), { body: text, result: legs, problems: [] });
});
sources.run();

const failures = suite('a JSON Schema that fails');
const dates = new Error('Date cannot be represented in JSON Schema');
failures('is {}, and onWarning is called once for each side, with the place', () => {
  assert.equal(shown(jsonSchemaOf(dates)), {
    body: {},
    result: {},
    problems: [
      `body of petFeed has no JSON Schema: ${dates.message}`,
      `result of petFeed has no JSON Schema: ${dates.message}`,
    ],
  });
});
for (const [why, thrown, text] of [
  ['null', () => null, 'null'],
  ['a symbol', () => Symbol('ant'), 'Symbol(ant)'],
  ['an object without a string', () => Object.create(null), 'an error without a message'],
  ['a promise that rejects', () => Promise.reject(new Error('ant')), '[object Promise]'],
] as const) {
  failures(`by throwing ${why} is {}, and onWarning is called`, () => {
    const decoder = { '~standard': { ...withoutJsonSchema['~standard'], jsonSchema: { input: () => { throw thrown(); } } } };
    const { body, problems } = shown(decoder);
    assert.equal([body, problems.slice(0, 1)], [{}, [`body of petFeed has no JSON Schema: ${text}`]]);
  });
}
for (const [state, promise] of [['fulfilled', () => Promise.resolve(text)], ['rejected', () => Promise.reject(new Error('ant'))]] as const) {
  failures(`a promise, ${state}, is {}, and onWarning is called`, async () => {
    const problem = 'body of petFeed has no JSON Schema: a JSON Schema must not be a promise';
    const own = { '~standard': { ...withoutJsonSchema['~standard'], jsonSchema: { input: promise, output: () => text } } };
    assert.equal(shown(own).problems, [problem]);
    const { body, problems } = shown(plainFunction, { jsonSchema: promise });
    assert.equal([body, problems[0]], [{}, problem]);
  });
}
for (const [levels, isKept] of [[500, true], [501, false], [100_000, false]] as const) {
  failures(`${levels} levels deep is ${isKept ? 'written' : '{}, and onWarning is called'}`, () => {
    const deep = JSON.parse('{"not":'.repeat(levels) + 'true' + '}'.repeat(levels));
    const { body, problems } = shown(jsonSchemaOf(deep, text));
    assert.equal(problems.length, isKept ? 0 : 1);
    assert.is(JSON.stringify(body).length, isKept ? JSON.stringify(deep).length : 2);
  });
}
failures('of the input alone is not reported where only the output is shown', () => {
  const problems: string[] = [];
  const output = jsonSchemaOf(dates, legs);
  describe((server) => server.registerEndpoint('/pet', { id: stringId, list: { output, run }, custom: { count: { output, run } } }), {
    onWarning: (message) => problems.push(message),
  });
  assert.equal(problems, []);
});
failures('is replaced by the schema that the option returns', () => {
  assert.equal(shown(jsonSchemaOf(dates), { jsonSchema: () => text }), { body: text, result: text, problems: [] });
});
failures('and an option that does not know it -> {}, with the first failure', () => {
  assert.equal(shown(jsonSchemaOf(dates), { jsonSchema: () => undefined }).problems.length, 2);
  const jsonSchema = (): never => { throw new Error('unknown'); };
  assert.match(shown(jsonSchemaOf(dates), { jsonSchema }).problems[0] ?? '', /Date cannot/);
});
for (const [why, schema, message] of [
  ['a bigint', { default: 1n }, /BigInt/],
  ['a list', [text], /a JSON Schema must be an object: \[/],
  ['a string', 'string', /a JSON Schema must be an object: "string"/],
  ['null', null, /a JSON Schema must be an object: null/],
  ['a function', () => text, /a JSON Schema must be an object: null/],
] as const) {
  failures(`${why} cannot be represented -> {}`, () => {
    const { body, problems } = shown(jsonSchemaOf(schema));
    assert.equal(body, {});
    assert.match(problems[0] ?? '', message);
  });
}
failures('a thrown text is the message', () => {
  const jsonSchema = { input: () => { throw 'no schema'; }, output: () => text };
  const { problems } = shown({ '~standard': { ...withoutJsonSchema['~standard'], jsonSchema } } as AnyDecoder);
  assert.equal(problems, ['body of petFeed has no JSON Schema: no schema']);
});
failures('an error of onWarning is thrown on; without onWarning nothing happens', () => {
  const onWarning = (message: string): never => { throw new RangeError(message); };
  assert.throws(() => shown(jsonSchemaOf(dates), { onWarning }), (thrown: unknown) => thrown instanceof RangeError);
  const server = new ApiServer('/v1', { logger: { info: () => {}, error: () => {} } });
  server.registerEndpoint('/pet', { id: stringId, list: { output: jsonSchemaOf(dates), run } });
  assert.is((operationOf(openApi(server, { info: INFO }), 'petList').responses['200'] as any).description, 'OK');
});
failures('a boolean is a schema', () => {
  assert.equal(shown(jsonSchemaOf(true, false)), { body: {}, result: { not: {} }, problems: [] });
});
failures.run();
