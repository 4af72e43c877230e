/** The names of the request headers that an operation declares, by the JSON Schemas of its decoders. */
import { TOKEN } from '../util/headers.ts';
import type { Properties } from '../util/options.ts';

/** The headers that a decoder reads. */
export interface DecodedHeaders {
  /** The option that has the decoder, such as `endpoint.get.headers`. */
  readonly path: string;
  /** Empty if they are not known: of functions, and of schemas without a JSON Schema. */
  readonly names: readonly string[];
}

/** An operation, as far as its decoders of headers are read. */
export interface HeaderReader {
  readonly interceptors: readonly { readonly declared: Properties; readonly path: string }[] | undefined;
  readonly options: Properties;
}

/** Lists the headers that the interceptors of an operation and the operation itself read. `path` is the operation in messages. */
export function listDecodedHeaders({ interceptors = [], options }: HeaderReader, path: string): DecodedHeaders[] {
  const decoders = [
    ...interceptors.map(({ declared, path: at }) => ({ decoder: declared['headers'], path: `${at}.headers` })),
    { decoder: options['headers'], path: `${path}.headers` },
  ];
  const given = decoders.filter(({ decoder }) => decoder !== undefined);
  return given.map(({ decoder, path: at }) => ({ path: at, names: listDecodedNames(decoder).map(capitalize) }));
}

interface WithInputSchema {
  readonly '~standard'?: { readonly jsonSchema?: { readonly input?: (options: { readonly target: string }) => unknown } };
}

/** Lists the headers that a decoder reads, as its JSON Schema spells them. Empty if it has none. */
export function listDecodedNames(decoder: unknown): readonly string[] {
  try {
    // For `undefined`, a `TypeError` would be a tenth of a start.
    const { '~standard': standard } = Object(decoder) as WithInputSchema;
    return listProperties(standard?.jsonSchema?.input?.({ target: 'draft-2020-12' })).filter((name) => TOKEN.test(name));
  } catch {
    // Libraries throw for types that JSON Schema cannot describe.
    return [];
  }
}

const MAX_DEPTH = 10;

function listProperties(schema: unknown, depth = 0): readonly string[] {
  if (typeof schema !== 'object' || schema === null || depth === MAX_DEPTH) return [];
  const { properties, required, allOf, anyOf, oneOf } = schema as Readonly<Record<string, unknown>>;
  const parts = [allOf, anyOf, oneOf].flatMap((each) => (Array.isArray(each) ? each : []));
  return [
    ...Object.keys(Object(properties)), ...(Array.isArray(required) ? required.map(String) : []),
    ...parts.flatMap((part) => listProperties(part, depth + 1)),
  ];
}

/** `x-request-id` as `X-Request-Id`. Names are compared in any case. */
export function capitalize(name: string): string {
  return name.replaceAll(/(?<![A-Za-z])[a-z]/g, (letter) => letter.toUpperCase());
}
