/**
 * CORS: the headers by which browsers let pages of other origins call the server, and the responses to preflights (WHATWG Fetch, section
 * 3.2). They are set on the response before anything else is done, as middleware would set them, so every response has them.
 */
import { ANY_REQUEST_HEADERS, ANY_RESPONSE_HEADERS, listRequestHeaders, listResponseHeaders } from '../../endpoint/cors-headers.ts';
import type { Operation } from '../../endpoint/operation.ts';
import { type CheckedCors, isOrigin } from '../../http/cors.ts';
import { findHeader } from '../../http/head.ts';
import { NOSNIFF } from '../../util/headers.ts';
import { checkDecision } from '../../util/promises.ts';
import type { Exchange } from '../exchange/exchange.ts';
import { type Logger, logRequestError } from '../settings/logger.ts';
import type { Settings } from '../settings/server-options.ts';

/** Headers that browsers show to every page (CORS-safelisted response-header names), or act on themselves. */
const NEVER_EXPOSED = new Set([
  'cache-control', 'content-language', 'content-length', 'content-type', 'expires', 'last-modified', 'pragma',
  ...NOSNIFF.slice(0, 1).map((name) => name.toLowerCase()),
]);

export class Cors {
  readonly #options: CheckedCors;
  readonly #logger: Logger;
  readonly #requestHeaders = new Map<Operation, readonly string[]>();
  /** Clients send their credentials with every request, even if its operation does not read them. */
  readonly #credentials = new Set<string>();
  /** The headers that pages may read, by their names in lower case. */
  readonly #exposed = new Map<string, string>();
  #exposedLine = '';

  constructor(options: CheckedCors, { logger, requestId }: Settings) {
    this.#options = options;
    this.#logger = logger;
    this.#expose([...ANY_RESPONSE_HEADERS, ...(requestId === undefined ? [] : [requestId.header]), ...options.exposeHeaders]);
  }

  addOperations(operations: readonly Operation[]): void {
    for (const operation of operations) {
      const { names, credentials, unknown } = listRequestHeaders(operation);
      this.#requestHeaders.set(operation, names);
      for (const name of credentials) this.#credentials.add(name);
      this.#expose(listResponseHeaders(operation));
      if (this.#options.allowHeaders.length === 0) for (const path of unknown) this.#hint(operation, path);
    }
  }

  /** Sets the headers of the response. Returns whether the page that sent the request may call the server. */
  allowOrigin(exchange: Exchange): boolean {
    if (!exchange.isOpen) return false;
    const { origins, credentials } = this.#options;
    const origin = findHeader(exchange.rawHeaders, 'origin');
    if (origins === '*') {
      // Also for requests without `Origin`, since caches keep one response for all.
      exchange.setEarly(['Access-Control-Allow-Origin', '*', 'Access-Control-Expose-Headers', this.#exposedLine]);
      return origin !== undefined;
    }
    // Also without `Origin`, since a cache may keep that response too.
    exchange.setEarly(['Vary', 'Origin']);
    if (origin === undefined || !this.#isListed(origin, exchange)) return false;
    exchange.markListedOrigin();
    exchange.setEarly([
      'Access-Control-Allow-Origin', origin, 'Access-Control-Expose-Headers', this.#exposedLine,
      ...(credentials ? ['Access-Control-Allow-Credentials', 'true'] : []),
    ]);
    return true;
  }

  /** Responds to a preflight for a path of endpoints. `operations` has one for each of its methods. */
  respondToPreflight(exchange: Exchange, methods: string, operations: readonly Operation[]): void {
    this.#respond(exchange, methods, operations.flatMap((operation) => this.#requestHeaders.get(operation) ?? []));
  }

  /** Responds to a preflight for a mount, which may read what any operation reads. */
  respondForMount(exchange: Exchange, methods: string, own: readonly string[]): void {
    this.#respond(exchange, methods, [...ANY_REQUEST_HEADERS, ...own, ...[...this.#requestHeaders.values()].flat()]);
  }

  #respond(exchange: Exchange, methods: string, names: readonly string[]): void {
    const { allowHeaders, maxAgeSeconds } = this.#options;
    const unique = new Map([...names, ...this.#credentials, ...allowHeaders].map((name) => [name.toLowerCase(), name]));
    exchange.removeEarly('access-control-expose-headers');
    exchange.send({
      status: 204,
      headers: [
        'Access-Control-Allow-Methods', methods,
        ...(unique.size === 0 ? [] : ['Access-Control-Allow-Headers', [...unique.values()].join(', ')]),
        'Access-Control-Max-Age', String(maxAgeSeconds),
      ],
      body: undefined,
    });
  }

  #isListed(origin: string, request: Exchange): boolean {
    const { origins } = this.#options;
    if (typeof origins !== 'function') return origins !== '*' && origins.has(origin);
    if (!isOrigin(origin)) return false;
    try {
      return checkDecision(origins(origin), 'cors.origins');
    } catch (thrown) {
      logRequestError(this.#logger, request, 'cors.origins', thrown);
      return false;
    }
  }

  #expose(names: readonly string[]): void {
    for (const name of names) {
      const lowerCase = name.toLowerCase();
      if (!NEVER_EXPOSED.has(lowerCase) && !this.#exposed.has(lowerCase)) this.#exposed.set(lowerCase, name);
    }
    this.#exposedLine = [...this.#exposed.values()].join(', ');
  }

  #hint({ endpoint: { subpath } }: Operation, path: string): void {
    const hint = 'has no JSON Schema, so pages may not send its headers. Name them in cors.allowHeaders';
    this.#logger.info(`registerEndpoint: ${JSON.stringify(subpath)}: ${path} ${hint}`);
  }
}

/** Whether a request asks what a page may send (WHATWG Fetch, section 3.2.2). Its `Origin` is checked before. */
export function isPreflight({ method, rawHeaders }: Exchange): boolean {
  return method === 'OPTIONS' && findHeader(rawHeaders, 'access-control-request-method') !== undefined;
}
