/** The query parameters of a list in pages: the length of a page, the cursor of the item that it follows or precedes, and the sort. */
import type { IdCodec } from '../declaration/id-codec.ts';
import { type JsonSchema, MAX_KEYWORD } from '../endpoint/json-schema.ts';
import type { StandardSchemaV1 } from '../declaration/decoder.ts';
import { isApiError } from '../errors/api-error.ts';
import { checkSync, isInstance } from '../util/promises.ts';
import { parameterSchema, type ParameterSchema, type SentParameters } from './schemas.ts';

/** Parses and formats the keys of a sort. */
export type KeyCodec = Pick<IdCodec<any>, 'parse' | 'format'>;

/** The options of pages that the query needs. */
export interface PageSettings {
  readonly max: number;
  readonly default: number;
  /** The names of the parameters. */
  readonly limit: string;
  readonly after: string;
  /** `undefined` if clients cannot go back. */
  readonly before: string | undefined;
  /** `undefined` for cursors that are strings. */
  readonly codec: IdCodec<unknown> | undefined;
  /** The names that clients can sort by, with the codecs of the keys. `undefined` if they cannot sort. */
  readonly sort: ReadonlyMap<string, KeyCodec> | undefined;
}

/** The decoded parameters, by name. */
export type PageQuery = Readonly<Record<string, unknown>>;

/** The parameter that sorts. It has the same name as the option. */
export const SORT = 'sort';

const LIMIT = /^0*[1-9]\d*$/;

/** Makes the decoder of the query. */
export function pageQuery(settings: PageSettings): ParameterSchema<PageQuery> {
  const { limit, after, before, sort } = settings;
  const sorts = listSorts(sort);
  // Made once, not for each request: the name of each parameter, the message for one that is not valid, and its parser.
  const parseLimit = (text: string): unknown => (LIMIT.test(text) ? Math.min(Number(text), settings.max) : undefined);
  const parseSort = (text: string): unknown => (sorts.includes(text) ? text : undefined);
  const readPosition = (text: string, sent: SentParameters): unknown => parsePosition(text, readSort(sent), settings);
  const all = [
    [limit, `${limit}: expected an integer from 1`, parseLimit],
    ...(sort === undefined ? [] : [[SORT, `sort: expected one of ${sorts.join(', ')}`, parseSort] as const]),
    [after, expectCursor(after, 'next', sort !== undefined), readPosition],
    ...(before === undefined ? [] : [[before, expectCursor(before, 'previous', sort !== undefined), readPosition] as const]),
  ] as const;
  return parameterSchema<PageQuery>({ type: 'object', properties: describePageParameters(settings) }, (sent) => {
    const issues: StandardSchemaV1.Issue[] = [];
    const value: Record<string, unknown> = {};
    for (const [name, message, parse] of all) {
      const given = sent[name];
      if (given === undefined) continue;
      const parsed = typeof given === 'string' ? parse(given, sent) : undefined;
      if (parsed === undefined) issues.push({ message, path: [name] });
      else value[name] = parsed;
      // Without a valid sort, no cursor is valid.
      if (parsed === undefined && name === SORT) break;
    }
    if (before !== undefined && sent[after] !== undefined && sent[before] !== undefined) {
      issues.push({ message: `${before}: not allowed with ${after}`, path: [before] });
    }
    return issues.length > 0 ? { issues } : { value };
  });
}

function expectCursor(name: string, page: 'next' | 'previous', isSorted: boolean): string {
  const message = `${name}: expected a cursor from a link to a ${page} page`;
  return isSorted ? `${message} of the same sort` : message;
}

/** Lists the values of the parameter that sorts: each name, and each name after a `-` for the reverse order. */
function listSorts(sort: ReadonlyMap<string, KeyCodec> = new Map()): string[] {
  return [...sort.keys()].flatMap((name) => [name, `-${name}`]);
}

function describePageParameters(settings: PageSettings): Readonly<Record<string, object>> {
  const { max, default: standard, limit, after, before, codec, sort } = settings;
  const cursor = sort ? { type: 'string', pattern: CURSOR.source, maxLength: MAX_LENGTH } : codec?.schema ?? { type: 'string' };
  return {
    [limit]: {
      type: 'integer', minimum: 1, [MAX_KEYWORD]: max, default: standard, description: `The maximum of items in the page, up to ${max}.`,
    },
    [after]: { ...cursor, description: 'The cursor of the item after which the page begins, from a link to a next page.' },
    ...(before !== undefined && {
      [before]: { ...cursor, description: 'The cursor of the item before which the page ends, from a link to a previous page.' },
    }),
    ...(sort !== undefined && {
      [SORT]: { type: 'string', enum: listSorts(sort), description: 'What the list is sorted by. A - sorts in descending order.' },
    }),
  };
}

