/** Sessions of browsers, in a cookie (RFC 6265). */
import type { ContextRequest } from '../declaration/request.ts';
import { findRequestHead } from '../endpoint/context.ts';
import { ApiError } from '../errors/api-error.ts';
import { checkCookieName, isCookieValue, listCookies } from '../http/cookies.ts';
import { isCrossOrigin, type RequestHead } from '../http/cross-origin.ts';
import { findHeader } from '../http/head.ts';
import { isSafe } from '../http/methods.ts';
import {
  type Authenticates, AUTHENTICATION_OPTIONS, type AuthenticationOptions, checkSchemeOptions, makeContext, nameScheme,
  rejectCredentials, rejectWrong, type Scheme, type Verified,
} from './authentication.ts';

const CROSS_ORIGIN = 'Pages of this origin may not send this request with a cookie.';

/**
 * Makes a `context` that reads a cookie, which browsers send by themselves. `verify` returns the context for a valid value, or a promise of
 * it, and `undefined`, `null` or `false` for an invalid one: 401. Without the cookie, or with an empty one: 401. With two cookies of the
 * name: 400.
 *
 * A page of any origin can make a browser send the cookie. So a request that can change something, of any method but GET and HEAD,
 * gets 403 if it is from a page of a different origin, unless the option `cors` of the server lists that origin. This does not replace the
 * attribute `SameSite` of the cookie.
 *
 * An error that `verify` throws is handled like one of a `context`, unless `isInvalid` returns `true` for it.
 *
 * @example
 * ```ts
 * const signedIn = cookie('__Host-session', async (session) => users.get(session));
 * defineEndpoint({ id: integerId, context: signedIn, delete: (id, { context: user }) => db.delete(id, user.id) });
 * ```
 * @throws `TypeError` for an invalid name or option.
 */
export function cookie<Result = any, Optional extends boolean = false, Scopes extends readonly string[] = any, Params = {}>(
  name: string,
  verify: (value: string, request: ContextRequest<Params>) => Result,
  options: AuthenticationOptions<Verified<Result>, Optional, Scopes> = {},
): Authenticates<Result, Optional, Scopes, Params> {
  const cookieName = checkCookieName(name);
  const checked = checkSchemeOptions(AUTHENTICATION_OPTIONS, verify, options);
  const challenge = `Cookie realm="api", cookie-name="${cookieName}"`;
  const list = (rawHeaders: readonly string[]): readonly string[] => listCookies(rawHeaders, cookieName).filter((value) => value !== '');
  const scheme: Scheme = {
    security: { name: nameScheme('cookie', cookieName), scheme: { type: 'apiKey', in: 'cookie', name: cookieName } },
    missing: { detail: `The request needs the cookie ${cookieName}.` },
    wrong: { detail: `The cookie ${cookieName} is not valid.` },
    makeChallenge: () => challenge,
    options: checked,
    isSent: (rawHeaders) => list(rawHeaders).length > 0,
    read: (request) => {
      const head = findRequestHead(request);
      const [value, ...others] = list(head.rawHeaders);
      if (value === undefined) return undefined;
      if (!isSafe(head.method ?? '') && isFromOtherPage(head)) throw ApiError.because('cross-origin', CROSS_ORIGIN);
      // One of them may be set by a page of a sibling domain.
      if (others.length > 0) {
        throw rejectCredentials('credentials-repeated', `The request has more than one cookie ${cookieName}.`, challenge);
      }
      if (!isCookieValue(value)) throw rejectWrong(scheme, request);
      return [value];
    },
  };
  return makeContext(scheme);
}

function isFromOtherPage(head: RequestHead): boolean {
  return isCrossOrigin(head, findHeader(head.rawHeaders, 'host')) && !head.isListed;
}
