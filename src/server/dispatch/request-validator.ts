/** The checks of every request before routing, for endpoints and mounts: target, host, framing, expectation, upgrade. */
import { makeRejection, type Rejection } from '../../errors/problem.ts';
import { type Head, INVALID_HOST } from '../../http/head.ts';
import { isHost, readTarget, toHostName } from '../../http/target.ts';
import { type Logger, makeLoggedLine } from '../settings/logger.ts';
import type { Settings } from '../settings/server-options.ts';

const BAD_TARGET = makeRejection('target', 'The request target is not valid.');
const OTHER_HOST = makeRejection('host-unknown', 'This server does not serve that host.');
const OTHER_EXPECTATION = makeRejection('expectation', 'The only supported expectation is 100-continue.');
const OTHER_WEBSOCKET = makeRejection('websocket-version', 'The only version of the WebSocket protocol is 13.', [
  'Upgrade', 'websocket', 'Connection', 'Upgrade', 'Sec-WebSocket-Version', '13',
]);

/** A request and its head. */
export interface Received {
  readonly head: Head;
  readonly httpVersion: string;
  readonly method?: string | undefined;
  readonly url?: string | undefined;
}

export class RequestValidator {
  readonly #allowedHosts: ReadonlySet<string> | undefined;
  readonly #reportHost: (host: string) => void;
  // Nearly all requests name the same host.
  #validHost: string | undefined;

  constructor({ allowedHosts, logger }: Settings) {
    this.#allowedHosts = allowedHosts;
    this.#reportHost = makeHostReport(logger);
  }

  /** Returns the path of a valid request. If it is invalid, returns its rejection. */
  check({ head, httpVersion, method = '', url = '' }: Received): string | Rejection {
    const target = readTarget(method, url);
    if (target === undefined) return BAD_TARGET;
    const rejection = head.findRejection(httpVersion);
    if (rejection !== undefined) return rejection;
    const { authority, path } = target;
    if (head.host !== this.#validHost && head.host !== undefined) {
      if (!isHost(head.host)) return INVALID_HOST;
      this.#validHost = head.host;
    }
    // The carrier has converted all others to origin-form.
    if (authority !== undefined) return BAD_TARGET;
    if (this.#allowedHosts !== undefined && !this.#isAllowed(head.host)) return OTHER_HOST;
    // HTTP/1.0 has neither of these (RFC 9110 sections 7.8 and 10.1.1).
    if (httpVersion === '1.0') return path;
    if (head.expectation !== undefined && head.expectation.toLowerCase() !== '100-continue') return OTHER_EXPECTATION;
    return isOtherWebSocket(head) ? OTHER_WEBSOCKET : path;
  }

  #isAllowed(host: string | undefined): boolean {
    if (host === undefined || this.#allowedHosts?.has(toHostName(host)) === true) return true;
    this.#reportHost(host);
    return false;
  }
}

/** Whether a request asks for a version of WebSocket that is not supported (RFC 6455 section 4.2.2). Other upgrades are ignored. */
function isOtherWebSocket({ upgrade, websocketVersion }: Head): boolean {
  return websocketVersion !== undefined && websocketVersion !== '13' && upgrade?.toLowerCase() === 'websocket';
}

// Clients choose the names: neither the log nor the memory may grow with them.
const MAX_NAMES = 20;
const MAX_LENGTH = 255;

/**
 * Makes a function that logs the first request that names a host, up to a number of hosts, so that a server behind a new name does not
 * reject everything silently.
 */
function makeHostReport(logger: Logger): (host: string) => void {
  const names = new Set<string>();
  return (host) => {
    const name = toHostName(host);
    // A longer one is not a name of DNS (RFC 1035 section 2.3.4).
    if (names.size === MAX_NAMES || name.length > MAX_LENGTH || names.has(name)) return;
    names.add(name);
    const last = names.size === MAX_NAMES ? '. No further host is logged' : '';
    logger.error(makeLoggedLine(`requests for the host "${name}" get 421: if clients use it, add it to the option allowedHosts${last}`));
  };
}
