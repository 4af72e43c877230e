/** The `additionalProperties: false` of an output that stays. */
import { stringId } from '../../../src/index.ts';
import { makeDocument, makeJsonSchema, findOperation, run } from '../../support/make-document.ts';
import { assert, suite } from '../../support/facts.ts';

const open = { type: 'object' };
const closed = { type: 'object', additionalProperties: false };
const text = { type: 'string' };

/** The schema of a result whose decoder has these two sides, and the components. */
function resultOf(input: unknown, output: unknown): { readonly result: any; readonly components: any } {
  const document = makeDocument((server) => server.registerEndpoint('/pet', { id: stringId, list: { output: makeJsonSchema(input, output), run } }));
  const { responses } = findOperation(document, 'petList') as any;
  return { result: responses['200'].content['application/json'].schema, components: document.components?.schemas };
}

const strictness = suite('additionalProperties: false of an output');
for (const [why, input, output, result] of [
  ['that the input lacks is dropped', open, closed, open],
  ['that the input has stays', closed, closed, closed],
  ['whose input has other types of them is dropped', { ...open, additionalProperties: text }, closed, open],
  ['that is a schema stays', open, { ...open, additionalProperties: text }, { ...open, additionalProperties: text }],
  ['in a property', { properties: { a: open, b: closed } }, { properties: { a: closed, b: closed } }, { properties: { a: open, b: closed } }],
  ['in an item', { items: open }, { items: closed }, { items: open }],
  ['in a choice', { oneOf: [open, closed] }, { oneOf: [closed, closed] }, { oneOf: [open, closed] }],
  ['of a property that the input lacks', { properties: {} }, { properties: { a: closed } }, { properties: { a: open } }],
  ['of a decoder whose input fails', new Error('no input'), closed, open],
  ['in data stays', open, { default: closed }, { default: closed }],
] as const) {
  strictness(why, () => assert.equal(resultOf(input, output).result, result));
}
strictness('behind references, on both sides', () => {
  const schema = (node: object, name: string): object => ({ $ref: `#/$defs/${name}`, $defs: { [name]: { ...node, properties: { next: { $ref: `#/$defs/${name}` } } } } });
  assert.equal(resultOf(schema(open, '0'), schema(closed, '1')).components.PetListResult.additionalProperties, undefined);
  assert.equal(resultOf(schema(closed, '0'), schema(closed, '1')).components.PetListResult.additionalProperties, false);
});
strictness('in a component that is strict at one of its places stays', () => {
  const output = { properties: { a: { $ref: '#/$defs/Tag' }, b: { $ref: '#/$defs/Tag' } }, $defs: { Tag: closed } };
  assert.equal(resultOf({ properties: { a: open, b: closed } }, output).components.Tag, closed);
  assert.equal(resultOf({ properties: { a: open, b: open } }, output).components.Tag, open);
});
strictness('of an input stays', () => {
  const document = makeDocument((server) => server.registerEndpoint('/pet', { id: stringId, custom: { feed: { input: makeJsonSchema(closed, open), run } } }));
  assert.equal((findOperation(document, 'petFeed').requestBody as any).content['application/json'].schema, closed);
});
