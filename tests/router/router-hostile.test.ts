/** P4: How many nodes a look-up visits, however often a literal leads nowhere. */
import { Random, readSeed } from '../support/random.ts';
import { matchRoute, makeRouter, countVisits } from '../support/routing.ts';
import { assert, suite } from '../support/facts.ts';

const hostile = suite('patterns and a path that make literals lead nowhere');
const DEPTH = 12;

hostile('with every pattern of "a" and a parameter, no node is visited twice', () => {
  const count = 2 ** DEPTH;
  const templateOf = (bits: number): string => {
    return Array.from({ length: DEPTH }, (_, at) => (bits >> at & 1 ? `/:p${at}` : '/a')).join('');
  };
  const router = makeRouter(...Array.from({ length: count }, (_, bits) => `GET ${templateOf(bits)}/end`));
  assert.equal(matchRoute(router, 'GET', `${'/a'.repeat(DEPTH)}/none`), []);
  assert.is(countVisits(router, `${'/a'.repeat(DEPTH)}/none`), 2 * count - 1);
  assert.equal(matchRoute(router, 'GET', `${'/a'.repeat(DEPTH)}/end`), [`GET ${'/a'.repeat(DEPTH)}/end`]);
});

for (const [what, templates, path] of [
  ['one parameter at each place', (at: number) => `${'/a'.repeat(at)}/:x${'/a'.repeat(63 - at)}/end`, '/a'.repeat(64)],
  ['a parameter at each second segment', (at: number) => `${'/a/:x'.repeat(at)}/end`, `${'/a'.repeat(64)}/none`],
  ['what follows a wildcard, of any length', (at: number) => `/*w${'/a'.repeat(at)}/:x/end`, '/a'.repeat(8_000)],
  ['literals that end one after the other', (at: number) => `${'/a'.repeat(at)}/b/end`, '/a'.repeat(8_000)],
] as const) {
  hostile(`${what}: the visits are at most the segments of all patterns`, () => {
    const unique = (template: string): string => {
      let count = 0;
      return template.replaceAll(':x', () => `:x${(count += 1)}`);
    };
    const patterns = Array.from({ length: 64 }, (_, at) => unique(templates(at)));
    const segments = patterns.join('').split('/').length;
    const router = makeRouter(...patterns.map((template) => `GET ${template}`));
    assert.equal(matchRoute(router, 'GET', path), []);
    const visits = countVisits(router, path);
    assert.ok(visits > 0 && visits <= segments, `${visits} visits, ${segments} segments`);
  });
}

hostile('random patterns of "a", "b" and parameters: the visits of any path are at most the segments of all patterns', () => {
  const seed = readSeed();
  const random = new Random(seed);
  let most = 0;
  for (let table = 0; table < 300; table += 1) {
    const templates = new Set(random.list(1, 40, () => random.list(1, 12, () => random.pick(['a', 'a', 'b', ':'])).join('/')));
    const named = (segment: string, at: number): string => (segment === ':' ? `:p${at}` : segment);
    const routes = [...templates].map((template) => `GET /${template.split('/').map(named).join('/')}`);
    const segments = [...templates].join('/').split('/').length;
    const router = makeRouter(...routes);
    for (const path of random.list(20, 20, () => `/${random.list(1, 13, () => random.pick(['a', 'a', 'a', 'b', 'c'])).join('/')}`)) {
      const visits = countVisits(router, path);
      most = Math.max(most, visits / path.split('/').length);
      // The root is a node, and no segment.
      assert.ok(visits <= segments + 1, `RESTPOINT_SEED=${seed}: ${visits} visits of ${path} in ${routes.join(', ')}`);
    }
  }
  assert.ok(most > 2, `RESTPOINT_SEED=${seed}: no path was visited by more than one way`);
});
