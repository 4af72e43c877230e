/** The types of a host's errors. Compiling this file is the test. */
import type { IncomingMessage } from 'node:http';
import {
  ApiError,
  ApiServer,
  defineEndpoint,
  stringId,
  type ErrorMapper,
  type FormattedProblem,
  type Problem,
  type ProblemFormat,
  type ResponseHeaders,
  type StatusOptions,
} from '../../src/index.ts';
import { same } from './schemas.ts';

same<ApiError['status'], number>(true);
same<ReturnType<typeof ApiError.status>, ApiError>(true);
ApiError.status(409);
ApiError.status(409, 'It exists.');
ApiError.status(409, undefined, { cause: 1 });
ApiError.status(422, 'no', { type: '/a', title: 'A', instance: '/b', members: { report: [1] }, headers: { Link: ['a', 'b'], ETag: '"1"' } });
ApiError.status(401, 'Who?', { headers: { 'WWW-Authenticate': 'Basic' } });
ApiError.status(401, undefined, { headers: { 'www-authenticate': ['Basic', 'Bearer'], 'Retry-After': '1' } });
export const options: StatusOptions = { headers: { 'Retry-After': '1' } };
ApiError.status(503, undefined, options);
export const anyStatus = (status: number): ApiError => ApiError.status(status, 'no');

// @ts-expect-error a 401 needs a challenge
ApiError.status(401);
// @ts-expect-error a 401 needs a challenge
ApiError.status(401, 'Who?');
// @ts-expect-error a 401 needs a challenge
ApiError.status(401, 'Who?', { headers: { 'Retry-After': '1' } });
// @ts-expect-error a status that may be 401 needs a challenge
export const either = (isKnown: boolean): ApiError => ApiError.status(isKnown ? 403 : 401, 'no');
// @ts-expect-error a status is a number
ApiError.status('409');
// @ts-expect-error a misspelt option
ApiError.status(409, 'no', { titel: 'A' });
// @ts-expect-error a header field is text
ApiError.status(409, 'no', { headers: { 'Retry-After': 1 } });

same<Problem['type'], string>(true);
same<Problem['instance'], string | undefined>(true);
same<ResponseHeaders[string], string | readonly string[]>(true);

export const mapper: ErrorMapper = (thrown) => (same<typeof thrown, unknown>(true), thrown === null ? ApiError.notFound() : undefined);
// @ts-expect-error a mapper makes an ApiError
export const wrongMapper: ErrorMapper = () => new Error('no');
// @ts-expect-error a mapper is synchronous
export const lateMapper: ErrorMapper = async () => ApiError.notFound();

export const format: ProblemFormat = (problem, request) => {
  same<typeof problem, Problem>(true);
  same<typeof request, IncomingMessage & { readonly originalUrl?: string }>(true);
  return { status: 418, headers: { 'Content-Type': 'application/x+json' }, body: { said: problem.detail, balance: problem['balance'] } };
};
// @ts-expect-error a form has a body
export const bodiless: FormattedProblem = { status: 400 };
// @ts-expect-error a format is returned synchronously
export const late: ProblemFormat = async () => ({ body: 1 });

new ApiServer('', { errorFrom: mapper, formatProblem: format });
defineEndpoint({ id: stringId, get: (id) => id, errorFrom: (thrown) => (same<typeof thrown, unknown>(true), ApiError.status(409)) });
// @ts-expect-error an endpoint's mapper makes an ApiError
defineEndpoint({ id: stringId, get: (id) => id, errorFrom: () => 409 });
