/** Which declarations of an endpoint are accepted at run time, and which are rejected. */
import { anyone, bearer } from '../../src/auth/index.ts';
import { events } from '../../src/formats/index.ts';
import type { StandardSchemaV1 } from '../../src/declaration/decoder.ts';
import { integerId, stringId, uint64Id, uuidId } from '../../src/declaration/id-codec.ts';
import { Rejection } from '../../src/errors/problem.ts';
import { Endpoint } from '../../src/endpoint/endpoint.ts';
import { ApiServer, type ApiRequest } from '../../src/index.ts';
import { makeJsonSchema } from '../support/make-document.ts';
import { KINDS } from '../../src/declaration/kinds.ts';
import { checkServerOptions } from '../../src/server/settings/server-options.ts';
import { assert, isTypeError, suite } from '../support/facts.ts';


/** A schema of an object whose `legs`, or each of them, the function accepts. Issues have the name as a path, or as the key of its segment. */
function makeStrictSchema(legs: object, isRight: (value: unknown) => boolean, hasKeys: boolean): StandardSchemaV1<any, any> {
  const { '~standard': standard } = makeJsonSchema({ type: 'object', properties: { legs, name: {} } });
  const validate = (value: any): any => {
    const issues = [value.legs].flat().every(isRight) ? [] : [{ message: 'not legs', path: [hasKeys ? { key: 'legs' } : 'legs', 0] }];
    return { issues: [...issues, { message: 'no name', path: ['name'] }] };
  };
  return { '~standard': { ...standard, validate } };
}

const run = (): string => 'done';
const schema = (json: unknown): unknown => [json];

// Schemas do not get it.
const REQUEST = {} as ApiRequest;
const JSON_7 = Buffer.from('7');
const KIND_NAMES = [...new Set(KINDS.map(({ name }) => name))].join(', ');
const scoped = bearer(() => ({ scopes: ['read'] }), { getScopes: ({ scopes }) => scopes });
const SETTINGS = checkServerOptions({ logger: { info: () => {}, error: () => {} } });

function endpointOf(declared: object): Endpoint {
  return new Endpoint('', '/pet', declared, SETTINGS);
}

function typeError(message: string): (error: unknown) => boolean {
  return isTypeError(message);
}

