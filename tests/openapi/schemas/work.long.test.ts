/** Documents of many endpoints and of many definitions are made. `work.test.ts` measures their work. */
import { integerId, stringId } from '../../../src/index.ts';
import { makeDocument, makeJsonSchema, run } from '../../support/make-document.ts';
import { generateName, makeProperties, reference, makeRing, type Schema, makeSides, star, text, user } from './definitions.ts';
import { assert, suite } from '../../support/facts.ts';

/** Definitions of which each is the next, and nothing else. */
function aliases(count: number): Schema {
  return { ...reference(user(0)), $defs: makeProperties(count, (index) => [user(index), index + 1 < count ? reference(user(index + 1)) : text]) };
}

const large = suite('a large document');
for (const [what, [input, output], components] of [
  ['in a ring, one of which differs in the output', makeSides(makeRing(4000, user, 10), user(3999)), 8001],
  ['that the root refers to', makeSides(star(4000, user)), 4002],
  ['that the root refers to, with generated names', makeSides(star(4000, generateName)), 2],
  ['that are each only a reference to the next', makeSides(aliases(4000)), 4001],
] as const) {
  large(`of 4,000 definitions ${what} is made`, () => {
    const schema = makeJsonSchema(input, output);
    const document = makeDocument((server) => server.registerEndpoint('/pet', { id: stringId, schema, create: () => '1', get: run }));
    assert.is(Object.keys(document.components?.schemas ?? {}).length, components);
  });
}
large('of a thousand endpoints is made', () => {
  const { paths } = makeDocument((server) => {
    for (let index = 0; index < 1000; index += 1) {
      const schema = makeJsonSchema({ type: 'object', properties: { index: { const: index }, next: { $ref: '#' } } });
      server.registerEndpoint(`/e${index}`, { id: integerId, schema, create: () => 1, get: run, update: run, delete: run });
    }
  });
  assert.is(Object.keys(paths).length, 2000);
});
