/** Checks that a host's listener writes as many bytes as its `Content-Length` says. Otherwise later replies would be garbled. */
import type { Exchange } from '../connection/exchange.ts';

/**
 * Calls `onMismatch` of the exchange if the length is not the declared one, and then writes nothing more. Node checks this too, but
 * throws out of `write` and `end`. Often a stream's event calls these, where nobody catches the error and the process would end.
 */
export function checkLength(exchange: Exchange): void {
  const { response } = exchange;
  let isBroken = false;
  const guarded = <Given>(method: (...args: never[]) => Given, instead: Given) => (...args: never[]): Given => {
    if (isBroken) return instead;
    try {
      return method.apply(response, args);
    } catch (thrown) {
      if (!isMismatch(thrown)) throw thrown;
      isBroken = true;
      // A response is also too short when its client leaves.
      if (!response.destroyed) exchange.onMismatch?.(thrown);
      return instead;
    }
  };
  const { write, end } = response;
  response.strictContentLength = true;
  // `Object.assign`, because the types of both have overloads.
  Object.assign(response, { write: guarded<boolean>(write, false), end: guarded(end, response) });
}

function isMismatch(thrown: unknown): boolean {
  return thrown instanceof Error && 'code' in thrown && thrown.code === 'ERR_HTTP_CONTENT_LENGTH_MISMATCH';
}
