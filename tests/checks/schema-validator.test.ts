/** Values against the JSON Schemas of documents. */
import { assert, suite } from '../support/facts.ts';
import { SchemaValidator } from '../../src/checks/schema-validator.ts';
import { listValid } from '../../src/checks/valid-values.ts';

const PET = { type: 'object', required: ['name'], properties: { name: { type: 'string' }, legs: { type: 'integer' } } };
const issues = new SchemaValidator({ components: { schemas: { Pet: PET, Tree: { type: 'object', properties: { leaves: { type: 'array', items: { $ref: '#/components/schemas/Tree' } } } } } } });
const REF = { $ref: '#/components/schemas/Pet' };
const TREE = { $ref: '#/components/schemas/Tree' };

const values = suite('a value and a schema');
for (const [schema, value, issue] of [
  [{}, 1, undefined],
  [true, 1, undefined],
  [false, 1, '# must not be there'],
  [{ type: 'integer' }, 1, undefined],
  [{ type: 'integer' }, 1.5, '# is not integer'],
  [{ type: ['string', 'null'] }, null, undefined],
  [{ type: ['string', 'null'] }, 1, '# is not string or null'],
  [{ type: 'array' }, {}, '# is not array'],
  [{ type: 'object' }, [], '# is not object'],
  [{ type: 'number' }, '1', '# is not number'],
  [{ type: 'boolean' }, true, undefined],
  [{ enum: ['a', 1] }, 1, undefined],
  [{ enum: ['a', 1] }, '1', '# is not one of ["a",1]'],
  [{ const: { a: 1, b: 2 } }, { b: 2, a: 1 }, undefined],
  [{ const: { a: 1 } }, { a: 2 }, '# is not {"a":1}'],
  [{ minimum: 1 }, 0, '# is out of minimum 1'],
  [{ exclusiveMaximum: 1 }, 1, '# is out of exclusiveMaximum 1'],
  [{ maximum: 1, exclusiveMinimum: 0 }, 1, undefined],
  [{ multipleOf: 2 }, 3, '# is out of multipleOf 2'],
  [{ multipleOf: 0.01 }, 19.99, undefined],
  [{ maxLength: 1 }, '🐜', undefined],
  [{ minLength: 1 }, '', '# is out of minLength 1'],
  [{ minItems: 1, maxItems: 1 }, [1, 2], '# is out of maxItems 1'],
  [{ uniqueItems: true }, [{ a: 1 }, { a: 2 }], undefined],
  [{ uniqueItems: true }, [{ a: 1 }, { a: 1 }], '# has an item twice'],
  [{ minProperties: 1, maxProperties: 2 }, {}, '# is out of minProperties 1'],
  [{ maxProperties: 0 }, { a: 1 }, '# is out of maxProperties 0'],
  [{ pattern: '^a' }, 'b', '# does not match ^a'],
  [{ pattern: '(' }, 'b', undefined],
  [{ format: 'date' }, 'no date', undefined],
  [REF, { name: 'Rex' }, undefined],
  [REF, { legs: 4 }, '#/name is missing'],
  [REF, { name: 'Rex', legs: 'four' }, '#/legs is not integer'],
  [{ $ref: 'https://example.com' }, 1, undefined],
  [TREE, { leaves: [{ leaves: [{ leaves: 1 }] }] }, '#/leaves/0/leaves/0/leaves is not array'],
  [{ items: REF }, [{ name: 'Rex' }, 1], '#/1 is not object'],
  [{ prefixItems: [{ type: 'string' }], items: { type: 'number' } }, ['a', 1], undefined],
  [{ prefixItems: [{ type: 'string' }], items: false }, ['a', 1], '#/1 must not be there'],
  [{ properties: { a: {} }, additionalProperties: false }, { a: 1, b: 1 }, '#/b must not be there'],
  [{ patternProperties: { '^x-': { type: 'string' } }, additionalProperties: { type: 'number' } }, { 'x-a': 'a', b: 1 }, undefined],
  [{ patternProperties: { '^x-': { type: 'string' } } }, { 'x-a': 1 }, '#/x-a is not string'],
  [{ allOf: [REF, { required: ['legs'] }] }, { name: 'Rex' }, '#/legs is missing'],
  [{ anyOf: [{ type: 'string' }, { type: 'null' }] }, null, undefined],
  [{ anyOf: [{ type: 'string' }, { type: 'null' }] }, 1, '# matches none of anyOf: # is not string; # is not null'],
  [{ anyOf: [REF] }, {}, '#/name is missing'],
  [{ oneOf: [{ type: 'number' }, { type: 'integer' }] }, 1, '# matches 2 of oneOf, not one'],
  [{ oneOf: [{ type: 'number' }, { type: 'integer' }] }, 1.5, undefined],
  [{ not: { type: 'string' } }, 'a', '# matches "not"'],
] as const) {
  values(`${JSON.stringify(schema)} of ${JSON.stringify(value)}: ${issue ?? 'no error'}`, () => assert.is(issues.findIssue(value, schema), issue));
}

