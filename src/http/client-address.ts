/**
 * The address of the client behind trusted proxies, from `X-Forwarded-For`. A client can send any list, and each
 * proxy appends to it. So it is read from the right, and only as far as trusted proxies have written it:
 *
 *   192.0.2.1   "6.6.6.6, 203.0.113.9"   1 proxy   ->   203.0.113.9
 */
import { findHeader } from './head.ts';

/** An address as a number. An IPv4 address that is mapped to IPv6, such as `::ffff:192.0.2.1`, counts as IPv4. */
interface Address {
  readonly bits: 32 | 128;
  readonly value: bigint;
}

/** Whether the sender of a header can be trusted: by its address, or by how many proxies are between it and the server. */
export type TrustProxy = (address: Address | undefined, hops: number) => boolean;

const IPV4 = /^(?:(?:25[0-5]|2[0-4]\d|1\d\d|[1-9]?\d)(?:\.(?!$)|$)){4}$/;
const MAPPED = 0xffffn;
const WITH_PORT = /^(?:\[([^\]]*)\](?::\d+)?|(\d+\.\d+\.\d+\.\d+):\d+)$/;
const MAX_HOPS = 100;

/**
 * Returns the address of a client, in the one spelling of RFC 5952: mapped to IPv6, it is IPv4. `undefined` if the connection has no
 * address. The header is not read if no proxy is trusted, since clients can send it.
 */
export function findClient(
  peer: string | undefined, rawHeaders: readonly string[], isTrusted: TrustProxy | undefined,
): string | undefined {
  let client = parseIpAddress(peer ?? '');
  let rest = (isTrusted && findHeader(rawHeaders, 'x-forwarded-for')) ?? '';
  for (let hops = 0; rest !== '' && isTrusted?.(client, hops) === true; hops += 1) {
    const at = rest.lastIndexOf(',');
    const last = rest.slice(at + 1).trim();
    rest = at === -1 ? '' : rest.slice(0, at);
    const address = parseIpAddress(last);
    // Unknown or obfuscated: the nearest known address stands for all such clients.
    if (address === undefined) break;
    client = address;
  }
  return client && formatAddress(client);
}

/**
 * Returns the key of a client's quota: its IPv4 address, or the network of its IPv6 address, `20010db800000000/64`, since a client usually
 * has all addresses of such a network.
 */
export function toNetwork(client: string): string {
  const address = client.includes(':') ? parseIpAddress(client) : undefined;
  return address === undefined ? client : `${(address.value >> 64n).toString(16).padStart(16, '0')}/64`;
}

/** Makes the check of an option: a number of proxies, or a list of addresses and networks. Throws `TypeError` for any other value. */
export function trustProxies(trusted: unknown, path: string): TrustProxy {
  if (typeof trusted === 'number' && Number.isInteger(trusted) && trusted >= 0 && trusted <= MAX_HOPS) {
    return (_address, hops) => hops < trusted;
  }
  if (!Array.isArray(trusted)) {
    throw new TypeError(`${path} must be a number of proxies from 0 to 100, or a list of addresses and networks: ${String(trusted)}`);
  }
  const networks = trusted.map((each: unknown) => parseNetwork(each, path));
  return (address) => address !== undefined && networks.some(({ bits, value, shift }) => {
    return bits === address.bits && address.value >> shift === value;
  });
}

/** Whether the other end of a connection is a trusted proxy. */
export function isTrustedPeer(peer: string | undefined, isTrusted: TrustProxy): boolean {
  return isTrusted(parseIpAddress(peer ?? ''), 0);
}

/** An address as it stands in a header: with a port, in brackets, or as it is. */
function parseIpAddress(text: string): Address | undefined {
  const [, bracketed, withoutPort] = WITH_PORT.exec(text) ?? [];
  // A link-local address of a socket has a zone.
  const address = (bracketed ?? withoutPort ?? text).replace(/%.*$/s, '');
  if (IPV4.test(address)) return { bits: 32, value: toNumber(address.split('.').map(Number), 8n) };
  // Not by `node:net`, which a call in memory does not load.
  if (!/^[\da-f:.]+$/i.test(address) || !URL.canParse(`http://[${address}]`)) return undefined;
  const value = toNumber(listGroups(address), 16n);
  return value >> 32n === MAPPED ? { bits: 32, value: value & 0xffff_ffffn } : { bits: 128, value };
}

/** The eight groups of an address of IPv6. `::` stands for as many zeros as are missing. */
function listGroups(address: string): number[] {
  const [left = '', right] = address.split('::');
  const before = toGroups(left);
  if (right === undefined) return before;
  const after = toGroups(right);
  return [...before, ...Array<number>(8 - before.length - after.length).fill(0), ...after];
}

function toGroups(part: string): number[] {
  return part === '' ? [] : part.split(':').flatMap((group) => {
    if (!group.includes('.')) return [Number.parseInt(group, 16)];
    const [a = 0, b = 0, c = 0, d = 0] = group.split('.').map(Number);
    return [a * 256 + b, c * 256 + d];
  });
}

function toNumber(parts: readonly number[], bits: bigint): bigint {
  return parts.reduce((value, part) => (value << bits) | BigInt(part), 0n);
}

function formatAddress({ bits, value }: Address): string {
  // The parser of URLs shortens an address.
  if (bits === 128) return new URL(`http://[${value.toString(16).padStart(32, '0').match(/.{4}/g)?.join(':')}]`).hostname.slice(1, -1);
  return [24n, 16n, 8n, 0n].map((shift) => (value >> shift) & 0xffn).join('.');
}

function parseNetwork(text: unknown, path: string): Address & { readonly shift: bigint } {
  const [written = '', prefix, ...others] = typeof text === 'string' ? text.split('/') : [];
  const address = parseIpAddress(written);
  if (address !== undefined && others.length === 0) {
    // The prefix of a mapped network counts the 96 bits before it.
    const skipped = address.bits === 32 && written.includes(':') ? 96 : 0;
    const length = prefix === undefined ? address.bits : /^\d{1,3}$/.test(prefix) ? Number(prefix) - skipped : -1;
    const shift = BigInt(address.bits - length);
    if (length >= 0 && length <= address.bits) return { bits: address.bits, value: address.value >> shift, shift };
  }
  throw new TypeError(`${path} must have addresses and networks, such as "10.0.0.0/8": ${String(text)}`);
}
