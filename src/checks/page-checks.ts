/** The pages of a list are the whole list: every item comes once. */
import { type Check, makeCheck, type Tools, explainNotCalled } from './check.ts';
import { makeItem, explainVaried } from './read-checks.ts';
import { type ReceivedResponse, makeFailure, parseJson } from './requests.ts';
import { listIntercepted, type Subject, findSubject } from './subject.ts';

// The number of items that are made first, for as many pages of one item.
const ITEMS = 3;
// Longer than any page: the list shortens it.
const LONGEST = 1_000_000;
const MAX_PAGES = 100;

/** Makes a check for each list with `pages`. */
export function pageChecks(tools: Tools): Check[] {
  return tools.subjects.flatMap((list) => {
    const [limit] = listIntercepted(list, 'query');
    if (limit === undefined) return [];
    const missing = explainNotCalled(tools, list) ?? explainVaried(list) ?? explainEmpty(tools, list);
    return [makeCheck(`${list.route}: its pages of one item are the whole list`, missing, () => checkPages(tools, list, limit))];
  });
}

function explainEmpty({ subjects, items }: Tools, list: Subject): string | undefined {
  const create = findSubject(subjects, 'POST', list.path);
  return create === undefined ? 'no create that makes its items' : items.explainUncalled(create);
}

async function checkPages(tools: Tools, list: Subject, limit: string): Promise<void> {
  let path = '';
  for (let made = 0; made < ITEMS; made += 1) path = await makeItem(tools, list, path);
  const whole = await walk(tools, list, path, `${limit}=${LONGEST}`);
  const parts = await walk(tools, list, path, `${limit}=1`);
  // A long list is compared as far as the walk goes.
  const at = parts.items.findIndex((item, index) => item !== whole.items[index]);
  if (at !== -1) {
    const expected = whole.items[at] ?? 'which has no more';
    throw makeFailure(parts.last, `the item at ${at} of the list, ${expected}, and not ${parts.items[at]}`, list);
  }
  if (parts.isWhole && parts.items.length < whole.items.length) {
    throw makeFailure(parts.last, `all ${whole.items.length} items of the list: ${parts.items.length} were sent`, list);
  }
}

interface Walk {
  /** Each as JSON. */
  readonly items: readonly string[];
  readonly last: ReceivedResponse;
  /** Whether the last page has no link to a next one. */
  readonly isWhole: boolean;
}

/** Follows the links to next pages. */
async function walk({ requests, items: source }: Tools, list: Subject, path: string, first: string): Promise<Walk> {
  const parts = await source.makeParts(list);
  const items: string[] = [];
  let query = `${parts.query === '' ? '?' : `${parts.query}&`}${first}`;
  for (let pages = 1; ; pages += 1) {
    const last = await requests.call(list, path, { ...parts, query });
    const page = parseJson(last.body)?.json;
    if (!Array.isArray(page)) throw makeFailure(last, 'a list', list);
    items.push(...page.map((item) => JSON.stringify(item)));
    const [, next] = /<([^>]*)>; *rel="?next"?/.exec(last.headers['link'] ?? '') ?? [];
    if (next === undefined || pages === MAX_PAGES) return { items, last, isWhole: next === undefined };
    query = new URL(next, `http://localhost${path}${query}`).search;
  }
}
