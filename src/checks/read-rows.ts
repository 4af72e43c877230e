/**
 * All responses fit the document. GET changes nothing (RFC 9110 section 9.2.1). The pages of a list are the whole list: every item comes
 * once.
 */
import { type ReceivedResponse, tryJson } from './kept-document.ts';
import { changeQuery, findLink, findQuery, LONGEST, readPages, type Relation } from './lists.ts';
import { makeFailure } from './requests.ts';
import { type AnyRow, called, type CheckRow, listGets, type Probe, row, steady } from './row.ts';
import { findCreate, listIntercepted, type Subject } from './subject.ts';

export const READS: readonly AnyRow[] = [
  row({
    rules: 'O8 O18 O25 R13', find: () => true,
    what: ({ route }) => `${route}: the response is as the document says`,
    verify: async (probe) => {
      const { reads } = probe.subject.operation.kind;
      await probe.succeed(reads ? 'success for an item that exists' : 'success for the sample');
    },
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
  const { schema } = list.described.parameters?.find(({ in: where, name }) => where === 'query' && name === SORT) ?? {};
  const sorts = others.includes(SORT) ? schema?.['enum'] as string[] | undefined ?? [] : [];
  const hasPrevious = others.filter((name) => name !== SORT).length > 1;
  return ['', ...sorts].map((sort) => ({ limit, sort, hasPrevious }));
}

function pagesRow(fact: string, { rules, find, verify }: Omit<CheckRow<Order>, 'what' | 'needs'>): AnyRow {
  return row<Order>({
    rules, find, what: ({ route }, { sort }) => `${route}: ${fact}${sort === '' ? '' : `, by ${sort}`}`,
    needs: [called, steady, (list, { subjects, items }) => {
      const create = findCreate(subjects, list.path);
      return create === undefined ? 'no create that makes its items' : items.explainUncalled(create);
    }],
    verify: async (probe, order) => {
      for (let made = 1; made < ITEMS; made += 1) await probe.fill();
      await verify(probe, order);
    },
  });
}

export const PAGES: readonly AnyRow[] = [
  pagesRow('its pages of one item are the whole list', { rules: 'G1 G2 G3', find: listOrders, verify: verifyPages }),
  pagesRow('its previous pages have the items before', {
    rules: 'G4', find: (list) => listOrders(list).filter(({ hasPrevious }) => hasPrevious), verify: verifyPrevious,
  }),
];

async function verifyPages(probe: Probe, order: Order): Promise<void> {
  const whole = await walk(probe, order, LONGEST);
  const parts = await walk(probe, order, 1);
  compareItems(probe, parts, whole.items, parts.isWhole);
  if (order.sort === '' || !whole.isWhole) return;
  // In a different order, the list has the same items, and in descending order it is the reverse.
  const isReverse = order.sort.startsWith('-');
  const { items } = await walk(probe, { ...order, sort: isReverse ? order.sort.slice(1) : '' }, LONGEST);
  if (isReverse) compareItems(probe, whole, items.reverse());
  else compareItems(probe, { ...whole, items: [...whole.items].sort() }, items.sort());
}

/** Follows the links to previous pages, from the last page to the first one. */
async function verifyPrevious(probe: Probe, order: Order): Promise<void> {
  const { items, last } = await walk(probe, order, 1);
  const query = findQuery(last, 'prev');
  if (query === undefined) throw makeFailure(last, 'a Link with rel="prev", to the page before the last one', probe.subject);
  const back = toWalk(probe, await readPages(probe, probe.subject, { query }, 'prev'), 'prev');
  compareItems(probe, { ...back, items: back.items.reverse() }, items.slice(0, -1), true, 'items before the last page');
}

/** Throws at the first item that is not the expected one. A long list is compared as far as the walk goes. */
function compareItems(probe: Probe, { items, last }: Walk, expected: readonly string[], isWhole = true, what = 'items of the list'): void {
  const at = items.findIndex((item, index) => item !== expected[index]);
  probe.expect(at === -1, last, `${expected[at] ?? 'no item'} at position ${at} of the list, not ${items[at]}`);
  probe.expect(!isWhole || items.length >= expected.length, last, `all ${expected.length} ${what}: ${items.length} were sent`);
}

async function walk(probe: Probe, { limit, sort }: Order, length: number): Promise<Walk> {
  const query = changeQuery(await probe.partsOf(), { [limit]: length, ...(sort !== '' && { [SORT]: sort }) });
  return toWalk(probe, await readPages(probe, probe.subject, { query }), 'next');
}

interface Walk {
  /** As JSON. */
  readonly items: string[];
  readonly last: ReceivedResponse;
  /** Whether the last page has no link to a next one. */
  readonly isWhole: boolean;
}

/** Reads the items of pages. Throws if an envelope has a different link than `Link`. */
function toWalk(probe: Probe, pages: readonly ReceivedResponse[], relation: Relation): Walk {
  const items = pages.flatMap((page) => {
    const json = tryJson(page.body);
    const envelope = Object(json) as Readonly<Record<string, unknown>>;
    const list = Array.isArray(json) ? json as unknown[] : envelope['items'];
    if (!Array.isArray(list)) throw makeFailure(page, 'a list', probe.subject);
    for (const each of ['next', 'prev'] as const) {
      const target = findLink(page, each);
      const isSame = list === json || envelope[each] === target;
      probe.expect(isSame, page, `the same ${each} in the body as in Link: ${target}, not ${String(envelope[each])}`);
    }
    // Even on the way back, each page is in the order of the list.
    return (relation === 'next' ? list : list.reverse()).map((item) => JSON.stringify(item));
  });
  const last = pages.at(-1)!;
  return { items, last, isWhole: findLink(last, relation) === undefined };
}
