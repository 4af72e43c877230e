/** The schemas that become components, their names, and the references to them. */
import { stringId } from '../../../src/index.ts';
import { makeDocument, makeJsonSchema, findOperation, run, type DocumentOptions } from '../../support/make-document.ts';
import { assert, isTypeError, suite } from '../../support/facts.ts';

const text = { type: 'string' };
const nothing = { type: 'null' };
const reference = (name: string): { $ref: string } => ({ $ref: `#/components/schemas/${name}` });
const list = (items: object): object => ({ type: 'array', items });

/** Whether a `TypeError` with this message was thrown. */
function rejection(message: string): (thrown: unknown) => boolean {
  return isTypeError(message);
}

interface Shown {
  /** The schema of the body. */
  readonly body: unknown;
  /** The schema of the result. */
  readonly result: unknown;
  readonly components: Record<string, unknown>;
}

/** The schemas that the document has for a Custom operation with this input and this output. */
function describeShown(input: unknown, output: unknown = input, options: DocumentOptions = {}): Shown {
  const decoder = makeJsonSchema(input, output);
  const document = makeDocument((server) => server.registerEndpoint('/pet', { id: stringId, custom: { feed: { input: decoder, output: decoder, run } } }), options);
  const { requestBody, responses } = findOperation(document, 'petFeed') as any;
  const { Problem, ...components } = document.components?.schemas ?? {};
  assert.ok(Problem);
  return { body: requestBody.content['application/json'].schema, result: responses['200'].content['application/json'].schema, components };
}

/** What Zod makes of `z.json()`, in a document of its own. */
const JSON_OF = (name: string): object => ({ anyOf: [text, list({ $ref: `#/$defs/${name}` })] });
const object = (properties: object): object => ({ type: 'object', properties });
/** The components of a document whose operations have these bodies. */
function componentsOf(bodies: readonly object[], outputs: readonly object[] = bodies): Record<string, unknown> {
  const custom = Object.fromEntries(bodies.map((body, at) => {
    const decoder = makeJsonSchema(body, outputs[at]);
    return [`op${at}`, { input: decoder, output: decoder, run }];
  }));
  const { Problem: _, ...components } = makeDocument((server) => server.registerEndpoint('/pet', { id: stringId, custom })).components?.schemas ?? {};
  return components;
}
const refTo = (name: string): object => ({ $ref: `#/$defs/${name}` });
const PET = (name: string): object => ({ Pet: object({ data: refTo(name) }), [name]: JSON_OF(name) });
const pet = { $id: 'Pet', ...object({ data: refTo('__schema0') }), $defs: { __schema0: JSON_OF('__schema0') } };
const pets = { ...list(refTo('Pet')), $defs: PET('__schema0') };
const PET_DATA = { anyOf: [text, list(reference('PetData'))] };
const shared = suite('a recursive schema within a definition with a name');
for (const [what, bodies, expected] of [
  ['in one decoder', [pets], { Pet: object({ data: reference('PetData') }), PetData: PET_DATA }],
  ['as itself and in a list', [pet, pets], { Pet: object({ data: reference('PetData') }), PetData: PET_DATA }],
  ['under different generated names', [pet, { ...list(refTo('Pet')), $defs: PET('__schema7') }],
    { Pet: object({ data: reference('PetData') }), PetData: PET_DATA }],
  ['that another part of the decoder has too, which is nearer to the root', [
    { ...object({ data: refTo('__schema0'), pet: object({ pet: refTo('Pet') }) }), $defs: PET('__schema0') }, pets,
  ], { Pet: object({ data: reference('PetData') }), PetData: PET_DATA }],
  ['that two definitions have, which other decoders have alone', [
    pet, { $id: 'Shop', ...object({ info: refTo('__schema0') }), $defs: { __schema0: JSON_OF('__schema0') } },
    { ...object({ shop: refTo('Shop'), pet: refTo('Pet') }), $defs: { ...PET('__schema0'), Shop: object({ info: refTo('__schema0') }) } },
  ], { Pet: object({ data: reference('PetData') }), PetData: PET_DATA, Shop: object({ info: reference('PetData') }) }],
  ['of two definitions that refer to each other', [
    { $id: 'Pet', ...object({ boss: refTo('__schema0') }),
      $defs: { __schema0: object({ of: refTo('__schema1') }), __schema1: object({ by: refTo('__schema0') }) } },
    { ...list(refTo('Pet')),
      $defs: { Pet: object({ boss: refTo('__schema1') }), __schema1: object({ of: refTo('__schema0') }), __schema0: object({ by: refTo('__schema1') }) } },
  ], { Pet: object({ boss: reference('PetBoss') }), PetBoss: object({ of: reference('PetBossOf') }), PetBossOf: object({ by: reference('PetBoss') }) }],
  ['that is the root of another decoder, whose name it has', [
    { ...object({ pet: refTo('Pet') }), $defs: { Pet: object({ home: { $ref: '#' } }) } },
    { $id: 'Pet', ...object({ home: refTo('__schema0') }), $defs: { __schema0: object({ pet: { $ref: '#' } }) } },
  ], { Pet: object({ home: reference('PetOp0Body') }), PetOp0Body: object({ pet: reference('Pet') }) }],
] as readonly (readonly [string, readonly object[], object])[]) {
  shared(`${what} -> one component`, () => assert.equal(componentsOf(bodies), expected));
}
shared('whose output differs -> one component for each side', () => {
  const output = (items: object): object => ({ anyOf: [nothing, list(items)] });
  const outputs = [{ ...pet, $defs: { __schema0: output(refTo('__schema0')) } }, { ...pets, $defs: { ...PET('__schema0'), __schema0: output(refTo('__schema0')) } }];
  assert.equal(componentsOf([pet, pets], outputs), {
    Pet: object({ data: reference('PetData') }), PetInput: object({ data: reference('PetDataInput') }),
    PetData: output(reference('PetData')), PetDataInput: { anyOf: [text, list(reference('PetDataInput'))] },
  });
});
shared('that differs in another decoder -> TypeError', () => {
  const other = { ...list(refTo('Pet')), $defs: { ...PET('__schema0'), __schema0: { anyOf: [nothing, list(refTo('__schema0'))] } } };
  assert.throws(() => componentsOf([pet, other]),
    rejection('component PetData has two different schemas: one in body of petOp0, the other in body of petOp1. Give one of them its own id or title'));
});

