/** The document of a schema is linear work: a schema of twice the size takes twice as much. */
import { execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { stringId } from '../../../src/index.ts';
import { describe, jsonSchemaOf, run } from '../../support/describing.ts';

const PROGRAM = fileURLToPath(new URL('./work-process.js', import.meta.url));

type Name = (index: number) => string;
type Schema = Readonly<Record<string, unknown>> & { readonly $defs: object };
const user: Name = (index) => `Pet${index}`;
const generated: Name = (index) => `__schema${index}`;
const text = { type: 'string' };
const reference = (name: string): object => ({ $ref: `#/$defs/${name}` });

function makeProperties(count: number, entryOf: (index: number) => [string, object]): Record<string, object> {
  return Object.fromEntries(Array.from({ length: count }, (_, index) => entryOf(index)));
}

/** Definitions of which each refers to some that follow it, and the last to the first. */
function ring(count: number, name: Name, references: number): Schema {
  const properties = (index: number): object => makeProperties(references, (step) => [`p${step}`, reference(name((index + step + 1) % count))]);
  const $defs = makeProperties(count, (index) => [name(index), { type: 'object', properties: properties(index), additionalProperties: false }]);
  return { ...reference(name(0)), $defs };
}

/** Definitions to which the root refers. */
function star(count: number, name: Name): Schema {
  return { properties: makeProperties(count, (index) => [`p${index}`, reference(name(index))]), $defs: makeProperties(count, (index) => [name(index), text]) };
}

/** Definitions of which each is the next, and nothing else. */
function aliases(count: number): Schema {
  return { ...reference(user(0)), $defs: makeProperties(count, (index) => [user(index), index + 1 < count ? reference(user(index + 1)) : text]) };
}

/** The schema as an input and as an output. With a changed definition, the sides differ. */
function sides(schema: Schema, changed?: string): readonly [Schema, Schema] {
  return [schema, changed === undefined ? schema : { ...schema, $defs: { ...schema.$defs, [changed]: text } }];
}

const COUNTS = [50, 100] as const;
const MANY = 400;
// In functions and blocks that V8 runs, for an input and an output.
const WORK_PER_REFERENCE = 150;
const SHAPES = [
  ['in a ring', 2, (count) => sides(ring(count, user, 1))],
  ['in a ring, with generated names', 2, (count) => sides(ring(count, generated, 1))],
  ['in a ring, one of which differs in the output', 2, (count) => sides(ring(count, user, 2), user(count - 1))],
  ['that each refer to all', 4, (count) => sides(ring(count, user, count))],
  ['that each refer to all, with generated names', 4, (count) => sides(ring(count, generated, count))],
  ['that the root refers to', 2, (count) => sides(star(count, user))],
  ['that the root refers to, with generated names', 2, (count) => sides(star(count, generated))],
] as const satisfies [string, number, (count: number) => readonly [Schema, Schema]][];

const work = suite('the work for twice as many definitions');
const schemas = [...SHAPES.flatMap(([, , sidesOf]) => COUNTS.map((count) => sidesOf(count))), sides(ring(MANY, user, MANY))];
const works = JSON.parse(execFileSync(process.execPath, [PROGRAM], {
  input: JSON.stringify(schemas), encoding: 'utf8', env: { ...process.env, NODE_V8_COVERAGE: '' },
})) as number[];
for (const [index, [what, factor]] of SHAPES.entries()) {
  work(`${what} -> ${factor} times the work`, () => {
    const [small = 0, large = 0] = works.slice(2 * index);
    assert.ok(small > COUNTS[0], String(small));
    assert.ok(large < 1.05 * factor * small, `${large}, and ${small} for half as many`);
  });
}
work.run();

const many = suite('the work for one reference');
many(`of ${MANY} definitions that each refer to all -> at most ${WORK_PER_REFERENCE} steps`, () => {
  const perReference = (works.at(-1) ?? 0) / MANY ** 2;
  assert.ok(perReference > 1 && perReference < WORK_PER_REFERENCE, String(perReference));
});
many.run();

const large = suite('a document of 4,000 definitions');
for (const [what, [input, output], components] of [
  ['in a ring, one of which differs in the output', sides(ring(4000, user, 10), user(3999)), 8001],
  ['that the root refers to', sides(star(4000, user)), 4002],
  ['that the root refers to, with generated names', sides(star(4000, generated)), 2],
  ['that are each only a reference to the next', sides(aliases(4000)), 4001],
] as const) {
  large(`${what} is made`, () => {
    const schema = jsonSchemaOf(input, output);
    const document = describe((server) => server.registerEndpoint('/pet', { id: stringId, schema, create: () => '1', get: run }));
    assert.is(Object.keys(document.components?.schemas ?? {}).length, components);
  });
}
large.run();
