/** The option `tls`: the options of `https.createServer` for TLS. */
import type { TlsOptions as NodeTlsOptions } from 'node:tls';
import { checkObject } from '../../util/options.ts';
import { isBytes } from '../../util/stream.ts';

/**
 * The options of `https.createServer`, except the ones for HTTP and for sockets, which the server sets itself.
 *
 * @example
 * ```ts
 * import { readFileSync } from 'node:fs';
 *
 * const tls: TlsOptions = { key: readFileSync('key.pem'), cert: readFileSync('cert.pem') };
 * new ApiServer('/v1', { tls });
 * ```
 */
export type TlsOptions = Omit<NodeTlsOptions, 'allowHalfOpen' | 'pauseOnConnect'>;

// The server sets these itself, or relies on their defaults. For example, `insecureHTTPParser` would accept malformed framing.
const RESERVED: ReadonlySet<string> = new Set([
  'IncomingMessage', 'ServerResponse', 'allowHalfOpen', 'connectionsCheckingInterval', 'headersTimeout', 'highWaterMark',
  'insecureHTTPParser', 'joinDuplicateHeaders', 'keepAliveTimeout', 'keepAliveTimeoutBuffer', 'maxHeaderSize', 'optimizeEmptyRequests',
  'pauseOnConnect', 'rejectNonStandardBodyWrites', 'requestTimeout', 'requireHostHeader', 'shouldUpgradeCallback', 'uniqueHeaders',
]);
// `cert` needs one of these keys.
const KEYS = ['key', 'privateKeyIdentifier'] as const satisfies readonly (keyof TlsOptions)[];
const CERTIFICATES = ['pfx', 'SNICallback', 'pskCallback'] as const satisfies readonly (keyof TlsOptions)[];
const OF_CERTIFICATE = ['cert', ...KEYS, 'privateKeyEngine', 'pfx', 'passphrase'] as const satisfies readonly (keyof TlsOptions)[];
const FUNCTIONS = ['ALPNCallback', 'SNICallback', 'pskCallback'] as const;
// Options that Node accepts only when it makes a server.
const OF_SERVER: readonly string[] = [
  ...FUNCTIONS, 'ALPNProtocols', 'handshakeTimeout', 'pskIdentityHint', 'rejectUnauthorized', 'requestCert',
] satisfies readonly (keyof NodeTlsOptions)[];

/** Checks the option. Node checks the certificates and keys when the server starts. Throws `TypeError`. */
export function checkTls(value: unknown, path = 'tls'): TlsOptions {
  const tls: TlsOptions = checkObject(value, path);
  const reserved = Object.keys(tls).find((name) => RESERVED.has(name));
  if (reserved !== undefined) throw new TypeError(`unknown option in tls: "${reserved}"`);
  if (!hasCertificate(tls)) throw new TypeError('tls must have a certificate: cert and key, pfx, or SNICallback');
  // Node would throw at the first connection.
  const broken = FUNCTIONS.find((name) => tls[name] != null && typeof tls[name] !== 'function');
  if (broken !== undefined) throw new TypeError(`tls.${broken} must be a function: ${String(tls[broken])}`);
  const { ALPNProtocols, handshakeTimeout: ms } = tls;
  // Node would replace 0 by its default.
  if (ms !== undefined && !(ms > 0)) throw new TypeError(`tls.handshakeTimeout must be more than 0: ${String(ms)}`);
  if (listProtocols(ALPNProtocols).includes('h2')) throw new TypeError('tls.ALPNProtocols must not have "h2": the server has no HTTP/2');
  return tls;
}

/**
 * Returns the options with changes of the secure context, such as a new certificate. Throws `TypeError` for an option that cannot change.
 */
export function renewTls(tls: TlsOptions, options: unknown): TlsOptions {
  const changes: TlsOptions = checkObject(options, 'the options of setSecureContext');
  const fixed = Object.keys(changes).find((name) => OF_SERVER.includes(name));
  if (fixed !== undefined) throw new TypeError(`setSecureContext cannot change tls.${fixed}: set it in new ApiServer(root, { tls })`);
  const kept: TlsOptions = { ...tls };
  // A key or a passphrase of the old certificate does not fit the new one.
  if (OF_CERTIFICATE.some((name) => changes[name] !== undefined)) for (const name of OF_CERTIFICATE) delete kept[name];
  return checkTls({ ...kept, ...changes });
}

/** Whether a handshake can succeed. With an empty string or list, Node would fail every handshake without an error. */
function hasCertificate(tls: TlsOptions): boolean {
  const has = (name: keyof TlsOptions): boolean => {
    const value: unknown = tls[name];
    return value != null && value !== '' && !(Array.isArray(value) && value.length === 0);
  };
  return CERTIFICATES.some(has) || (has('cert') && KEYS.some(has));
}

/** Returns the names of protocols, from a list, or from bytes in which each name follows its length. */
function listProtocols(given: TlsOptions['ALPNProtocols']): string[] {
  if (Array.isArray(given)) return given.map((name) => (typeof name === 'string' ? name : toLatin1(name)));
  const names: string[] = [];
  if (!isBytes(given)) return names;
  for (let at = 0; at < given.length; at += 1 + (given[at] ?? 0)) names.push(toLatin1(given.subarray(at + 1, at + 1 + (given[at] ?? 0))));
  return names;
}

function toLatin1(bytes: unknown): string {
  return isBytes(bytes) ? Buffer.from(bytes).toString('latin1') : String(bytes);
}
