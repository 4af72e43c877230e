/** The outcomes of calls of `server.fetch` that the oracle of the fuzzer accepts, and those it rejects. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { ReadResponse } from './read-responses.ts';
import type { Call } from './call-log.ts';
import type { FetchDraft } from './fetch-cases.ts';
import { complaintAboutFetch, differenceOf, isSameOverSocket, requestOf } from './fetch-oracle.ts';
import { ABORT_REASON, STREAM_ERROR, type FetchOutcome } from './fetching.ts';

const JSON_TYPE = ['content-type', 'application/json'] as const;
const GET: FetchDraft = {
  which: 'plain', input: '/v1/now/a', method: 'GET', headers: [], body: undefined, abortsAfter: -1, reads: 'whole',
};
const POST: FetchDraft = {
  ...GET, input: '/v1/now/say', method: 'POST', body: { form: 'stream', pieces: ['{"marker":', '"a"}'], fails: false },
};
const LONGER: FetchDraft = { ...POST, headers: [['content-length', '20']] };
const FAILING: FetchDraft = { ...POST, body: { form: 'stream', pieces: ['{"marker"'], fails: true } };
const ENDLESS: FetchDraft = { ...GET, input: '/v1/replies/endless-a', abortsAfter: 3 };
const OK: ReadResponse = {
  status: 200, headers: new Map([JSON_TYPE, ['content-length', '14'], ['x-content-type-options', 'nosniff']]), body: '{"marker":"a"}',
  continued: false, closes: false, isOpenEnded: false,
};
const begin = (about: string): Call => ({ what: 'begin', about, request: 0 });
const DONE: FetchOutcome = { response: OK, error: undefined, bodyError: undefined, calls: [begin('now get a')], left: undefined };
const SAID = { ...DONE, calls: [begin('now say a')] };
const REJECTED = { ...DONE, response: undefined, calls: [] };
const makeFetchError = (cause: unknown): TypeError => new TypeError('fetch failed', { cause });

const oracle = suite('the oracle of the fuzzer for calls of server.fetch');
for (const [why, draft, outcome] of [
  ['a response by the rules', GET, DONE],
  ['a streamed body', POST, SAID],
  ['an invalid URL that is rejected', { ...GET, input: 'nowhere' }, { ...REJECTED, error: new TypeError('Invalid URL') }],
  ['a call that is aborted before', { ...GET, abortsAfter: 0 }, { ...REJECTED, error: ABORT_REASON }],
  ['a call that is aborted', { ...GET, abortsAfter: 2 }, { ...REJECTED, error: ABORT_REASON }],
  ['a body of a different length that is rejected', LONGER, { ...REJECTED, error: makeFetchError(new Error('length')) }],
  ['a body that is longer than its length, and then fails', { ...FAILING, headers: [['content-length', '5']] }, { ...REJECTED, error: makeFetchError(new Error('length')) }],
  ['a body that fails', FAILING, { ...REJECTED, error: makeFetchError(STREAM_ERROR) }],
  ['an endless response that is aborted', ENDLESS, { ...DONE, bodyError: ABORT_REASON, calls: [begin('replies get endless-a')] }],
] as const) {
  oracle(`accepts ${why}`, () => {
    assert.is(complaintAboutFetch(draft, requestOf(draft), outcome), undefined);
  });
}
for (const [why, draft, outcome] of [
  ['what is left of a call', GET, { ...DONE, left: 'now get a' }],
  ['an invalid URL that is served', { ...GET, input: 'nowhere' }, DONE],
  ['an operation of a call that is aborted before', { ...GET, abortsAfter: 0 }, { ...DONE, error: ABORT_REASON, response: undefined }],
  ['a call that rejects', GET, { ...REJECTED, error: makeFetchError(new Error('x')) }],
  ['an abort of nobody', GET, { ...REJECTED, error: ABORT_REASON }],
  ['a body of a response that fails', GET, { ...DONE, bodyError: makeFetchError(new Error('x')) }],
  ['a different status', GET, { ...DONE, response: { ...OK, status: 404 } }],
  ['another body', GET, { ...DONE, response: { ...OK, body: '{"marker":"b"}' } }],
  ['a missing header', GET, { ...DONE, response: { ...OK, headers: new Map([JSON_TYPE]) } }],
  ['a response without its operation', GET, { ...DONE, calls: [] }],
  ['an operation of another request', GET, { ...DONE, calls: [begin('now get b')] }],
  ['a second operation', GET, { ...DONE, calls: [begin('now get a'), begin('now get a')] }],
  ['a response to a body that never ended', LONGER, { ...DONE, calls: [] }],
  ['an operation that gets a body that failed', FAILING, { ...REJECTED, error: makeFetchError(STREAM_ERROR), calls: [begin('now say a')] }],
] as const) {
  oracle(`detects ${why}`, () => {
    assert.type(complaintAboutFetch(draft, requestOf(draft), outcome), 'string');
  });
}
oracle('does not compare the response to a HEAD that Node cannot parse, to which a socket gets a body', () => {
  const compares = (draft: FetchDraft): boolean => isSameOverSocket(draft, requestOf(draft) as NonNullable<ReturnType<typeof requestOf>>);
  const headers = [['x', 'a\x7f']] as const;
  assert.equal([compares(GET), compares({ ...GET, headers }), compares({ ...GET, method: 'HEAD' }), compares({ ...GET, method: 'HEAD', headers })], [true, true, true, false]);
});
oracle('compares responses with those over a socket, but for framing', () => {
  const over = (headers: readonly (readonly [string, string])[], more: Partial<ReadResponse> = {}): string | undefined => {
    return differenceOf(OK, { ...OK, headers: new Map([...OK.headers, ...headers]), ...more });
  };
  assert.is(over([['connection', 'close'], ['date', 'now']]), undefined);
  assert.type(over([['vary', 'X']]), 'string');
  assert.type(over([], { status: 201 }), 'string');
  assert.type(over([], { body: '' }), 'string');
});
oracle.run();