const named = suite('a definition with a name');
named('is a component, and references lead to it', () => {
  const schema = {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    type: 'object',
    properties: { tag: { $ref: '#/$defs/Tag' }, tags: list({ $ref: '#/$defs/Tag' }) },
    $defs: { Tag: { type: 'object', properties: { kind: { $ref: '#/definitions/Kind' } } } },
    definitions: { Kind: { enum: ['a', 'b'] } },
  };
  const body = { type: 'object', properties: { tag: reference('Tag'), tags: list(reference('Tag')) } };
  const components = { Kind: { enum: ['a', 'b'] }, Tag: { type: 'object', properties: { kind: reference('Kind') } } };
  assert.equal(describeShown(schema), { body, result: body, components });
});
named('that nothing refers to is left out', () => {
  assert.equal(describeShown({ ...text, $defs: { Tag: nothing } }), { body: text, result: text, components: {} });
});
named('leaves the properties beside the reference as they are', () => {
  assert.equal(describeShown({ $ref: '#/$defs/Tag', description: 'A tag.', $defs: { Tag: text } }).body, { ...reference('Tag'), description: 'A tag.' });
});
for (const [pointer, name, component] of [
  ['Pet~1Tag', 'Pet/Tag', 'Pet_Tag'],
  ['Pet~0Tag', 'Pet~Tag', 'Pet_Tag'],
  ['List%3CPet%3E', 'List<Pet>', 'List_Pet_'],
  ['100%', '100%', '100_'],
  ['Tag.v2', 'Tag.v2', 'Tag.v2'],
  ['type', 'type', 'type'],
  ['%E7%8C%AB', '\u732b', 'u732b'],
  ['\u{1f41c}\u00e9', '\u{1f41c}\u00e9', '_ue9'],
] as const) {
  named(`#/$defs/${pointer} -> ${component}`, () => {
    assert.equal(describeShown({ $ref: `#/$defs/${pointer}`, $defs: { [name]: text } }), {
      body: reference(component), result: reference(component), components: { [component]: text },
    });
  });
}
named('whose schema is a boolean is an object', () => {
  assert.equal(describeShown({ $ref: '#/$defs/Any', $defs: { Any: true } }).components, { Any: {} });
  assert.equal(describeShown({ $ref: '#/$defs/None', $defs: { None: false } }).components, { None: { not: {} } });
});
for (const identifier of ['$id', 'id']) {
  named(`of the root by ${identifier} makes it a component, without the ${identifier}`, () => {
    const schema = { [identifier]: 'Pet', type: 'object', properties: { boss: { $ref: '#' } } };
    assert.equal(describeShown(schema), {
      body: reference('Pet'), result: reference('Pet'), components: { Pet: { type: 'object', properties: { boss: reference('Pet') } } },
    });
  });
}
named('of the root that is a URI is not used as a name', () => {
  assert.equal(describeShown({ $id: 'https://example.com/pet.json', ...text }), { body: text, result: text, components: {} });
});
named('that two sides have is one component, if the content is the same', () => {
  const one = { properties: { a: { $ref: '#/$defs/Tag' } }, $defs: { Tag: { type: 'object', required: ['a', 'b'] } } };
  const other = list({ $ref: '#/$defs/Tag' });
  const { components } = describeShown(one, { ...other, $defs: { Tag: { required: ['b', 'a'], type: 'object' } } });
  assert.equal(Object.keys(components), ['Tag']);
});
const makeTagged = (content: object): any => ({ input: makeJsonSchema({ $ref: '#/$defs/Tag', $defs: { Tag: content } }), run });
named('that two decoders have is one component, if the content is the same', () => {
  const [one, two] = [makeTagged({ type: 'object', required: ['a', 'b'] }), makeTagged({ required: ['b', 'a'], type: 'object' })];
  const document = makeDocument((server) => server.registerEndpoint('/pet', { id: stringId, custom: { one, two } }));
  assert.equal(Object.keys(document.components?.schemas ?? {}), ['Problem', 'Tag']);
});
named('of two contents -> TypeError with both places', () => {
  assert.throws(
    () => makeDocument((server) => server.registerEndpoint('/pet', { id: stringId, custom: { one: makeTagged(text), two: makeTagged(nothing) } })),
    rejection('component Tag has two different schemas: one in body of petOne, the other in body of petTwo. Give one of them its own id or title'),
  );
});
named('Problem with another content -> TypeError', () => {
  assert.throws(
    () => describeShown({ $ref: '#/$defs/Problem', $defs: { Problem: text } }),
    rejection('component Problem has two different schemas: one in body of petFeed, the other in the server. Give one of them its own id or title'),
  );
});

