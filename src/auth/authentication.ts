/**
 * The common part of the authentication schemes. Each makes a function for `context`:
 *
 *   no credentials         ->   401 with a challenge (RFC 9110 section 11.6.1)
 *   rejected by `verify`   ->   401 with a challenge
 *   lacks a scope          ->   403, for a bearer token with a challenge
 *   accepted               ->   `request.context` is the result of `verify`
 *
 * Messages never contain credentials: others read responses and logs.
 */
import type { MaybePromise } from '../declaration/decoder.ts';
import { admitsAnyone, type AnyContextFunction, type ContextInternals, findRequestHead, NOT_ALLOWED } from '../endpoint/context.ts';
import type { ContextRequest } from '../declaration/request.ts';
import { ApiError } from '../errors/api-error.ts';
import { boolean, checkFunction, checkStrings, functionOr, type Shape, shape, type UserFunction } from '../util/options.ts';
import { adopt, after, checkSync, isThenable, recover } from '../util/promises.ts';
import { findHeader } from '../http/head.ts';
import type { ProtectedResource } from '../http/protected-resource.ts';

/** How a caller authenticates, for an OpenAPI document. */
export interface Security {
  /** The name of the security scheme. */
  readonly name: string;
  /** The scheme, as OpenAPI describes it. */
  readonly scheme: SecurityScheme;
  /** Whether a request without credentials is accepted. */
  readonly optional?: true;
  /** Where clients get their tokens. The server serves it as metadata (RFC 9728). */
  readonly resource?: ProtectedResource;
}

/** A Security Scheme Object of OpenAPI. */
export type SecurityScheme =
  | { readonly type: 'http'; readonly scheme: string }
  | { readonly type: 'apiKey'; readonly in: 'header' | 'cookie'; readonly name: string }
  | { readonly type: 'openIdConnect'; readonly openIdConnectUrl: string };

/**
 * The options of `bearer`, `basic`, `apiKey` and `cookie`.
 *
 * @example
 * ```ts
 * const options: AuthenticationOptions = { optional: true };
 * defineEndpoint({ id: integerId, context: basic((_name, password) => users.get(password), options), get: (id) => db.find(id) });
 * ```
 */
export interface AuthenticationOptions<
  Context = any, Optional extends boolean = boolean, Scopes extends readonly string[] = readonly string[],
> {
  /** Accepts a request without the header or the cookie, with `undefined` as its context. @default false */
  readonly optional?: Optional;
  /** Returns the scopes of a caller, for operations with `scopes`. */
  readonly getScopes?: (context: Context) => Scopes;
  /** Whether an error that `verify` throws means invalid credentials: 401. Other errors are handled like errors of a `context`. */
  readonly isInvalid?: (thrown: unknown) => boolean;
}

/** The results of `verify` for invalid credentials. */
export type NotVerified = undefined | null | false;

/** A function for `context`, with its description for an OpenAPI document. `Params` are the parameters of the path that `verify` reads. */
export interface Authentication<Context, Params = {}> {
  (request: ContextRequest<Params>): MaybePromise<Context>;
  /** Only for the compiler. It keeps the `undefined` of `optional`, which in the result of a different function rejects. */
  readonly ' types'?: { readonly context: Context };
  /** The scheme, or several of which a caller needs one. */
  readonly security: Security | readonly Security[];
  /** The same function, which accepts a request without credentials, with `undefined` as its context. It rejects wrong credentials. */
  readonly optional: Authentication<Context | undefined, Params>;
  /** Makes a 401 with a challenge, to throw. With the request, the challenge of a `resource` leads to its metadata. */
  unauthorized(detail?: string, request?: ContextRequest): ApiError;
}

/** An `Authentication` that knows the scopes of callers. `Scope` is a scope that `getScopes` can return: operations can need only these. */
export interface ScopedAuthentication<Context, Scope extends string = string, Params = {}> extends Authentication<Context, Params> {
  /** The same, without a rejection of callers that have no credentials: the context is then `undefined`. */
  readonly optional: ScopedAuthentication<Context | undefined, Scope, Params>;
  /** Only for the compiler. */
  readonly ' types'?: { readonly context: Context; readonly scope: Scope };
  readonly ' internal': ContextInternals;
}

/** The context from a `verify` that returns `Result`. */
export type Verified<Result> = Exclude<Awaited<Result>, NotVerified>;

/**
 * The function for a `verify` that returns `Result`. `Scopes` is `any` without `getScopes`. A conditional type, since the compiler
 * infers no context from a call that returns a generic function.
 *
 * `Result` and `Scopes` are `any` where the compiler does not know them, since an option is wrong: then that is the only error.
 */
export type Authenticates<Result, Optional extends boolean, Scopes extends readonly string[], Params> =
  Verified<Result> | (true extends Optional ? undefined : never) extends infer Context
    ? [0] extends [1 & Scopes] ? Authentication<Context, Params> : ScopedAuthentication<Context, Scopes[number], Params>
    : never;

/** Why a request is rejected. */
export interface RejectionReason {
  readonly detail: string;
  /** The parameter of the challenge that names the error. */
  readonly error?: string;
}