const properties = suite('properties that a schema does not name');
for (const [schema, value, place] of [
  [REF, { name: 'Rex', legs: 4 }, undefined],
  [REF, { name: 'Rex', secret: 1 }, '#/secret'],
  [{}, { any: { thing: 1 } }, undefined],
  [{ type: 'object' }, { any: 1 }, undefined],
  [true, { any: 1 }, undefined],
  [{ type: 'object', additionalProperties: { type: 'number' } }, { any: 1 }, undefined],
  [{ type: 'object', properties: {}, additionalProperties: true }, { any: 1 }, undefined],
  [{ type: 'object', properties: {}, additionalProperties: REF }, { any: { name: 'Rex', secret: 1 } }, '#/any/secret'],
  [{ patternProperties: { '^x-': {} } }, { 'x-a': 1, b: 1 }, '#/b'],
  [{ type: 'array', items: REF }, [{ name: 'Rex' }, { secret: 1, name: 'Rex' }], '#/1/secret'],
  [{ type: 'array', prefixItems: [REF] }, [{ name: 'Rex', secret: 1 }], '#/0/secret'],
  [{ type: 'array' }, [{ any: 1 }], undefined],
  [{ anyOf: [{ type: 'array', items: REF }, { type: 'null' }] }, [{ name: 'Rex', secret: 1 }], '#/0/secret'],
  [{ allOf: [REF, { properties: { owner: { type: 'string' } } }] }, { name: 'Rex', owner: 'Ann' }, undefined],
  [{ allOf: [REF, { properties: { owner: { type: 'string' } } }] }, { name: 'Rex', secret: 1 }, '#/secret'],
  [{ allOf: [REF, { required: ['name'] }] }, { name: 'Rex', secret: 1 }, '#/secret'],
  [{ allOf: [{}, { required: ['name'] }] }, { name: 'Rex', other: 1 }, undefined],
  [{ anyOf: [REF, { properties: { id: {} }, required: ['id'] }] }, { name: 'Rex', id: 1 }, undefined],
  [{ anyOf: [REF, { properties: { id: {} }, required: ['id'] }] }, { name: 'Rex', idle: 1 }, '#/idle'],
  [{ properties: { owner: { anyOf: [REF, { type: 'null' }] } } }, { owner: { name: 'Ann', secret: 1 } }, '#/owner/secret'],
] as const) {
  properties(`${JSON.stringify(schema)} of ${JSON.stringify(value)}: ${place ?? 'none'}`, () => {
    assert.is(issues.findUnnamed(value, schema), place && `${place} is not named by the schema`);
  });
}

const made = suite('the values that a schema accepts');
for (const [schema, expected] of [
  [true, ['a', 1, true, null, {}, []]],
  [false, []],
  [{ type: 'boolean' }, [true, false]],
  [{ enum: [3, 4], minimum: 4 }, [4]],
  [{ type: 'integer', exclusiveMinimum: 1, exclusiveMaximum: 3 }, [2]],
  [{ type: 'number', exclusiveMinimum: 2, exclusiveMaximum: 3 }, [2.5]],
  [{ anyOf: [{ const: 'a' }, { type: 'null' }] }, ['a', null]],
  [{ type: 'string', maxLength: 1, minLength: 1, pattern: '^[a-f]$' }, ['a']],
  [{ type: 'array', items: { const: 7 }, minItems: 2, maxItems: 3 }, [[7, 7], [7, 7, 7], [7, 7]]],
  [{ type: 'array', prefixItems: [{ const: 1 }], items: { const: 7 }, minItems: 5, maxItems: 5 }, [[1, 7, 7, 7, 7]]],
  [{ type: 'object', properties: { a: { const: 1 }, b: { const: 2 } }, required: ['a'], additionalProperties: false },
    [{ a: 1, b: 2 }, { a: 1 }, { a: 1 }, { a: 1, b: 2 }, { a: 1, b: 2 }]],
  // A list that is in itself, and one that would never end.
  [TREE, undefined],
] as const) {
  made(`${JSON.stringify(schema)} -> ${JSON.stringify(expected)}`, () => {
    const listed = listValid(schema, issues);
    if (expected !== undefined) assert.equal(new Set(listed.map((each) => JSON.stringify(each))), new Set(expected.map((each) => JSON.stringify(each))));
    assert.ok(listed.every((each) => issues.findIssue(each, schema) === undefined));
  });
}
