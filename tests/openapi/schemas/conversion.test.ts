/** Where the schema of a decoder comes from, and how the document shows one that fails. */
import { ApiServer, type ApiServerOptions, stringId, type AnyDecoder } from '../../../src/index.ts';
import { checks } from '../../../src/checks/index.ts';
import { mcpHandler } from '../../../src/mcp/index.ts';
import { openApi } from '../../../src/openapi/index.ts';
import { makeDocument, INFO, makeJsonSchema, findOperation, run } from '../../support/make-document.ts';
import { assert, suite } from '../../support/facts.ts';

/** The schema of a decoder as a body and as a result, and the logged messages. */
function describeShown(decoder: AnyDecoder, server: ApiServerOptions = {}): { body: unknown; result: unknown; problems: string[] } {
  const problems: string[] = [];
  const document = makeDocument((server) => server.registerEndpoint('/pet', { id: stringId, custom: { feed: { input: decoder, output: decoder, run } } }), {
    problems, server,
  });
  const { requestBody, responses } = findOperation(document, 'petFeed') as any;
  return { body: requestBody.content['application/json'].schema, result: responses['200'].content['application/json'].schema, problems };
}

const text = { type: 'string' };
const legs = { type: 'integer' };
const plainFunction = (json: unknown): unknown => json;
const withoutJsonSchema = { '~standard': { version: 1, vendor: 'tests', validate: (value: unknown) => ({ value }) } } as const;
const oneSided = { '~standard': { ...withoutJsonSchema['~standard'], jsonSchema: { input: () => text } } } as const;

type LibraryOptions = Readonly<Record<string, any>>;

/** A schema of a library, as it converts with the options that it gets. */
function makeLibrarySchema(vendor: string, convert: (options: LibraryOptions) => object): AnyDecoder {
  const side = ({ libraryOptions = {} }: { readonly libraryOptions?: LibraryOptions }): object => convert(libraryOptions);
  return { '~standard': { version: 1, vendor, validate: (value: unknown) => ({ value }), jsonSchema: { input: side, output: side } } } as AnyDecoder;
}

const sources = suite('the JSON Schema of a decoder');
sources('is its Standard JSON Schema, for each side', () => {
  assert.equal(describeShown(makeJsonSchema(text, legs)), { body: text, result: legs, problems: [] });
});
sources('is asked for as draft 2020-12, as a method of its object', () => {
  const asked: unknown[] = [];
  const jsonSchema = {
    schema: text,
    input(options: unknown) { asked.push(options); return this.schema; },
    output(options: unknown) { asked.push(options); return this.schema; },
  };
  const decoder = { '~standard': { ...withoutJsonSchema['~standard'], jsonSchema } };
  assert.equal(describeShown(decoder).body, text);
  assert.equal(asked, [{ target: 'draft-2020-12' }, { target: 'draft-2020-12' }]);
});
sources('of a callable schema is that of the schema', () => {
  assert.equal(describeShown(Object.assign(() => 'called', makeJsonSchema(text, legs))).result, legs);
});
for (const [why, decoder] of [['a function', plainFunction], ['a schema without one', withoutJsonSchema]] as const) {
  sources(`${why} -> {}${decoder === plainFunction ? '' : ', and is logged'}`, () => {
    const places = decoder === plainFunction ? [] : ['body of petFeed', 'result of petFeed'];
    const problems = places.map((place) => `${place} has no JSON Schema: the decoder has none, and the server's jsonSchema returned none`);
    assert.equal(describeShown(decoder), { body: {}, result: {}, problems });
  });
  sources(`${why} -> the schema that the option returns`, () => {
    const jsonSchema = (asked: AnyDecoder, side: string): object | undefined => (asked === decoder ? { title: side } : undefined);
    assert.equal(describeShown(decoder, { jsonSchema }), { body: { title: 'input' }, result: { title: 'output' }, problems: [] });
  });
}
sources('the option is not asked for a decoder that has one', () => {
  const jsonSchema = (): never => { throw new Error('asked'); };
  assert.equal(describeShown(makeJsonSchema(text, legs), { jsonSchema }), { body: text, result: legs, problems: [] });
});
sources('the option is asked for the side that is missing', () => {
  assert.equal(describeShown(oneSided, { jsonSchema: () => legs }), { body: text, result: legs, problems: [] });
});

