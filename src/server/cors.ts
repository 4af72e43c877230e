/**
 * CORS: the headers by which browsers let pages of other origins call the server, and the responses to preflights (WHATWG Fetch, section 3.2).
 * They are set on the response before anything else is done, as middleware would set them, so every response has them.
 */
import { listRequestHeaders, listResponseHeaders } from '../endpoint/cors-headers.ts';
import type { Operation } from '../endpoint/operation.ts';
import { type CheckedCors, isOrigin, markListedOrigin } from '../http/cors.ts';
import { findHeader } from '../http/head.ts';
import { describeType, disown } from '../util/promises.ts';
import type { Exchange } from './connection/exchange.ts';
import { type Logger, logRequestError } from './logger.ts';
import type { Settings } from './options.ts';
import { addVary } from './vary.ts';

/** Headers of the server and of the entries of the package. Browsers show these to a page only if they are named. */
const EXPOSED = [
  'Location', 'ETag', 'Link', 'Retry-After', 'Idempotent-Replayed', 'RateLimit', 'RateLimit-Policy', 'WWW-Authenticate', 'Allow',
  'Accept-Ranges', 'Content-Range',
];
/** Headers that browsers show to every page (CORS-safelisted response-header names), or that are not for pages. */
const NEVER_EXPOSED = new Set([
  'cache-control', 'content-language', 'content-length', 'content-type', 'expires', 'last-modified', 'pragma',
  'x-accel-buffering', 'x-content-type-options',
]);
/** For mounts, whose headers are not declared. */
const OF_ANY_MOUNT = ['Content-Type', 'Authorization', 'If-Match', 'If-None-Match', 'Range', 'If-Range', 'Last-Event-ID'];

export class Cors {
  readonly #options: CheckedCors;
  readonly #logger: Logger;
  readonly #requestHeaders = new Map<Operation, readonly string[]>();
  /** Clients send their credentials with every request, even if its operation does not read them. */
  readonly #credentials = new Set<string>();
  /** The headers that pages may read, by their names in lower case. */
  readonly #exposed = new Map<string, string>();
  #exposedLine = '';

  private constructor(options: CheckedCors, logger: Logger) {
    this.#options = options;
    this.#logger = logger;
    this.#expose([...EXPOSED, ...options.exposeHeaders]);
  }

  /** `undefined` without the option. */
  static of({ cors, logger }: Settings): Cors | undefined {
    return cors === undefined ? undefined : new Cors(cors, logger);
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
    const { request, response } = exchange;
    if (!exchange.isOpen) return false;
    const { origins, credentials } = this.#options;
    const origin = findHeader(request.rawHeaders, 'origin');
    if (origins === '*') {
      // Also for requests without `Origin`, since caches keep one response for all.
      response.setHeader('Access-Control-Allow-Origin', '*');
      response.setHeader('Access-Control-Expose-Headers', this.#exposedLine);
      return origin !== undefined;
    }
    // Also without `Origin`, since a cache may keep that response too.
    addVary(response);
    exchange.variesByOrigin = true;
    if (origin === undefined || !this.#isListed(origin, request)) return false;
    markListedOrigin(request);
    response.setHeader('Access-Control-Allow-Origin', origin);
    response.setHeader('Access-Control-Expose-Headers', this.#exposedLine);
    if (credentials) response.setHeader('Access-Control-Allow-Credentials', 'true');
    return true;
  }

  /** Responds to a preflight for a path of endpoints. `operations` has one for each of its methods. */
  respondToPreflight(exchange: Exchange, methods: string, operations: readonly Operation[]): void {
    this.#respond(exchange, methods, operations.flatMap((operation) => this.#requestHeaders.get(operation) ?? []));
  }

  /** Responds to a preflight for a mount, which may read what any operation reads. */
  respondForMount(exchange: Exchange, methods: string, own: readonly string[]): void {
    this.#respond(exchange, methods, [...OF_ANY_MOUNT, ...own, ...[...this.#requestHeaders.values()].flat()]);
  }

  #respond(exchange: Exchange, methods: string, names: readonly string[]): void {
    const { allowHeaders, maxAgeSeconds } = this.#options;
    const unique = new Map([...names, ...this.#credentials, ...allowHeaders].map((name) => [name.toLowerCase(), name]));
    exchange.response.removeHeader('Access-Control-Expose-Headers');
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

  #isListed(origin: string, request: Exchange['request']): boolean {
    const { origins } = this.#options;
    if (typeof origins !== 'function') return origins !== '*' && origins.has(origin);
    if (!isOrigin(origin)) return false;
    try {
      const result = origins(origin);
      if (typeof result === 'boolean') return result;
      // A promise is truthy, and would admit every origin.
      disown(result);
      throw new TypeError(`cors.origins must return true or false: it returned ${describeType(result)}`);
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
export function isPreflight({ method, rawHeaders }: Exchange['request']): boolean {
  return method === 'OPTIONS' && findHeader(rawHeaders, 'access-control-request-method') !== undefined;
}
