/**
 * The headers that an operation reads and sends, as its declaration has them. Browsers let a page of a different origin use only those that
 * the server names.
 */
import { listCredentialHeaders } from './context.ts';
import { formatOperation, type Operation } from './operation.ts';

/** The request headers that an operation reads. */
export interface RequestHeaders {
  readonly names: readonly string[];
  /** Those with the credentials of callers. */
  readonly credentials: readonly string[];
  /** The options `headers` whose names are not known: functions, and schemas without a JSON Schema. */
  readonly unknown: readonly string[];
}

export function listRequestHeaders(operation: Operation): RequestHeaders {
  const { kind: { method }, conditions, context, input, interceptors = [], options, outputs } = operation;
  const isRead = method === 'GET' || method === 'QUERY';
  const decoders = [
    ...interceptors.map(({ declared: own, path }) => ({ decoder: own['headers'], path: `${path}.headers` })),
    { decoder: options['headers'], path: `endpoint.${formatOperation(operation)}.headers` },
  ].filter(({ decoder }) => decoder !== undefined);
  const found = decoders.map(({ decoder, path }) => ({ path, names: findHeaderNames(decoder) }));
  return {
    names: [
      // A POST without a body needs a type too, which shows that the page was allowed to send it.
      ...(input === undefined && method !== 'POST' ? [] : ['Content-Type']),
      ...(conditions === 'none' ? [] : ['If-Match']),
      ...(isRead || conditions !== 'none' ? ['If-None-Match'] : []),
      // Any GET can reply with `ranges`.
      ...(method === 'GET' ? ['Range', 'If-Range'] : []),
      ...(outputs?.isEndless === true ? ['Last-Event-ID'] : []),
      ...found.flatMap(({ names }) => names),
    ],
    credentials: context !== undefined && context.security === undefined
      // A function of the user may read any header, but most read this one.
      ? ['Authorization']
      // No page can set cookies.
      : listCredentialHeaders(operation).filter((name) => name !== 'cookie').map(capitalize),
    unknown: found.filter(({ names }) => names.length === 0).map(({ path }) => path),
  };
}

/** The response headers that an operation declares: those that it always has, and those of its formats. */
export function listResponseHeaders({ defaultHeaders, outputs, responseHeaders }: Operation): readonly string[] {
  return [...defaultHeaders.filter((_, at) => at % 2 === 0), ...(outputs?.headerNames ?? []), ...(responseHeaders?.names ?? [])];
}

interface WithJsonSchema {
  readonly '~standard'?: { readonly jsonSchema?: { readonly input?: (options: { readonly target: string }) => unknown } };
}

/** The names that a decoder of headers reads, by its JSON Schema. Empty if they are not known. */
function findHeaderNames(decoder: unknown): readonly string[] {
  try {
    const { '~standard': standard } = decoder as WithJsonSchema;
    return listProperties(standard?.jsonSchema?.input?.({ target: 'draft-2020-12' })).filter((name) => NAME.test(name)).map(capitalize);
  } catch {
    // Libraries throw for what JSON Schema cannot describe.
    return [];
  }
}

const NAME = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;
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
function capitalize(name: string): string {
  return name.replaceAll(/(?<![A-Za-z])[a-z]/g, (letter) => letter.toUpperCase());
}
