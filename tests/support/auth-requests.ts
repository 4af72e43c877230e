/** Requests for functions that authenticate, and the results of these functions. */
import * as assert from 'uvu/assert';
import { toRejection, isApiError } from '../../src/errors/api-error.ts';
import type { ApiRequest } from '../../src/index.ts';

/** A request of which a function that authenticates reads the header lines alone. */
export function makeRequest(...rawHeaders: readonly string[]): ApiRequest {
  return { raw: { rawHeaders } } as unknown as ApiRequest;
}

/** The status, the challenge and the detail of the error that a function throws or rejects with. */
export async function describeRejection(call: () => unknown): Promise<readonly [status: number, challenge: string, detail: string]> {
  try {
    await call();
  } catch (thrown) {
    assert.ok(isApiError(thrown), String(thrown));
    const { problem, headers } = toRejection(thrown);
    assert.is(headers.length, 2);
    assert.is(headers[0], 'WWW-Authenticate');
    assert.not.ok('cause' in thrown);
    return [problem.status, headers[1] ?? '', problem.detail ?? ''];
  }
  throw new Error('nothing was rejected');
}
