/** The checks of every request before routing, for endpoints and mounts: target, host, framing, expectation, upgrade. */
import { type Rejection, createRejection } from '../errors/problem.ts';
import { type Head, INVALID_HOST } from '../http/head.ts';
import { toHostName, isHost } from '../http/host.ts';
import { readTarget } from '../http/target.ts';
import type { Exchange } from './connection/exchange.ts';
import type { Settings } from './options.ts';

const BAD_TARGET = createRejection(400, 'The request target is not valid.');
const OTHER_HOST = createRejection(421, 'This server does not serve that host.');
const OTHER_EXPECTATION = createRejection(417, 'The only supported expectation is 100-continue.');
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

  /** Returns the path of a valid request. If it is invalid, returns its rejection. */
  check({ head, request }: Received): string | Rejection {
    const { httpVersion, method = '', url = '' } = request;
    const target = readTarget(method, url);
    if (target === undefined) return BAD_TARGET;
    const rejection = head.findRejection(httpVersion);
    if (rejection !== undefined) return rejection;
    const { authority, path } = target;
    if (head.host !== this.#validHost && head.host !== undefined && !this.#isHost(head.host)) return INVALID_HOST;
    if (authority !== undefined && !isHost(authority)) return BAD_TARGET;
    // In absolute-form, the authority replaces `Host` (RFC 9112 section 3.2.2).
    if (this.#allowedHosts !== undefined && !this.#isAllowed(authority ?? head.host)) return OTHER_HOST;
    // HTTP/1.0 has neither of these (RFC 9110 sections 7.8 and 10.1.1).
    if (httpVersion === '1.0') return path;
    if (head.expectation !== undefined && head.expectation.toLowerCase() !== '100-continue') return OTHER_EXPECTATION;
    return isOtherWebSocket(head) ? OTHER_WEBSOCKET : path;
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

/** Whether a request asks for a version of WebSocket that is not supported (RFC 6455 section 4.2.2). Other upgrades are ignored. */
function isOtherWebSocket({ upgrade, websocketVersion }: Head): boolean {
  return websocketVersion !== undefined && websocketVersion !== '13' && upgrade?.toLowerCase() === 'websocket';
}
