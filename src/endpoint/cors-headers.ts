/**
 * The headers that an operation reads and sends, as its declaration has them. Browsers let a page of a different origin use only those that
 * the server names.
 */
import { listCredentialHeaders } from './context.ts';
import { capitalize, listDecodedHeaders } from './header-names.ts';
import { formatOperation, type Operation } from './operation.ts';

/** The request headers that an operation reads. */
export interface RequestHeaders {
  readonly names: readonly string[];
  /** The headers with the credentials of callers. */
  readonly credentials: readonly string[];
  /** The options `headers` whose names are not known: functions, and schemas without a JSON Schema. */
  readonly unknown: readonly string[];
}

export function listRequestHeaders(operation: Operation): RequestHeaders {
  const { kind: { method }, conditions, context, input, outputs } = operation;
  const isRead = method === 'GET' || method === 'QUERY';
  const found = listDecodedHeaders(operation, `endpoint.${formatOperation(operation)}`);
  return {
    names: [
      // Even a POST without a body needs a type: only a type with a preflight shows that the page was allowed to send it.
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

/** The response headers that an operation declares: its default headers, and the headers of its formats. */
export function listResponseHeaders({ defaultHeaders, outputs, responseHeaders }: Operation): readonly string[] {
  return [...defaultHeaders.filter((_, at) => at % 2 === 0), ...(outputs?.headerNames ?? []), ...(responseHeaders?.names ?? [])];
}
