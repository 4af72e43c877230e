/** A user's `context`: a function that authenticates the caller. Its result rejects the caller, or is `request.context`. */
import { ApiError, isApiError } from '../errors/api-error.ts';
import type { ProtectedResource } from '../http/protected-resource.ts';
import type { UserFunction } from '../util/options.ts';

/** A user's function. The functions of `restpoint/auth` have all three properties. */
export interface ContextFunction extends UserFunction {
  readonly security?: unknown;
  /** Whether it calls functions of the user that have no `security`, and so may read any header. */
  readonly ' readsOthers'?: boolean;
  /** Makes the 401 with the challenge of its scheme. */
  readonly unauthorized?: (detail: undefined, request: unknown) => unknown;
  /** The error for a context that lacks one of the scopes; `undefined` if it has all. */
  readonly ' scopes'?: (context: unknown, scopes: readonly string[], request: unknown) => unknown;
}

/** The `detail` of a 403 for a caller whom `context` rejects without an error. */
export const NOT_ALLOWED = 'The caller is not allowed to do this.';

/** Returns the error for a caller whom `context` rejects by its result; `undefined` for any other caller. */
export function findRejection(context: ContextFunction | undefined, result: unknown, request: unknown): ApiError | undefined {
  if (isApiError(result)) return result;
  if (result !== false) return undefined;
  const error = context?.unauthorized?.(undefined, request);
  return isApiError(error) ? error : ApiError.status(403, NOT_ALLOWED);
}

/** Lists the headers with the credentials of an operation's callers, in lower case, by the `security` of its context. */
export function listCredentialHeaders({ context }: { readonly context: ContextFunction | undefined }): string[] {
  return [context?.security ?? []].flat().flatMap((security) => {
    const { scheme } = Object(security) as { readonly scheme?: unknown };
    const { type, in: where, name } = Object(scheme) as Readonly<Record<string, unknown>>;
    if (type !== 'apiKey') return ['authorization'];
    if (where === 'cookie') return ['cookie'];
    return where === 'header' ? [String(name).toLowerCase()] : [];
  });
}

/** Lists the protected resources that the `security` of a context names. */
export function listResources(security: unknown): readonly ProtectedResource[] {
  return [security ?? []].flat().flatMap((each) => (Object(each) as { readonly resource?: ProtectedResource }).resource ?? []);
}
