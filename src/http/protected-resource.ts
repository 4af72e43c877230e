/**
 * Protected resources and their metadata (RFC 9728), by which clients find out where they get their tokens. The metadata of a resource is
 * between its host and its path:
 *
 *   https://api.example/v1   ->   https://api.example/.well-known/oauth-protected-resource/v1
 */
import { type Checked, checkStrings, option, optional, required, type Shape, shape } from '../util/options.ts';
import { findHeader } from './head.ts';
import { isHost, readTarget, toHostName } from './target.ts';

/**
 * A resource that clients need tokens for.
 *
 * @example
 * ```ts
 * const resource: ProtectedResource = { authorizationServers: ['https://id.example'], scopes: ['pet:read'] };
 * bearer((token) => users.get(token), { resource });
 * ```
 */
export interface ProtectedResource {
  /**
   * The URL at which clients reach `/` of this server: an origin, and the path of a prefix that a proxy or an app removes.
   *
   * @default `url` of the option `proxy` of the server, or else the origin of the request, as there
   */
  readonly url?: string;
  /** The issuers whose tokens are accepted, by their URLs. */
  readonly authorizationServers: readonly [string, ...string[]];
  /** The scopes that clients should ask for at first. A 403 names the scopes that an operation needs in addition. @default none */
  readonly scopes?: readonly string[];
}

/** The resource that a request is for. */
export interface ResourceLocation {
  /** The URL of `/` of the server. `undefined` if the request does not name a host that can be trusted. */
  readonly base: string | undefined;
  /** The root of the server, or the route of a mount. */
  readonly path: string;
}

const WELL_KNOWN = '/.well-known/oauth-protected-resource';
const PARTS = /^(https?:\/\/[^/]+)(.*)$/s;
// RFC 6749 section 3.3.
const SCOPE = /^[\x21\x23-\x5b\x5d-\x7e]+$/;
const THIS_MACHINE = /^(?:localhost|127\.\d+\.\d+\.\d+|\[?::1\]?)$/;

/** `resource: options`: {@link ProtectedResource}. */
export const RESOURCE_OPTIONS: Shape<Checked<ProtectedResource>> = shape({
  url: option<string | undefined>('a URL', checkBase, undefined),
  authorizationServers: required(option('a list of URLs', checkServers, ['']), "['https://login.example']"),
  scopes: optional(option('a list of scopes', checkScopes, [])),
});

/** Checks the option `resource`. */
export function checkResource(value: unknown, path: string): ProtectedResource {
  const { url, authorizationServers, scopes } = RESOURCE_OPTIONS.check(value, path);
  return { authorizationServers, ...(url !== undefined && { url }), ...(scopes !== undefined && { scopes }) };
}

/** The URL that identifies a resource; `undefined` if it is not known. */
export function findResourceUrl({ url }: ProtectedResource, { base, path }: ResourceLocation): string | undefined {
  const known = url ?? base;
  return known === undefined ? undefined : known + path;
}

/** The URL of the metadata of a resource. */
export function locateMetadata(resource: string): string {
  return resource.replace(PARTS, (_, origin: string, path: string) => origin + WELL_KNOWN + path);
}

/** The paths at which a server serves the metadata of a resource: with the prefix that a proxy or an app removes, and without. */
export function listMetadataPaths(base: string | undefined, path: string): readonly string[] {
  return [...new Set([WELL_KNOWN + path, WELL_KNOWN + readPrefix(base ?? '') + path])];
}

/** The prefix in the URL of `/` of a server. */
export function readPrefix(base: string): string {
  return base.replace(PARTS, '$2');
}

/** The metadata, as it is sent. */
export function describeResource({ authorizationServers, scopes }: ProtectedResource, resource: string): object {
  return {
    resource, authorization_servers: authorizationServers, ...(scopes !== undefined && { scopes_supported: scopes }),
    bearer_methods_supported: ['header'],
  };
}

/** The options of a server that say where clients reach it. */
export interface BaseOptions {
  readonly allowedHosts: ReadonlySet<string> | undefined;
  readonly proxy: { readonly url: string | undefined };
}

/**
 * The URL of `/` of a server, or else the origin that a request names. A client can name any, and a cache, a mail or a log could keep it,
 * so only the hosts of `allowedHosts` are accepted, or else the ones of this machine.
 */
export function findBase(
  { url = '', rawHeaders, isSecure }: { readonly url?: string; readonly rawHeaders: readonly string[]; readonly isSecure: boolean },
  { allowedHosts, proxy }: BaseOptions,
): string | undefined {
  if (proxy.url !== undefined) return proxy.url;
  const host = readTarget('GET', url)?.authority ?? findHeader(rawHeaders, 'host') ?? '';
  const name = toHostName(host);
  // A different server, which does not check hosts, can have passed on the request: `[::1]@evil.example` has the name `::1`.
  if (!isHost(host) || !(allowedHosts?.has(name) ?? THIS_MACHINE.test(name))) return undefined;
  const named = `${isSecure ? 'https' : 'http'}://${host}`;
  return URL.canParse(named) ? new URL(named).origin : undefined;
}

/** Checks the URL of `/` of a server. Returns it without a slash at its end. */
export function checkBase(value: unknown, path: string): string {
  const { origin, pathname } = new URL(checkPlainUrl(value, path));
  return origin + pathname.replace(/(?<!\/)\/+$/, '');
}

/** Checks the URL of a resource or of an issuer (RFC 8414 section 2), and returns it as it is. */
function checkPlainUrl(value: unknown, path: string): string {
  const url = checkHttpUrl(value, path);
  const { username, password } = new URL(url);
  if (username + password === '' && !/[?#]/.test(url)) return url;
  const example = 'such as https://api.example';
  throw new TypeError(`${path} must be a URL without a user, a query and a fragment, ${example}: ${JSON.stringify(value)}`);
}

function checkServers(value: unknown, path: string): ProtectedResource['authorizationServers'] {
  const servers = checkStrings(value, path);
  for (const [at, server] of servers.entries()) checkPlainUrl(server, `${path}[${at}]`);
  const [first, ...others] = servers;
  if (first === undefined) throw new TypeError(`${path} must have a URL, such as https://login.example`);
  return [first, ...others];
}

/** Checks the URL of a server, and returns it as it is. */
export function checkHttpUrl(value: unknown, path: string): string {
  if (typeof value === 'string' && URL.canParse(value) && /^https?:\/\/[^\s\0-\x1f\x7f]+$/i.test(value)) return value;
  throw new TypeError(`${path} must be a URL that begins with https:// or http://: ${JSON.stringify(value)}`);
}

function checkScopes(value: unknown, path: string): readonly string[] {
  const scopes = checkStrings(value, path);
  const wrong = scopes.find((scope) => !SCOPE.test(scope));
  if (wrong === undefined) return scopes;
  throw new TypeError(`${path} must be scopes without a space, a quote and a backslash: ${JSON.stringify(wrong)}`);
}
