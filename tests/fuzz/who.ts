/** The caller, by the header `X-Who` of a request: the user's context function, and which callers the rules reject. */
import { ApiError, type ContextRequest, type MaybePromise } from '../../src/index.ts';

import { twoTurns } from '../support/gate.ts';
import type { ExpectedResponse } from './expected-response.ts';
import type { CallLog } from './call-log.ts';
import { RequestedFailure } from './requested-failure.ts';

type Asked = Pick<ContextRequest<object, string>, 'raw' | 'itemId'>;

const CHALLENGE = 'Bearer realm="zoo"';

/** Returns the caller, or rejects, at once or later. */
export function contextFrom(log: CallLog): (request: Asked) => MaybePromise<string | false> {
  return ({ raw, itemId }) => {
    const who = String(raw.headers['x-who']);
    log.note('context', itemId, raw);
    return who.endsWith('later') ? twoTurns().then(() => admit(who)) : admit(who);
  };
}

function admit(who: string): string | false {
  if (who.startsWith('ok')) return who;
  if (who.startsWith('denied')) return false;
  if (who.startsWith('forbidden')) throw ApiError.status(403, 'not you');
  if (who.startsWith('failing')) throw new RequestedFailure();
  throw ApiError.status(401, undefined, { headers: { 'WWW-Authenticate': CHALLENGE } });
}

/** The response to a caller who is rejected. `undefined` for one who is not. */
export function rejectionFor(who = ''): ExpectedResponse | undefined {
  if (who.startsWith('ok')) return undefined;
  if (who.startsWith('forbidden') || who.startsWith('denied')) return { status: 403 };
  if (who.startsWith('failing')) return { status: 500, logs: true };
  return { status: 401, headers: { 'www-authenticate': CHALLENGE } };
}
