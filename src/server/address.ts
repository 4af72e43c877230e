/** Where a server listens: the forms an address can have, and the URL of a server that listens. */
import type { AddressInfo, ListenOptions } from 'node:net';
import { MAX_PORT } from '../http/host.ts';

/**
 * `"127.0.0.1:8080"`, `"[::1]:0"`, a host (127.0.0.1 unless it is given) and a port, a Unix socket's path, or the
 * descriptor of a listener that was inherited. Port 0 stands for any free one.
 */
export type ListenAddress =
  | string
  | { readonly host?: string; readonly port: number }
  | { readonly path: string }
  | { readonly fd: number };

const HOST_AND_PORT = /^(?:\[([0-9A-Fa-f:.]+(?:%[\w.-]+)?)\]|([^\s:[\]/]+)):(\d{1,5})$/;
// A small API in a daemon or a tool is for the machine it runs on, unless its host says otherwise.
const DEFAULT_HOST = '127.0.0.1';

/** Reads an address. Throws `TypeError` for what is none. */
export function parseAddress(address: unknown): ListenOptions {
  const options = optionsFor(address);
  if (options !== undefined) return options;
  // Imported, it would take a quarter of a millisecond of every start, for what only a mistake needs.
  const { inspect } = process.getBuiltinModule('node:util');
  throw new TypeError(`malformed address: ${inspect(address, { depth: 0 })}`);
}

function optionsFor(address: unknown): ListenOptions | undefined {
  if (typeof address === 'string') {
    const [, ipv6, name, port] = HOST_AND_PORT.exec(address) ?? [];
    return fromHostAndPort(ipv6 ?? name, Number(port));
  }
  if (typeof address !== 'object' || address === null) return undefined;
  const { host = DEFAULT_HOST, port, path, fd } = address as Record<string, unknown>;
  if (port !== undefined) return fromHostAndPort(host, port);
  if (typeof path === 'string' && path !== '') return { path };
  return isWhole(fd, Number.MAX_SAFE_INTEGER) ? ({ fd } as ListenOptions) : undefined;
}

function fromHostAndPort(host: unknown, port: unknown): ListenOptions | undefined {
  return typeof host === 'string' && host !== '' && isWhole(port, MAX_PORT) ? { host, port } : undefined;
}

function isWhole(value: unknown, most: number): value is number {
  return typeof value === 'number' && Number.isInteger(value) && value >= 0 && value <= most;
}

/** The base URL of a listening server, without the root prefix; for a Unix socket its path, percent-encoded as the host. */
export function urlOf(address: AddressInfo | string | null): string {
  if (address === null || typeof address === 'string') return `http+unix://${encodeURIComponent(address ?? '')}`;
  const host = address.family === 'IPv6' ? `[${address.address}]` : address.address;
  return `http://${host}:${address.port}`;
}
