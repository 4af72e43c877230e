/**
 * The common part of the authentication schemes. Each makes a function for `context`:
 *
 *   no credentials         ->   401 with a challenge (RFC 9110 section 11.6.1)
 *   refused by `verify`    ->   401 with a challenge
 *   lacks a scope          ->   403
 *   accepted               ->   the result of `verify` is `request.context`
 *
 * No message repeats a credential: answers and logs are read by others.
 */
import type { MaybePromise } from '../endpoint/decoder.ts';
import { NOT_ALLOWED } from '../endpoint/context.ts';
import type { ContextRequest } from '../endpoint/request.ts';
import { ApiError } from '../errors/api-error.ts';
import { boolean, checkFunction, checkStrings, functionOr, option, type Shape, shape, type UserFunction } from '../util/options.ts';
import { adopt, isThenable } from '../util/promises.ts';
import { countHeader, findHeader } from '../http/head.ts';

/** A way to authenticate, as an OpenAPI document has it. */
export interface Security {
  /** The name of the security scheme. */
  readonly name: string;
  readonly scheme: SecurityScheme;
  /** Whether requests without credentials pass. */
  readonly optional?: true;
}

/** The Security Scheme Object of OpenAPI for each way to authenticate. */
export type SecurityScheme =
  | { readonly type: 'http'; readonly scheme: string }
  | { readonly type: 'apiKey'; readonly in: 'header'; readonly name: string };

/** The options of `bearer`, `basic` and `apiKey`. */
export interface AuthenticationOptions<Context = any, Optional extends boolean = boolean, Scopes extends readonly string[] = readonly string[]> {
  /** The protection space, for the client (RFC 9110 section 11.5). Printable ASCII. Default `api`. */
  readonly realm?: string;
  /** Lets requests without the header pass, with `undefined` as their context. Default `false`. */
  readonly optional?: Optional;
  /** The scopes of a caller, for operations with `scopes`. */
  readonly scopesOf?: (context: Context) => Scopes;
  /** Whether an error of `verify` means that the credentials are not valid: 401. Others are answered as errors of a `context`. */
  readonly isInvalid?: (thrown: unknown) => boolean;
}

/** The result of `verify` for credentials that are not valid. */
export type NotVerified = undefined | null | false;

/** A function for `context`, and its description for an OpenAPI document. */
export interface Authentication<Context> {
  (request: ContextRequest): MaybePromise<Context>;
  /** One, or several of which a caller needs one. */
  readonly security: Security | readonly Security[];
  /** The same function, but requests without credentials pass, with `undefined` as their context. Wrong credentials are refused. */
  readonly optional: Authentication<Context | undefined>;
  /** Makes the 401 with its challenge, to throw. */
  unauthorized(detail?: string): ApiError;
}

/** An `Authentication` that knows the scopes of callers. `Scope` is what `scopesOf` gives: operations can need no other. */
export interface ScopedAuthentication<Context, Scope extends string = string> extends Authentication<Context> {
  readonly optional: ScopedAuthentication<Context | undefined, Scope>;
  /** Only a type: no value has it. */
  readonly ' scope'?: Scope;
  /** The error for a caller who lacks one of the scopes. For the server, and not for hosts. */
  readonly ' scopes': (context: unknown, scopes: readonly string[], request: ContextRequest) => ApiError | undefined;
}

/** The context that a `verify` gives which returns `Result`. */
export type Verified<Result> = Exclude<Awaited<Result>, NotVerified>;

/**
 * The function for a `verify` that returns `Result`. `Scopes` is `never` without `scopesOf`. It is a conditional type, since the compiler would infer no context from a call that
 * returns a generic function.
 */
export type Authenticates<Result, Optional extends boolean, Scopes extends readonly string[]> =
  Verified<Result> | (true extends Optional ? undefined : never) extends infer Context
    ? [Scopes] extends [never] ? Authentication<Context> : ScopedAuthentication<Context, Scopes[number]>
    : never;

export interface Rejection {
  readonly detail: string;
  readonly challenge: string;
}

