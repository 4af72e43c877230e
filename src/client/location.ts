/** Where the locations and links that a server sends lead, and whether that is the server itself. */

/** The host of URLs that have none: a base may be only a path, and the response of a custom `fetch` may have no URL. */
export const NOWHERE = 'http://x.invalid';

/** The URL for `fetch`: without the host that it does not have. The path must not begin with `//`, which would be a host. */
export function formatUrl({ origin, href, pathname, search }: URL): string {
  return origin === NOWHERE ? (pathname + search).replace(/^\/\//, '/.//') : href;
}

/** Whether credentials for one URL may be sent to the other. `origin` is `null` for every URL that is not of the web, such as `data:`. */
export function isSameHost(one: URL, other: URL): boolean {
  return one.protocol === other.protocol && one.host === other.host;
}
