/** E6 E8: The types of a user's errors. Compiling this file is the test. */
import type { IncomingMessage } from 'node:http';
import {
  ApiError, ApiServer, defineEndpoint, stringId, type ErrorMapper, type FormatProblemOptions, type FormattableProblem, type FormattedProblem, type Problem,
  type ProblemIssueWithPath, type ProblemFormat, type ResponseHeaders, type StatusOptions,
} from '../../src/index.ts';
import { same } from './schemas.ts';

same<ApiError['status'], number>(true);
same<ReturnType<typeof ApiError.status>, ApiError>(true);
ApiError.status(409);
ApiError.status(409, 'It exists.');
ApiError.status(409, undefined, { cause: 1 });
ApiError.status(422, 'no', { type: '/a', title: 'A', instance: '/b', extensions: { report: [1] }, headers: { Link: ['a', 'b'], ETag: '"1"' } });
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
// @ts-expect-error a header is text
ApiError.status(409, 'no', { headers: { 'Retry-After': 1 } });

same<Problem['type'], string>(true);
same<Problem['instance'], string | undefined>(true);
same<ResponseHeaders[string], string | readonly string[]>(true);

ApiError.argument('no', { cause: 1, errors: [{ detail: 'odd', pointer: '#/legs', path: ['legs'] }, { detail: 'late', header: 'date' }] });
// @ts-expect-error an error has a detail
ApiError.argument('no', { errors: [{ pointer: '#/legs' }] });

export const mapper: ErrorMapper = (thrown) => (same<typeof thrown, unknown>(true), thrown === null ? ApiError.notFound() : undefined);
// @ts-expect-error a mapper makes an ApiError
export const wrongMapper: ErrorMapper = () => new Error('no');
// @ts-expect-error a mapper is synchronous
export const lateMapper: ErrorMapper = async () => ApiError.notFound();

export const format: ProblemFormat = (problem, request) => {
  same<typeof problem, FormattableProblem>(true);
  same<typeof problem.errors, readonly ProblemIssueWithPath[] | undefined>(true);
  same<typeof problem.status, number>(true);
  same<typeof request, IncomingMessage & { readonly originalUrl?: string; readonly id?: string }>(true);
  return { status: 418, headers: { 'Content-Type': 'application/x+json' }, body: { said: problem.detail, balance: problem['balance'] } };
};
// @ts-expect-error a form has a body
export const bodiless: FormattedProblem = { status: 400 };
// @ts-expect-error a format is returned synchronously
export const late: ProblemFormat = async () => ({ body: 1 });

new ApiServer('', { mapError: mapper, formatProblem: format });
const described: FormatProblemOptions = { format, type: 'application/problem+json', schema: { type: 'object' } };
new ApiServer('', { formatProblem: described });
new ApiServer('', { formatProblem: { format: (problem) => (same<typeof problem, FormattableProblem>(true), { body: 1 }) } });
// @ts-expect-error a description needs the format
new ApiServer('', { formatProblem: { type: 'application/json' } });
// @ts-expect-error a schema is an object
new ApiServer('', { formatProblem: { format, schema: 'Problem' } });
defineEndpoint({ id: stringId, get: (id) => id, mapError: (thrown) => (same<typeof thrown, unknown>(true), ApiError.status(409)) });
// @ts-expect-error an endpoint's mapper makes an ApiError
defineEndpoint({ id: stringId, get: (id) => id, mapError: () => 409 });

// An error with more properties is another one.
same<ReturnType<ApiError['with']>, ApiError>(true);
same<ApiError['extensions'], Readonly<Record<string, unknown>>>(true);
ApiError.notFound().with({ extensions: { id: 7 }, headers: { 'Retry-After': '1' } });
// @ts-expect-error the properties stand in extensions
ApiError.notFound().with({ id: 7 });
// @ts-expect-error its status stays
ApiError.notFound().with({ status: 410 });
// @ts-expect-error properties cannot be set
ApiError.notFound().extensions = { id: 7 };

// An error is not a result, and neither is one within a result. An object with some properties of an error is.
defineEndpoint({ id: stringId, get: (id) => ({ name: id, message: 'hello' }) });
defineEndpoint({ id: stringId, list: () => [{ name: 'crash', message: 'no', stack: 'at', at: 1 }] });
defineEndpoint({ id: stringId, get: (): any => ApiError.notFound() });
defineEndpoint({ id: stringId, get: (): never => { throw ApiError.notFound(); } });
// @ts-expect-error an error is not a result
defineEndpoint({ id: stringId, get: (id) => (id === '' ? ApiError.notFound() : id) });
// @ts-expect-error an error is not a result
defineEndpoint({ id: stringId, list: async () => [{ name: 'ant' }, new RangeError('no')] });
// @ts-expect-error an error is not a result
defineEndpoint({ id: stringId, delete: () => ApiError.notFound() });
// @ts-expect-error an error is not a result
defineEndpoint({ custom: { feed: { run: async () => (Math.random() > 2 ? 7 : new Error('no')) } } });
// @ts-expect-error JSON has nothing of an error
defineEndpoint({ get: () => ({ failure: new Error('no') }) });
// @ts-expect-error a bigint beside a name and a message
defineEndpoint({ get: () => ({ name: 'a', message: 'b', legs: 4n }) });
