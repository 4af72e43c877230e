/**
 * GET and QUERY change nothing, HEAD has the headers of GET (RFC 9110 sections 9.2.1 and 9.3.2), and all responses fit the document. The pages of
 * a list are the whole list.
 */
import { type Check, explainNotCalled, makeCheck, type Tools } from './check.ts';
import { makeFailure, tryJson, type ReceivedResponse } from './requests.ts';
import { findCreate, findUpdate, formatDeclaration, isSafeSubject, listIntercepted, type Subject } from './subject.ts';

/** The headers that must be the same for HEAD and GET. */
const HEADERS = ['content-type', 'content-length', 'etag', 'last-modified', 'cache-control', 'location', 'link', 'vary'] as const;

export function readChecks(tools: Tools): Check[] {
  return tools.subjects.filter(isSafeSubject).flatMap((get) => {
    const missing = explainNotCalled(tools, get);
    const claim = tools.observations.makeClaim(get);
    return [
      makeCheck(`${get.route}: the response is as the document says`, missing, () => verifyRead(tools, get)),
      ...(get.method === 'GET' ? [
        makeCheck(`HEAD ${get.path}: as GET, without a body`, missing ?? explainVaried(get), () => checkHead(tools, get)),
      ] : []),
      ...(get.operation.caching?.control === undefined ? [] : [
        makeCheck(`${get.route}: a success has Cache-Control, and a 304 has the same`, missing, () => checkCaching(tools, get)),
      ]),
      ...(claim === '' ? [] : [makeCheck(`${get.route}: has the same response twice${claim}`, missing, () => checkSafe(tools, get))]),
    ];
  });
}

/** The examples of an operation are as its schemas say. Nothing is sent. */
export function exampleChecks({ subjects, requests }: Tools): Check[] {
  return subjects.filter((subject) => [...requests.listExamples(subject)].length > 0).map((subject) => {
    return makeCheck(`${subject.route}: its examples are as its schemas say`, undefined, async () => {
      const wrong = [...requests.listExamples(subject)].find(({ issue }) => issue !== undefined);
      if (wrong !== undefined) throw new Error(`the example ${wrong.at} is wrong: ${wrong.issue} (${subject.operationId}, ${formatDeclaration(subject)})`);
    });
  });
}

export function explainVaried({ operationId, sample: { varies } }: Subject): string | undefined {
  return varies === true ? `samples.${operationId}.varies is true` : undefined;
}

async function verifyRead(tools: Tools, get: Subject): Promise<void> {
  const response = await tools.requests.call(get, await makeItem(tools, get), await tools.items.makeParts(get));
  if (response.status >= 400) throw makeFailure(response, 'success for an item that exists', get);
}

async function checkHead(tools: Tools, get: Subject): Promise<void> {
  const { items, requests } = tools;
  const [path, parts] = [await makeItem(tools, get), await items.makeParts(get)];
  const [got, head] = [await requests.call(get, path, parts), await requests.send(get, 'HEAD', path, parts)];
  if (head.status !== got.status) throw makeFailure(head, `${got.status}, as for GET`, get);
  const other = HEADERS.find((name) => head.headers[name] !== got.headers[name]);
  if (other === undefined) return;
  throw makeFailure(head, `${other}: ${String(got.headers[other])}, as for GET, not ${String(head.headers[other])}`, get);
}

async function checkCaching(tools: Tools, get: Subject): Promise<void> {
  const { items, requests } = tools;
  const [path, parts] = [await makeItem(tools, get), await items.makeParts(get)];
  const got = await requests.call(get, path, parts);
  const control = got.headers['cache-control'];
  if (control === undefined) throw makeFailure(got, 'Cache-Control, as the declaration says', get);
  // `*` matches any item that exists.
  const known = await requests.call(get, path, { ...parts, headers: { ...parts.headers, 'if-none-match': '*' } });
  if (known.status === 304 && known.headers['cache-control'] === control) return;
  throw makeFailure(known, `304 to If-None-Match: *, with Cache-Control: ${control}`, get);
}

