// Rules: P1
/**
 * The trie has the same results as two naive matchers. One splits paths into arrays and compares these one after the other, on
 * hundreds of random tables. Their segments come from a small alphabet, so that hits, common prefixes and conflicts are frequent. The
 * other is a map of whole paths, for a table of 10,000 routes and paths that nearly match one of them.
 *
 *   RESTPOINT_CASES=4000 …                                          with more tables
 *   RESTPOINT_SEED=1234 node build/tests/support/run.js property     repeats a failed run
 */
import { parsePattern } from '../../src/router/pattern.ts';
import { Router } from '../../src/router/router.ts';
import { readParameters } from '../support/read-parameters.ts';
import { readCaseCount, Random, readSeed } from '../support/random.ts';
import { assert, suite } from '../support/facts.ts';

const TABLES = readCaseCount(400);
const METHODS = ['GET', 'POST', 'constructor', '__proto__'] as const;
const LITERALS = ['a', 'b', 'c', 'aa', 'ab', 'a:', '%61', '..', '__proto__', 'toString'] as const;
const PARAMETERS = [':id', ':name'] as const;

/** The match of a path, and the strings of the parameters. */
interface Match<T> {
  readonly value: T;
  readonly parameters: readonly string[];
}

// Half of the looked-up paths consist of these segments, and are in the table only by chance.
const PATH_SEGMENTS = ['', 'A', 'hasOwnProperty', ...PARAMETERS, ...LITERALS] as const;

/** A simple and slow table of routes. */
class NaiveTable {
  readonly #rows: { readonly method: string; readonly segments: readonly string[]; readonly value: number }[] = [];

  has(method: string, template: string): boolean {
    const wanted = anonymous(template).join('/');
    return this.#rows.some((row) => row.method === method && row.segments.join('/') === wanted);
  }

  insert(method: string, template: string, value: number): void {
    this.#rows.push({ method, segments: anonymous(template), value });
  }

  match(method: string, path: string): Match<number> | undefined {
    const [before, ...segments] = path.split('/');
    const rows = this.#rows.filter((row) => before === '' && row.method === method && matchesRow(row.segments, segments));
    // Of two rows, that one is tried first that has a literal where they first differ.
    const [row] = rows.sort((one, other) => rankOf(one.segments) < rankOf(other.segments) ? -1 : 1);
    return row && { value: row.value, parameters: readStrings(row.segments, segments) };
  }

  /** Whether another template has a literal of the path where a template has its first parameter, and is the same before. */
  misleads(method: string, path: string, template: string): boolean {
    const at = anonymous(template).findIndex((segment) => segment === PARAMETER || segment === WILDCARD);
    const literals = path.split('/').slice(1, at + 2).map((segment) => `=${segment}`);
    return at !== -1 && this.#rows.some((row) => row.method === method && literals.every((literal, index) => row.segments[index] === literal));
  }

