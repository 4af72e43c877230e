/**
 * Random endpoints at random sub-paths, compared with a naive table: which of them are rejected, which operation serves each request, and
 * which methods discovery and 405 list. The sub-paths have few segments, so that endpoints have paths in common, and literals lead nowhere.
 *
 *   RESTPOINT_SEED=1234 node build/tests/support/run.js discovery     repeats a failed run
 *   RESTPOINT_CASES=1000 …                                       with more tables
 */
import { ApiServer, reply, stringId } from '../../src/index.ts';
import { Injection } from '../support/injection.ts';
import { readCaseCount, Random, readSeed } from '../support/random.ts';
import { assert, suite } from '../support/facts.ts';

const TABLES = readCaseCount(60);
const ITEM = '/:';
const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'] as const;

/** A kind of operation: its method, and its paths in an endpoint with ids and in a singleton. */
const KINDS = [
  { key: 'create', method: 'POST', path: '', ofSingleton: '' },
  { key: 'list', method: 'GET', path: '', ofSingleton: undefined },
  { key: 'get', method: 'GET', path: ITEM, ofSingleton: '' },
  { key: 'update', method: 'PUT', path: ITEM, ofSingleton: '' },
  { key: 'patch', method: 'PATCH', path: ITEM, ofSingleton: '' },
  { key: 'delete', method: 'DELETE', path: ITEM, ofSingleton: '' },
  { key: 'custom.feed', method: 'POST', path: '/feed', ofSingleton: '/feed' },
  { key: 'custom.b', method: 'POST', path: '/b', ofSingleton: '/b' },
  { key: 'itemCustom.feed', method: 'POST', path: `${ITEM}/feed`, ofSingleton: undefined },
] as const;

interface Draft {
  readonly name: string;
  readonly isSingleton: boolean;
  /** A parameter is `:`. */
  readonly base: string;
  readonly kinds: readonly (typeof KINDS)[number][];
}

function draftOf(random: Random, name: string): Draft {
  const isSingleton = random.below(3) === 0;
  const base = random.list(0, 3, () => random.pick(['/a', '/b', '/feed', '/:'])).join('');
  const kinds = KINDS.filter(({ ofSingleton }) => random.below(3) === 0 && (!isSingleton || ofSingleton !== undefined));
  // An endpoint without an operation is rejected.
  return { name, isSingleton, base, kinds: kinds.length === 0 ? [KINDS[2]] : kinds };
}

/** Registers an endpoint whose operations return their own names. Returns whether it was rejected. */
function isRejected(server: ApiServer, { name, isSingleton, base, kinds }: Draft): boolean {
  const params: Record<string, typeof stringId> = {};
  const subpath = base.replaceAll(':', () => {
    const parameter = `p${Object.keys(params).length}`;
    params[parameter] = stringId;
    return `:${parameter}`;
  });
  const endpoint: Record<string, Record<string, unknown>> = { params, ...(isSingleton ? {} : { id: { ...stringId } }) };
  for (const { key } of kinds) {
    const [kind, custom] = key.split('.') as [string, string?];
    const takesBody = ['create', 'update', 'patch'].includes(kind);
    const operation = { ...(takesBody ? { input: (json: unknown) => json } : {}), run: () => reply(200, `${name} ${key}`) };
    endpoint[kind] = custom === undefined ? operation : { ...endpoint[kind], [custom]: operation };
  }
  try {
    server.registerEndpoint((subpath || '/') as never, endpoint as never);
    return false;
  } catch (error) {
    assert.instance(error, TypeError);
    assert.match((error as Error).message, /^route .* conflicts with /);
    return true;
  }
}

type Row = { readonly path: string; readonly method: string; readonly name: string };

/** A simple and slow table of the operations of endpoints. */
class NaiveTable {
  readonly #rows: Row[] = [];
  readonly #discoveries = new Map<string, string[]>();
  // The paths of Custom operations beside items, with the path of an item: its methods are allowed there too.
  readonly #items = new Map<string, string>();

