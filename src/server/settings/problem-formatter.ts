/** How a host's `formatProblem` shows problems on the wire, for APIs that have another error form. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { errorStatus, requireFields } from '../../errors/api-error.ts';
import { checkedHeaders, type ResponseHeaders, withoutFields } from '../../errors/headers.ts';
import type { ErrorAnswer, Problem, ProblemIssueWithPath } from '../../errors/problem.ts';
import { disown, isThenable, nameOf, textOf } from '../../errors/thrown.ts';
import { MAX_BODY, problemAnswer, tooLong, type WireAnswer } from '../../http/answer.ts';
import { requestFailure } from './logger.ts';
import type { Settings } from './options.ts';

/** An error answer in a host's own form. */
export interface FormattedProblem {
  /** 400 to 599. Default: the status of the problem. */
  readonly status?: number;
  /** Added to the header fields of the answer, and sent in place of those with the same names. */
  readonly headers?: ResponseHeaders;
  /** Sent as JSON: `application/json`, unless `headers` have a `Content-Type`. */
  readonly body: unknown;
}

/** A problem before it gets another form. An error of the host's can have other `errors` as a member. */
export type FormattableProblem = Problem & { readonly errors?: readonly ProblemIssueWithPath[] };

/**
 * Gives a problem the form in which clients get it. `request` is Node's own. Its target is `request.originalUrl ?? request.url`, since
 * a mount sees `request.url` without its route.
 */
export type ProblemFormat = (problem: FormattableProblem, request: IncomingMessage & { readonly originalUrl?: string }) => FormattedProblem;

/** Formats an answer. Returns `undefined` when the host's function failed. The header fields of `response` are sent too. */
export type ProblemFormatter = (answer: ErrorAnswer, request: IncomingMessage, response?: ServerResponse) => WireAnswer | undefined;

/** An error as it is sent: in the form of the host's `formatProblem`, which needs a request, or else as a problem. */
export function answerToError(
  { formatProblem }: Pick<Settings, 'formatProblem'>, error: ErrorAnswer, request: IncomingMessage | undefined, response?: ServerResponse,
): WireAnswer {
  return (request === undefined ? undefined : formatProblem?.(error, request, response)) ?? problemAnswer(error);
}

/** Wraps a host's function: when it fails, `log` gets that, and the problem is sent as it is. */
export function problemFormatter(format: ProblemFormat, log: (error: Error) => unknown): ProblemFormatter {
  return (answer, request, response) => {
    try {
      // A copy, since the host's function may change it, and the host may throw the same error again.
      return formattedAnswer(answer, format({ ...answer.problem } as FormattableProblem, request), response);
    } catch (thrown) {
      log(requestFailure(request, 'formatProblem', textOf(thrown), thrown));
      return undefined;
    }
  };
}

function formattedAnswer({ problem, headers: kept }: ErrorAnswer, formatted: unknown, response?: ServerResponse): WireAnswer {
  disown(formatted);
  if (typeof formatted !== 'object' || formatted === null || isThenable(formatted)) {
    throw new TypeError(`a problem was formatted as ${formatted === null ? 'null' : nameOf(formatted)}`);
  }
  const { status = problem.status, headers = {}, body } = formatted as Partial<FormattedProblem>;
  const own = checkedHeaders(headers);
  const json: unknown = JSON.stringify(body);
  if (typeof json !== 'string') throw new TypeError(`JSON can not carry a body of type ${typeof body}`);
  if (json.length > MAX_BODY) throw tooLong();
  const all = [...withoutFields(['Content-Type', 'application/json', ...kept], own), ...own];
  // A status that is not changed may be that of an error of middleware, and the problem itself would not have the field either.
  if (errorStatus(status) !== problem.status) requireFields(status, [...all, ...fieldsOf(response)]);
  return { status, headers: all, body: json };
}

/** The header fields that middleware has set. Their values do not matter. */
function fieldsOf(response: ServerResponse | undefined): string[] {
  return response === undefined ? [] : response.getHeaderNames().flatMap((name) => [name, '']);
}