  methodsAt(path: string): string[] {
    const methods = [...new Set(this.#rows.map((row) => row.method))];
    return methods.filter((method) => this.match(method, path) !== undefined);
  }
}

// Every parameter in a table becomes this text, regardless of its name. Segments of a path are marked, so that no segment equals it.
const PARAMETER = ':';
const WILDCARD = '*';

function anonymous(template: string): string[] {
  return template.split('/').slice(1).map((segment) => ([PARAMETER, WILDCARD].find((sign) => segment.startsWith(sign)) ?? `=${segment}`));
}

function matchesRow(row: readonly string[], segments: readonly string[]): boolean {
  const isOpen = row.includes(WILDCARD);
  if (isOpen ? segments.length < row.length : segments.length !== row.length) return false;
  const parts = splitAsRow(row, segments);
  return row.every((wanted, at) => (wanted === PARAMETER || wanted === WILDCARD ? parts[at] !== '' : wanted === `=${parts[at]}`));
}

function readStrings(row: readonly string[], segments: readonly string[]): string[] {
  const parts = splitAsRow(row, segments);
  return row.flatMap((wanted, at) => (wanted === PARAMETER || wanted === WILDCARD ? parts[at] ?? '' : []));
}

/** The segments, with those of a wildcard as one. */
function splitAsRow(row: readonly string[], segments: readonly string[]): string[] {
  const at = row.indexOf(WILDCARD);
  const end = segments.length - (row.length - 1 - at);
  return at === -1 ? [...segments] : [...segments.slice(0, at), segments.slice(at, end).join('/'), ...segments.slice(end)];
}

/** Of two wildcards at one place, the one with more segments after it comes first. */
function rankOf(row: readonly string[]): string {
  return row.map((segment, at) => ({ [PARAMETER]: '1', [WILDCARD]: `2${9 - (row.length - 1 - at)}` })[segment] ?? '0').join('');
}

/** A template with parameters at any segment, most often zero or one. */
function randomTemplate(random: Random): string {
  const share = random.pick([2, 5, 9]);
  const segments = random.list(0, 4, () => (random.below(share) === 0 ? PARAMETER : random.pick(LITERALS)));
  const named = nameSegments(random, segments).split('/').filter((part) => part !== '');
  if (random.below(6) === 0) named.splice(random.below(2) === 0 ? named.length : random.below(named.length + 1), 0, '*rest');
  return `/${named.join('/')}${named.length > 0 && random.below(12) === 0 ? '/' : ''}`;
}

/** Joins segments, and names the parameters. */
function nameSegments(random: Random, segments: readonly string[]): string {
  const name = random.pick(PARAMETERS);
  return segments.map((segment, at) => (segment === PARAMETER ? `${name}${at}` : segment)).join('/');
}

function randomPath(random: Random, templates: readonly string[]): string {
  const template = templates[random.below(templates.length * 2)];
  const path = template ?? random.list(0, 5, () => random.pick(PATH_SEGMENTS)).map((segment) => `/${segment}`).join('');
  const rest = (): string => random.list(1, 3, () => random.pick(PATH_SEGMENTS)).join('/');
  return path.replaceAll(/:\w+/g, () => random.pick(PATH_SEGMENTS)).replace('*rest', rest);
}

const property = suite('the trie compared with a naive matcher');
const seed = readSeed();

property('rejects the same routes, matches the same paths, and lists the same methods', () => {
  const random = new Random(seed);
  const seen = { conflicts: 0, wildcards: 0, literals: 0, 'single parameters': 0, 'several parameters': 0, backtracks: 0, misses: 0 };
  for (let table = 0; table < TABLES; table += 1) {
    const router = new Router<number>();
    const naive = new NaiveTable();
    const routes = random.list(0, 16, () => ({ method: random.pick(METHODS), template: randomTemplate(random) }));
    const shown = JSON.stringify(routes);
    const said = (what: string): string => `RESTPOINT_SEED=${seed}, table ${table}, ${what}, ${shown}`;

    for (const [value, { method, template }] of routes.entries()) {
      const taken = naive.has(method, template);
      seen.conflicts += Number(taken);
      assert.is(router.findConflict(method, parsePattern(template)) !== undefined, taken, said(`${method} ${template} is taken`));
      assert.is(throws(() => router.insert(method, parsePattern(template), value)), taken, said(`insert ${method} ${template}`));
      if (!taken) naive.insert(method, template, value);
    }
    const paths = random.list(20, 20, () => randomPath(random, routes.map(({ template }) => template)));
    for (const path of ['/', '', ...paths]) {
      assert.equal(router.findMethods(path), naive.methodsAt(path), said(`methodsAt ${path}`));
      for (const method of METHODS) {
        const expected = naive.match(method, path);
        const value = router.match(method, path);
        const { template } = routes[value ?? -1] ?? {};
        const found = template === undefined ? undefined : { value, parameters: readParameters(parsePattern(template), path) };
        assert.equal(found, expected, said(`match ${method} ${path}`));
        seen[kindOf(expected)] += 1;
        seen.wildcards += Number(template?.includes('*rest') === true);
        seen.backtracks += Number(template !== undefined && naive.misleads(method, path, template));
      }
    }
  }
  for (const [what, times] of Object.entries(seen)) assert.ok(times > TABLES / 10, `RESTPOINT_SEED=${seed}, only ${times} ${what}`);
});

function kindOf(match: Match<unknown> | undefined): 'literals' | 'single parameters' | 'several parameters' | 'misses' {
  if (match === undefined) return 'misses';
  return (['literals', 'single parameters'] as const)[match.parameters.length] ?? 'several parameters';
}

const LARGE_TABLES = Math.ceil(TABLES / 1000);
const ROUTES = 10_000;
// Strings of one length and of many lengths, so that some differ only in their last characters and some only in their lengths.
const NAME_LENGTHS = [1, 2, 3, 4, 5, 7, 8, 9, 12, 22, 23, 24, 25, 60] as const;

property('finds each of 10,000 routes, and nothing that differs from all of them in one character', () => {
  const random = new Random(seed);
  const seen = { literals: 0, 'single parameters': 0, 'several parameters': 0, misses: 0 };
  for (let table = 0; table < LARGE_TABLES; table += 1) {
    const router = new Router<string>();
    const templates = random.list(ROUTES, ROUTES, () => largeTemplate(random));
    const taken = new Map<string, string>();
    for (const template of templates) {
      const key = anonymous(template).join('/');
      assert.is(throws(() => router.insert('GET', parsePattern(template), template)), taken.has(key), template);
      if (!taken.has(key)) taken.set(key, template);
    }
    for (const template of templates) {
      for (const path of [template, withOneChange(random, template), withOneChange(random, template.replaceAll(/:\w+/g, 'x'))]) {
        const expected = naiveMatch(taken, path);
        const value = router.match('GET', path);
        const found = value === undefined ? undefined : { value, parameters: readParameters(parsePattern(value), path) };
        assert.equal(found, expected, `RESTPOINT_SEED=${seed}, table ${table}, match ${JSON.stringify(path)}`);
        seen[kindOf(expected)] += 1;
      }
    }
  }
  const least = LARGE_TABLES * ROUTES / 4;
  for (const [what, times] of Object.entries(seen)) assert.ok(times > least, `RESTPOINT_SEED=${seed}, only ${times} ${what}`);
});

function largeTemplate(random: Random): string {
  const name = (): string => {
    const length = random.pick(NAME_LENGTHS);
    const text = random.below(36 ** 4).toString(36);
    return text.padStart(length, random.pick(['0', 'resource'])).slice(-length);
  };
  const below = random.list(0, 3, () => (random.below(2) === 0 ? PARAMETER : name()));
  return `/v1/${nameSegments(random, [name(), ...below])}`;
}

/** A path with one character added, removed or changed, usually to one that no template has. */
function withOneChange(random: Random, path: string): string {
  const at = random.below(path.length);
  const character = random.pick(['', '/', '0', '\0', '\x7f', '\xff', '\u3030', String.fromCharCode(path.charCodeAt(at) ^ 1)]);
  return path.slice(0, at) + character + path.slice(at + random.below(2));
}

/** Looks a path up by the strings that a template of it can have, those with literals first. */
function naiveMatch(templates: ReadonlyMap<string, string>, path: string): Match<string> | undefined {
  const [before, ...segments] = path.split('/');
  for (let choice = 0; before === '' && choice < 2 ** segments.length; choice += 1) {
    const isParameter = (at: number): boolean => (choice >> (segments.length - 1 - at) & 1) === 1;
    const value = templates.get(segments.map((segment, at) => (isParameter(at) ? PARAMETER : `=${segment}`)).join('/'));
    const parameters = segments.filter((_, at) => isParameter(at));
    if (value !== undefined && !parameters.includes('')) return { value, parameters };
  }
  return undefined;
}

function throws(insert: () => void): boolean {
  try {
    insert();
    return false;
  } catch (error) {
    assert.instance(error, TypeError);
    return true;
  }
}