/** An authentication scheme with its checked options. */
export interface Scheme {
  readonly security: Security;
  readonly missing: RejectionReason;
  readonly wrong: RejectionReason;
  /** Makes a challenge. Without the request, it does not name the metadata of the resource. */
  readonly makeChallenge: (request: ContextRequest | undefined, error?: string) => string;
  /** The parameters of the challenge of a 403 for a caller who lacks a scope. `undefined` if the scheme defines none. */
  readonly formatScopes?: (scopes: readonly string[]) => string;
  /** Whether a request has the header or the cookie of the scheme, even if it is empty or for a different scheme. */
  readonly isSent: (rawHeaders: readonly string[]) => boolean;
  /** Reads the credentials. Returns `undefined` if there are none, or for a different scheme. Throws for malformed ones. */
  readonly read: (request: ContextRequest) => readonly string[] | undefined;
  readonly options: SchemeOptions;
}

/** The checked options of a scheme, and its `verify`. */
export interface SchemeOptions {
  readonly optional: boolean;
  readonly verify: UserFunction;
  readonly getScopes: UserFunction | undefined;
  readonly isInvalid: UserFunction | undefined;
}

/** A function of the user. Returns `undefined`, `null` or `false` for a request without its credentials. */
interface UserContext extends AnyContextFunction {
  (request: ContextRequest): unknown;
}

type Authenticator = Scheme | UserContext;

interface AuthenticationParts {
  readonly authenticators: readonly Authenticator[];
  readonly isOptional: boolean;
}

// Not a property: a function of the user may have copied all properties of an authentication.
const partsByContext = new WeakMap<object, AuthenticationParts>();

/**
 * Makes the function for `context` from authenticators. A caller needs to pass one of them. It is synchronous if the user's functions
 * are.
 */
export function makeAuthentication(authenticators: readonly Authenticator[], isOptional: boolean): ScopedAuthentication<unknown> {
  const schemes = authenticators.filter((each) => typeof each !== 'function');
  // Each scheme has its own `getScopes`.
  const schemesInUse = new WeakMap<object, Scheme>();
  const authenticateFrom = (first: number, request: ContextRequest): unknown => {
    for (let at = first; at < authenticators.length; at += 1) {
      const each = authenticators[at] as Authenticator;
      if (typeof each === 'function') {
        const result = each(request);
        const continueWith = (context: unknown): unknown => (isNotVerified(context) ? authenticateFrom(at + 1, request) : context);
        if (isThenable(result)) return adopt(result).then(continueWith);
        if (!isNotVerified(result)) return result;
        continue;
      }
      const credentials = each.read(request);
      if (credentials === undefined) continue;
      if (schemes.length > 1) schemesInUse.set(request, each);
      return verifyCredentials(each, credentials, request);
    }
    if (isOptional && !schemes.some(({ isSent }) => isSent(findRequestHead(request).rawHeaders))) return undefined;
    throw unauthorized(undefined, request);
  };
  const unauthorized = (detail?: string, request?: ContextRequest): ApiError => {
    // A 401 must have a challenge.
    if (schemes.length === 0) return ApiError.because('caller', detail ?? NOT_ALLOWED);
    const challenges = schemes.map(({ makeChallenge, missing }) => makeChallenge(request, missing.error));
    // A detail says what is wrong with them.
    const reason = detail === undefined ? 'credentials-missing' : 'credentials-wrong';
    return rejectCredentials(reason, detail ?? schemes[0]?.missing.detail, challenges);
  };
  const securities = authenticators.flatMap(({ security }) => security ?? [])
    .map((security) => (isOptional ? { ...Object(security) as object, optional: true } : security));
  const checkScopes = (context: unknown, scopes: readonly string[], request: ContextRequest): ApiError | undefined => {
    // Only a request without credentials has no context.
    if (context === undefined) return unauthorized(undefined, request);
    const scheme = schemesInUse.get(request) ?? schemes[0];
    return scheme === undefined ? undefined : rejectScopes(scheme, context, scopes, request);
  };
  const hasScopes = schemes.length > 0 && schemes.length === authenticators.length && schemes.every(({ options }) => options.getScopes);
  const internals: ContextInternals = {
    isOptional,
    readsOthers: authenticators.some((each) => typeof each === 'function' && each.security === undefined),
    checkScopes: hasScopes ? checkScopes : undefined,
  };
  const authenticate = Object.assign((request: ContextRequest) => authenticateFrom(0, request), {
    security: authenticators.length === 0 || securities.length > 1 ? securities : securities[0],
    unauthorized,
    ' internal': internals,
  });
  partsByContext.set(authenticate, { authenticators, isOptional });
  return Object.defineProperty(authenticate, 'optional', { get: () => makeAuthentication(authenticators, true) }) as never;
}

