/** The query parameters of a list in pages: the length of a page, and the cursor of the item behind which it begins. */
import type { IdCodec } from '../endpoint/id-codec.ts';
import type { StandardSchemaIssue } from '../endpoint/standard-schema.ts';
import { isApiError } from '../errors/api-error.ts';
import { fieldSchema, type FieldSchema } from './field-schema.ts';

/** What a page can be. */
export interface PageSettings {
  readonly max: number;
  readonly default: number;
  /** The names of the parameters. */
  readonly limit: string;
  readonly after: string;
  /** `undefined` for cursors that are texts. */
  readonly codec: IdCodec<unknown> | undefined;
}

/** The parameters that a request has, by their names. */
export type PageQuery = Readonly<Record<string, unknown>>;

const LIMIT = /^0*[1-9]\d*$/;

export function pageQuery({ max, default: standard, limit, after, codec }: PageSettings): FieldSchema<PageQuery> {
  const properties = {
    [limit]: { type: 'integer', minimum: 1, default: standard, description: `How many items to send at most. More than ${max} is ${max}.` },
    [after]: { ...(codec?.schema ?? { type: 'string' }), description: 'The cursor of the item behind which to begin, as a link to a next page has it.' },
  };
  return fieldSchema<PageQuery>({ type: 'object', properties }, ({ [limit]: length, [after]: cursor }) => {
    const issues: StandardSchemaIssue[] = [];
    const value: Record<string, unknown> = {};
    if (length !== undefined) {
      if (typeof length === 'string' && LIMIT.test(length)) value[limit] = Math.min(Number(length), max);
      else issues.push({ message: `${limit}: expected an integer from 1`, path: [limit] });
    }
    if (cursor !== undefined) {
      const parsed = typeof cursor === 'string' ? parse(cursor, codec) : undefined;
      if (parsed === undefined) issues.push({ message: `${after}: expected a cursor from a link to a next page`, path: [after] });
      else value[after] = parsed;
    }
    return issues.length > 0 ? { issues } : { value };
  });
}

/** `undefined` if the codec refuses the text. Its own message is about ids. */
function parse(text: string, codec: IdCodec<unknown> | undefined): unknown {
  try {
    return codec === undefined ? text : codec.parse(text);
  } catch (thrown) {
    if (isApiError(thrown)) throw thrown;
    return undefined;
  }
}
