/**
 * The option `requestId`: the id by which a request is found in the log, in its response and in the services before and behind this one.
 *
 *   X-Request-Id: 7f3c   from a trusted proxy   ->   7f3c
 *   X-Request-Id: 7f3c   from anyone else       ->   a new one
 */
import { isTrustedPeer, type TrustProxy } from '../../http/client-address.ts';
import { findHeader } from '../../http/head.ts';
import { BODY_HEADERS, LISTS, TOKEN } from '../../util/headers.ts';
import { type Checked, formatValue, functionOr, option, type Shape, shape } from '../../util/options.ts';
import { disown, formatError } from '../../util/promises.ts';
import { isRequestId, type Logger, makeLoggedError } from './logger.ts';

/**
 * The options of `requestId`. An unknown name throws `TypeError`.
 *
 * @example
 * ```ts
 * const requestId: RequestIdOptions = { header: 'X-Trace-Id' };
 * new ApiServer('/v1', { requestId, proxy: { trusted: ['10.0.0.0/8'] } });
 * ```
 */
export interface RequestIdOptions {
  /**
   * The header in which a proxy sends the id, and in which each response has it. The ids of proxies are taken that the option `proxy`
   * trusts: the last of them must set the header itself, or check what a client sends.
   *
   * @default 'X-Request-Id'
   */
  readonly header?: string;
  /**
   * Makes an id: 1 to 128 characters of `A-Z a-z 0-9 _ . : + / = @ | ~ -`. If it throws, or returns anything else, that is logged, and the
   * id is a UUID.
   *
   * @default crypto.randomUUID
   */
  readonly generate?: () => string;
}

/** The options after their check. */
export type CheckedRequestId = Checked<RequestIdOptions, 'header'>;

/** `requestId: options`: {@link RequestIdOptions}. */
export const REQUEST_ID_OPTIONS: Shape<CheckedRequestId> = shape({
  header: option('the name of a header', checkHeaderOption, 'X-Request-Id'),
  generate: functionOr<() => string>(),
});

/** Checks the option. Throws `TypeError` that names the wrong one. */
export function checkRequestId(value: unknown, path: string): CheckedRequestId {
  if (value !== true && (typeof value !== 'object' || value === null)) {
    throw new TypeError(`${path} must be true, or { header, generate }: ${formatValue(value)}`);
  }
  return REQUEST_ID_OPTIONS.check(value === true ? {} : value, path);
}

function checkHeaderOption(value: unknown, path: string): string {
  if (typeof value === 'string' && TOKEN.test(value) && ![...BODY_HEADERS, ...LISTS].includes(value.toLowerCase())) return value;
  throw new TypeError(`${path} must be the name of a header that the server does not set, such as X-Request-Id: ${formatValue(value)}`);
}

// Short enough for a line of a log.
const MAX_LENGTH = 128;

/** What the id of a request is chosen from. */
interface IdSource {
  readonly rawHeaders: readonly string[];
  /** The address at the other end of the connection. */
  readonly address: string | undefined;
}

/** The ids of the requests of a server. */
export class RequestIds {
  readonly header: string;
  readonly #lowerCase: string;
  readonly #trust: TrustProxy | undefined;
  readonly #generate: (() => unknown) | undefined;
  readonly #logger: Logger;

  constructor({ header, generate }: CheckedRequestId, trust: TrustProxy | undefined, logger: Logger) {
    this.header = header;
    this.#lowerCase = header.toLowerCase();
    this.#trust = trust;
    this.#generate = generate;
    this.#logger = logger;
  }

  /** Returns the id of a request. `given`: the `id` of Node's request, if an app or an outer server has set one. */
  choose(request: IdSource, given: unknown): string {
    // `pino-http` counts: its ids are numbers.
    const own = typeof given === 'number' ? String(given) : given;
    if (isId(own)) return own;
    if (this.#trust !== undefined) {
      // Several lines are joined by a comma, which no id has.
      const sent = findHeader(request.rawHeaders, this.#lowerCase);
      if (isId(sent) && isTrustedPeer(request.address, this.#trust)) return sent;
    }
    return this.#generate === undefined ? crypto.randomUUID() : this.#make(this.#generate);
  }

  #make(generate: () => unknown): string {
    try {
      const id = generate();
      if (isId(id)) return id;
      disown(id);
      const returned = typeof id === 'string' ? JSON.stringify(id) : typeof id;
      throw new TypeError(`it must return 1 to 128 harmless characters of ASCII: ${returned}`);
    } catch (thrown) {
      this.#logger.error(makeLoggedError(`requestId.generate: ${formatError(thrown)}`, thrown));
      return crypto.randomUUID();
    }
  }
}

function isId(value: unknown): value is string {
  return isRequestId(value, MAX_LENGTH);
}
