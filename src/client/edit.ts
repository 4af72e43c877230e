/** Changes an item without losing the changes of other clients. */
import type { ClientOptions, RequestOptions } from './options.ts';
import type { ProblemError } from './problem-error.ts';
import { send } from './request.ts';
import { makeSignal, pause, unlessAborted } from './signal.ts';

const MAX_ATTEMPTS = 20;
const PAUSE_MS = 25;

/**
 * Gets an item, changes it, and puts it with an `If-Match` of the `ETag` that it got. After a 412 it begins again. Resolves to what was
 * stored: the response of the update, or else the body that was sent. If the change is `undefined`, the item stays as it is.
 */
export async function edit(
  url: string, options: ClientOptions, change: (item: unknown) => unknown, call: RequestOptions = {},
): Promise<unknown> {
  const signal = makeSignal(call.signal, call.timeoutMs ?? options.timeoutMs);
  const part = { ...call, signal, timeoutMs: 0 };
  for (let attempt = 1; ; attempt += 1) {
    // A cache would return the outdated tag again.
    const { response, value } = await send({ method: 'GET', url }, { ...part, cache: 'no-cache' }, options);
    const ifMatch = response.headers.get('etag');
    if (!ifMatch) throw new TypeError(`GET ${url} -> no ETag`);
    const body = await unlessAborted(change(value), signal);
    if (body === undefined) return value;
    const put = await send({ method: 'PUT', url, body }, { ...part, ifMatch }, options).catch((error: unknown) => {
      if ((Object(error) as Partial<ProblemError>).status !== 412 || attempt === MAX_ATTEMPTS) throw error;
    });
    if (put) return put.value === undefined ? body : put.value;
    await pause(PAUSE_MS * attempt * Math.random(), signal);
  }
}