  /** Adds an endpoint. Returns whether it is rejected. */
  isRejected({ name, isSingleton, base, kinds }: Draft): boolean {
    const rows = kinds.map(({ key, method, path, ofSingleton }) => {
      return { method, path: base + (isSingleton ? ofSingleton : path) || '/', name: `${name} ${key}`, isCustom: key.startsWith('custom') };
    });
    if (rows.some((row) => this.#rows.some(({ method, path }) => method === row.method && path === row.path))) return true;
    this.#rows.push(...rows);
    this.#discover(base || '/', rows.filter(({ isCustom }) => isCustom));
    if (!isSingleton) this.#discover(`${base}${ITEM}`, []);
    for (const row of rows) {
      if (row.isCustom && !isSingleton) this.#items.set(row.path, `${base}${ITEM}`);
      this.#discover(row.path, [row]);
    }
    return false;
  }

  /** Status, `Allow` and body of a response. */
  respond(method: string, path: string): readonly [number, string, string] {
    if (method === 'OPTIONS') {
      const [discovered] = sortPatterns([...this.#discoveries.keys()].filter((each) => matchesPattern(each, path)), (each) => each);
      if (discovered !== undefined) {
        const own = this.#discoveries.get(discovered) ?? [];
        const ofItem = this.#discoveries.get(this.#items.get(discovered) ?? '') ?? [];
        return [200, sortMethods([...own, ...ofItem.filter((each) => !own.includes(each))]), ''];
      }
    }
    const rows = this.#rows.filter((row) => matchesPattern(row.path, path));
    const wanted = method === 'HEAD' ? 'GET' : method;
    const [row] = sortPatterns(rows.filter((each) => each.method === wanted), (each) => each.path);
    if (row !== undefined) return [200, '', method === 'HEAD' ? '' : JSON.stringify(row.name)];
    const isDiscovered = [...this.#discoveries.keys()].some((each) => matchesPattern(each, path));
    const taken = [...rows.map((each) => each.method), ...(isDiscovered ? ['OPTIONS'] : [])];
    if (taken.length === 0) return [404, '', 'problem'];
    return [405, METHODS.filter((each) => taken.includes(each === 'HEAD' ? 'GET' : each)).join(', '), ''];
  }

  #discover(path: string, rows: readonly Row[]): void {
    this.#discoveries.set(path, [...(this.#discoveries.get(path) ?? []), ...rows.map(({ method }) => method)]);
  }
}

function sortMethods(methods: readonly string[]): string {
  return ['GET', 'PUT', 'PATCH', 'DELETE', 'POST'].flatMap((each) => methods.filter((method) => method === each)).join(', ');
}

/** Sorts: of two patterns, the one with a literal where they first differ comes first. */
function sortPatterns<T>(items: readonly T[], pathOf: (item: T) => string): T[] {
  const rank = (item: T): string => pathOf(item).split('/').map((segment) => (segment === ':' ? '1' : '0')).join('');
  return [...items].sort((one, other) => (rank(one) < rank(other) ? -1 : 1));
}

function matchesPattern(pattern: string, path: string): boolean {
  const [wanted, segments] = [pattern.split('/'), path.split('/')];
  return wanted.length === segments.length && wanted.every((each, at) => each === segments[at] || (each === ':' && segments[at] !== ''));
}

async function getResponse(server: ApiServer, method: string, path: string): Promise<readonly [number, string, string]> {
  const injection = /^P/.test(method) ? new Injection(method, path, ['null'], { 'Content-Length': '4' }) : new Injection(method, path);
  const [status, allow, body] = await injection.into(server.requestListener);
  return [status, allow, status === 404 && method !== 'HEAD' ? 'problem' : body];
}

const property = suite('discovery and 405 compared with a naive table');

property('the same endpoints are rejected, and the same operations, methods and statuses respond', async () => {
  const seed = readSeed();
  const random = new Random(seed);
  const seen = { rejected: 0, 'path shared': 0, 200: 0, 404: 0, 405: 0 };
  for (let table = 0; table < TABLES; table += 1) {
    const server = new ApiServer('', { logger: { info: () => {}, error: () => {} } });
    const naive = new NaiveTable();
    const drafts = Array.from({ length: 1 + random.below(7) }, (_, at) => draftOf(random, `e${at}`));
    const declared = JSON.stringify(drafts.map(({ base, kinds }) => [base, kinds.map(({ key }) => key)]));
    const said = (what: string): string => `RESTPOINT_SEED=${seed}, table ${table}, ${what}, ${declared}`;
    for (const [at, draft] of drafts.entries()) {
      const expected = naive.isRejected(draft);
      assert.is(isRejected(server, draft), expected, said(`e${at}`));
      seen[expected ? 'rejected' : 'path shared'] += Number(expected || drafts.slice(0, at).some(({ base }) => base === draft.base));
    }
    for (let count = 0; count < 30; count += 1) {
      const base = random.pick(drafts as [Draft, ...Draft[]]).base + random.pick(['', '', ITEM, '/feed', '/b', '/:/feed']);
      const path = base.replaceAll(':', () => random.pick(['a', 'b', 'feed', '7'])) || '/';
      const method = random.pick(METHODS);
      const expected = naive.respond(method, path);
      const response = await getResponse(server, method, path);
      assert.equal(response, method === 'HEAD' ? [expected[0], expected[1], ''] : expected, said(`${method} ${path}`));
      seen[expected[0] as 200 | 404 | 405] += 1;
    }
  }
  for (const [what, times] of Object.entries(seen)) assert.ok(times > TABLES / 50, `RESTPOINT_SEED=${seed}, only ${times} ${what}`);
});
