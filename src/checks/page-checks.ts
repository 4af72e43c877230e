/** The pages of a list are the whole list: every item comes once. */
import { type Check, makeCheck, type Tools, explainNotCalled } from './check.ts';
import { makeItem, explainVaried } from './read-checks.ts';
import { type ReceivedResponse, makeFailure, parseJson } from './requests.ts';
import { listIntercepted, type Subject, findSubject } from './subject.ts';

// The number of items that a check creates, for as many pages of one item.
const ITEMS = 3;
// A limit over any maximum: the list reduces it.
const LONGEST = 1_000_000;
const MAX_PAGES = 100;
const SORT = 'sort';

/** Makes checks for each list with `pages`: one for each order, and one more for the links to previous pages. */
export function pageChecks(tools: Tools): Check[] {
  return tools.subjects.flatMap((list) => {
    const [limit, ...others] = listIntercepted(list, 'query');
    if (limit === undefined) return [];
    const missing = explainNotCalled(tools, list) ?? explainVaried(list) ?? explainEmpty(tools, list);
    const sorts = others.includes(SORT) ? listSorts(list) : [];
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
function listSorts({ described: { parameters = [] } }: Subject): string[] {
  const { schema } = parameters.find(({ in: where, name }) => where === 'query' && name === SORT) ?? {};
  return (schema?.['enum'] as string[] | undefined ?? []);
}

function explainEmpty({ subjects, items }: Tools, list: Subject): string | undefined {
  const create = findSubject(subjects, 'POST', list.path);
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
    const json = parseJson(last.body)?.json;
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

type Relation = 'next' | 'prev';

/** Returns the target of a link. Throws if an envelope has a different one. */
function readLink(response: ReceivedResponse, json: unknown, relation: Relation, list: Subject): string | undefined {
  const [, target] = new RegExp(`<([^>]*)>; *rel="?${relation}"?`).exec(response.headers['link'] ?? '') ?? [];
  const own: unknown = Array.isArray(json) ? target : Object(json)[relation];
  if (own !== target) throw makeFailure(response, `the same ${relation} in the body as in Link: ${target}, not ${String(own)}`, list);
  return target;
}