async function checkSafe(tools: Tools, get: Subject): Promise<void> {
  const { items, requests, observations } = tools;
  const path = await makeItem(tools, get);
  const before = await observations.observe(get, path);
  const response = await requests.call(get, path, await items.makeParts(get));
  await observations.expectUnchanged(before, get, path, response);
}

/**
 * Makes the path of an item. Puts a singleton there first, and adds an item to a list. `known` is the path, if it has been made already.
 */
export async function makeItem({ items, requests, subjects }: Tools, subject: Subject, known = ''): Promise<string> {
  const path = known === '' ? await items.makePath(subject) : known;
  const create = subject.operation.kind.readsItems ? findCreate(subjects, subject.path) : undefined;
  if (create !== undefined && items.explainUncalled(create) === undefined) await requests.call(create, path, await items.makeParts(create));
  const update = findUpdate(subjects, subject);
  const canPut = update !== undefined && items.explainUncalled(update) === undefined;
  if (subject.operation.endpoint.isSingleton && canPut) await requests.call(update, path, await items.makeParts(update));
  return path;
}

// The number of items that a check creates, for as many pages of one item.
const ITEMS = 3;
// A limit over any maximum: the list reduces it.
const LONGEST = 1_000_000;
const MAX_PAGES = 100;
const SORT = 'sort';

/**
 * The pages of a list are the whole list: every item comes once. Makes checks for each list with `pages`: one for each order, and one more for the links to previous pages.
 */
export function pageChecks(tools: Tools): Check[] {
  return tools.subjects.flatMap((list) => {
    const [limit, ...others] = listIntercepted(list, 'query');
    if (limit === undefined) return [];
    const missing = explainNotCalled(tools, list) ?? explainVaried(list) ?? explainEmpty(tools, list);
    const sorts = others.includes(SORT) ? listDescribedSorts(list) : [];
    const hasPrevious = others.filter((name) => name !== SORT).length > 1;
    return ['', ...sorts].flatMap((sort) => {
      const named = (what: string): string => `${list.route}: ${what}${sort === '' ? '' : `, by ${sort}`}`;
      const pages = makeCheck(named('its pages of one item are the whole list'), missing, () => checkPages(tools, list, limit, sort));
      if (!hasPrevious) return [pages];
      return [pages, makeCheck(named('its previous pages have the items before'), missing, () => checkPrevious(tools, list, limit, sort))];
    });
  });
}

/** The query of a first page. */
function formatFirst(limit: string, length: number, sort: string): string {
  return `${limit}=${length}${sort === '' ? '' : `&${SORT}=${sort}`}`;
}

/** The values of the parameter that sorts. */
function listDescribedSorts({ described: { parameters = [] } }: Subject): string[] {
  const { schema } = parameters.find(({ in: where, name }) => where === 'query' && name === SORT) ?? {};
  return (schema?.['enum'] as string[] | undefined ?? []);
}

function explainEmpty({ subjects, items }: Tools, list: Subject): string | undefined {
  const create = findCreate(subjects, list.path);
  return create === undefined ? 'no create that makes its items' : items.explainUncalled(create);
}

async function makeItems(tools: Tools, list: Subject): Promise<string> {
  let path = '';
  for (let made = 0; made < ITEMS; made += 1) path = await makeItem(tools, list, path);
  return path;
}

async function checkPages(tools: Tools, list: Subject, limit: string, sort: string): Promise<void> {
  const path = await makeItems(tools, list);
  const whole = await walk(tools, list, path, formatFirst(limit, LONGEST, sort));
  const parts = await walk(tools, list, path, formatFirst(limit, 1, sort));
  compareItems(parts, whole.items, list);
  if (parts.isWhole && parts.items.length < whole.items.length) {
    throw makeFailure(parts.last, `all ${whole.items.length} items of the list: ${parts.items.length} were sent`, list);
  }
  if (sort === '' || !whole.isWhole) return;
  // In a different order, the list has the same items, and in descending order it is the reverse.
  const isReverse = sort.startsWith('-');
  const other = await walk(tools, list, path, formatFirst(limit, LONGEST, isReverse ? sort.slice(1) : ''));
  if (isReverse) compareItems(whole, other.items.reverse(), list);
  else compareItems({ ...whole, items: [...whole.items].sort() }, [...other.items].sort(), list);
  if (whole.items.length >= other.items.length) return;
  throw makeFailure(whole.last, `all ${other.items.length} items of the list: ${whole.items.length} were sent`, list);
}

