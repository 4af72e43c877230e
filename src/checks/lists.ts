/** What lists show: arrays, envelopes of any form, and lines of text, with the pages behind their links. */
import { isSchema } from '../endpoint/json-schema.ts';
import { type ReceivedResponse, tryJson } from './kept-document.ts';
import { isTime, type RequestParts } from './requests.ts';
import type { Probe } from './row.ts';
import { listIntercepted, type Subject } from './subject.ts';

export const LINKS: Readonly<Record<'next' | 'prev', RegExp>> = { next: /<([^<>]*)>; *rel="?next"?/, prev: /<([^<>]*)>; *rel="?prev"?/ };
// A test must not take long.
export const MAX_PAGES = 100;
// A limit over any maximum: the list reduces it.
export const LONGEST = 1_000_000;

/** The entries of a list, as JSON without times, each with how often it is there. */
export interface Entries {
  readonly counts: ReadonlyMap<string, number>;
  readonly isList: boolean;
  readonly last: ReceivedResponse;
}

/** Reads the entries of all pages of a list. A response that is not a success has none. */
export async function readEntries(probe: Probe, list: Subject, changes: RequestParts = {}): Promise<Entries> {
  const counts = new Map<string, number>();
  let { query = '' } = await probe.partsOf(list);
  const [limit] = listIntercepted(list, 'query');
  if (limit !== undefined && !new URLSearchParams(query).has(limit)) query += `${query === '' ? '?' : '&'}${limit}=${LONGEST}`;
  for (let pages = 1; ; pages += 1) {
    const last = await probe.call({ ...changes, query }, list);
    const parsed = tryJson(last.body);
    const items = parsed === undefined ? last.body.toString().split('\n') : findItems(parsed.json);
    const entries = last.status < 300 ? (items ?? [parsed?.json]).map(formatEntry) : [];
    for (const entry of entries) counts.set(entry, (counts.get(entry) ?? 0) + 1);
    const [, next] = LINKS.next.exec(last.headers['link'] ?? '') ?? [];
    if (next === undefined || pages === MAX_PAGES) return { counts, isList: items !== undefined, last };
    query = new URL(next, `http://localhost${last.path}`).search;
  }
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
