/** What lists show: arrays, envelopes of any form, and lines of text, with the pages behind their links. */
import { isSchema } from '../endpoint/json-schema.ts';
import { type ReceivedResponse, tryJson } from './kept-document.ts';
import { isTime, type RequestParts } from './requests.ts';
import type { Probe } from './row.ts';
import { listIntercepted, type Subject } from './subject.ts';

// A test must not take long.
const MAX_PAGES = 100;
// A limit over any maximum: the list reduces it.
export const LONGEST = 1_000_000;

export type Relation = 'next' | 'prev';

/** Reads a page of a list, and the pages behind its links in one direction. */
export async function readPages(
  probe: Probe, list: Subject, parts: RequestParts, relation: Relation = 'next',
): Promise<ReceivedResponse[]> {
  const pages: ReceivedResponse[] = [];
  for (let { query } = parts; query !== undefined && pages.length < MAX_PAGES; query = findQuery(pages.at(-1)!, relation)) {
    pages.push(await probe.call({ ...parts, query }, list));
  }
  return pages;
}

/** The target of a link, as it is in `Link`. */
export function findLink({ headers: { link = '' } }: ReceivedResponse, relation: Relation): string | undefined {
  return new RegExp(`<([^<>]*)>; *rel="?${relation}"?`).exec(link)?.[1];
}

/** The query of the page behind a link. */
export function findQuery(page: ReceivedResponse, relation: Relation): string | undefined {
  const target = findLink(page, relation);
  return target === undefined ? undefined : new URL(target, `http://localhost${page.path}`).search;
}

/** Sets parameters of a query. */
export function changeQuery({ query }: RequestParts, parameters: Readonly<Record<string, string | number>>): string {
  const all = new URLSearchParams(query);
  for (const [name, value] of Object.entries(parameters)) all.set(name, String(value));
  return `?${all.toString()}`;
}

/** The entries of a list, as JSON without times, each with how often it is there. */
export interface Entries {
  readonly counts: ReadonlyMap<string, number>;
  readonly isList: boolean;
  readonly last: ReceivedResponse;
}

/** Reads the entries of all pages of a list. A response that is not a success has none. */
export async function readEntries(probe: Probe, list: Subject, changes: RequestParts = {}): Promise<Entries> {
  const counts = new Map<string, number>();
  const [limit] = listIntercepted(list, 'query');
  const parts = await probe.partsOf(list);
  const query = limit === undefined ? parts.query ?? '' : changeQuery(parts, { [limit]: LONGEST });
  const pages = await readPages(probe, list, { ...changes, query });
  const lists = pages.map(({ body }) => findItems(tryJson(body) ?? body.toString().split('\n')));
  for (const [index, { status, body }] of pages.entries()) {
    const entries = status < 300 ? lists[index] ?? [tryJson(body)] : [];
    for (const entry of entries.map(formatEntry)) counts.set(entry, (counts.get(entry) ?? 0) + 1);
  }
  return { counts, isList: lists.at(-1) !== undefined, last: pages.at(-1)! };
}

/** Lists the entries that are there more often than before. */
export function listAdded({ counts }: Entries, before: Entries): string[] {
  return [...counts].filter(([entry, count]) => count > (before.counts.get(entry) ?? 0)).map(([entry]) => entry);
}

function formatEntry(entry: unknown): string {
  return JSON.stringify(entry, (_, value: unknown) => (isTime(value) ? 'a time' : value));
}

/** Finds the items of an array, or of all arrays in an envelope. `undefined` if there is none. */
function findItems(json: unknown): unknown[] | undefined {
  if (Array.isArray(json)) return json as unknown[];
  const found = isSchema(json) ? Object.values(json).map(findItems).filter((items) => items !== undefined) : [];
  return found.length === 0 ? undefined : found.flat();
}
