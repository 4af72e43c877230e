/**
 * The headers that an operation reads and sends, by the features that it uses. Browsers let a page of a different origin use only those
 * that the server names.
 */
import { ERROR_HEADERS } from '../errors/api-error.ts';
import { type HeaderNames, LINK_HEADERS } from '../util/headers.ts';
import { CONDITION_HEADERS, RANGE_HEADERS } from '../http/preconditions.ts';
import { ANY_CREDENTIALS, listContextHeaders } from './context.ts';
import { capitalize, listDecodedHeaders } from './header-names.ts';
import { LOCATION_HEADERS } from './endpoint.ts';
import { formatOperation, type Operation } from './operation.ts';
import { EVENT_STREAM_HEADERS } from './outputs.ts';

/** The request headers that an operation reads. */
export interface RequestHeaders {
  readonly names: readonly string[];
  /** The headers with the credentials of callers. */
  readonly credentials: readonly string[];
  /** The options `headers` whose names are not known: functions, and schemas without a JSON Schema. */
  readonly unknown: readonly string[];
}

/** The features that read headers, and whether an operation uses them. */
const FEATURES: readonly (readonly [HeaderNames, isUsed: (operation: Operation) => boolean])[] = [
  // Even a POST without a body needs a type: only a type with a preflight shows that the page was allowed to send it.
  [{ reads: ['Content-Type'] }, ({ input, kind }) => input !== undefined || kind.isSimple],
  [CONDITION_HEADERS, ({ kind }) => kind.conditions !== 'nothing'],
  // Any GET can reply with `ranges`.
  [RANGE_HEADERS, ({ kind: { method } }) => method === 'GET'],
  [EVENT_STREAM_HEADERS, ({ outputs }) => outputs?.isEndless === true],
];

export function listRequestHeaders(operation: Operation): RequestHeaders {
  const found = listDecodedHeaders(operation, `endpoint.${formatOperation(operation)}`);
  return {
    names: [
      ...FEATURES.flatMap(([{ reads = [] }, isUsed]) => (isUsed(operation) ? reads : [])),
      ...found.flatMap(({ names }) => names),
    ],
    credentials: toPages(listContextHeaders(operation)),
    unknown: found.filter(({ names }) => names.length === 0).map(({ path }) => path),
  };
}

/** No page can set cookies. */
function toPages(credentials: readonly string[]): readonly string[] {
  return credentials.filter((name) => name !== 'cookie').map(capitalize);
}

/** The request headers that a listener may read. */
export const ANY_REQUEST_HEADERS: readonly string[] = [...FEATURES.flatMap(([{ reads = [] }]) => reads), ...toPages(ANY_CREDENTIALS)];

/** The headers that any response may have: nothing declares them. */
export const ANY_RESPONSE_HEADERS: readonly string[] =
  [LOCATION_HEADERS, CONDITION_HEADERS, LINK_HEADERS, ERROR_HEADERS, RANGE_HEADERS].flatMap(({ adds = [] }) => adds);

/** The response headers that an operation declares: by default, in its interceptors, its formats and `responseHeaders`. */
export function listResponseHeaders({ defaultHeaders, allInterceptors, outputs, responseHeaders }: Operation): readonly string[] {
  return [
    ...defaultHeaders.list.filter((_, at) => at % 2 === 0),
    ...allInterceptors.flatMap(({ internals: { addedHeaders, resultHeaders } }) => Object.keys({ ...addedHeaders, ...resultHeaders })),
    ...(outputs?.headerNames ?? []), ...(responseHeaders?.names ?? []),
  ];
}
