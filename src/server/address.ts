/** The address that `start` takes, and the URL of a server that listens. */
import type { AddressInfo, ListenOptions } from 'node:net';
import { MAX_PORT } from '../http/target.ts';

/**
 * `"127.0.0.1:8080"`, `"[::1]:0"`, a host and a port, the path of a Unix socket, or the descriptor of an inherited listener. The default
 * host is 127.0.0.1, and port 0 is any free port. The port can be a string, as `process.env.PORT` is.
 */
export type ListenAddress =
  | string
  | { readonly host?: string; readonly port: number | string }
  | { readonly path: string }
  | { readonly fd: number };

/** Stands in the compiler's message about any other address. No address is such a function, of which editors suggest no property. */
export type Write<Fix> = (fix: Fix) => never;

const HOST_AND_PORT = /^(?:\[([0-9A-Fa-f:.]+(?:%[\w.-]+)?)\]|([^\s:[\]/]+)):(\d{1,5})$/;
const DECIMAL = /^\d{1,5}$/;
// Other machines reach the server only if the user asks for it.
const DEFAULT_HOST = '127.0.0.1';

const FORMS = 'It is "127.0.0.1:8080", "[::1]:0", { port, host }, { path } of a Unix socket, or { fd }';

/** Parses an address. Throws `TypeError` if it is malformed. */
export function parseAddress(address: unknown): ListenOptions {
  const options = toListenOptions(address);
  if (options !== undefined) return options;
  const { inspect } = process.getBuiltinModule('node:util');
  throw new TypeError(`malformed address: ${inspect(address, { depth: 0 })}. ${FORMS}`);
}

function toListenOptions(address: unknown): ListenOptions | undefined {
  if (typeof address === 'string') {
    const [, ipv6, name, port] = HOST_AND_PORT.exec(address) ?? [];
    return toHostAndPort(ipv6 ?? name, Number(port));
  }
  if (typeof address !== 'object' || address === null) return undefined;
  const { host = DEFAULT_HOST, port, path, fd } = address as Record<string, unknown>;
  // `PORT` of the environment is a string.
  if (port !== undefined) return toHostAndPort(host, typeof port === 'string' && DECIMAL.test(port) ? Number(port) : port);
  if (typeof path === 'string' && path !== '') return { path };
  return isIntegerUpTo(fd, Number.MAX_SAFE_INTEGER) ? ({ fd } as ListenOptions) : undefined;
}

function toHostAndPort(host: unknown, port: unknown): ListenOptions | undefined {
  return typeof host === 'string' && host !== '' && isIntegerUpTo(port, MAX_PORT) ? { host, port } : undefined;
}

function isIntegerUpTo(value: unknown, max: number): value is number {
  return typeof value === 'number' && Number.isInteger(value) && value >= 0 && value <= max;
}

/** The base URL of a listening server, without the root prefix. For a Unix socket, its percent-encoded path is the host. */
export function formatBaseUrl(address: AddressInfo | string | null, scheme: 'http' | 'https'): string {
  if (address === null || typeof address === 'string') return `${scheme}+unix://${encodeURIComponent(address ?? '')}`;
  const host = address.family === 'IPv6' ? `[${address.address}]` : address.address;
  return `${scheme}://${host}:${address.port}`;
}
