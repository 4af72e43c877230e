/**
 * The option `proxy`: what is between clients and the server, so that it knows their addresses and its own URL.
 *
 *   proxy: { trusted: 1, url: 'https://api.example/zoo' }     request.client     203.0.113.9
 *                                                             request.urlOf(7)   https://api.example/zoo/v1/pet/7
 */
import { trustProxies, type TrustProxy } from '../../http/client-address.ts';
import { checkBase } from '../../http/protected-resource.ts';
import { type Checked, option, type Shape, shape } from '../../util/options.ts';

/**
 * The options of `proxy`. An unknown name throws `TypeError`.
 *
 * @example
 * ```ts
 * const proxy: ProxyOptions = { trusted: ['10.0.0.0/8'], url: 'https://api.example' };
 * new ApiServer('/v1', { proxy });
 * ```
 */
export interface ProxyOptions {
  /**
   * The proxies that append to `X-Forwarded-For`: how many are in front of the server, or their addresses and networks, such as
   * `['10.0.0.0/8']`. The option `requestId` takes their ids. With a number, no client may reach the server past the proxies.
   *
   * @default 0
   */
  readonly trusted?: number | readonly string[];
  /**
   * The URL at which clients reach `/` of this server: an origin, and the path of a prefix that a proxy or an app removes, with which each
   * `Location` then begins too. No header of a request counts.
   *
   * @default the origin that a request names, if it is one of `allowedHosts`, or this machine
   */
  readonly url?: string;
}

/** The options after their check. */
export interface CheckedProxy extends Omit<Checked<ProxyOptions>, 'trusted'> {
  readonly trusted: TrustProxy | undefined;
}

/** `proxy: options`: {@link ProxyOptions}. */
export const PROXY_OPTIONS: Shape<CheckedProxy> = shape({
  trusted: option<TrustProxy | undefined>('0 to 100, or a list of addresses and networks', trustProxies, undefined),
  url: option<string | undefined>('a URL', checkBase, undefined),
});