/** Makes the function that describes an envelope, by the schema of its items. */
export function describeEnvelope({ before }: Pick<PageSettings, 'before'>): (items: JsonSchema) => JsonSchema {
  const describe = (description: string): object => ({ type: 'string', format: 'uri-reference', description });
  return (items) => ({
    type: 'object',
    required: ['items'],
    properties: {
      items: Object.keys(items).length === 0 ? { type: 'array' } : items,
      next: describe('The URL of the next page, relative to that of this one. Missing on the last page.'),
      ...(before !== undefined && { prev: describe('The URL of the previous page, in the same way. Missing on the first page.') }),
    },
  });
}

/** The sort that a query asks for; empty for none. */
function readSort({ [SORT]: sort }: SentParameters): string {
  return typeof sort === 'string' ? sort : '';
}

/**
 * Returns the cursor as an operation gets it, or `undefined` if it is not valid. An item of a list that clients can sort has the property
 * `id`, and `key` if the list is sorted.
 */
function parsePosition(text: string, sort: string, { codec, sort: codecs }: PageSettings): unknown {
  if (codecs === undefined) return parseWith(codec, text);
  const position = parseCursor(sort, text);
  const id = position === undefined ? undefined : parseWith(codec, position.id);
  if (id === undefined || position?.key === undefined) return id === undefined ? undefined : { id, key: undefined };
  const key = parseWith(codecs.get(sort.replace(/^-/, '')), position.key);
  return key === undefined ? undefined : { id, key };
}

/** Returns `undefined` if the codec rejects the string. The codec's own message would be about ids. */
function parseWith(codec: KeyCodec | undefined, text: string): unknown {
  let parsed: unknown;
  try {
    parsed = codec === undefined ? text : codec.parse(text);
  } catch (thrown) {
    if (isApiError(thrown)) throw thrown;
    return undefined;
  }
  return checkSync(parsed, 'parse of a codec');
}

/** The start of a page: after the item with this id. `key` is `undefined` in a list that is not sorted. */
export interface Position {
  readonly id: string;
  readonly key: string | undefined;
}

// Proxies and browsers accept URLs of 8,000 characters.
const MAX_LENGTH = 4096;
const CURSOR = /^[\w-]+$/;

/** A string of an item that no cursor can have. A client can have stored it, so it is no reason to fail: the page has no link. */
export class UnlinkableError extends TypeError {}

/**
 * Makes the cursor of an item: the sort, then the id and the key, each as a string. Throws `UnlinkableError` if they are too long for a
 * URL. `sort` is as in the query; empty without one.
 *
 *   ["-born","5","2024"]   ->   WyItYm9ybiIsIjUiLCIyMDI0Il0
 *
 * Clients can send anything as a cursor. Only the spelling that is made here is read.
 */
export function formatCursor(sort: string, { id, key }: Position): string {
  const cursor = encodeCursor(key === undefined ? [sort, id] : [sort, id, key]);
  if (cursor.length <= MAX_LENGTH) return cursor;
  throw new UnlinkableError('the sort key of an item is too long for a URL: limit the length of the stored property');
}

/** Returns `undefined` for a string that is not a cursor of this sort. */
export function parseCursor(sort: string, cursor: string): Position | undefined {
  if (cursor.length > MAX_LENGTH || !CURSOR.test(cursor)) return undefined;
  const parts = parseCursorJson(Buffer.from(cursor, 'base64url').toString());
  if (!isStrings(parts) || parts.length !== (sort === '' ? 2 : 3) || parts[0] !== sort || encodeCursor(parts) !== cursor) return undefined;
  const [, id = '', key] = parts;
  return { id, key };
}

function encodeCursor(parts: readonly string[]): string {
  return Buffer.from(JSON.stringify(parts)).toString('base64url');
}

function parseCursorJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function isStrings(value: unknown): value is string[] {
  return Array.isArray(value) && value.every((each) => typeof each === 'string');
}

/**
 * Reads and writes keys that are dates, for the option `sort` of `pages`. They have milliseconds: in PostgreSQL, use `timestamptz(3)`,
 * since its own microseconds are lost in a `Date`, and a page would begin with items of the page before. Years are those from 1 to 9999.
 *
 * @example
 * ```ts
 * interface Visit { readonly id: string; readonly begun: Date }
 * const byDate = pages({ cursor: (visit: Visit) => visit.id, sort: { begun: dateKey } });
 * ```
 */
export const dateKey: { readonly parse: (text: string) => Date; readonly format: (key: Date) => string } = {
  parse: (text) => {
    const date = new Date(text);
    if (date.toISOString() === text && DATE.test(text)) return date;
    throw new TypeError(NOT_A_DATE);
  },
  format: (key) => {
    // A driver can read `infinity` as a number.
    const text = isInstance(key, Date) && !Number.isNaN(key.getTime()) ? key.toISOString() : '';
    if (DATE.test(text)) return text;
    throw new TypeError(`${NOT_A_DATE}: ${String(key)}`);
  },
};

// No year that a database lacks, or that a driver writes in a way that its database does not read.
const DATE = /^(?!0000)\d{4}-/;
const NOT_A_DATE = 'expected a date in ISO 8601, in UTC, with milliseconds, from the year 1 to 9999';
