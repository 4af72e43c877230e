/** Checks that each of the user's functions was called in the async context of its own request. */
import type { Call } from './call-log.ts';
import { mentionsOf, type Expectation } from './model.ts';
import type { ReadRequest } from './reference.ts';

/** Returns which call was not, or `undefined`. */
export function wrongContext(requests: readonly ReadRequest[], expectations: readonly Expectation[], calls: readonly Call[]): string | undefined {
  for (const { what, about, request: index } of calls) {
    const request = requests[index];
    const expected = expectations[index];
    // If parsers may differ on the bytes, the server may have read more of them, or another body.
    if (request?.body === undefined || expected === undefined) continue;
    const isInvocation = about === expected.invocation || about === expected.asking;
    const isIts = what === 'begin' ? isInvocation : about === undefined || mentionsOf(request).includes(about);
    if (what === 'decode' && !expected.readsBody) return `a body was decoded of request ${index}, which is rejected before`;
    if (!isIts) return `${what} of ${about} was called in the context of request ${index}, which is ${request.method} ${request.target}`;
    if (what === 'log' && expected.logs !== true && expected.logsUnread !== true) return `a failure was logged in the context of request ${index}, which has none`;
  }
  return undefined;
}
