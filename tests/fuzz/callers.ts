/** The caller, by the header `X-Caller` of a request: the user's context function, and which callers the rules reject. */
import { ApiError, type ContextRequest, type MaybePromise } from '../../src/index.ts';

import { waitTwoTurns } from '../support/wait.ts';
import type { ExpectedResponse } from './expected-response.ts';
import type { CallLog } from './call-log.ts';
import { RequestedFailure } from './requested-failure.ts';

type Asked = Pick<ContextRequest<object, string>, 'raw' | 'itemId'>;

const CHALLENGE = 'Bearer realm="api"';

/** Returns the caller, or rejects, at once or later. */
export function contextFrom(log: CallLog): (request: Asked) => MaybePromise<string | false | undefined> {
  return ({ raw, itemId }) => {
    const caller = String(raw.headers['x-caller']);
    log.note('context', itemId, raw);
    return caller.endsWith('later') ? waitTwoTurns().then(() => admit(caller)) : admit(caller);
  };
}

function admit(caller: string): string | false | undefined {
  if (caller.startsWith('ok')) return caller;
  if (caller.startsWith('denied')) return false;
  if (caller.startsWith('unknown')) return undefined;
  if (caller.startsWith('forbidden')) throw ApiError.status(403, 'not you');
  if (caller.startsWith('failing')) throw new RequestedFailure();
  throw ApiError.status(401, undefined, { headers: { 'WWW-Authenticate': CHALLENGE } });
}

/** The response to a caller who is rejected. `undefined` for one who is not. */
export function rejectionFor(caller = ''): ExpectedResponse | undefined {
  if (caller.startsWith('ok')) return undefined;
  if (['forbidden', 'denied', 'unknown'].some((prefix) => caller.startsWith(prefix))) return { status: 403 };
  if (caller.startsWith('failing')) return { status: 500, logs: true };
  return { status: 401, headers: { 'www-authenticate': CHALLENGE } };
}
