/** What `Host` may say: RFC 9112 section 3.2, and the host's own list against DNS rebinding. */
import { net } from '../node.ts';

/** The highest port that there is. */
export const MAX_PORT = 65_535;

// RFC 3986 section 3.2.2 without the sub-delimiters, which no real name has and which make lists look like names.
const HOST = /^(?:(?:[A-Za-z0-9._~-]|%[0-9A-Fa-f]{2})+|\[[0-9A-Fa-f:.]+\])(?::(\d{0,5}))?$/;

/** Says whether a text is a host with or without a port. */
export function isHost(text: string): boolean {
  const [found, port = ''] = HOST.exec(text) ?? [];
  return found !== undefined && Number(port) <= MAX_PORT && (!text.startsWith('[') || net.isIPv6(hostName(text)));
}

/** Checks hosts, and remembers the last that passed: the requests of a connection all name the same one. */
export class HostCheck {
  #passed = '';

  /** Says whether a text is a host with or without a port. */
  isHost(text: string): boolean {
    if (text === this.#passed && text !== '') return true;
    if (!isHost(text)) return false;
    this.#passed = text;
    return true;
  }
}

/** A host as it is compared: in lower case, and without its port or the brackets of an IPv6 address. */
export function hostName(host: string): string {
  const name = host.startsWith('[') ? host.slice(1, host.indexOf(']')) : host.replace(/:\d*$/, '');
  return name.toLowerCase();
}

/** The set that `allowedHosts` stands for. Throws `TypeError` for what is no list of names and addresses without a port. */
export function allowedHostNames(hosts: unknown): ReadonlySet<string> {
  if (!Array.isArray(hosts) || hosts.length === 0) throw new TypeError('allowedHosts must be a list of host names');
  return new Set(hosts.map(allowedHostName));
}

function allowedHostName(host: unknown): string {
  // An IPv6 address may be given with or without its brackets; `127.0.0.1:80` is none, for all its digits and colon.
  const bracketed = typeof host === 'string' && net.isIPv6(host) ? `[${host}]` : host;
  if (typeof bracketed !== 'string' || !isHost(bracketed) || /:\d*$/.test(bracketed.replace(/^\[.*\]$/, ''))) {
    throw new TypeError(`allowedHosts must hold names or addresses without a port: ${JSON.stringify(host)}`);
  }
  return hostName(bracketed);
}
