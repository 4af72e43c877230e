/** How a host's `formatProblem` shows problems on the wire, for APIs that have another error form. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { errorStatus, requireFields } from '../errors/api-error.ts';
import { checkHeaders, filterHeaders, replaceHeaders, type ResponseHeaders } from '../http/headers.ts';
import { type Checked, checkFunction, functionOr, option, required, type Shape, shape } from '../util/options.ts';
import { type Rejection, type ErrorForm, type Problem, PROBLEM_TYPE, type ProblemIssueWithPath } from '../errors/problem.ts';
import { disown, isThenable, describeType, formatError } from '../util/promises.ts';
import { formatProblem as formatAsProblem, MAX_BODY, type Outgoing, tooLong } from '../http/response.ts';
import { parseMediaType } from '../http/media-type.ts';
import { makeRequestError } from './logger.ts';
import type { Settings } from './options.ts';

/** An error answer in a host's own form. */
export interface FormattedProblem {
  /** 400 to 599. Default: the status of the problem. */
  readonly status?: number;
  /** Added to the header fields of the answer, and sent in place of those with the same names. */
  readonly headers?: ResponseHeaders;
  /** Sent as JSON: as `type` of the options, or else as `application/json`, unless `headers` have a `Content-Type`. */
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
  readonly format: ProblemFormat;
  /**
   * The media type of the bodies. A response of `format` with a different `Content-Type` is a failure of `format`.
   *
   * @default 'application/json'
   */
  readonly type?: string;
  /**
   * Describes every body: a JSON Schema (draft 2020-12), or a schema that has one. Nothing is validated.
   *
   * @default that of a problem (RFC 9457) for `application/problem+json`; otherwise documents have `{}`
   */
  readonly schema?: object;
  /**
   * Where a body has the members of the errors that an operation declares in `errors`: an RFC 6901 pointer, such as `/error/details`, or
   * `false` if they are not sent.
   *
   * @default '' beside the properties of the schema
   */
  readonly extensionsAt?: string | false;
}

/** A problem before it gets another form. An error of the host's can have other `errors` as a member. */
export type FormattableProblem = Problem & { readonly errors?: readonly ProblemIssueWithPath[] };

/**
 * Gives a problem the form in which clients get it. `request` is Node's own. Its target is `request.originalUrl ?? request.url`, since
 * a mount sees `request.url` without its route.
 */
export type ProblemFormat = (problem: FormattableProblem, request: IncomingMessage & { readonly originalUrl?: string }) => FormattedProblem;

/** Formats an answer. Returns `undefined` when the host's function failed. The header fields of `response` are sent too. */
export type ProblemFormatter = (rejection: Rejection, request: IncomingMessage, response?: ServerResponse) => Outgoing<string> | undefined;

/** An error as it is sent: in the form of the host's `formatProblem`, which needs a request, or else as a problem. */
export function createErrorResponse(
  { formatProblem }: Pick<Settings, 'formatProblem'>, error: Rejection, request: IncomingMessage | undefined, response?: ServerResponse,
): Outgoing<string> {
  return (request === undefined ? undefined : formatProblem?.(error, request, response)) ?? formatAsProblem(error);
}

/** The option `formatProblem` after its check. */
export interface CheckedFormat {
  readonly format: ProblemFormat;
  /** `undefined` if only each response says it. */
  readonly type: string | undefined;
  readonly form: ErrorForm;
}

const JSON_TYPE = 'application/json';
const TYPE_OF_JSON = /^(?:application\/json|[a-z]+\/[\w.-]+\+json)$/;
const POINTER = /^(?:\/[^/]+)*$/;

export const FORMAT_PROBLEM_OPTIONS: Shape<Checked<FormatProblemOptions, 'type' | 'extensionsAt'>> = shape({
  format: required(functionOr()),
  type: option('a media type of JSON', checkType, JSON_TYPE),
  schema: option('a JSON Schema, or a schema that has one', checkSchema, undefined),
  extensionsAt: option('a JSON pointer, or `false`', checkPointer, ''),
});

/** Throws `TypeError` that names the wrong option. */
export function checkProblemFormat(value: unknown, path: string): CheckedFormat {
  if (typeof value !== 'object' || value === null) {
    const form = { types: [JSON_TYPE, PROBLEM_TYPE], schema: undefined, extensionsAt: [] };
    return { format: checkFunction(value, path), type: undefined, form };
  }
  const { format, type, schema, extensionsAt } = FORMAT_PROBLEM_OPTIONS.check(value, path);
  const keys = extensionsAt === false ? undefined : extensionsAt.split('/').slice(1).map((key) => key.replaceAll('~1', '/').replaceAll('~0', '~'));
  return { format: format.bind(value), type, form: { types: [type], schema, extensionsAt: keys } };
}

function checkType(value: unknown, path: string): string {
  if (typeof value === 'string' && TYPE_OF_JSON.test(value)) return value;
  throw new TypeError(`${path} must be a media type of JSON, such as application/problem+json: ${String(value)}`);
}

function checkSchema(value: unknown, path: string): object | undefined {
  if (Object(value) !== value) throw new TypeError(`${path} must be a schema: ${String(value)}`);
  return value as object;
}

function checkPointer(value: unknown, path: string): string | false {
  if (value === false || (typeof value === 'string' && POINTER.test(value))) return value;
  throw new TypeError(`${path} must be a JSON pointer such as /error, or false: ${String(value)}`);
}

/** Wraps a host's function: when it fails, `log` gets that, and the problem is sent as it is. */
export function makeProblemFormatter({ format, type }: CheckedFormat, log: (error: Error) => unknown): ProblemFormatter {
  return (rejection, request, response) => {
    try {
      // A copy, since the host's function may change it, and the host may throw the same error again.
      return formatRejection(rejection, format({ ...rejection.problem } as FormattableProblem, request), type, response);
    } catch (thrown) {
      log(makeRequestError(request, 'formatProblem', formatError(thrown), thrown));
      return undefined;
    }
  };
}

function formatRejection({ problem, headers: kept }: Rejection, formatted: unknown, type: string | undefined, response?: ServerResponse): Outgoing<string> {
  disown(formatted);
  if (typeof formatted !== 'object' || formatted === null || isThenable(formatted)) {
    throw new TypeError(`a problem was formatted as ${formatted === null ? 'null' : describeType(formatted)}`);
  }
  const { status = problem.status, headers = {}, body } = formatted as Partial<FormattedProblem>;
  const own = checkHeaders(headers);
  const json: unknown = JSON.stringify(body);
  if (typeof json !== 'string') throw new TypeError(`JSON can not carry a body of type ${typeof body}`);
  if (json.length > MAX_BODY) throw tooLong();
  const all = replaceHeaders(['Content-Type', type ?? JSON_TYPE, ...kept], own);
  const [, sentType = ''] = filterHeaders(own, (name) => name === 'content-type');
  if (type !== undefined && sentType !== '' && parseMediaType(sentType) !== type) throw new TypeError(`formatProblem.type is ${type}: the response has ${sentType}`);
  // A status that is not changed may be that of an error of middleware, and the problem itself would not have the field either.
  if (errorStatus(status) !== problem.status) requireFields(status, [...all, ...listHeaders(response)]);
  return { status, headers: all, body: json };
}

/** The header fields that middleware has set. Their values do not matter. */
function listHeaders(response: ServerResponse | undefined): string[] {
  return response === undefined ? [] : response.getHeaderNames().flatMap((name) => [name, '']);
}
