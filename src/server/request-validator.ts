/** The checks of every request before routing, for endpoints and mounts: target, host, framing, expectation, upgrade. */
import { type Rejection, createRejection } from '../errors/problem.ts';
import { type Head, INVALID_HOST } from '../http/head.ts';
import { toHostName, isHost } from '../http/host.ts';
import { readTarget, type Target } from '../http/target.ts';
import type { Exchange } from './connection/exchange.ts';
import type { Settings } from './options.ts';

const BAD_TARGET = createRejection(400, 'The request target is not valid.');
const OTHER_HOST = createRejection(421, 'This server does not serve that host.');
const OTHER_EXPECTATION = createRejection(417, 'The only expectation that can be met is 100-continue.');
const OTHER_WEBSOCKET = createRejection(426, 'The only version of the WebSocket protocol is 13.', [
  'Upgrade', 'websocket', 'Connection', 'Upgrade', 'Sec-WebSocket-Version', '13',
]);

/** A request and its head. */
export type Received = Pick<Exchange, 'head' | 'request'>;

export class RequestValidator {
  readonly #allowedHosts: ReadonlySet<string> | undefined;
  // Nearly all requests name the same host.
  #validHost: string | undefined;

  constructor({ allowedHosts }: Settings) {
    this.#allowedHosts = allowedHosts;
  }

  /** Returns the path of a valid request. If it is invalid, rejects it and returns `undefined`. */
  pathOrReply(exchange: Exchange): string | undefined {
    const { method = '', url = '' } = exchange.request;
    const target = readTarget(method, url);
    const rejection = target === undefined ? BAD_TARGET : this.#findRejection(exchange, target);
    if (target !== undefined && rejection === undefined) return target.path;
    // The connection closes, since it is uncertain where an invalid request ends. It is certain for a 417.
    exchange.forceClose = rejection?.problem.status !== 417;
    if (rejection !== undefined) exchange.sendError(rejection);
    return undefined;
  }

  /** Returns the path of a request if it is valid, and sends nothing. */
  pathIfValid(received: Received): string | undefined {
    const target = readTarget(received.request.method ?? '', received.request.url ?? '');
    return target === undefined || this.#findRejection(received, target) !== undefined ? undefined : target.path;
  }

  #findRejection({ head, request }: Received, { authority }: Target): Rejection | undefined {
    const { httpVersion } = request;
    const rejection = head.findRejection(httpVersion);
    if (rejection !== undefined) return rejection;
    if (head.host !== this.#validHost && head.host !== undefined && !this.#isHost(head.host)) return INVALID_HOST;
    if (authority !== undefined && !isHost(authority)) return BAD_TARGET;
    // In absolute-form, the authority replaces `Host` (RFC 9112 section 3.2.2).
    if (this.#allowedHosts !== undefined && !this.#isAllowed(authority ?? head.host)) return OTHER_HOST;
    // HTTP/1.0 has neither of these (RFC 9110 sections 7.8 and 10.1.1).
    if (httpVersion === '1.0') return undefined;
    if (head.expectation !== undefined && head.expectation.toLowerCase() !== '100-continue') return OTHER_EXPECTATION;
    return head.upgrade === undefined ? undefined : findUpgradeRejection(head);
  }

  #isHost(host: string): boolean {
    if (!isHost(host)) return false;
    this.#validHost = host;
    return true;
  }

  #isAllowed(host: string | undefined): boolean {
    return host === undefined || this.#allowedHosts?.has(toHostName(host)) === true;
  }
}

/** Ignores upgrades, but rejects a WebSocket of a different version with the supported one: 426 (RFC 6455 section 4.2.2). */
function findUpgradeRejection({ upgrade, websocketVersion }: Head): Rejection | undefined {
  const isOther = upgrade?.toLowerCase() === 'websocket' && websocketVersion !== undefined && websocketVersion !== '13';
  return isOther ? OTHER_WEBSOCKET : undefined;
}
