/** The checks of every request before routing, for endpoints and mounts: target, host, framing, expectation, upgrade. */
import { type ErrorAnswer, errorAnswer } from '../errors/problem.ts';
import { HostCheck, hostName, isHost } from '../http/host.ts';
import { readTarget, type Target } from '../http/target.ts';
import type { Exchange } from './connection/exchange.ts';
import { replyError } from './reply/error-reply.ts';
import type { Settings } from './settings/options.ts';
import type { ProblemFormatter } from './settings/problem-formatter.ts';

const BAD_TARGET = errorAnswer(400, 'The request target is not valid.');
const OTHER_HOST = errorAnswer(421, 'This server does not answer for that host.');
const OTHER_EXPECTATION = errorAnswer(417, 'The only expectation that can be met is 100-continue.');
const OTHER_WEBSOCKET = errorAnswer(426, 'The only version of the WebSocket protocol is 13.', [
  'Upgrade', 'websocket', 'Connection', 'Upgrade', 'Sec-WebSocket-Version', '13',
]);

/** A request and its head. */
export type Received = Pick<Exchange, 'head' | 'request'>;

export class RequestValidator {
  readonly #allowedHosts: ReadonlySet<string> | undefined;
  readonly #formatProblem: ProblemFormatter | undefined;
  readonly #hosts = new HostCheck();

  constructor({ allowedHosts, formatProblem }: Settings) {
    this.#allowedHosts = allowedHosts;
    this.#formatProblem = formatProblem;
  }

  /** Returns the path of a valid request. If it is invalid, replies and returns `undefined`. */
  validate(exchange: Exchange): string | undefined {
    const { method = '', url = '' } = exchange.request;
    const target = readTarget(method, url);
    const refusal = target === undefined ? BAD_TARGET : this.#refusalOf(exchange, target);
    if (target !== undefined && refusal === undefined) return target.path;
    // The end of an invalid request is uncertain, so the connection closes. That of a request refused with 417 is not.
    exchange.forceClose = refusal?.problem.status !== 417;
    if (refusal !== undefined) replyError(exchange, refusal, this.#formatProblem);
    return undefined;
  }

  /** Returns the path of a request if it is valid, and replies to none. */
  pathIfValid(received: Received): string | undefined {
    const target = readTarget(received.request.method ?? '', received.request.url ?? '');
    return target === undefined || this.#refusalOf(received, target) !== undefined ? undefined : target.path;
  }

  #refusalOf(received: Received, target: Target): ErrorAnswer | undefined {
    const { head, request } = received;
    return (
      head.errorResponse(request.httpVersion, this.#hosts) ??
      this.#refusalOfHost(head.host, target) ??
      refusalOfExpectation(received) ??
      refusalOfUpgrade(received)
    );
  }

  /** With absolute-form, the authority takes the place of `Host` (RFC 9112 section 3.2.2). */
  #refusalOfHost(hostHeader: string | undefined, { authority }: Target): ErrorAnswer | undefined {
    if (authority !== undefined && !isHost(authority)) return BAD_TARGET;
    if (this.#allowedHosts === undefined) return undefined;
    const host = authority ?? hostHeader;
    return host === undefined || this.#allowedHosts.has(hostName(host)) ? undefined : OTHER_HOST;
  }
}

/** Expectations of HTTP/1.0 requests are ignored (RFC 9110 section 10.1.1). */
function refusalOfExpectation({ head: { expectation }, request }: Received): ErrorAnswer | undefined {
  if (expectation === undefined || request.httpVersion === '1.0') return undefined;
  return expectation.toLowerCase() === '100-continue' ? undefined : OTHER_EXPECTATION;
}

/**
 * Upgrades are ignored, except that a WebSocket of another version is told the supported one (RFC 6455 section 4.2.2).
 * HTTP/1.0 has no upgrades (RFC 9110 section 7.8).
 */
function refusalOfUpgrade({ head: { upgrade, websocketVersion }, request }: Received): ErrorAnswer | undefined {
  if (upgrade?.toLowerCase() !== 'websocket' || websocketVersion === undefined || websocketVersion === '13') return undefined;
  return request.httpVersion === '1.0' ? undefined : OTHER_WEBSOCKET;
}