/** An authentication scheme, as a host has set it up. */
export interface Scheme {
  readonly security: Security;
  readonly missing: Rejection;
  readonly wrong: Rejection;
  /** The challenge of a 403 for a caller who lacks a scope, if the scheme has one. */
  readonly insufficient?: (scopes: readonly string[]) => string;
  /** The name of the header field with the credentials, in lower case. */
  readonly field: string;
  /** Reads the credentials of so many header lines. Returns `undefined` if there are none of this scheme. Throws if they are malformed. */
  readonly read: (value: string, lines: number) => readonly string[] | undefined;
  readonly options: SchemeOptions;
}

/** The checked options of a scheme, and its `verify`. */
export interface SchemeOptions {
  readonly realm: string;
  readonly optional: boolean;
  readonly verify: UserFunction;
  readonly scopesOf: UserFunction | undefined;
  readonly isInvalid: UserFunction | undefined;
}

/** A way to authenticate: a scheme, or a user's own function. */
type Way = Scheme | OwnContext;

/** Gives `undefined`, `null` or `false` for a request without its credentials. */
interface OwnContext {
  (request: ContextRequest): unknown;
  readonly security?: unknown;
}

interface Parts {
  readonly ways: readonly Way[];
  readonly isOptional: boolean;
}

// Not a property: a user's function that copies those of an authentication must not be mistaken for it.
const partsOf = new WeakMap<object, Parts>();

/** Makes the function for `context` of ways of which a caller needs one. It is synchronous if the user's functions are. */
export function authentication(ways: readonly Way[], isOptional: boolean): ScopedAuthentication<unknown> {
  const schemes = ways.filter((way) => typeof way !== 'function');
  // The scheme of a request counts if the callers of several schemes have their scopes in different places.
  const schemesInUse = new WeakMap<object, Scheme>();
  const authenticateFrom = (first: number, request: ContextRequest): unknown => {
    const { rawHeaders } = request.raw;
    for (let at = first; at < ways.length; at += 1) {
      const way = ways[at] as Way;
      if (typeof way === 'function') {
        const result = way(request);
        if (isThenable(result)) return adopt(result).then((context) => (isNothing(context) ? authenticateFrom(at + 1, request) : context));
        if (!isNothing(result)) return result;
        continue;
      }
      const value = findHeader(rawHeaders, way.field);
      const credentials = value === undefined ? undefined : way.read(value, countHeader(rawHeaders, way.field));
      if (credentials === undefined) continue;
      if (schemes.length > 1) schemesInUse.set(request, way);
      return verifyCredentials(way, credentials, request);
    }
    if (isOptional && schemes.every(({ field }) => findHeader(rawHeaders, field) === undefined)) return undefined;
    throw unauthorized();
  };
  const challenges = schemes.map(({ missing }) => missing.challenge);
  const unauthorized = (detail = schemes[0]?.missing.detail): ApiError =>
    // A 401 needs a challenge.
    (challenges.length === 0 ? ApiError.status(403, detail ?? NOT_ALLOWED) : rejectCredentials(401, detail, challenges));
  const securities = ways.flatMap((way) => way.security ?? []).map((security) => (isOptional ? { ...Object(security) as object, optional: true } : security));
  const lacking = (context: unknown, scopes: readonly string[], request: ContextRequest): ApiError | undefined => {
    // Only a request without credentials has no context.
    if (context === undefined) return unauthorized();
    const scheme = schemesInUse.get(request) ?? schemes[0];
    return scheme === undefined ? undefined : rejectScopes(scheme, context, scopes);
  };
  const made = Object.assign((request: ContextRequest) => authenticateFrom(0, request), {
    security: securities.length > 1 ? securities : securities[0],
    unauthorized,
    ...(ways.every((way) => typeof way !== 'function' && way.options.scopesOf !== undefined) && { ' scopes': lacking }),
  });
  partsOf.set(made, { ways, isOptional });
  return Object.defineProperty(made, 'optional', { get: () => authentication(ways, true) }) as unknown as ScopedAuthentication<unknown>;
}

