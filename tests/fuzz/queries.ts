/** The query of a list: the user's decoder, and its value by the rules for the text in a target. */

/** The decoded query of a list. A name that occurs several times has a list, and so does `tag` if it or `tag[]` occurs. */
export type ListQuery = Readonly<Record<string, string | readonly string[]>>;

const MAX_PAIRS = 1000;

/** The user's decoder. */
export function decodeListQuery(query: unknown): ListQuery {
  const { limit = '1' } = Object(query) as { readonly limit?: unknown };
  if (typeof limit !== 'string' || !/^\d+$/.test(limit)) throw new Error('limit: expected a whole number');
  return query as ListQuery;
}

/** The query of a list, by the rules. `undefined` for one that must be rejected. */
export function listQueryIn(text: string): ListQuery | undefined {
  if (!isQuery(text)) return undefined;
  const pairs = [...new URLSearchParams(text)].map(([name, value]) => [name === 'tag[]' ? 'tag' : name, value] as const);
  const names = pairs.map(([name]) => name);
  const valuesOf = (wanted: string): string[] => pairs.flatMap(([name, value]) => (name === wanted ? [value] : []));
  const query = new Map(names.map((name) => {
    const [first, ...others] = valuesOf(name);
    return [name, name !== 'tag' && first !== undefined && others.length === 0 ? first : valuesOf(name)];
  }));
  try {
    return decodeListQuery(Object.fromEntries(query));
  } catch {
    return undefined;
  }
}

/** Whether a query is one, before its parameters are decoded. */
export function isQuery(text: string): boolean {
  const pairs = text.replace('?', '').split('&');
  return pairs.length <= MAX_PAIRS && pairs.every(isEncoded) && !new URLSearchParams(text).has('__proto__');
}

function isEncoded(text: string): boolean {
  try {
    decodeURIComponent(text);
    return true;
  } catch {
    return false;
  }
}