/**
 * Admits anyone: a `context` for public operations, where the endpoint has one, or the server has `requireContext`. The operation is served
 * as one without a context: caches may share its responses, and documents say that it needs no credentials.
 *
 * As the last argument of `firstOf`, it admits callers whom no other function knows, with `undefined` as their context.
 *
 * @example
 * ```ts
 * defineEndpoint({
 *   id: integerId,
 *   context: signedIn,
 *   get: { context: anyone, run: (id) => db.find(id) },
 *   delete: (id, { context: user }) => db.delete(id, user.id),
 * });
 * ```
 */
export const anyone: Authentication<undefined> = Object.defineProperty(makeAuthentication([], true), 'name', { value: 'anyone' }) as never;

/** Makes the function for `context` of one scheme. */
export function makeContext<Made>(scheme: Scheme): Made {
  return makeAuthentication([scheme], scheme.options.optional) as Made;
}

/** Joins several functions for `context` into one. Throws `TypeError` for any other value. */
export function joinContexts(functions: readonly unknown[]): ScopedAuthentication<unknown> {
  const parts = functions.map((each, index): AuthenticationParts => {
    if (typeof each !== 'function') {
      throw new TypeError(`firstOf takes functions for context, such as bearer(verify): argument ${index + 1}`);
    }
    return partsByContext.get(each) ?? { authenticators: [each as UserContext], isOptional: admitsAnyone(each as UserContext) };
  });
  return makeAuthentication(parts.flatMap(({ authenticators }) => authenticators), parts.some(({ isOptional }) => isOptional));
}

/** A store may return `null` for an unknown key, and a comparison `false`. */
function isNotVerified(context: unknown): context is NotVerified {
  return context === undefined || context === null || context === false;
}

function verifyCredentials(scheme: Scheme, credentials: readonly string[], request: ContextRequest): unknown {
  const { options } = scheme;
  const accept = (context: unknown): unknown => {
    if (isNotVerified(context)) throw rejectWrong(scheme, request);
    return context;
  };
  const fail = (thrown: unknown): never => {
    if (checkSync(options.isInvalid?.(thrown), 'isInvalid', thrown) === true) throw rejectWrong(scheme, request, thrown);
    throw thrown;
  };
  return after(recover(() => options.verify(...credentials, request), fail), accept);
}

function rejectScopes(
  { formatScopes, makeChallenge, options }: Scheme, context: unknown, scopes: readonly string[], request: ContextRequest,
): ApiError | undefined {
  const granted = checkStrings(checkSync(options.getScopes?.(context), 'getScopes'), 'the result of getScopes');
  if (scopes.every((scope) => granted.includes(scope))) return undefined;
  const detail = `The caller needs ${scopes.length === 1 ? 'the scope' : 'the scopes'} ${scopes.join(', ')}.`;
  if (formatScopes === undefined) return ApiError.because('scope', detail);
  return ApiError.because('scope', detail, { headers: { 'WWW-Authenticate': makeChallenge(request, formatScopes(scopes)) } });
}

/** Makes the error for credentials that the user's code does not accept. */
export function rejectWrong({ wrong, makeChallenge }: Scheme, request: ContextRequest, cause?: unknown): ApiError {
  return rejectCredentials('credentials-wrong', wrong.detail, makeChallenge(request, wrong.error), cause);
}

export function rejectCredentials(
  reason: `credentials-${'malformed' | 'repeated' | 'missing' | 'wrong'}`, detail: string | undefined,
  challenge: string | readonly string[], cause?: unknown,
): ApiError {
  return ApiError.because(reason, detail, { headers: { 'WWW-Authenticate': challenge }, ...(cause !== undefined && { cause }) });
}

/** `basic(verify, options), apiKey(header, verify, options), cookie(name, verify, options)`: {@link AuthenticationOptions}. */
export const AUTHENTICATION_OPTIONS: Shape<Omit<SchemeOptions, 'verify'>> = shape({
  optional: boolean(),
  getScopes: functionOr(),
  isInvalid: functionOr(),
});

/** Checks the options of a scheme and its `verify`. */
export function checkSchemeOptions<T>(shape: Shape<T>, verify: unknown, options: unknown): T & Pick<SchemeOptions, 'verify'> {
  const checked = shape.check(options, 'options');
  return { ...checked, verify: checkFunction(verify, 'verify') };
}

/** The `detail` of a rejection. */
export const MALFORMED = 'The Authorization header is malformed.';

/** Reads the credentials of a scheme from a header, whose name is in lower case. Several lines are joined. */
export function readHeader(
  header: string, parse: (value: string, request: ContextRequest) => readonly string[] | undefined,
): Pick<Scheme, 'isSent' | 'read'> {
  return {
    isSent: (rawHeaders) => findHeader(rawHeaders, header) !== undefined,
    read: (request) => {
      const value = findHeader(findRequestHead(request).rawHeaders, header);
      return value === undefined ? undefined : parse(value, request);
    },
  };
}

// Not allowed in the name of a component of an OpenAPI document.
const NOT_IN_COMPONENT_NAME = /[^A-Za-z0-9._-]/g;

/** Names a security scheme after its header or its cookie. */
export function nameScheme(type: string, name: string): string {
  return `${type}-${name.replace(NOT_IN_COMPONENT_NAME, '_')}`;
}
