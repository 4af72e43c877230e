/** Which requests are repeated, and when. */
import type { ClientOptions, RetryOptions } from './options.ts';
import type { ProblemError } from './problem-error.ts';

const FIRST_MS = 250;
const MAX_MS = 60_000;

/** What is given to `fetch`, as far as it decides whether it is sent again. */
export interface SentInit {
  readonly method: string;
  readonly headers: Headers;
  readonly body: unknown;
}

/** How long to wait before a request is sent again, in milliseconds. `undefined` if it is not. */
export function delayBefore(
  repeated: number, error: unknown, { method, headers, body }: SentInit, retries: ClientOptions['retries'] = 0,
): number | undefined {
  const { attempts = Number(retries), maxDelayMs = MAX_MS } = Object(retries) as Partial<RetryOptions>;
  const isOnce = /^P(OST|ATCH)$/.test(method) && !headers.has('idempotency-key');
  // With `If-Match`, the change may have been made: then a second request would be answered 412.
  if (repeated >= attempts || isOnce || headers.has('if-match') || body instanceof ReadableStream) return undefined;
  const { response } = Object(error) as Partial<ProblemError>;
  const after = response?.headers.get('retry-after');
  if (response && !(/^4(08|2[59])|^50[234]/.test(`${response.status}`) || (after && response.status === 409))) return undefined;
  const wanted = Number(after) * 1000 || Date.parse(`${after}`) - Date.now() || 0;
  const delay = Math.min(FIRST_MS * 2 ** repeated, maxDelayMs, MAX_MS) * (1 + Math.random()) / 2;
  return wanted > maxDelayMs ? undefined : Math.max(wanted, delay);
}
