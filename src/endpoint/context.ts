/** A user's `context`: a function that authenticates the caller. Its result rejects the caller, or is `request.context`. */
import type { IncomingMessage } from 'node:http';
import { findReply } from '../declaration/reply.ts';
import type { ContextRequest, RequestInternals } from '../declaration/request.ts';
import { ApiError, isApiError } from '../errors/api-error.ts';
import { isFromListedOrigin } from '../http/cors.ts';
import type { RequestHead } from '../http/cross-origin.ts';
import type { ProtectedResource } from '../http/protected-resource.ts';
import { findInternals } from '../util/internals.ts';
import type { UserFunction } from '../util/options.ts';
import { checkSync, isError } from '../util/promises.ts';
import { isWebBody } from './result-json.ts';

/** A user's function. The functions of `restpoint/auth` have these properties. */
export interface AnyContextFunction extends UserFunction {
  /** An empty list admits anyone; an item with `optional` admits a request without credentials. */
  readonly security?: unknown;
  /** Makes the 401 with the challenge of its scheme. */
  readonly unauthorized?: (detail: undefined, request: unknown) => unknown;
  readonly ' internal'?: Partial<ContextInternals>;
}

/** What only this package reads of a function of `restpoint/auth`. */
export interface ContextInternals {
  /** Whether it admits a request without credentials, with `undefined` as its context. */
  readonly isOptional: boolean;
  /** Whether it calls functions of the user that have no `security`, and so may read any header. */
  readonly readsOthers: boolean;
  /** Returns the error for a context that lacks one of the scopes; `undefined` if it has all. `undefined` if it knows no scopes. */
  readonly checkScopes: ((context: unknown, scopes: readonly string[], request: ContextRequest) => unknown) | undefined;
}

/** The `detail` of a 403 for a caller whom `context` rejects without an error. */
export const NOT_ALLOWED = 'The caller is not allowed to do this.';

/** Whether `undefined` and `null` as the result of a context admit the caller. A user who was not found must not pass by mistake. */
export function admitsAnyone({ security, ' internal': internals }: AnyContextFunction): boolean {
  if (internals?.isOptional === true) return true;
  return Array.isArray(security) ? security.length === 0 || security.some(saysOptional) : saysOptional(security);
}

function saysOptional(security: unknown): boolean {
  return (Object(security) as { readonly optional?: unknown }).optional === true;
}

/** Whether a context is `anyone` of `restpoint/auth`: its operation is served as one without a context. */
export function isAnyone({ security, ' internal': internals }: AnyContextFunction): boolean {
  return internals?.isOptional === true && Array.isArray(security) && security.length === 0;
}

/** Returns the error for a caller whom `context` rejects by its result; `undefined` for any other caller. */
export function findRejection(context: AnyContextFunction | undefined, result: unknown, request: unknown): ApiError | undefined {
  if (isApiError(result)) return result;
  if (result !== false && result !== undefined && result !== null) return undefined;
  if (result !== false && (context === undefined || admitsAnyone(context))) return undefined;
  const error = checkSync(context?.unauthorized?.(undefined, request), 'context.unauthorized');
  return isApiError(error) ? error : ApiError.because('caller', NOT_ALLOWED);
}

/** Returns the message for the result of a context that can be no caller: it would admit everybody. */
export function findContextMistake(result: unknown): string | undefined {
  if (typeof result === 'function') return 'a context must not be a function: write context: signedIn, not context: () => signedIn';
  const what = describeNoCaller(result);
  return what === undefined ? undefined : `a context must not be ${what}: to reject the caller, throw an ApiError`;
}

function describeNoCaller(result: unknown): string | undefined {
  if (typeof result !== 'object') return typeof result === 'symbol' ? 'a symbol' : undefined;
  if (findReply(result, true) !== undefined) return 'a reply';
  if (isWebBody(result)) return 'a web Response';
  return isError(result) && !isApiError(result) ? 'an error' : undefined;
}

/** Lists the headers with the credentials of an operation's callers, in lower case, by the `security` of its context. */
export function listCredentialHeaders({ context }: { readonly context: AnyContextFunction | undefined }): string[] {
  return [context?.security ?? []].flat().flatMap((security) => {
    const { scheme } = Object(security) as { readonly scheme?: unknown };
    const { type, in: where, name } = Object(scheme) as Readonly<Record<string, unknown>>;
    if (type !== 'apiKey') return ['authorization'];
    if (where === 'cookie') return ['cookie'];
    return where === 'header' ? [String(name).toLowerCase()] : [];
  });
}

/** The headers that most functions of the user read, in lower case. They may read any. */
export const ANY_CREDENTIALS: readonly string[] = ['authorization', 'cookie'];

/** Lists the headers that an operation's context may read, in lower case. */
export function listContextHeaders({ context }: { readonly context: AnyContextFunction | undefined }): string[] {
  const isUnknown = context !== undefined && (context.security === undefined || context[' internal']?.readsOthers === true);
  return [...new Set([...listCredentialHeaders({ context }), ...(isUnknown ? ANY_CREDENTIALS : [])])];
}

/** Lists the protected resources that the `security` of a context names. */
export function listResources(security: unknown): readonly ProtectedResource[] {
  return [security ?? []].flat().flatMap((each) => (Object(each) as { readonly resource?: ProtectedResource }).resource ?? []);
}

/**
 * Returns the head of the request that a `context` gets. For functions of this package: for `raw`, Node's request would be made. Users'
 * tests call a `context` with only a `raw`.
 */
export function findRequestHead(request: { readonly raw: IncomingMessage }): RequestHead {
  const head = findInternals<RequestInternals>(request)?.requestHead;
  if (head !== undefined) return head;
  const { raw } = request;
  return { method: raw.method, url: raw.url, rawHeaders: raw.rawHeaders, isListed: isFromListedOrigin(raw) };
}