/** Follows the links to previous pages, from the last page to the first one. */
async function checkPrevious(tools: Tools, list: Subject, limit: string, sort: string): Promise<void> {
  const path = await makeItems(tools, list);
  const there = await walk(tools, list, path, formatFirst(limit, 1, sort));
  const { previous } = there;
  if (previous === undefined) throw makeFailure(there.last, 'a Link with rel="prev", to the page before the last one', list);
  const back = await walk(tools, list, path, previous, 'prev');
  const expected = there.items.slice(0, -1);
  compareItems({ ...back, items: back.items.reverse() }, expected, list);
  if (back.items.length < expected.length) {
    throw makeFailure(back.last, `all ${expected.length} items before the last page: ${back.items.length} were sent`, list);
  }
}

/** Throws at the first item that is not the expected one. A long list is compared as far as the walk goes. */
function compareItems({ items, last }: Walk, expected: readonly string[], list: Subject): void {
  const at = items.findIndex((item, index) => item !== expected[index]);
  if (at === -1) return;
  throw makeFailure(last, `${expected[at] ?? 'no item'} at position ${at} of the list, not ${items[at]}`, list);
}

interface Walk {
  /** The items, each as JSON. */
  readonly items: string[];
  readonly last: ReceivedResponse;
  /** Whether the last page has no link to a next one. */
  readonly isWhole: boolean;
  /** The query of the page before the last one. */
  readonly previous: string | undefined;
}

/** Follows the links to next pages, or to previous ones. */
async function walk(
  { requests, items: source }: Tools, list: Subject, path: string, first: string, relation: Relation = 'next',
): Promise<Walk> {
  const parts = await source.makeParts(list);
  const items: string[] = [];
  let query = first.startsWith('?') ? first : `${parts.query === '' ? '?' : `${parts.query}&`}${first}`;
  for (let pages = 1; ; pages += 1) {
    const last = await requests.call(list, path, { ...parts, query });
    const json = tryJson(last.body)?.json;
    const page = Array.isArray(json) ? json as unknown[] : (Object(json) as { readonly items?: unknown }).items;
    if (!Array.isArray(page)) throw makeFailure(last, 'a list', list);
    // Even on the way back, each page is in the order of the list.
    items.push(...(relation === 'next' ? page : page.reverse()).map((item) => JSON.stringify(item)));
    const follow = (target: string): string => new URL(target, `http://localhost${path}${query}`).search;
    const links = { next: readLink(last, json, 'next', list), prev: readLink(last, json, 'prev', list) };
    const { [relation]: link, prev } = links;
    if (link === undefined || pages === MAX_PAGES) {
      return { items, last, isWhole: link === undefined, previous: prev === undefined ? undefined : follow(prev) };
    }
    query = follow(link);
  }
}

const LINKS = { next: /<([^<>]*)>; *rel="?next"?/, prev: /<([^<>]*)>; *rel="?prev"?/ } as const;
type Relation = keyof typeof LINKS;

/** Returns the target of a link. Throws if an envelope has a different one. */
function readLink(response: ReceivedResponse, json: unknown, relation: Relation, list: Subject): string | undefined {
  const [, target] = LINKS[relation].exec(response.headers['link'] ?? '') ?? [];
  const own: unknown = Array.isArray(json) ? target : Object(json)[relation];
  if (own !== target) throw makeFailure(response, `the same ${relation} in the body as in Link: ${target}, not ${String(own)}`, list);
  return target;
}