const positions = suite('a reference');
for (const keyword of [
  'additionalProperties', 'contains', 'contentSchema', 'else', 'if', 'items', 'not', 'propertyNames', 'then', 'unevaluatedItems', 'unevaluatedProperties',
]) {
  positions(`in ${keyword} is rewritten`, () => {
    assert.equal(describeShown({ [keyword]: { $ref: '#/$defs/Tag' }, $defs: { Tag: text } }).body, { [keyword]: reference('Tag') });
  });
}
for (const keyword of ['allOf', 'anyOf', 'oneOf', 'prefixItems']) {
  positions(`in ${keyword} is rewritten`, () => {
    assert.equal(describeShown({ [keyword]: [nothing, { $ref: '#/$defs/Tag' }, true], $defs: { Tag: text } }).body,
      { [keyword]: [nothing, reference('Tag'), true] });
  });
}
for (const keyword of ['properties', 'patternProperties', 'dependentSchemas']) {
  positions(`in ${keyword} is rewritten`, () => {
    const properties = (schema: object): object => ({ $ref: schema, const: schema, on: true });
    assert.equal(describeShown({ [keyword]: properties({ $ref: '#/$defs/Tag' }), $defs: { Tag: text } }).body, { [keyword]: properties(reference('Tag')) });
  });
}
positions('in const, enum, default and examples is data, and stays', () => {
  const data = { $ref: '#/$defs/Tag', $schema: 'x', additionalProperties: false };
  const schema = { const: data, enum: [data], default: data, examples: [data], properties: { a: { default: [data] } } };
  assert.equal(describeShown({ ...schema, $defs: { Tag: text } }), { body: schema, result: schema, components: {} });
});
positions('to a property called __proto__ leads there', () => {
  const schema = JSON.parse('{"properties":{"__proto__":{"$ref":"#/$defs/Tag"}},"$defs":{"Tag":{"type":"string"}}}');
  assert.is(JSON.stringify(describeShown(schema).body), '{"properties":{"__proto__":{"$ref":"#/components/schemas/Tag"}}}');
});
for (const [to, $ref, Tag] of [
  ['an $anchor', '#tag', { ...text, $anchor: 'tag' }], ['an $id', 'tag.json', { ...text, $id: 'tag.json' }],
  ['an absolute $id', 'https://pets.example/tag', { ...text, $id: 'https://pets.example/tag' }],
] as const) {
  positions(`to ${to} is replaced by the schema that has it, wherever that is`, () => {
    assert.equal(describeShown({ properties: { a: { $ref } }, $defs: { Other: { $defs: { Tag } } } }).body, { properties: { a: text } });
    assert.equal(describeShown({ properties: { a: { $ref }, b: { items: Tag } } }).body, { properties: { a: text, b: { items: text } } });
  });
}
positions('to another part of the schema is replaced by that part', () => {
  const { body, components } = describeShown({ type: 'object', properties: { a: nothing, b: { $ref: '#/properties/a' } } });
  assert.equal(body, { type: 'object', properties: { a: nothing, b: nothing } });
  assert.equal(components, {});
});
positions('to another document stays', () => {
  const schema = { $ref: 'https://example.com/pet.json' };
  assert.equal(describeShown(schema), { body: schema, result: schema, components: {} });
});
for (const $ref of ['#/$defs/Missing', '#/properties/constructor', '#missing', 'Missing', '$defs', '#/$defs/Tag/type']) {
  positions(`to ${$ref}, which is not there, is {}, and is logged once`, () => {
    const problems: string[] = [];
    const schema = { items: { $ref, title: 'x' }, not: { $ref }, $defs: { Tag: text } };
    const { body } = describeShown(schema, text, { problems });
    assert.equal(body, { items: { title: 'x' }, not: {} });
    assert.equal(problems, [`body of petFeed: its JSON Schema refers to ${$ref}, which is missing`]);
  });
}
positions('to itself alone ends', () => assert.equal(describeShown({ $ref: '#' }).components, { PetFeedBody: reference('PetFeedBody') }));

