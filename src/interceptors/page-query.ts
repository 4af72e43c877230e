/** The query parameters of a list in pages: the length of a page, and the cursor of the item after which it begins. */
import type { IdCodec } from '../endpoint/id-codec.ts';
import type { StandardSchemaIssue } from '../endpoint/standard-schema.ts';
import { isApiError } from '../errors/api-error.ts';
import { parameterSchema, type ParameterSchema } from './parameter-schema.ts';

/** The options of pages that the query needs. */
export interface PageSettings {
  readonly max: number;
  readonly default: number;
  /** The names of the parameters. */
  readonly limit: string;
  readonly after: string;
  /** `undefined` for cursors that are strings. */
  readonly codec: IdCodec<unknown> | undefined;
}

/** The decoded parameters, by name. */
export type PageQuery = Readonly<Record<string, unknown>>;

const LIMIT = /^0*[1-9]\d*$/;

/** Makes the decoder of the query. */
export function pageQuery({ max, default: standard, limit, after, codec }: PageSettings): ParameterSchema<PageQuery> {
  const properties = {
    [limit]: { type: 'integer', minimum: 1, default: standard, description: `The maximum of items in the page, up to ${max}.` },
    [after]: {
      ...(codec?.schema ?? { type: 'string' }),
      description: 'The cursor of the item after which the page begins, from a link to a next page.',
    },
  };
  return parameterSchema<PageQuery>({ type: 'object', properties }, ({ [limit]: length, [after]: cursor }) => {
    const issues: StandardSchemaIssue[] = [];
    const value: Record<string, unknown> = {};
    if (length !== undefined) {
      if (typeof length === 'string' && LIMIT.test(length)) value[limit] = Math.min(Number(length), max);
      else issues.push({ message: `${limit}: expected an integer from 1`, path: [limit] });
    }
    if (cursor !== undefined) {
      const parsed = typeof cursor === 'string' ? parseCursor(cursor, codec) : undefined;
      if (parsed === undefined) issues.push({ message: `${after}: expected a cursor from a link to a next page`, path: [after] });
      else value[after] = parsed;
    }
    return issues.length > 0 ? { issues } : { value };
  });
}

/** Returns `undefined` if the codec rejects the cursor: its own message is about ids. */
function parseCursor(text: string, codec: IdCodec<unknown> | undefined): unknown {
  try {
    return codec === undefined ? text : codec.parse(text);
  } catch (thrown) {
    if (isApiError(thrown)) throw thrown;
    return undefined;
  }
}
