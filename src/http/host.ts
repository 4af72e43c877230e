/** Checks values of `Host` (RFC 9112 section 3.2), and the option `allowedHosts` against DNS rebinding. */
import { net } from '../node.ts';

export const MAX_PORT = 65_535;

// RFC 3986 section 3.2.2 without the sub-delimiters. Real names do not have these. With the comma, a list of hosts would match as one
// name.
const HOST = /^(?:(?:[A-Za-z0-9._~-]|%[0-9A-Fa-f]{2})+|\[[0-9A-Fa-f:.]+\])(?::(\d{0,5}))?$/;

/** Whether a string is a host with or without a port. */
export function isHost(host: string): boolean {
  const [found, port = ''] = HOST.exec(host) ?? [];
  return found !== undefined && Number(port) <= MAX_PORT && (!host.startsWith('[') || net.isIPv6(toHostName(host)));
}

/** Converts a host for a comparison: to lower case, without its port and the brackets of an IPv6 address. */
export function toHostName(host: string): string {
  const name = host.startsWith('[') ? host.slice(1, host.indexOf(']')) : host.replace(/:\d*$/, '');
  return name.toLowerCase();
}

/** Checks `allowedHosts`, and returns its names. Throws `TypeError` if it is not a list of names and addresses without a port. */
export function checkAllowedHosts(hosts: unknown): ReadonlySet<string> {
  if (!Array.isArray(hosts) || hosts.length === 0) throw new TypeError('allowedHosts must be a list of host names');
  return new Set(Array.from(hosts, checkAllowedHost));
}

function checkAllowedHost(host: unknown): string {
  const bracketed = typeof host === 'string' && net.isIPv6(host) ? `[${host}]` : host;
  if (typeof bracketed !== 'string' || !isHost(bracketed) || /:\d*$/.test(bracketed.replace(/^\[.*\]$/, ''))) {
    throw new TypeError(`allowedHosts must have names or addresses without a port: ${JSON.stringify(host)}`);
  }
  return toHostName(bracketed);
}