/** A schema that refers to itself by its name. */
const recursive = (name: string, schema: object): object => ({ ...schema, not: { $ref: `#/$defs/${name}` } });

const generated = suite('a definition whose name a library made up');
for (const name of ['0', '__schema0', 'Objects_', 'Objects_1', 'intersection292', 'type5', 'union1']) {
  const schema = (definition: object): object => ({
    properties: { z: list({ properties: { deep: { $ref: `#/$defs/${name}` } } }), parent: { anyOf: [nothing, { $ref: `#/$defs/${name}` }] } },
    $defs: { [name]: definition },
  });
  generated(`${name} -> written where it is referred to`, () => {
    const parent = { title: 'parent' };
    const body = { properties: { z: list({ properties: { deep: parent } }), parent: { anyOf: [nothing, parent] } } };
    assert.equal(describeShown(schema(parent)), { body, result: body, components: {} });
  });
  generated(`${name}, which refers to itself -> named after its owner and the properties on the shortest way`, () => {
    const components = { PetFeedBodyParent: { title: 'parent', not: reference('PetFeedBodyParent') } };
    assert.equal(describeShown(schema(recursive(name, { title: 'parent' }))).components, components);
  });
}
generated('that refers to other definitions is written with their references, and with those that are written in turn', () => {
  const schema = {
    ...list({ $ref: '#/$defs/type1' }),
    $defs: { type1: object({ tag: { $ref: '#/$defs/Tag' }, next: { $ref: '#/$defs/type2' } }), type2: text, Tag: nothing },
  };
  assert.equal(describeShown(schema).body, list(object({ tag: reference('Tag'), next: text })));
});
generated('beside other keywords is one of allOf', () => {
  const schema = (properties: object): object => ({ properties: { a: { $ref: '#/$defs/0', ...properties } }, $defs: { 0: text } });
  assert.equal(describeShown(schema({ title: 'a' })).body, { properties: { a: { title: 'a', allOf: [text] } } });
  assert.equal(describeShown(schema({ allOf: [{ $ref: '#/$defs/0' }, nothing] })).body, { properties: { a: { allOf: [text, text, nothing] } } });
});
generated('that would be longer than 10,000 characters with what it refers to stays a component', () => {
  // Each refers to the next one twice.
  const twice = Array.from({ length: 20 }, (_, index): [string, object] => [String(index), { prefixItems: [{ $ref: `#/$defs/${index + 1}` }, { $ref: `#/$defs/${index + 1}` }] }]);
  const { body, components } = describeShown({ properties: { a: { $ref: '#/$defs/0' } }, $defs: { ...Object.fromEntries(twice), 20: text } });
  assert.ok(Object.keys(components).length > 0);
  assert.ok(JSON.stringify([body, components]).length < 100_000);
});
generated('of the root is named after its owner', () => {
  const schema = { $ref: '#/$defs/intersection1', $defs: { intersection1: { properties: { kids: list({ $ref: '#/$defs/intersection1' }) } } } };
  assert.equal(describeShown(schema), {
    body: reference('PetFeedBody'), result: reference('PetFeedBody'),
    components: { PetFeedBody: { properties: { kids: list(reference('PetFeedBody')) } } },
  });
});
generated('that repeats the root is the root', () => {
  const schema = { properties: { kids: list({ $ref: '#/$defs/0' }) } };
  assert.equal(describeShown({ ...schema, $schema: 'x', $defs: { 0: schema } }).components,
    { PetFeedBody: { properties: { kids: list(reference('PetFeedBody')) } } });
});
generated('beside another on the same way has the whole way in its name', () => {
  const schema = {
    properties: { shape: { anyOf: [{ $ref: '#/$defs/__schema0' }, { $ref: '#/$defs/__schema1' }] } },
    $defs: { __schema0: recursive('__schema0', { const: 'a' }), __schema1: recursive('__schema1', { const: 'b' }) },
  };
  assert.equal(describeShown(schema).components, {
    PetFeedBodyShape: { const: 'a', not: reference('PetFeedBodyShape') },
    PetFeedBodyShapeAnyOf2: { const: 'b', not: reference('PetFeedBodyShapeAnyOf2') },
  });
});
generated('has only the characters of a component name, for any names of properties', () => {
  const names = ['\u00e9', '\u732b', '\u72ac', '_id', '$', 'a'];
  const properties = Object.fromEntries(names.map((name, index) => [name, { $ref: `#/$defs/__schema${index}` }]));
  const $defs = Object.fromEntries(names.map((name, index) => [`__schema${index}`, recursive(`__schema${index}`, { title: name })]));
  assert.equal(Object.entries(describeShown({ properties, $defs }).components).map(([component, { title }]: any) => [component, title]), [
    ['PetFeedBodyA', 'a'], ['PetFeedBodyId', '_id'], ['PetFeedBody_', '$'], ['PetFeedBodyu72ac', '\u72ac'], ['PetFeedBodyu732b', '\u732b'],
    ['PetFeedBodyuc9', '\u00e9'],
  ]);
});
generated('has the same name for any order of the properties', () => {
  const $defs = { __schema0: recursive('__schema0', { title: 'x' }) };
  const a = { $ref: '#/$defs/__schema0' };
  assert.equal(Object.keys(describeShown({ properties: { a, b: a }, $defs }, { $defs, properties: { b: a, a } }).components), ['PetFeedBodyA']);
});
generated('that two decoders have is a component for each, also if it refers to itself through others', () => {
  const tree = { type1: { properties: { kids: { $ref: '#/$defs/type2' } } }, type2: list({ $ref: '#/$defs/type1' }) };
  const schema = { $ref: '#/$defs/type1', $defs: tree };
  const document = makeDocument((server) => {
    server.registerEndpoint('/a', { id: stringId, list: { output: makeJsonSchema(schema), run } });
    server.registerEndpoint('/b', { id: stringId, list: { output: makeJsonSchema(schema), run } });
  });
  const { Problem, ...components } = document.components?.schemas ?? {};
  assert.ok(Problem);
  assert.equal(components, {
    AListResult: { properties: { kids: reference('AListResultKids') } }, AListResultKids: list(reference('AListResult')),
    BListResult: { properties: { kids: reference('BListResultKids') } }, BListResultKids: list(reference('BListResult')),
  });
});
generated('of one decoder at several places is one component, named after the first', () => {
  const node = { properties: { next: { $ref: '#' } } };
  const decoder = makeJsonSchema(node);
  const document = makeDocument((server) => {
    server.registerEndpoint('/a', { id: stringId, list: { output: decoder, run }, custom: { feed: { input: decoder, output: decoder, run } } });
    server.registerEndpoint('/b', { id: stringId, list: { output: decoder, run } });
  });
  const { Problem, ...components } = document.components?.schemas ?? {};
  assert.ok(Problem);
  assert.equal(components, { AListResult: { properties: { next: reference('AListResult') } } });
});
/** The components of a generated definition with the name `PetFeedBodyParent`, and of others that the user has named. */
function nameBeside(taken: readonly string[], order: readonly string[]): Record<string, unknown> {
  const inputs: Record<string, object> = {
    feed: { properties: { parent: { $ref: '#/$defs/0' } }, $defs: { 0: recursive('0', text) } },
    other: { anyOf: taken.map((name) => ({ $ref: `#/$defs/${name}` })), $defs: Object.fromEntries(taken.map((name) => [name, nothing])) },
  };
  const custom = Object.fromEntries(order.map((name) => [name, { input: makeJsonSchema(inputs[name]), run }]));
  const { Problem, ...components } = makeDocument((server) => server.registerEndpoint('/pet', { id: stringId, custom } as any)).components?.schemas ?? {};
  assert.ok(Problem);
  return components;
}
for (const order of [['feed', 'other'], ['other', 'feed']]) {
  generated(`does not take a name that the user gave, ${order.join(' before ')}`, () => {
    assert.equal(nameBeside(['PetFeedBodyParent'], order),
      { PetFeedBodyParent: nothing, PetFeedBodyParentSchema: { ...text, not: reference('PetFeedBodyParentSchema') } });
  });
}
generated('without a free name -> TypeError', () => {
  assert.throws(
    () => nameBeside(['PetFeedBodyParent', 'PetFeedBodyParentSchema'], ['feed', 'other']),
    rejection('component PetFeedBodyParent has two different schemas: one in body of petOther, the other in body of petFeed. Give one of them its own id or title'),
  );
});