const declared = suite('a declaration');
for (const [properties, has] of [
  [{ schema, create: run }, ['create']],
  [{ get: run }, ['get']],
  [{ schema, update: run }, ['update']],
  [{ delete: run }, ['delete']],
  [{ custom: { feed: { run } } }, ['custom']],
  [{ schema, create: run, get: run, update: run, delete: run, custom: { feed: { run } }, mapError: run },
    ['create', 'get', 'update', 'delete', 'custom']],
  [{ get: run, create: undefined, update: undefined, delete: undefined, custom: undefined, mapError: undefined }, ['get']],
  [{ get: run, custom: {} }, ['get']],
  [{ get: { run, query: schema }, version: run }, ['get']],
  [{ get: { run, query: schema }, delete: run, version: run, currentVersion: run, requireIfMatch: true }, ['get', 'delete']],
  [{ get: { run, query: schema }, delete: run, requireIfMatch: false }, ['get', 'delete']],
  [{ delete: run, currentVersion: run, requireIfMatch: true }, ['delete']],
] as readonly (readonly [object, readonly string[]])[]) {
  declared(`of ${Object.keys(properties).join(', ')} -> has ${has.join(', ')}, and no other operation`, () => {
    const { id, operations } = endpointOf({ id: stringId, ...properties });
    assert.equal([...new Set(operations.map(({ kind }) => kind.name as string))].sort(), [...has].sort());
    assert.is(id?.parse('ant'), 'ant');
    assert.is(id?.format('ant', 'not an id:'), 'ant');
    for (const { kind, input } of operations) assert.is(input !== undefined, kind.name === 'create' || kind.name === 'update');
  });
}
declared('lists its Custom operations in their order, and only those with input take a body', () => {
  const { operations } = endpointOf({ id: stringId, custom: { b: { run }, a: { input: schema, run } } });
  assert.equal(operations.map(({ name, input }) => [name, input !== undefined]), [['b', false], ['a', true]]);
});
for (const name of ['feed', 'Feed-2', '...', '.a', '~', '_', '7', '__proto__', 'constructor', 'toString', 'hasOwnProperty']) {
  declared(`can have a Custom operation named ${name}`, () => {
    const { operations } = endpointOf({ id: stringId, custom: { [name]: { run } } });
    assert.equal(operations.map((operation) => [operation.name, operation.run(1, 2, 3)]), [[name, 'done']]);
  });
}
declared('decodes with its schema for create and for update', async () => {
  for (const operation of ['create', 'update']) {
    assert.equal(endpointOf({ id: stringId, schema, [operation]: run }).operations[0]?.decode(JSON_7, REQUEST), [7]);
    const rejecting = endpointOf({ id: stringId, schema: () => Promise.reject(new Error('no')), [operation]: run });
    assert.instance(await rejecting.operations[0]?.decode(JSON_7, REQUEST), Rejection);
  }
});
for (const property of ['custom', 'itemCustom']) {
  declared(`takes a function in ${property} as one without input, and calls it as a method of ${property}`, () => {
    const named = {
      schema,
      feed(...args: readonly unknown[]): unknown {
        return [this, ...args];
      },
    };
    const { operations } = endpointOf({ id: stringId, schema, [property]: named });
    const feed = operations.find(({ name }) => name === 'feed');
    assert.is(feed?.kind.name, property);
    assert.equal(feed?.run(1, 2, 3), property === 'custom' ? [named, 3] : [named, 1, 3]);
    assert.equal([feed?.input, feed?.headDecoders], [undefined, undefined]);
  });
}
for (const [name, id] of Object.entries({ integerId, uint64Id, uuidId })) {
  for (const [how, codec] of [['', id], [' in a copy', { ...id }], [' with a format of the user', { parse: id.parse, format: run }]] as const) {
    declared(`with ${name}${how} rejects every wrong text with the same prepared error response`, () => {
      const declaration = endpointOf({ id: codec, get: run });
      assert.instance(declaration.id?.parse('ant'), Rejection);
      assert.is(declaration.id?.parse('bee'), declaration.id?.parse('ant'));
    });
  }
  declared(`with ${name} and a parse of the user asks that one`, () => {
    assert.is(endpointOf({ id: { ...id, parse: (text: string) => `mine: ${text}` }, get: run }).id?.parse('ant'), 'mine: ant');
  });
}
declared('with Custom operations in an object without a prototype, and of any name, has these', () => {
  const custom = Object.assign(Object.create(null), { feed: { run }, constructor: { run } });
  assert.equal(endpointOf({ id: stringId, custom }).operations.map(({ name }) => name), ['feed', 'constructor']);
  assert.equal(endpointOf({ id: stringId, custom: { constructor: { run } } }).operations.map(({ name }) => name), ['constructor']);
});

const NO_SHORT_PATCH = 'endpoint.patch must be an object, not a function: patch: { input: Part, run: (…) => … }';

class Operations {
  feed(): void {}
}

/** A Standard Schema, such as Zod's or ArkType's, from an object or a function that the library makes. */
function schemaOf(value: object): object {
  return Object.assign(value === run ? (): string => 'parsed' : value, { '~standard': { version: 1, vendor: 'test', validate: (given: unknown) => ({ value: given }) } });
}

/** A schema of Joi 17, Yup or Superstruct. */
class OldSchema {
  readonly type = 'object';
  validate(): void {}
}
const OLD_SCHEMA = 'a schema without "~standard". Update its library, or wrap it: (json) => value';

