/** The option `formatProblem`, for APIs with error bodies that are not problems. */
import type { IncomingMessage } from 'node:http';
import { checkErrorStatus, requireHeaders } from '../../errors/api-error.ts';
import { checkHeaders, filterHeaders, replaceHeaders, type ResponseHeaders } from '../../util/headers.ts';
import { type Checked, checkFunction, functionOr, option, required, type Shape, shape } from '../../util/options.ts';
import {
  Rejection, type ErrorFormat, type Problem, PROBLEM_TYPE, type ProblemIssueWithPath, type ProblemReason,
} from '../../errors/problem.ts';
import { checkAwaited, describeType, disown, isThenable } from '../../util/promises.ts';
import { formatProblem as formatAsProblem, MAX_BODY, type Outgoing, makeTooLongError } from '../../http/response.ts';
import { parseMediaType } from '../../http/media-type.ts';
import { type Logger, logRequestError } from './logger.ts';

/** The response to an error, as `formatProblem` returns it. */
export interface FormattedProblem {
  /**
   * 400 to 599.
   *
   * @default the status of the problem
   */
  readonly status?: number;
  /** Sent beside the headers of the error, and in place of those with the same names. */
  readonly headers?: ResponseHeaders;
  /** Sent as JSON. Its media type is the `Content-Type` of `headers`, else `type` of the options, else `application/json`. */
  readonly body: unknown;
}

/**
 * The format of errors with its description, which documents and `restpoint/checks` read.
 *
 * @example
 * ```ts
 * new ApiServer('/v1', {
 *   formatProblem: {
 *     type: 'application/problem+json',
 *     schema: z.object({ status: z.int(), title: z.string(), code: z.string() }),
 *     format: ({ type, ...problem }) => ({ body: { ...problem, code: type.replace('/problems/', '') } }),
 *   },
 * });
 * ```
 */
export interface FormatProblemOptions {
  /** Makes the body of each error from its problem. */
  readonly format: ProblemFormat;
  /**
   * The media type of the bodies. A response of `format` with a different `Content-Type` is a failure of `format`.
   *
   * @default 'application/json'
   */
  readonly type?: string;
  /**
   * Describes every body: a JSON Schema (draft 2020-12), or a schema that has one. Nothing is validated. In `application/problem+json`, the
   * properties that an operation declares in `errors` are described beside it.
   *
   * @default the schema of a problem (RFC 9457) for `application/problem+json`; otherwise `{}`
   */
  readonly schema?: object;
}

/** The problem that `formatProblem` gets. `errors` can have a different type if it is an extension of an `ApiError`. */
export type FormattableProblem = Problem & { readonly errors?: readonly ProblemIssueWithPath[] };

/**
 * Returns the response that a client gets for a problem. `request` is Node's own. Its target is `request.originalUrl ?? request.url`, since
 * a mount removes its route from `request.url`. With the option `requestId`, its id is `request.id`. `reason` says why the server itself
 * rejects the request; it is `undefined` for an `ApiError.status` of your code.
 *
 * @example
 * ```ts
 * const formatProblem: ProblemFormat = ({ status, title, detail }) => ({ body: { error: { code: status, message: detail ?? title } } });
 * new ApiServer('/v1', { formatProblem });
 * ```
 */
export type ProblemFormat = (
  problem: FormattableProblem, request: IncomingMessage & { readonly originalUrl?: string; readonly id?: string },
  reason?: ProblemReason,
) => FormattedProblem;

/** Formats a rejection. Returns `undefined` when the user's function failed. The headers of `response` are sent too. */
export type ProblemFormatter = (rejection: Rejection, request: FormattedRequest) => Outgoing<string> | undefined;

/** What a format gets: Node's request, the headers that are sent too, and the id by the option `requestId`. */
export interface FormattedRequest {
  readonly raw: IncomingMessage;
  readonly headersSet: readonly string[];
  readonly id: string | undefined;
}