const sides = suite('a component of an input and an output');
const makeDefined = (content: object): object => ({ $ref: '#/$defs/Pet', $defs: { Pet: content } });
sides('has the plain name if both are the same', () => {
  assert.equal(Object.keys(describeShown(makeDefined({ type: 'object', required: ['a', 'b'] }), makeDefined({ required: ['b', 'a'], type: 'object' })).components), ['Pet']);
});
sides('is <Name>Input for the input if that differs', () => {
  assert.equal(describeShown(makeDefined(text), makeDefined(nothing)), {
    body: reference('PetInput'), result: reference('Pet'), components: { Pet: nothing, PetInput: text },
  });
});
sides('is <Name>Input also if it only refers to one that differs', () => {
  const schema = (tag: object): object => ({
    $ref: '#/$defs/Pet',
    $defs: { Pet: { properties: { tags: { $ref: '#/$defs/Tags' }, same: { $ref: '#/$defs/Same' } } }, Tags: list({ $ref: '#/$defs/Tag' }), Tag: tag, Same: nothing },
  });
  assert.equal(Object.keys(describeShown(schema(text), schema(nothing)).components), ['Pet', 'PetInput', 'Same', 'Tag', 'TagInput', 'Tags', 'TagsInput']);
});
sides('has the plain name if there is only one of them', () => {
  const input = makeJsonSchema(makeDefined(text), nothing);
  const document = makeDocument((server) => server.registerEndpoint('/pet', { id: stringId, custom: { feed: { input, run } } }));
  assert.equal(Object.keys(document.components?.schemas ?? {}), ['Pet', 'Problem']);
});
sides('of a generated name has the owner\'s for both', () => {
  const schema = (content: object): object => ({ properties: { a: { $ref: '#/$defs/0' } }, $defs: { 0: recursive('0', content) } });
  assert.equal(Object.keys(describeShown(schema(text), schema(nothing)).components), ['PetFeedBodyA', 'PetFeedBodyAInput']);
});
sides('and a schema of the user that has the name of the input -> TypeError', () => {
  const output = { properties: { a: { $ref: '#/$defs/Pet' }, b: { $ref: '#/$defs/PetInput' } }, $defs: { Pet: nothing, PetInput: text } };
  assert.throws(() => describeShown(makeDefined(text), output),
    rejection('component PetInput is a different schema than the input of Pet. Give it a different id or title'));
});

