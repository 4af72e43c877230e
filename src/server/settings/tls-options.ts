/** The option `tls`: what `https.createServer` takes for TLS. Its options for HTTP are those of the server itself. */
import type { TlsOptions as NodeTlsOptions } from 'node:tls';

/** What `https.createServer` takes, without its options for HTTP and for sockets that the server sets itself. */
export type TlsOptions = Omit<NodeTlsOptions, 'allowHalfOpen' | 'pauseOnConnect'>;

// The server sets these itself, or relies on their defaults. `insecureHTTPParser`, for example, would let bad framing pass.
const RESERVED: ReadonlySet<string> = new Set([
  'IncomingMessage', 'ServerResponse', 'allowHalfOpen', 'connectionsCheckingInterval', 'headersTimeout', 'highWaterMark',
  'insecureHTTPParser', 'joinDuplicateHeaders', 'keepAliveTimeout', 'keepAliveTimeoutBuffer', 'maxHeaderSize', 'optimizeEmptyRequests',
  'pauseOnConnect', 'rejectNonStandardBodyWrites', 'requestTimeout', 'requireHostHeader', 'shouldUpgradeCallback', 'uniqueHeaders',
]);
const CERTIFICATES = ['cert', 'pfx', 'SNICallback', 'pskCallback'] as const;
const OF_CERTIFICATE = ['cert', 'key', 'pfx', 'passphrase'] as const satisfies readonly (keyof TlsOptions)[];

/** Checks the option. Node checks certificates and keys themselves, when the server starts. Throws `TypeError`. */
export function tlsOptionsFrom(value: unknown): TlsOptions | undefined {
  if (value === undefined) return undefined;
  if (typeof value !== 'object' || value === null) throw new TypeError(`tls must be an object: ${String(value)}`);
  const reserved = Object.keys(value).find((name) => RESERVED.has(name));
  if (reserved !== undefined) throw new TypeError(`unknown option in tls: "${reserved}"`);
  const tls: TlsOptions = value;
  if (CERTIFICATES.every((name) => tls[name] === undefined)) {
    throw new TypeError('tls must have a certificate: cert and key, pfx, or SNICallback');
  }
  if (protocolsOf(tls.ALPNProtocols).includes('h2')) throw new TypeError('tls.ALPNProtocols must not have "h2": the server has no HTTP/2');
  return tls;
}

/** The options with a new certificate, or with other options of the secure context. What is left out stays. */
export function renewedTls(tls: TlsOptions, changes: TlsOptions): TlsOptions {
  const kept: TlsOptions = { ...tls };
  // A key or a passphrase of the old certificate does not fit the new one.
  if (OF_CERTIFICATE.some((name) => changes[name] !== undefined)) for (const name of OF_CERTIFICATE) delete kept[name];
  return { ...kept, ...changes };
}

/** Names of protocols, from a list of them, or from bytes in which the length of each name precedes it. */
function protocolsOf(given: TlsOptions['ALPNProtocols']): string[] {
  if (Array.isArray(given)) return given.map((name) => (typeof name === 'string' ? name : latin1(name)));
  const names: string[] = [];
  if (!(given instanceof Uint8Array)) return names;
  for (let at = 0; at < given.length; at += 1 + (given[at] ?? 0)) names.push(latin1(given.subarray(at + 1, at + 1 + (given[at] ?? 0))));
  return names;
}

function latin1(bytes: unknown): string {
  return bytes instanceof Uint8Array ? Buffer.from(bytes).toString('latin1') : String(bytes);
}
