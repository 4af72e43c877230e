/**
 * The checks that every request gets, whatever it asks for and whoever answers it: target, host, framing,
 * expectation, upgrade. They are made before anything is looked up, so mounted handlers stand behind them too.
 */
import type { Exchange } from './connection/exchange.ts';
import { HostCheck, hostName, isHost } from '../http/host.ts';
import type { Settings } from './settings/options.ts';
import { ErrorResponse } from '../http/error-response.ts';
import { replyError } from './connection/reply.ts';
import { readTarget, type Target } from '../http/target.ts';

const BAD_TARGET = new ErrorResponse(400, 'The request target is not valid.');
const OTHER_HOST = new ErrorResponse(421, 'This server does not answer for that host.');
const OTHER_EXPECTATION = new ErrorResponse(417, 'The only expectation that can be met is 100-continue.');

const OTHER_WEBSOCKET = new ErrorResponse(426, 'The only version of the WebSocket protocol is 13.', [
  'Upgrade', 'websocket', 'Connection', 'Upgrade', 'Sec-WebSocket-Version', '13',
]);

export class RequestValidator {
  readonly #allowedHosts: ReadonlySet<string> | undefined;
  readonly #hosts = new HostCheck();

  constructor({ allowedHosts }: Settings) {
    this.#allowedHosts = allowedHosts;
  }

  /** Lets a request in, and gives its path; or answers it, and gives `undefined`. */
  validate(exchange: Exchange): string | undefined {
    const { method = '', url = '' } = exchange.request;
    const target = readTarget(method, url);
    const refused = target === undefined ? BAD_TARGET : this.#refused(exchange, target);
    if (target !== undefined && refused === undefined) return target.path;
    // What follows a request that was not understood may have been cut from it in the wrong place.
    exchange.forceClose = refused?.status !== 417;
    if (refused !== undefined) replyError(exchange, refused);
    return undefined;
  }

  #refused(exchange: Exchange, target: Target): ErrorResponse | undefined {
    const { head, request } = exchange;
    return (
      head.errorResponse(request.httpVersion, this.#hosts) ??
      this.#refusedHost(head.host, target) ??
      refusedExpectation(exchange) ??
      refusedUpgrade(exchange)
    );
  }

  /** With absolute-form, the authority stands in for `Host` (RFC 9112 section 3.2.2). */
  #refusedHost(named: string | undefined, { authority }: Target): ErrorResponse | undefined {
    if (authority !== undefined && !isHost(authority)) return BAD_TARGET;
    if (this.#allowedHosts === undefined) return undefined;
    const host = authority ?? named;
    return host === undefined || this.#allowedHosts.has(hostName(host)) ? undefined : OTHER_HOST;
  }
}

/** HTTP/1.0 has no expectations, and has them ignored (RFC 9110 section 10.1.1). */
function refusedExpectation({ head, request }: Exchange): ErrorResponse | undefined {
  const { expectation } = head;
  if (expectation === undefined || request.httpVersion === '1.0' || expectation.toLowerCase() === '100-continue') {
    return undefined;
  }
  return OTHER_EXPECTATION;
}

/**
 * An upgrade is ignored, except that a WebSocket of an unknown version is told which one there is (RFC 6455 section
 * 4.2.2). HTTP/1.0 has no upgrades (RFC 9110 section 7.8).
 */
function refusedUpgrade({ head, request }: Exchange): ErrorResponse | undefined {
  const { upgrade, websocketVersion } = head;
  if (upgrade?.toLowerCase() !== 'websocket' || websocketVersion === undefined || websocketVersion === '13') return undefined;
  return request.httpVersion === '1.0' ? undefined : OTHER_WEBSOCKET;
}