/** Returns an error as it is sent: by the user's `formatProblem`, which needs a request, or else as a problem. */
export function makeProblemResponse(
  { formatProblem }: { readonly formatProblem: ProblemFormatter | undefined }, rejection: Rejection, request: FormattedRequest | undefined,
): Outgoing<string> {
  return (request === undefined ? undefined : formatProblem?.(rejection, request)) ?? formatAsProblem(rejection);
}

/** The option `formatProblem` after its check. */
export interface CheckedFormat {
  readonly format: ProblemFormat;
  /** `undefined` if only the responses name it. */
  readonly type: string | undefined;
  readonly form: ErrorFormat;
}

const JSON_TYPE = 'application/json';
const TYPE_OF_JSON = /^(?:application\/json|[a-z]+\/[\w.-]+\+json)$/;

/** `formatProblem: options`: {@link FormatProblemOptions}. */
export const FORMAT_PROBLEM_OPTIONS: Shape<Checked<FormatProblemOptions, 'type'>> = shape({
  format: required(functionOr()),
  type: option('a media type of JSON', checkType, JSON_TYPE),
  schema: option('a JSON Schema, or a schema that has one', checkSchema, undefined),
});

/** Throws `TypeError` that names the wrong option. */
export function checkProblemFormat(value: unknown, path: string): CheckedFormat {
  if (typeof value !== 'object' || value === null) {
    return { format: checkFunction(value, path), type: undefined, form: { types: [JSON_TYPE, PROBLEM_TYPE], schema: undefined } };
  }
  const { format, type, schema } = FORMAT_PROBLEM_OPTIONS.check(value, path);
  return { format: format.bind(value), type, form: { types: [type], schema } };
}

function checkType(value: unknown, path: string): string {
  if (typeof value === 'string' && TYPE_OF_JSON.test(value)) return value;
  throw new TypeError(`${path} must be a media type of JSON, such as application/problem+json: ${String(value)}`);
}

function checkSchema(value: unknown, path: string): object | undefined {
  if (Object(value) !== value) throw new TypeError(`${path} must be a schema: ${String(value)}`);
  return value as object;
}

/** Wraps a user's function: when it fails, that is logged, and the problem is sent as it is. */
export function makeProblemFormatter({ format, type }: CheckedFormat, logger: Logger): ProblemFormatter {
  return (rejection, formatted) => {
    const { raw: request } = formatted;
    try {
      // Copied, since the user's function may change it, and the user's code may throw the same error again.
      return formatRejection(rejection, format({ ...rejection.problem } as FormattableProblem, request, rejection.reason), type, formatted);
    } catch (thrown) {
      const { rawHeaders, headers } = request;
      logRequestError(logger, { rawHeaders, headers, id: formatted.id, raw: request }, 'formatProblem', thrown);
      return undefined;
    }
  };
}

function formatRejection(
  { problem, headers: kept }: Rejection, formatted: unknown, type: string | undefined, request: FormattedRequest,
): Outgoing<string> {
  disown(formatted);
  if (typeof formatted !== 'object' || formatted === null || isThenable(formatted)) {
    const type = formatted === null ? 'null' : describeType(formatted);
    throw new TypeError(`formatProblem.format must return { status, headers, body }: it returned ${type}`);
  }
  const { status = problem.status, headers = {}, body } = formatted as Partial<FormattedProblem>;
  const own = checkHeaders(headers);
  const json: unknown = JSON.stringify(checkAwaited(body, 'the body that formatProblem returns'));
  if (typeof json !== 'string') throw new TypeError(`the body that formatProblem returns must be JSON: it is of type ${typeof body}`);
  if (json.length > MAX_BODY) throw makeTooLongError();
  const all = replaceHeaders(['Content-Type', type ?? JSON_TYPE, ...kept], own);
  const [, sentType = ''] = filterHeaders(own, (name) => name === 'content-type');
  if (type !== undefined && sentType !== '' && parseMediaType(sentType) !== type) {
    throw new TypeError(`formatProblem.type is ${type}, but the response has ${sentType}`);
  }
  // Only for a changed status: if middleware has thrown a 401 without its header, that is not an error of this function.
  if (checkErrorStatus(status) !== problem.status) requireHeaders(status, [...all, ...request.headersSet]);
  return { status, headers: all, body: json };
}
