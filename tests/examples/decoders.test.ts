/** Which bodies and queries the example's schemas accept, their messages for the others, and their JSON Schemas. */
import { Meal, Pet, PetChange, PetSearch, StoredPet } from '../../examples/zoo/pet.ts';
import { integer, list, optional, query, type Schema } from '../../examples/zoo/schema.ts';
import { Zoo, ZooChange } from '../../examples/zoo/zoo.ts';
import { assert, suite } from '../support/facts.ts';

const rex = { name: 'Rex', legs: 4, lethal: false };
const artis = { name: 'Artis', city: 'Amsterdam' };

/** The value that a schema makes, or its messages. */
function decodeWith(schema: Schema<unknown, any>, value: unknown): unknown {
  const result = schema['~standard'].validate(value);
  return result.issues === undefined ? result.value : result.issues.map(({ message }) => message);
}

const accepted = suite('a body that a schema accepts');
for (const [schema, json, why] of [
  [Pet, rex, 'a pet'],
  [Pet, { ...rex, legs: 0 }, 'no legs'],
  [Pet, { ...rex, legs: 4294967295 }, 'the most legs'],
  [Pet, { ...rex, name: '\u{1f40d}'.repeat(100) }, 'a hundred characters outside the basic plane'],
  [PetChange, rex, 'a change of everything'],
  [PetChange, { name: undefined, legs: undefined, lethal: true }, 'a change of one property'],
  [PetChange, { name: undefined, legs: undefined, lethal: undefined }, 'a change of nothing'],
  [Meal, { grams: 1 }, 'the smallest meal'],
  [Meal, { grams: 1_000_000 }, 'the greatest meal'],
  [PetSearch, { name: 'R' }, 'a search'],
  [Zoo, artis, 'a zoo'],
  [ZooChange, { name: undefined, city: 'Utrecht' }, 'a zoo that moves'],
] as const) {
  accepted(`${why} is returned unchanged`, () => assert.equal(decodeWith(schema, json), json));
}
accepted('unknown options are dropped', () => {
  assert.equal(decodeWith(Pet, { ...rex, id: 7, eaten: 9 }), rex);
  assert.equal(decodeWith(Zoo, { ...artis, id: 7 }), artis);
});
accepted('a property that is left out of a change is undefined', () => {
  assert.equal(decodeWith(PetChange, { legs: 3 }), { name: undefined, legs: 3, lethal: undefined });
});

const LEGS = 'legs: expected an integer from 0 to 4294967295';
const NAME = 'name: expected a string of 1 to 100 characters, without control characters';
const LETHAL = 'lethal: expected true or false';
const rejected = suite('a body that a schema rejects');
for (const [schema, json, ...messages] of [
  [Pet, null, 'expected an object'],
  [Pet, 'Rex', 'expected an object'],
  [Pet, [rex], 'expected an object'],
  [Pet, {}, NAME, LEGS, LETHAL],
  [Pet, { ...rex, name: '' }, NAME],
  [Pet, { ...rex, name: 'x'.repeat(101) }, NAME],
  [Pet, { ...rex, name: 'a\0b' }, NAME],
  [Pet, { ...rex, name: '\ud800' }, NAME],
  [Pet, { ...rex, name: 7 }, NAME],
  [Pet, { ...rex, legs: -1 }, LEGS],
  [Pet, { ...rex, legs: 4294967296 }, LEGS],
  [Pet, { ...rex, legs: 1.5 }, LEGS],
  [Pet, { ...rex, legs: '4' }, LEGS],
  [Pet, { ...rex, lethal: 0 }, LETHAL],
  [PetChange, { name: null }, NAME],
  [PetChange, { legs: null }, LEGS],
  [PetChange, { lethal: 'no' }, LETHAL],
  [Meal, { grams: 0 }, 'grams: expected an integer from 1 to 1000000'],
  [Meal, { grams: 1_000_001 }, 'grams: expected an integer from 1 to 1000000'],
  [PetSearch, {}, NAME],
  [Zoo, { city: 'Utrecht' }, NAME],
  [Zoo, {}, NAME, NAME.replace('name', 'city')],
  [Zoo, { name: 'Artis' }, NAME.replace('name', 'city')],
  [ZooChange, { city: '' }, NAME.replace('name', 'city')],
  [list(StoredPet), rex, 'expected a list'],
] as const) {
  rejected(`${JSON.stringify(json).slice(0, 60)} -> ${messages.join('; ')}`, () => assert.equal(decodeWith(schema, json), messages));
}
rejected('each issue has the path to the property, also in a list', () => {
  const result = list(Meal)['~standard'].validate([{ grams: 1 }, { grams: 0 }, 7]);
  assert.equal(result.issues, [
    { message: 'grams: expected an integer from 1 to 1000000', path: [1, 'grams'] },
    { message: 'expected an object', path: [2] },
  ]);
});

const queries = suite('a query');
const Part = query({ limit: integer(1, 100), after: optional(integer(0, Number.MAX_SAFE_INTEGER)) });
for (const [given, value] of [
  [{}, ['limit: expected an integer from 1 to 100']],
  [{ limit: '1' }, { limit: 1, after: undefined }],
  [{ limit: '7', after: '40', other: 'x' }, { limit: 7, after: 40 }],
  [{ limit: '0' }, ['limit: expected an integer from 1 to 100']],
  [{ limit: '1.5', after: '-1' }, ['limit: expected an integer from 1 to 100', 'after: expected an integer from 0 to 9007199254740991']],
  [{ limit: ['1', '2'] }, ['limit: expected an integer from 1 to 100']],
] as const) {
  queries(`${JSON.stringify(given)} -> ${JSON.stringify(value)}`, () => assert.equal(decodeWith(Part, given), value));
}

const text = { type: 'string', pattern: '^[^\\p{Cc}\\p{Cs}]{1,100}$' };
const described = suite('the JSON Schema');
for (const [what, schema, jsonSchema] of [
  ['of an object is a reference to its definition', Zoo, {
    $ref: '#/$defs/Zoo', $defs: { Zoo: { type: 'object', properties: { name: text, city: text }, required: ['name', 'city'] } },
  }],
  ['of a change requires nothing', ZooChange, {
    $ref: '#/$defs/ZooChange', $defs: { ZooChange: { type: 'object', properties: { name: text, city: text } } },
  }],
  ['of a list refers to its items', list(PetSearch), {
    type: 'array', items: { $ref: '#/$defs/PetSearch' },
    $defs: { PetSearch: { type: 'object', properties: { name: text }, required: ['name'] } },
  }],
  ['of a query is that of its properties', Part, {
    type: 'object',
    properties: { limit: { type: 'integer', minimum: 1, maximum: 100 }, after: { type: 'integer', minimum: 0, maximum: Number.MAX_SAFE_INTEGER } },
    required: ['limit'],
  }],
] as const) {
  described(what, () => {
    const { input, output } = schema['~standard'].jsonSchema;
    assert.equal(input(), jsonSchema);
    assert.equal(output(), jsonSchema);
  });
}