/** Makes one function of several for `context`. Throws `TypeError` for any other value. */
export function joinContexts(functions: readonly unknown[]): ScopedAuthentication<unknown> {
  const parts = functions.map((each, index): Parts => {
    if (typeof each !== 'function') throw new TypeError(`firstOf takes functions for context, such as bearer(verify): argument ${index + 1}`);
    return partsOf.get(each) ?? { ways: [each as OwnContext], isOptional: false };
  });
  return authentication(parts.flatMap(({ ways }) => ways), parts.some(({ isOptional }) => isOptional));
}

/** A store may return `null` for an unknown key, and a comparison `false`. */
function isNothing(context: unknown): boolean {
  return context === undefined || context === null || context === false;
}

function verifyCredentials({ wrong, options }: Scheme, credentials: readonly string[], request: ContextRequest): unknown {
  const accept = (context: unknown): unknown => {
    if (isNothing(context)) throw rejectCredentials(401, wrong.detail, wrong.challenge);
    return context;
  };
  const fail = (thrown: unknown): never => {
    if (options.isInvalid?.(thrown) === true) throw rejectCredentials(401, wrong.detail, wrong.challenge, thrown);
    throw thrown;
  };
  let result: unknown;
  try {
    result = options.verify(...credentials, request);
  } catch (thrown) {
    return fail(thrown);
  }
  return isThenable(result) ? adopt(result).then(accept, fail) : accept(result);
}

function rejectScopes({ insufficient, options }: Scheme, context: unknown, scopes: readonly string[]): ApiError | undefined {
  const granted = checkStrings(options.scopesOf?.(context), 'the result of scopesOf');
  if (scopes.every((scope) => granted.includes(scope))) return undefined;
  const detail = `The caller needs ${scopes.length === 1 ? 'the scope' : 'the scopes'} ${scopes.join(', ')}.`;
  const challenge = insufficient?.(scopes);
  return ApiError.status(403, detail, challenge === undefined ? {} : { headers: { 'WWW-Authenticate': challenge } });
}

/** The error for a request whose credentials are missing, malformed or not accepted. */
export function rejectCredentials(status: 400 | 401, detail: string | undefined, challenge: string | readonly string[], cause?: unknown): ApiError {
  return ApiError.status(status, detail, { headers: { 'WWW-Authenticate': challenge }, ...(cause !== undefined && { cause }) });
}

// A quoted string (RFC 9110 section 5.6.4).
const REALM = /^[\x20-\x7e]*$/;
// RFC 9110 section 11.1.
const SCHEME = /^[\w!#$%&'*+.^`|~-]+$/;

export const AUTHENTICATION_OPTIONS: Shape<Omit<SchemeOptions, 'verify'>> = shape({
  realm: option('printable ASCII', checkRealm, 'api'),
  optional: boolean(),
  scopesOf: functionOr(),
  isInvalid: functionOr(),
});

export const BEARER_OPTIONS: Shape<Omit<SchemeOptions, 'verify'> & { readonly schemes: readonly string[] }> = shape({
  ...AUTHENTICATION_OPTIONS.table,
  schemes: option('names of schemes', checkSchemes, ['Bearer']),
});

/** Checks the options of a scheme and its `verify`. */
export function checkOptions<T>(shape: Shape<T>, verify: unknown, options: unknown): T & Pick<SchemeOptions, 'verify'> {
  const checked = shape.check(options, 'options');
  return { ...checked, verify: checkFunction(verify, 'verify') };
}

function checkRealm(value: unknown, path: string): string {
  if (typeof value === 'string' && REALM.test(value)) return value;
  throw new TypeError(`${path} must be printable ASCII: ${JSON.stringify(value)}`);
}

/** Returns the realm as a challenge has it. */
export function quoteRealm(realm: string): string {
  return `realm="${realm.replace(/["\\]/g, '\\$&')}"`;
}

function checkSchemes(value: unknown, path: string): readonly string[] {
  const names = checkStrings(value, path);
  const wrong = names.find((name) => !SCHEME.test(name));
  if (wrong !== undefined) throw new TypeError(`${path} must be names of schemes: ${JSON.stringify(wrong)}`);
  return names;
}