const items = suite('the schema of an endpoint');
const item = { type: 'object', properties: { name: text } };
const itemOf = (schema: unknown, name: string | undefined = undefined): Record<string, unknown> => {
  const document = makeDocument((server) => server.registerEndpoint('/zoo/pet', {
    id: stringId, schema: makeJsonSchema(schema), get: run, update: run, list: { output: makeJsonSchema(list({})), run }, ...(name === undefined ? {} : { name }),
  }));
  const { Problem, ...components } = document.components?.schemas ?? {};
  assert.ok(Problem);
  return components;
};
items('is a component with the name of the endpoint', () => {
  assert.equal(itemOf(item), { ZooPet: item });
  assert.equal(itemOf(item, 'animal'), { Animal: item });
  assert.equal(itemOf({ anyOf: [text, nothing] }), { ZooPet: { anyOf: [text, nothing] } });
});
items('is inline if it is a single value, or already a component', () => {
  assert.equal(itemOf(text), {});
  assert.equal(itemOf({}), {});
  assert.equal(itemOf(makeDefined(item)), { Pet: item });
});
items('of a sub-path without a name is Item', () => {
  const document = makeDocument((server) => server.registerEndpoint('/', { id: stringId, schema: makeJsonSchema(item), get: run }));
  assert.ok(document.components?.schemas?.['Item']);
});
items('of a second endpoint with the same name is named after its operation', () => {
  const document = makeDocument((server) => {
    server.registerEndpoint('/pet', { id: stringId, schema: makeJsonSchema(item), get: run });
    server.registerEndpoint('/pet', { id: stringId, schema: makeJsonSchema({ ...item, title: 'other' }), update: run });
  });
  assert.equal(Object.keys(document.components?.schemas ?? {}), ['Pet', 'PetUpdateBody', 'Problem']);
});
items('of two endpoints is one component, named after the first', () => {
  const schema = makeJsonSchema(item);
  const document = makeDocument((server) => {
    for (const path of ['/pet', '/animal'] as const) server.registerEndpoint(path, { id: stringId, schema, get: run });
  });
  assert.equal(Object.keys(document.components?.schemas ?? {}), ['Pet', 'Problem']);
});
items('is the component also where another endpoint has it as an input', () => {
  const schema = makeJsonSchema(item);
  const document = makeDocument((server) => {
    server.registerEndpoint('/pet', { id: stringId, schema, get: run });
    server.registerEndpoint('/zoo', { id: stringId, custom: { feed: { input: schema, run } } });
  });
  assert.equal(Object.keys(document.components?.schemas ?? {}), ['Pet', 'Problem']);
  assert.equal((findOperation(document, 'zooFeed').requestBody as any).content['application/json'].schema, reference('Pet'));
});