for (const [what, validate] of [
  ['later', () => Promise.reject(new Error('no'))], ['by throwing', () => { throw new TypeError('no name'); }],
] as const) {
  declared(`can have numbers in a query whose schema responds ${what}: whether it takes strings is not known`, () => {
    const { '~standard': standard } = makeStrictSchema({ type: 'number' }, () => true, false);
    const query = { '~standard': { ...standard, validate } } as unknown as StandardSchemaV1;
    new ApiServer('/v1', { logger: { info: () => {}, error: () => {} } }).registerEndpoint('/pet', { id: stringId, list: { query, run } });
  });
}

const rejected = suite('O1 O2 O3 O7 O9 O18 O24 V6 V11: a rejected endpoint');
const REJECTED = [
  [undefined, 'endpoint must be an object: undefined'],
  [null, 'endpoint must be an object: null'],
  ['animal', 'endpoint must be an object: animal'],
  [{ id: null, get: run }, 'endpoint.id must be a codec with parse and format, such as integerId: null'],
  [{ id: 'int', get: run }, 'endpoint.id must be a codec with parse and format, such as integerId: "int"'],
  [{ id: Number, get: run }, 'endpoint.id must be a codec with parse and format, such as integerId: function Number'],
  [{ id: {}, get: run }, 'endpoint.id must have parse and format'],
  [{ id: { parse: run }, get: run }, 'endpoint.id must have parse and format'],
  [{ id: { format: run }, get: run }, 'endpoint.id must have parse and format'],
  ...[schemaOf({ parse: run, format: 'uuid' }), schemaOf(run)].map((id) => {
    return [{ id, get: run }, 'endpoint.id must be a codec, not a schema: uuidId, integerId, or your own { parse, format }'] as const;
  }),
  [{ id: { parse: 7, format: run }, get: run }, 'endpoint.id.parse must be a function: number'],
  [{ id: { parse: run, format: 'text' }, get: run }, 'endpoint.id.format must be a function: string'],
  ...(['mapError', 'context', 'version', 'currentVersion'] as const).flatMap((name) => [
    [{ id: stringId, schema, [name]: true }, `endpoint.${name} must be a function: boolean`] as const,
    [{ id: stringId, schema, [name]: null }, `endpoint.${name} must be a function: object`] as const,
    [{ id: stringId, schema, [name]: {} }, `endpoint.${name} must be a function: object`] as const,
  ]),
  [{ id: stringId, schema, create: { run, limits: { bodyBytes: 2e9 } } },
    'endpoint.create.limits.bodyBytes must be at most 536870888: 2000000000. A body that bytes() or a different format reads has no maximum'],
  ...(['create', 'list', 'get', 'update', 'patch', 'delete'] as const).flatMap((name) => [
    [{ id: stringId, schema, [name]: true }, name === 'patch' ? NO_SHORT_PATCH : `endpoint.${name} must be a function: boolean`] as const,
    [{ id: stringId, schema, [name]: null }, `endpoint.${name} must be an object: null`] as const,
    [{ id: stringId, schema, [name]: {} }, `endpoint.${name}.run is required`] as const,
    [{ id: stringId, schema, [name]: { run: 7 } }, `endpoint.${name}.run must be a function: number`] as const,
    [{ id: stringId, schema, [name]: { run, limits: null } }, `endpoint.${name}.limits must be an object: null`] as const,
    [{ id: stringId, schema, [name]: { run, limits: { bodyBytes: -1 } } },
      `endpoint.${name}.limits.bodyBytes must be a whole number from 0 to 536870888: -1`] as const,
    [{ id: stringId, schema, [name]: { run, limits: { operationMs: 1.5 } } },
      `endpoint.${name}.limits.operationMs must be a whole number from 0 to 2147483647: 1.5`] as const,
    [{ id: stringId, schema, [name]: { run, optional: 1 } }, `endpoint.${name}.optional must be a boolean: 1`] as const,
    [{ id: stringId, schema, [name]: { run, lists: 'tag' } }, `endpoint.${name}.lists must be a list of strings: tag`] as const,
    [{ id: stringId, schema, [name]: { run, lists: [7] } }, `endpoint.${name}.lists must be a list of strings: 7`] as const,
    [{ id: stringId, schema, [name]: { run, query: 7 } }, `endpoint.${name}.query must be a Standard Schema such as Zod's, or a function: number`] as const,
    [{ id: stringId, schema, [name]: { run, output: 7 } }, `endpoint.${name}.output must be an object: 7`] as const,
    [{ id: stringId, schema, [name]: { run, output: { 200: 7 } } },
      `endpoint.${name}.output.200 must be a Standard Schema such as Zod's, or a function: number`] as const,
    [{ id: stringId, schema, [name]: { run, context: 7 } }, `endpoint.${name}.context must be a function: number`] as const,
    [{ id: stringId, schema, [name]: { run, summary: 7 } }, `endpoint.${name}.summary must be a string: 7`] as const,
    [{ id: stringId, schema, [name]: { run, description: null } }, `endpoint.${name}.description must be a string: null`] as const,
    [{ id: stringId, schema, [name]: { run, operationId: '' } }, `endpoint.${name}.operationId must not be empty`] as const,
    [{ id: stringId, schema, [name]: { run, operationId: ['x'] } }, `endpoint.${name}.operationId must be a string: x`] as const,
    [{ id: stringId, schema, [name]: { run, tool: false } },
      `endpoint.${name}.tool must be true, or an object with name, description, headers or annotations: false`] as const,
    [{ id: stringId, schema, [name]: { run, tool: { title: '' } } },
      `unknown option endpoint.${name}.tool.title: it can be one of name, description, headers, annotations`] as const,
    [{ id: stringId, schema, [name]: { run, tool: { name: 'a b' } } },
      `endpoint.${name}.tool.name must be 1 to 128 characters of A-Z a-z 0-9 . _ -: "a b"`] as const,
    [{ id: stringId, schema, [name]: { run, tool: true, output: events((data: unknown) => data) } },
      `endpoint.${name}.tool is not allowed: events have no end, and a tool returns one result. Use a list`] as const,
    [{ id: stringId, schema, [name]: { run, tool: { name: 'a' }, output: { 200: (json: unknown) => json, 202: events((data: unknown) => data), 204: null } } },
      `endpoint.${name}.tool is not allowed: events have no end, and a tool returns one result. Use a list`] as const,
    [{ id: stringId, schema, [name]: { run, tool: { description: 1 } } }, `endpoint.${name}.tool.description must be a string: 1`] as const,
    [{ id: stringId, schema, [name]: { run, tool: { annotations: { readOnly: true } } } }, `unknown option endpoint.${name}.tool.annotations.readOnly: did you mean readOnlyHint? It can be one of readOnlyHint, destructiveHint, idempotentHint, openWorldHint`] as const,
    [{ id: stringId, schema, [name]: { run, tool: { annotations: { readOnlyHint: 'yes' } } } },
      `endpoint.${name}.tool.annotations.readOnlyHint must be a boolean: yes`] as const,
    [{ id: stringId, schema, [name]: { run, hidden: 'yes' } }, `endpoint.${name}.hidden must be a boolean: yes`] as const,
    [{ id: stringId, schema, [name]: { run, tags: 'pets' } }, `endpoint.${name}.tags must be a list of strings: pets`] as const,
    [{ id: stringId, schema, [name]: { run, tags: ['pets', 7] } }, `endpoint.${name}.tags must be a list of strings: pets,7`] as const,
    [{ id: stringId, schema, [name]: { run, deprecated: false } }, `endpoint.${name}.deprecated must be true: false`] as const,
    [{ id: stringId, schema, [name]: { run, errors: 409 } }, `endpoint.${name}.errors must be an object: 409`] as const,
    [{ id: stringId, schema, [name]: { run, errors: { 200: null } } }, `endpoint.${name}.errors must only have statuses from 400 to 599: 200`] as const,
    [{ id: stringId, schema, [name]: { run, errors: { 600: null } } }, `endpoint.${name}.errors must only have statuses from 400 to 599: 600`] as const,
    [{ id: stringId, schema, [name]: { run, errors: { 409: [] } } },
      `endpoint.${name}.errors.409 must not be an empty list: write null for an error without properties of its own`] as const,
    [{ id: stringId, schema, [name]: { run, errors: { 409: [(json: unknown) => json, 7] } } },
      `endpoint.${name}.errors.409[1] must be a Standard Schema such as Zod's, or a function: number`] as const,
    [{ id: stringId, schema, [name]: { run, errors: { 409: 7 } } },
      `endpoint.${name}.errors.409 must be a Standard Schema such as Zod's, or a function: number`] as const,
  ]),
  ...(['list', 'get', 'delete'] as const).map((name) => {
    return [{ id: stringId, [name]: { run, input: schema } }, `endpoint.${name}.input is not allowed: ${name === 'delete' ? 'DELETE has no body. Use query' : 'GET has no body. Use query, or custom'}`] as const;
  }),
  ...(['create', 'update', 'patch'] as const).map((name) => {
    return [{ id: stringId, [name]: { run, limits: { bodyBytes: 1 } } }, `endpoint.${name}.limits.bodyBytes is not allowed: without input, it takes no body`] as const;
  }),
  [{ id: stringId, custom: { feed: { run, limits: { bodyBytes: 1 } } } },
    'endpoint.custom.feed.limits.bodyBytes is not allowed: without input, it takes no body'],
  [{ id: stringId, delete: { run, limits: { bodyBytes: 1 } } }, 'endpoint.delete.limits.bodyBytes is not allowed: delete takes no body'],
  ...[{ get: { run, scopes: ['read'] } }, { get: run, scopes: ['read'], context: run }].map((properties) => {
    const message = 'endpoint.get.scopes needs a context that knows the scopes of callers: bearer(verify, { getScopes: (user) => user.scopes })';
    return [{ id: stringId, ...properties }, message] as const;
  }),
  [{ id: stringId, delete: run, version: run }, 'endpoint.version needs endpoint.get, so that clients can read the version'],
  [{ id: stringId, delete: run, requireIfMatch: true }, 'endpoint.requireIfMatch needs endpoint.version: without it, no If-Match can name a version'],
  [{ id: stringId, delete: run, currentVersion: run, requireIfMatch: 'yes' }, 'endpoint.requireIfMatch must be a boolean: yes'],
  ...[
    { get: { run, query: schema }, update: run }, { get: { run, headers: schema }, delete: run },
    { get: { run, context: run }, patch: { run } }, { get: { run, context: () => 1 }, delete: run, context: run },
    { get: run, update: { run, context: () => 1 }, context: run },
    { get: run, delete: { run, context: anyone }, context: run }, { get: { run, scopes: ['read'] }, delete: run, context: scoped },
    { get: run, update: { run, scopes: ['write'] }, scopes: ['read'], context: scoped },
    { get: { run, use: { around: run } }, itemCustom: { feed: run } }, { get: run, use: { around: run }, delete: run },
  ].map((properties) => {
    const [changing] = Object.keys(properties).filter((name) => !['get', 'use', 'context', 'scopes'].includes(name));
    const message = `endpoint.version needs endpoint.currentVersion: (id) => …, since ${changing} cannot call a get with query, headers, use, or a different context or more scopes`;
    return [{ id: stringId, schema, version: run, ...properties }, message] as const;
  }),
  ...([
    [{ tag: { type: 'array' } }, ['tag', 'tags'], 'lists must only have names of the schema: "tags"'],
    [{}, ['tag'], 'lists must only have names of the schema: "tag"'],
    ...[
      { type: 'object' }, { type: ['object', 'null'] }, { $ref: '#/$defs/Owner' }, { anyOf: [{ type: 'object' }, { type: 'null' }] },
      { type: 'array', items: { type: 'object' } }, { anyOf: [{ type: 'array', items: { type: 'array' } }, { type: 'null' }] },
    ].map((owner) => [{ owner }, undefined, 'query.owner must not be an object: clients send strings and lists of strings. Take a string, and parse it'] as const),
  ] as const).map(([properties, lists, message]) => {
    const query = makeJsonSchema({ type: 'object', properties, $defs: { Owner: { type: 'object' } } });
    return [{ id: stringId, list: { run, query, ...(lists && { lists }) } }, `endpoint.list.${message}`] as const;
  }),
  [
    { id: stringId, list: { run, headers: makeJsonSchema({ properties: { owner: { type: 'object' } } }) } },
    'endpoint.list.headers.owner must not be an object: clients send strings and lists of strings. Take a string, and parse it',
  ],
  ...([
    ['number', { type: 'number' }], ['number', { type: ['integer', 'null'], minimum: 5 }],
    ['number', { type: 'integer', format: 'int64' }], ['number', { enum: [5, 6] }],
    ['number', { type: 'array', items: { type: 'number' } }], ['number', { type: 'array', items: { anyOf: [{ const: 5 }, { type: 'integer' }] } }],
    ['boolean', { type: 'boolean' }], ['boolean', { type: 'array', items: { const: true } }],
  ] as const).flatMap(([type, legs]) => [false, true].flatMap((hasKeys) => ['query', 'headers'].map((option) => {
    // Accepts only values of the type, from 5 on.
    const isRight = (value: unknown): boolean => (typeof value === type || typeof value === 'bigint') && (typeof value !== 'number' || value >= 5);
    const decoder = makeStrictSchema(legs, isRight, hasKeys);
    const conversion = type === 'number' ? 'z.coerce.number()' : 'z.stringbool()';
    return [{ id: stringId, list: { run, [option]: decoder } },
      `endpoint.list.${option}.legs must not be a ${type}: clients send strings and lists of strings. Convert them, as ${conversion} does`] as const;
  }))),
  [
    { id: stringId, list: { run, use: { around: run, headers: makeStrictSchema({ type: 'number' }, (value) => typeof value === 'number', false) } } },
    'endpoint.list.use.headers.legs must not be a number: clients send strings and lists of strings. Convert them, as z.coerce.number() does',
  ],
  [{ id: stringId, get: { run, scopes: 'read' } }, 'endpoint.get.scopes must be a list of strings: read'],
  [{ id: stringId, get: run, scopes: [7] }, 'endpoint.scopes must be a list of strings: 7'],
  ...(['create', 'list', 'get', 'update', 'patch', 'delete'] as const).flatMap((name) => [
    [{ id: stringId, [name]: { run, lists: ['tag'] } }, `endpoint.${name}.lists needs endpoint.${name}.query: without it, the query is not decoded`] as const,
    [{ id: stringId, [name]: { run, optional: true } }, `endpoint.${name}.optional needs endpoint.${name}.input: without it, no body is decoded`] as const,
    ...[404, 500].map((status) => {
      return [
        { id: stringId, [name]: { run, output: { [status]: schema } } },
        `endpoint.${name}.output must not have the status ${status}: declare it in errors`,
      ] as const;
    }),
  ]),
  ...(['list', 'get', 'delete'] as const).map((name) => {
    return [{ id: stringId, [name]: { run, limits: { bodyBytes: 1 } } }, `endpoint.${name}.limits.bodyBytes is not allowed: ${name} takes no body`] as const;
  }),
  ...(['custom', 'itemCustom'] as const).flatMap((name) => [
    [{ id: stringId, [name]: { feed: { run, lists: [] } } },
      `endpoint.${name}.feed.lists needs endpoint.${name}.feed.query: without it, the query is not decoded`] as const,
    [{ id: stringId, [name]: { feed: { run, optional: false } } },
      `endpoint.${name}.feed.optional needs endpoint.${name}.feed.input: without it, no body is decoded`] as const,
  ]),
  [{ id: stringId, patch: run }, NO_SHORT_PATCH],
  [{ list: run }, 'endpoint.list needs endpoint.id'],
  [{ id: stringId, get: run, name: 7 }, 'endpoint.name must be a string that is not empty: 7'],
  [{ id: stringId, get: run, name: null }, 'endpoint.name must be a string that is not empty: null'],
  [{ id: stringId, get: run, name: '' }, 'endpoint.name must be a string that is not empty: ""'],
  [{ itemCustom: { feed: { run } } }, 'endpoint.itemCustom needs endpoint.id'],
  [{ id: stringId, get: run, params: 7 }, 'endpoint.params must be an object: 7'],
  [{ id: stringId, get: run, params: { zoo: 7 } }, 'endpoint.params.zoo must be a codec with parse and format, such as integerId: 7'],
  [{ id: stringId, get: run, params: { id: stringId } },
    'endpoint.params must not have "id": endpoint.id declares it, and operations get it as their first argument'],
  [{ id: stringId, get: run, params: { '1st': stringId } }, 'endpoint.params has a name that is not of A-Z a-z 0-9 _, or begins with a digit: "1st"'],
  [{ id: stringId, create: run }, 'endpoint.create needs endpoint.schema, or its own decoder: create: { input: Pet, run: (…) => … }'],
  [{ id: stringId, update: run }, 'endpoint.update needs endpoint.schema, or its own decoder: update: { input: Pet, run: (…) => … }'],
  [{ id: stringId, schema: undefined, create: run }, 'endpoint.create needs endpoint.schema, or its own decoder: create: { input: Pet, run: (…) => … }'],
  [{ id: stringId, schema: null, create: run }, "endpoint.schema must be a Standard Schema such as Zod's, or a function: object"],
  [{ id: stringId, schema: {}, update: run }, "endpoint.schema must be a Standard Schema such as Zod's, or a function: object"],
  [{ id: stringId, schema: new OldSchema(), update: run }, `endpoint.schema must be a Standard Schema such as Zod's, or a function: ${OLD_SCHEMA}`],
  [{ id: stringId, get: { output: new OldSchema(), run } }, `endpoint.get.output must be a Standard Schema such as Zod's, or a function: ${OLD_SCHEMA}`],
  [{ id: stringId, get: { output: { type: 'object' }, run } }, 'endpoint.get.output must only have statuses from 200 to 399, or be a schema such as z.object({ … }): "type"'],
  [{ id: stringId, schema: Operations, update: run }, 'endpoint.schema must be a function, not the class Operations: (json) => new Operations(json)'],
  ...[{ type: 'object' }, { $ref: '#/$defs/Pet' }, { properties: {} }, { $schema: 'https://json-schema.org/draft/2020-12/schema' }].map((jsonSchema) => {
    return [{ id: stringId, schema: jsonSchema, update: run }, "endpoint.schema must be a Standard Schema such as Zod's, or a function: a JSON Schema"] as const;
  }),
  ...(['custom', 'itemCustom'] as const).flatMap((name) => {
    const instance = (text: string): string => `endpoint.${name} must be a plain object of operations, not an instance of ${text}: { feed: (id) => store.feed(id) }`;
    return [
      [{ id: stringId, [name]: new Operations() }, instance('Operations')],
      [{ id: stringId, [name]: new Map() }, instance('Map')],
      [{ id: stringId, [name]: Object.create(Object.create(null)) }, instance('a class')],
    ] as const;
  }),
  [{ id: stringId, custom: null }, 'endpoint.custom must be an object: null'],
  [{ id: stringId, custom: 'feed' }, 'endpoint.custom must be an object: feed'],
  [{ id: stringId, custom: { feed: 7 } }, 'endpoint.custom.feed must be an object: 7'],
  [{ id: stringId, itemCustom: { feed: 'now' } }, 'endpoint.itemCustom.feed must be an object: now'],
  [{ id: stringId, custom: { feed: null } }, 'endpoint.custom.feed must be an object: null'],
  [{ id: stringId, custom: { feed: {} } }, 'endpoint.custom.feed.run is required'],
  [{ id: stringId, custom: { feed: { input: schema } } }, 'endpoint.custom.feed.run is required'],
  [{ id: stringId, custom: { feed: { run: 'now' } } }, 'endpoint.custom.feed.run must be a function: string'],
  [{ id: stringId, custom: { feed: { input: {}, run } } }, "endpoint.custom.feed.input must be a Standard Schema such as Zod's, or a function: object"],
  [{ id: stringId, custom: { feed: { input: null, run } } }, "endpoint.custom.feed.input must be a Standard Schema such as Zod's, or a function: object"],
  ...['', '.', '..', ':id', 'a/b', 'a b', 'a?b', 'a#b', 'a%2Fb', 'a\\b', 'caf\u00e9', 'feed\n', 'a*', '\0'].map((name) => {
    return [{ id: stringId, custom: { [name]: { run } } }, `operation name must consist of A-Z a-z 0-9 - . _ ~: ${JSON.stringify(name)}`] as const;
  }),
  ...[{}, { schema }, { custom: {} }, { mapError: run }].map((properties) => {
    return [{ id: stringId, ...properties }, `endpoint declares no operation: it needs one of ${KIND_NAMES}`] as const;
  }),
  [
    { id: stringId, get: run, post: run },
    `unknown option endpoint.post: did you mean create? It can be one of id, params, context, scopes, use, name, hidden, schema, version, currentVersion, requireIfMatch, mapError, ${KIND_NAMES}`,
  ],
  [
    { id: stringId, get: { run, inptu: schema } },
    'unknown option endpoint.get.inptu: did you mean input? It can be one of run, method, input, query, lists, headers, optional, output, errors, responseHeaders, context, scopes, use, limits, cache, etag, summary, description, tags, deprecated, operationId, hidden, tool',
  ],
  ...['PUT', 'get', '', null, 1].map((method) => {
    return [{ id: stringId, custom: { feed: { method, run } } }, `endpoint.custom.feed.method must be one of POST, GET: ${String(method)}`] as const;
  }),
  [{ id: stringId, itemCustom: { visits: { method: 'DELETE', run } } }, 'endpoint.itemCustom.visits.method must be one of POST, GET: DELETE'],
  [{ id: stringId, get: { method: 'GET', run } }, 'endpoint.get.method is not allowed: it is always GET. Named operations can have one'],
  ...['custom', 'itemCustom'].map((kind) => {
    return [{ id: stringId, [kind]: { nearest: { method: 'GET', input: schema, run } } }, `endpoint.${kind}.nearest.input is not allowed: GET has no body. Use query, or method: 'POST'`] as const;
  }),
  [{ id: stringId, custom: { nearest: { method: 'GET', run, limits: { bodyBytes: 1 } } } },
    'endpoint.custom.nearest.limits.bodyBytes is not allowed: custom takes no body'],
  [{ itemCustom: { visits: { method: 'GET', run } } }, 'endpoint.itemCustom needs endpoint.id'],
  [{ id: stringId, get: { run, limits: { bodybytes: 1 } } },
    'unknown option endpoint.get.limits.bodybytes: did you mean bodyBytes? It can be one of bodyBytes, requestMs, operationMs'],
] as readonly (readonly [object, string])[];
for (const [endpoint, message] of REJECTED) {
  rejected(`${message} -> TypeError, and the server is unchanged`, () => {
    assert.throws(() => endpointOf(endpoint), typeError(message));
    const said: string[] = [];
    const server = new ApiServer('/v1', { logger: { info: (text) => said.push(text), error: () => {} } });
    assert.throws(() => server.registerEndpoint('/animal', endpoint as never), typeError(message));
    assert.equal(server.routes, []);
    assert.equal(said, []);
  });
}
