/** The document of a schema is linear work: a schema of twice the size takes twice as much. */
import { execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { generateName, makeRing, type Schema, makeSides, star, user } from './definitions.ts';
import { assert, suite } from '../../support/facts.ts';

const PROGRAM = fileURLToPath(new URL('./work-process.js', import.meta.url));

const COUNTS = [50, 100] as const;
const MANY = 100;
// In functions and blocks that V8 runs, for an input and an output.
const WORK_PER_REFERENCE = 150;
const SHAPES = [
  ['in a ring', 2, (count) => makeSides(makeRing(count, user, 1))],
  ['in a ring, with generated names', 2, (count) => makeSides(makeRing(count, generateName, 1))],
  ['in a ring, one of which differs in the output', 2, (count) => makeSides(makeRing(count, user, 2), user(count - 1))],
  ['that each refer to all', 4, (count) => makeSides(makeRing(count, user, count))],
  ['that each refer to all, with generated names', 4, (count) => makeSides(makeRing(count, generateName, count))],
  ['that the root refers to', 2, (count) => makeSides(star(count, user))],
  ['that the root refers to, with generated names', 2, (count) => makeSides(star(count, generateName))],
] as const satisfies [string, number, (count: number) => readonly [Schema, Schema]][];

const work = suite('the work for twice as many definitions');
const schemas = [...SHAPES.flatMap(([, , sidesOf]) => COUNTS.map((count) => sidesOf(count))), makeSides(makeRing(MANY, user, MANY))];
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

const many = suite('the work for one reference');
many(`of ${MANY} definitions that each refer to all -> at most ${WORK_PER_REFERENCE} steps`, () => {
  const perReference = (works.at(-1) ?? 0) / MANY ** 2;
  assert.ok(perReference > 1 && perReference < WORK_PER_REFERENCE, String(perReference));
});
