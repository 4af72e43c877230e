/**
 * The common part of the authentication schemes. Each makes a function for an endpoint's `context`:
 *
 *   no credentials         ->   401 with a challenge (RFC 9110 section 11.6.1)
 *   refused by `verify`    ->   401 with a challenge
 *   accepted               ->   the result of `verify` is `request.context`
 *
 * No message repeats a credential: answers and logs are read by others.
 */
import type { MaybePromise } from '../endpoint/decoder.ts';
import type { ContextRequest } from '../endpoint/request.ts';
import { ApiError } from '../errors/api-error.ts';
import { knownMembersOf, oneOf } from '../errors/members.ts';
import { adopt, isThenable } from '../errors/thrown.ts';
import { countLines, fieldValue } from '../http/head.ts';

/** A way to authenticate, as an OpenAPI document has it. */
export interface Security {
  /** The name of the security scheme. */
  readonly name: string;
  readonly scheme: SecurityScheme;
}

/** The Security Scheme Object of OpenAPI for each way to authenticate. */
export type SecurityScheme =
  | { readonly type: 'http'; readonly scheme: 'bearer' | 'basic' }
  | { readonly type: 'apiKey'; readonly in: 'header'; readonly name: string };

/** The options of `bearer`, `basic` and `apiKey`. */
export interface AuthenticationOptions<Optional extends boolean = boolean> {
  /** The protection space, for the client (RFC 9110 section 11.5). Printable ASCII. Default `api`. */
  readonly realm?: string;
  /** Lets requests without the header pass, with `undefined` as their context. Default `false`. */
  readonly optional?: Optional;
}

/** The result of `verify` for credentials that are not valid. */
export type NotVerified = undefined | null | false;

/** A function for `context`, and how an OpenAPI document describes it. */
export interface Authentication<Context> {
  (request: ContextRequest): MaybePromise<Context>;
  readonly security: Security;
}

/**
 * The function for a `verify` that returns `Given`. Its context is the awaited result of `verify`, and with `optional` also
 * `undefined`. It is a conditional type, since the compiler would infer no context from a call that returns a generic function.
 */
export type Authenticates<Given, Optional extends boolean> =
  Exclude<Awaited<Given>, NotVerified> | (Optional extends true ? undefined : never) extends infer Context
    ? Authentication<Context>
    : never;

/** An authentication scheme. */
export interface Way<Credentials extends readonly [string, ...string[]]> {
  readonly security: Security;
  /** The name of the header field, in lower case. */
  readonly field: string;
  /** The detail of a 401 without credentials, and with wrong ones. */
  readonly missing: Refusal;
  readonly wrong: Refusal;
  readonly isOptional: boolean;
  /** Reads the credentials, of so many header lines. Returns `undefined` if there are none of this kind. Throws if they are malformed. */
  readonly read: (value: string, lines: number) => Credentials | undefined;
  readonly verify: (...values: [...credentials: Credentials, request: ContextRequest]) => unknown;
}

export interface Refusal {
  readonly detail: string;
  readonly challenge: string;
}

/** Makes the function for `context`. It is synchronous if `verify` is. */
export function authentication<Credentials extends readonly [string, ...string[]], Given, Optional extends boolean>(
  way: Way<Credentials>,
): Authenticates<Given, Optional> {
  const { field, missing, isOptional, read, verify, security, wrong } = way;
  const accept = (context: unknown): unknown => {
    // A store may return `null` for an unknown key, and a comparison `false`.
    if (context === undefined || context === null || context === false) throw refuse(401, wrong);
    return context;
  };
  const authenticate = (request: ContextRequest): unknown => {
    const { rawHeaders } = request.raw;
    const value = fieldValue(rawHeaders, field);
    if (value === undefined && isOptional) return undefined;
    const credentials = value === undefined ? undefined : read(value, countLines(rawHeaders, field));
    if (credentials === undefined) throw refuse(401, missing);
    const result = verify(...credentials, request);
    return isThenable(result) ? adopt(result).then(accept) : accept(result);
  };
  return Object.assign(authenticate, { security }) as Authenticates<Given, Optional>;
}

/** The error for a request whose credentials are not accepted. */
export function refuse(status: 400 | 401, { detail, challenge }: Refusal): ApiError {
  return ApiError.status(status, detail, { headers: { 'WWW-Authenticate': challenge } });
}

// A quoted string (RFC 9110 section 5.6.4) in a header field.
const REALM = /^[\x20-\x7e]*$/;

/** The options of `bearer`, `basic` and `apiKey`, with the realm as a challenge has it. Throws `TypeError` if one or `verify` is invalid. */
export function checkedOptions(verify: unknown, options: unknown): { readonly realm: string; readonly isOptional: boolean } {
  const { realm = 'api', optional = false } = knownMembersOf(options, 'options', ['realm', 'optional']);
  if (typeof verify !== 'function') throw new TypeError(`verify must be a function: ${typeof verify}`);
  if (typeof realm !== 'string' || !REALM.test(realm)) throw new TypeError(`options.realm must be printable ASCII: ${JSON.stringify(realm)}`);
  return { realm: `realm="${realm.replace(/["\\]/g, '\\$&')}"`, isOptional: oneOf(optional, 'options.optional', [false, true]) };
}