const failures = suite('a JSON Schema that fails');
const dates = new Error('Date cannot be represented in JSON Schema');
failures('is {}, and is logged once for each side, with the place', () => {
  assert.equal(describeShown(makeJsonSchema(dates)), {
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
  failures(`by throwing ${why} is {}, and is logged`, () => {
    const decoder = { '~standard': { ...withoutJsonSchema['~standard'], jsonSchema: { input: () => { throw thrown(); } } } };
    const { body, problems } = describeShown(decoder);
    assert.equal([body, problems.slice(0, 1)], [{}, [`body of petFeed has no JSON Schema: ${text}`]]);
  });
}
for (const [state, promise] of [['fulfilled', () => Promise.resolve(text)], ['rejected', () => Promise.reject(new Error('ant'))]] as const) {
  failures(`a promise, ${state}, is {}, and is logged`, async () => {
    const problem = 'body of petFeed has no JSON Schema: a JSON Schema must not be a promise';
    const own = { '~standard': { ...withoutJsonSchema['~standard'], jsonSchema: { input: promise, output: () => text } } };
    assert.equal(describeShown(own).problems, [problem]);
    const { body, problems } = describeShown(plainFunction, { jsonSchema: promise });
    assert.equal([body, problems[0]], [{}, problem]);
  });
}
for (const [levels, isKept] of [[500, true], [501, false], [100_000, false]] as const) {
  failures(`${levels} levels deep is ${isKept ? 'written' : '{}, and is logged'}`, () => {
    const deep = JSON.parse('{"not":'.repeat(levels) + 'true' + '}'.repeat(levels));
    const { body, problems } = describeShown(makeJsonSchema(deep, text));
    assert.equal(problems.length, isKept ? 0 : 1);
    if (levels === 501) assert.match(problems.join(), 'a JSON Schema must not be deeper than 500 levels: for a schema that contains itself, use $ref');
    assert.is(JSON.stringify(body).length, isKept ? JSON.stringify(deep).length : 2);
  });
}
failures('of the input alone is not reported where only the output is shown', () => {
  const problems: string[] = [];
  const output = makeJsonSchema(dates, legs);
  makeDocument((server) => server.registerEndpoint('/pet', { id: stringId, list: { output, run }, custom: { count: { output, run } } }), { problems });
  assert.equal(problems, []);
});
failures('is replaced by the schema that the option returns', () => {
  assert.equal(describeShown(makeJsonSchema(dates), { jsonSchema: () => text }), { body: text, result: text, problems: [] });
});
failures('and an option that does not know it -> {}, with the first failure', () => {
  assert.equal(describeShown(makeJsonSchema(dates), { jsonSchema: () => undefined }).problems.length, 2);
  const jsonSchema = (): never => { throw new Error('unknown'); };
  assert.match(describeShown(makeJsonSchema(dates), { jsonSchema }).problems[0] ?? '', /Date cannot/);
});
for (const [why, schema, message] of [
  ['a bigint', { default: 1n }, /BigInt/],
  ['a list', [text], /a JSON Schema must be an object: \[/],
  ['a string', 'string', /a JSON Schema must be an object: "string"/],
  ['null', null, /a JSON Schema must be an object: null/],
  ['a function', () => text, /a JSON Schema must be an object: null/],
] as const) {
  failures(`${why} cannot be represented -> {}`, () => {
    const { body, problems } = describeShown(makeJsonSchema(schema));
    assert.equal(body, {});
    assert.match(problems[0] ?? '', message);
  });
}
failures('a thrown text is the message', () => {
  const jsonSchema = { input: () => { throw 'no schema'; }, output: () => text };
  const { problems } = describeShown({ '~standard': { ...withoutJsonSchema['~standard'], jsonSchema } } as AnyDecoder);
  assert.equal(problems, ['body of petFeed has no JSON Schema: no schema']);
});
for (const [library, libraryOptions] of [['zod', { unrepresentable: 'any' }], ['valibot', { errorMode: 'ignore' }]] as const) {
  failures(`of ${library}, which converts the rest leniently, is the rest where the option does not know it`, () => {
    const { body, problems } = describeShown(makeLibrarySchema(library, (options) => {
      if (Object.keys(libraryOptions).every((name) => !(name in options))) throw dates;
      return { type: 'object', properties: { name: text, born: {} } };
    }));
    assert.equal([body, problems], [{ type: 'object', properties: { name: text, born: {} } }, []]);
  });
  failures(`of ${library} is first what the option returns`, () => {
    const decoder = makeLibrarySchema(library, (options) => { if (!(Object.keys(libraryOptions)[0] as string in options)) throw dates; return text; });
    assert.equal(describeShown(decoder, { jsonSchema: () => legs }), { body: legs, result: legs, problems: [] });
  });
}
failures('a boolean is a schema', () => assert.equal(describeShown(makeJsonSchema(true, false)), { body: {}, result: { not: {} }, problems: [] }));

const DATE = { type: 'string', format: 'date-time' };
const BIGINT = { type: 'integer', format: 'int64' };
const FILE = { type: 'string', format: 'binary' };
class Other {}

/** Zod converts an object: it calls `unrepresentable` for a part that JSON lacks, and `override` for each part. */
function makeZodPart(type: string, of?: unknown): AnyDecoder {
  const zodSchema = { _zod: { def: { type }, bag: { Class: of } } };
  return makeLibrarySchema('zod', ({ unrepresentable, override }) => {
    const json = type === 'readonly' ? { ...text, readOnly: true } : {};
    if (type !== 'readonly') {
      if (unrepresentable === undefined) throw new Error(`${type} cannot be represented`);
      const part = unrepresentable({ zodSchema, path: ['properties', 'part'], message: `${type} cannot be represented` });
      if (part !== 'any') Object.assign(json, part);
    }
    override?.({ zodSchema, jsonSchema: json });
    return { properties: { part: json } };
  });
}

/** Valibot calls `overrideSchema` for each part, with the errors. */
function makeValibotPart(type: string, of?: unknown, before: object = {}): AnyDecoder {
  return makeLibrarySchema('valibot', ({ errorMode, overrideSchema }) => {
    const errors = [`${type} cannot be converted`];
    if (errorMode !== 'ignore') throw new Error(errors[0]);
    return { properties: { part: overrideSchema({ valibotSchema: { type, class: of }, jsonSchema: before, errors }) ?? before } };
  });
}

/** Valibot calls `overrideAction` for each step of a pipe, with the schema before it. */
function makeValibotAction(type: string): AnyDecoder {
  return makeLibrarySchema('valibot', ({ errorMode, overrideAction }) => {
    if (errorMode !== 'ignore') throw new Error(`${type} cannot be converted`);
    return { properties: { part: overrideAction({ valibotAction: { type }, jsonSchema: text }) ?? text } };
  });
}

/** A library that writes only the source of a regular expression, as all of them do. */
function makePattern(library: 'zod' | 'zod, of its format' | 'zod, in its bag' | 'valibot' | 'arktype', { source, flags }: RegExp): AnyDecoder {
  const json = (): object => ({ properties: { part: { type: 'string', pattern: source } }, $defs: { Other: { pattern: source }, Plain: { pattern: 'plain' } } });
  if (library === 'arktype') {
    const internal = { references: [{ kind: 'domain' }, { kind: 'pattern', rule: 'plain' }, { kind: 'pattern', rule: source, flags }] };
    return Object.assign(makeLibrarySchema('arktype', json), { internal });
  }
  const pattern = { source, flags } as RegExp;
  if (library === 'valibot') {
    return makeLibrarySchema('valibot', ({ errorMode, overrideAction }) => {
      if (errorMode !== 'ignore') throw new Error('flags are not supported');
      overrideAction({ valibotAction: { type: 'regex', requirement: pattern }, jsonSchema: text });
      return json();
    });
  }
  const check = { _zod: { def: { pattern } } };
  const def = library === 'zod' ? { type: 'string', checks: [check] } : { type: 'string', ...(library === 'zod, of its format' && { pattern }) };
  const bag = library === 'zod, in its bag' ? { patterns: new Set([pattern]) } : undefined;
  return makeLibrarySchema('zod', ({ override }) => {
    override({ zodSchema: { _zod: { def, bag } }, jsonSchema: {} });
    return json();
  });
}

/** ArkType writes `{}` for a part without a `fallback`. */
function makeArkTypePart(code: 'date' | 'domain' | 'proto', of?: unknown): AnyDecoder {
  return makeLibrarySchema('arktype', ({ fallback }) => ({ properties: { part: fallback?.[code]({ [code]: of, base: {} }) ?? {} } }));
}

const parts = suite('a part that JSON does not have');
for (const [why, decoder, part, gap] of [
  ['a date of Zod', makeZodPart('date'), DATE],
  ['a bigint of Zod', makeZodPart('bigint'), BIGINT],
  ['a File of Zod', makeZodPart('custom', File), FILE],
  ['a Date of Zod', makeZodPart('custom', Date), DATE],
  ['a default of Zod', makeZodPart('default'), {}],
  ['a readonly list of Zod', makeZodPart('readonly'), text],
  ['a transform of Zod', makeZodPart('transform'), {}, 'transform cannot be represented, at #/properties/part'],
  ['a class of Zod', makeZodPart('custom', Other), {}, 'custom cannot be represented, at #/properties/part'],
  ['a date of Valibot', makeValibotPart('date'), DATE],
  ['a bigint of Valibot', makeValibotPart('bigint'), BIGINT],
  ['a file of Valibot', makeValibotPart('file'), FILE],
  ['a blob of Valibot', makeValibotPart('blob'), FILE],
  ['a File of Valibot', makeValibotPart('instance', File), FILE],
  ['a class of Valibot', makeValibotPart('instance', Other), {}, 'instance cannot be converted'],
  ['a default of Valibot', makeValibotPart('optional', undefined, { ...BIGINT, default: 3n }), { ...BIGINT, default: 3 }, 'optional cannot be converted'],
  ['a check of Valibot', makeValibotAction('check'), text],
  ['a date that Valibot makes', makeValibotAction('to_date'), DATE],
  ['a number that Valibot makes', makeValibotAction('to_number'), { type: 'number' }],
  ['a transform of Valibot', makeValibotAction('transform'), {}, 'The result of the "transform" action is not known.'],
  ['a date of ArkType', makeArkTypePart('date'), DATE],
  ['a bigint of ArkType', makeArkTypePart('domain', 'bigint'), BIGINT],
  ['a File of ArkType', makeArkTypePart('proto', File), FILE],
  ['a class of ArkType', makeArkTypePart('proto', Other), {}, 'Other cannot be represented in JSON Schema'],
  ['a symbol of ArkType', makeArkTypePart('domain', 'symbol'), {}, 'symbol cannot be represented in JSON Schema'],
] as readonly (readonly [string, AnyDecoder, object, string?])[]) {
  parts(`${why} -> ${JSON.stringify(part)}${gap === undefined ? '' : ', and is logged'}`, () => {
    const { body, problems } = describeShown(decoder);
    assert.equal(body, { properties: { part } });
    assert.equal(problems.slice(0, 1), gap === undefined ? [] : [`body of petFeed has parts without a JSON Schema: ${gap}`]);
  });
}
for (const [limits, format] of [
  [{ minimum: Number.MIN_SAFE_INTEGER, maximum: Number.MAX_SAFE_INTEGER }, 'int64'], [{ minimum: 0, maximum: 2 ** 31 }, 'int64'],
  [{ minimum: -(2 ** 31), maximum: 2 ** 31 - 1 }, undefined],
  [{ maximum: 100 }, undefined], [{ maximum: 2 ** 40, format: 'own' }, 'own'], [{ type: 'number', maximum: 2 ** 40 }, undefined],
] as const) {
  parts(`of an integer, ${JSON.stringify(limits)}, has the format ${format}`, () => {
    const { properties: { part } } = describeShown(makeJsonSchema({ properties: { part: { type: 'integer', ...limits } } })).body as any;
    assert.is(part.format, format);
  });
}
for (const library of ['zod', 'zod, of its format', 'zod, in its bag', 'valibot', 'arktype'] as const) {
  for (const [pattern, isKept] of [
    [/^a$/, true], [/^a$/dgu, true], [/^a$/i, false], [/^a$/m, false], [/^a.$/s, false], [/a/y, false], [new RegExp('a', 'v'), false], [/^\d\-\d$/, false],
  ] as const) {
    parts(`of a pattern of ${library}, ${pattern}, is ${isKept ? 'written' : 'left out: JSON Schema has no flags, and is read with u'}`, () => {
      const { body, problems } = describeShown(makePattern(library, pattern));
      const part = isKept ? { type: 'string', pattern: pattern.source } : { type: 'string' };
      assert.equal([body, problems], [{ properties: { part } }, []]);
    });
  }
}
for (const [tuple, shown] of [
  [{ prefixItems: [text, legs], items: false, minItems: 2 }, { prefixItems: [text, legs], minItems: 2, maxItems: 2 }],
  [{ prefixItems: [text, legs], items: false, maxItems: 1 }, { prefixItems: [text, legs], maxItems: 1 }],
  [{ prefixItems: [text], items: legs }, { prefixItems: [text], items: legs }],
  [{ items: false }, { items: false }],
]) {
  parts(`of a tuple: ${JSON.stringify(tuple)} -> ${JSON.stringify(shown)}`, () => assert.equal(describeShown(makeJsonSchema(tuple)).body, shown));
}
parts('is logged once for each schema, by documents, tools and checks', async () => {
  const errors: string[] = [];
  const server = new ApiServer('/v1', { logger: { info: () => {}, error: ({ message }) => errors.push(message) } });
  const input = makeZodPart('transform');
  server.registerEndpoint('/pet', { id: stringId, create: { tool: true, input, run }, custom: { feed: { input: plainFunction, run } } });
  server.mount('/mcp', mcpHandler(server, { info: { name: 'zoo', version: '1' } }));
  openApi(server, { info: INFO });
  openApi(server, { info: INFO });
  const list = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list' });
  await (await server.fetch('/mcp', { method: 'POST', body: list, headers: { 'Content-Type': 'application/json' } })).json();
  checks(server);
  assert.equal(errors, ['body of petCreate has parts without a JSON Schema: transform cannot be represented, at #/properties/part']);
});
