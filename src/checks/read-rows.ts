/**
 * All responses fit the document. GET changes nothing (RFC 9110 section 9.2.1). The pages of a list are the whole list: every item comes
 * once.
 */
import { type ReceivedResponse, tryJson } from './kept-document.ts';
import { LINKS, LONGEST, MAX_PAGES } from './lists.ts';
import { makeFailure } from './requests.ts';
import { type AnyRow, called, listGets, type Need, type Probe, row, steady } from './row.ts';
import { findCreate, listIntercepted, type Subject } from './subject.ts';

export const READS: readonly AnyRow[] = [
  row({
    rules: 'O8 O17 O18 R13', find: () => true,
    what: ({ route }) => `${route}: the response is as the document says`,
    verify: async (probe) => void await probe.succeed(probe.subject.operation.kind.reads ? 'success for an item that exists' : 'success for the sample'),
  }),
  row({
    rules: 'Y1', find: (subject, tools) => subject.operation.kind.reads && listGets(tools, subject).length > 0,
    what: ({ route }) => `${route}: has the same response twice`,
    keeps: () => true,
    verify: (probe) => probe.keep(() => probe.call()),
  }),
];

// The number of items that a check creates, for as many pages of one item.
const ITEMS = 3;
const SORT = 'sort';

/** An order of a list. */
interface Order {
  /** The parameter that limits a page. */
  readonly limit: string;
  /** Empty for the order of the list itself. */
  readonly sort: string;
  readonly hasPrevious: boolean;
}

function listOrders(list: Subject): Order[] {
  const [limit, ...others] = listIntercepted(list, 'query');
  if (limit === undefined) return [];
  const { schema } = (list.described.parameters ?? []).find(({ in: where, name }) => where === 'query' && name === SORT) ?? {};
  const sorts = others.includes(SORT) ? schema?.['enum'] as string[] | undefined ?? [] : [];
  const hasPrevious = others.filter((name) => name !== SORT).length > 1;
  return ['', ...sorts].map((sort) => ({ limit, sort, hasPrevious }));
}

const formatClaim = ({ route }: Subject, what: string, { sort }: Order): string => `${route}: ${what}${sort === '' ? '' : `, by ${sort}`}`;

const filled: Need = (list, { subjects, items }) => {
  const create = findCreate(subjects, list.path);
  return create === undefined ? 'no create that makes its items' : items.explainUncalled(create);
};

export const PAGES: readonly AnyRow[] = [
  row<Order>({
    rules: 'G1 G2 G3', find: listOrders,
    what: (list, order) => formatClaim(list, 'its pages of one item are the whole list', order),
    needs: [called, steady, filled],
    verify: verifyPages,
  }),
  row<Order>({
    rules: 'G4', find: (list) => listOrders(list).filter(({ hasPrevious }) => hasPrevious),
    what: (list, order) => formatClaim(list, 'its previous pages have the items before', order),
    needs: [called, steady, filled],
    verify: verifyPrevious,
  }),
];

/** The query of a first page. */
function formatFirst({ limit, sort }: Order, length: number): string {
  return `${limit}=${length}${sort === '' ? '' : `&${SORT}=${sort}`}`;
}

async function fillPages(probe: Probe): Promise<void> {
  for (let made = 1; made < ITEMS; made += 1) await probe.fill();
}

async function verifyPages(probe: Probe, order: Order): Promise<void> {
  await fillPages(probe);
  const whole = await walk(probe, formatFirst(order, LONGEST));
  const parts = await walk(probe, formatFirst(order, 1));
  compareItems(probe, parts, whole.items, parts.isWhole);
  if (order.sort === '' || !whole.isWhole) return;
  // In a different order, the list has the same items, and in descending order it is the reverse.
  const isReverse = order.sort.startsWith('-');
  const other = await walk(probe, formatFirst({ ...order, sort: isReverse ? order.sort.slice(1) : '' }, LONGEST));
  if (isReverse) compareItems(probe, whole, other.items.reverse());
  else compareItems(probe, { ...whole, items: [...whole.items].sort() }, [...other.items].sort());
}

/** Follows the links to previous pages, from the last page to the first one. */
async function verifyPrevious(probe: Probe, order: Order): Promise<void> {
  await fillPages(probe);
  const there = await walk(probe, formatFirst(order, 1));
  if (there.previous === undefined) throw makeFailure(there.last, 'a Link with rel="prev", to the page before the last one', probe.subject);
  const back = await walk(probe, there.previous, 'prev');
  compareItems(probe, { ...back, items: back.items.reverse() }, there.items.slice(0, -1), true, 'items before the last page');
}

/** Throws at the first item that is not the expected one. A long list is compared as far as the walk goes. */
function compareItems(probe: Probe, { items, last }: Walk, expected: readonly string[], isWhole = true, what = 'items of the list'): void {
  const at = items.findIndex((item, index) => item !== expected[index]);
  probe.expect(at === -1, last, `${expected[at] ?? 'no item'} at position ${at} of the list, not ${items[at]}`);
  probe.expect(!isWhole || items.length >= expected.length, last, `all ${expected.length} ${what}: ${items.length} were sent`);
}

type Walk = Awaited<ReturnType<typeof walk>>;

/**
 * Follows the links to next pages, or to previous ones. `items` are JSON, `isWhole` says whether the last page has no link to a next one, and
 * `previous` is the query of the page before it.
 */
async function walk(probe: Probe, first: string, relation: Relation = 'next') {
  const { query: own = '' } = await probe.partsOf();
  const items: string[] = [];
  let query = first.startsWith('?') ? first : `${own === '' ? '?' : `${own}&`}${first}`;
  for (let pages = 1; ; pages += 1) {
    const last = await probe.call({ query });
    const json = tryJson(last.body)?.json;
    const page = Array.isArray(json) ? json as unknown[] : (Object(json) as { readonly items?: unknown }).items;
    if (!Array.isArray(page)) throw makeFailure(last, 'a list', probe.subject);
    // Even on the way back, each page is in the order of the list.
    items.push(...(relation === 'next' ? page : page.reverse()).map((item) => JSON.stringify(item)));
    const follow = (target: string): string => new URL(target, `http://localhost${probe.path}${query}`).search;
    const links = { next: readLink(probe, last, json, 'next'), prev: readLink(probe, last, json, 'prev') };
    const { [relation]: link, prev } = links;
    if (link === undefined || pages === MAX_PAGES) {
      return { items, last, isWhole: link === undefined, previous: prev === undefined ? undefined : follow(prev) };
    }
    query = follow(link);
  }
}

type Relation = keyof typeof LINKS;

/** Returns the target of a link. Throws if an envelope has a different one. */
function readLink(probe: Probe, response: ReceivedResponse, json: unknown, relation: Relation): string | undefined {
  const [, target] = LINKS[relation].exec(response.headers['link'] ?? '') ?? [];
  const own: unknown = Array.isArray(json) ? target : Object(json)[relation];
  probe.expect(own === target, response, `the same ${relation} in the body as in Link: ${target}, not ${String(own)}`);
  return target;
}
