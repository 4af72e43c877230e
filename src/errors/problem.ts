/**
 * Error bodies as RFC 9457 describes them, and the rejections that become them:
 *
 *   { "type": "about:blank", "title": "Not Found", "status": 404, "detail": "Not found." }
 */
import { shortenString } from '../util/promises.ts';

/** The media type of a problem. */
export const PROBLEM_TYPE = 'application/problem+json';

/** An RFC 9457 problem. The server's own have the type `about:blank`; a user's can have others, and further properties. */
export interface Problem {
  /** A URI of the kind of problem; `about:blank` where the status says it. */
  readonly type: string;
  /** A short summary, such as `Not Found`. */
  readonly title: string;
  /** The status of the response. */
  readonly status: number;
  /** The cause of this error, for people. */
  readonly detail?: string;
  /** A URI of this occurrence. */
  readonly instance?: string;
  /** The issues of a rejected body, query or header, if there are several or if their positions are known. */
  readonly errors?: unknown;
  readonly [member: string]: unknown;
}

/** The body of every error, as the user's code formats it. Documents and checks read it. */
export interface ErrorFormat {
  /** The media types that it can have. */
  readonly types: readonly string[];
  /** A JSON Schema, or a schema that has one. `undefined` if nothing is known. */
  readonly schema: object | undefined;
}

/** One error of a request. */
export interface ProblemIssue {
  /** The cause of this issue, for people. */
  readonly detail: string;
  /** Where it is in the body: an RFC 6901 pointer in its fragment form. */
  readonly pointer?: string;
  /** The parameter of the path or of the query. */
  readonly parameter?: string;
  /** The header, in lower case. */
  readonly header?: string;
}

/** An error with the keys that lead to it, as schemas have them: `['owner', 'names', 0]`. They are not sent. */
export interface ProblemIssueWithPath extends ProblemIssue {
  /** The keys from the root of the value to the issue. */
  readonly path?: readonly (string | number)[];
}

/** Where an issue is: in the body, in a parameter or in a header. */
export type IssueLocation = Omit<ProblemIssue, 'detail'>;

export type ValuePath = readonly (string | number)[];

/** An error as it is sent. JSON leaves out the path, which is an accessor of the class. */
export class LocatedIssue implements ProblemIssueWithPath {
  readonly detail: string;
  readonly #path: ValuePath;

  constructor(detail: string, location: IssueLocation, path: ValuePath = []) {
    this.detail = detail;
    this.#path = path;
    Object.assign(this, location);
  }

  get path(): ValuePath {
    return this.#path;
  }
}

/** The location of an error of the whole body. */
export const WHOLE_BODY: IssueLocation = { pointer: '#' };

// A pointer repeats names of the body, which can be as long as the body.
const MAX_POINTER = 1000;

/** Formats an RFC 6901 pointer as a fragment (section 6): `#/legs/0` for a part of the body, `#` for the whole, and if it is too long. */
export function toPointer(path: ValuePath): IssueLocation {
  const keys = path.map((key) => String(key).toWellFormed().replaceAll('~', '~0').replaceAll('/', '~1'));
  const pointer = ['#', ...keys.map(encodeURIComponent)].join('/');
  return path.length === 0 || pointer.length > MAX_POINTER ? WHOLE_BODY : { pointer };
}

/** Creates the problem of a status, with the type `about:blank`. */
export function makeProblem(status: number, detail?: string): Problem {
  const problem = { type: 'about:blank', title: toPhrase(status), status };
  return detail === undefined ? problem : { ...problem, detail: shortenString(detail) };
}

const NO_HEADERS: readonly string[] = [];

/** Why the server itself rejects a request, with the status. A `value` has 422 with `validationStatus`. These words stay the same. */
export const REASONS = {
  'malformed-http': 400, target: 400, host: 400, query: 400, 'body-json': 400, 'body-form': 400, value: 400, 'partial-put': 400,
  'credentials-malformed': 400, 'credentials-repeated': 400, 'credentials-missing': 401, 'credentials-wrong': 401,
  caller: 403, scope: 403, 'cross-origin': 403, path: 404, item: 404, 'request-time': 408, version: 412, 'body-length': 413,
  'body-type': 415, 'body-encoding': 415, 'cross-origin-post': 415, range: 416, expectation: 417, 'host-unknown': 421,
  'websocket-version': 426, 'version-missing': 428, 'headers-length': 431, internal: 500, method: 501, 'transfer-coding': 501,
  'operation-time': 503, busy: 503, 'http-version': 505,
} as const;

/**
 * Why the server itself rejects a request: a word that stays the same in later versions, for formats of errors and translations.
 *
 * @example
 * ```ts
 * const german: Partial<Record<ProblemReason, string>> = { 'body-length': 'Zu lang.', 'credentials-missing': 'Bitte anmelden.' };
 * ```
 */
export type ProblemReason = keyof typeof REASONS;

/**
 * A rejection of a request: by the server, by a decoder, or by an `ApiError`. Most are constants. It is not an `Error`: capturing a stack
 * takes 2 µs (1.3 on Node 26), and nobody would read it.
 */
export class Rejection {
  readonly problem: Problem;
  /** The headers, without the ones that describe the body. Names and values alternate. */
  readonly headers: readonly string[];
  /** A bug in a user's function, which is logged whatever the status is. `undefined` if there is none. */
  readonly cause: unknown;
  /** Why the server itself rejects. `undefined` for an error of the user's code. */
  reason: ProblemReason | undefined;
  #json: string | undefined;

  /** Whether a value is a rejection. Never throws, as `instanceof` does for some proxies. */
  static is(value: unknown): value is Rejection {
    return typeof value === 'object' && value !== null && #json in value;
  }

  constructor(problem: Problem, headers: readonly string[] = NO_HEADERS, cause?: unknown, reason?: ProblemReason) {
    this.problem = problem;
    this.headers = headers;
    this.cause = cause;
    this.reason = reason;
  }

  /** The problem as JSON. Throws if a property from the user cannot be written as JSON, and `RangeError` if it is too long for a string. */
  get json(): string {
    return (this.#json ??= JSON.stringify(this.problem));
  }
}

/** Creates a rejection by the server. `detail` is one plain sentence that repeats no part of a request. */
export function makeRejection(reason: ProblemReason, detail?: string, headers?: readonly string[]): Rejection {
  return new Rejection(makeProblem(REASONS[reason], detail), headers, undefined, reason);
}

/** Rejects an id, a query or a body that cannot be decoded. */
export function makeDecodeRejection(
  message: string, errors: readonly ProblemIssue[], status: ValidationStatus = 400, cause?: unknown, reason: ProblemReason = 'value',
): Rejection {
  return new Rejection({ ...makeProblem(status, formatArgumentMessage(message)), errors }, NO_HEADERS, cause, reason);
}

/** Rejects a value with a single error. */
export function makeDecodeRejectionAt(location: IssueLocation, message: string, path?: ValuePath, reason?: ProblemReason): Rejection {
  return makeDecodeRejection(message, [new LocatedIssue(message, location, path)], 400, undefined, reason);
}

/** Formats the message of an error of kind `Argument`. */
export function formatArgumentMessage(message: string): string {
  return `Bad arguments: ${message}`;
}

// RFC 9110, and IANA's registry. Node's table has an older phrase for 413.
const PHRASES = {
  400: 'Bad Request',
  401: 'Unauthorized',
  402: 'Payment Required',
  403: 'Forbidden',
  404: 'Not Found',
  405: 'Method Not Allowed',
  406: 'Not Acceptable',
  407: 'Proxy Authentication Required',
  408: 'Request Timeout',
  409: 'Conflict',
  410: 'Gone',
  411: 'Length Required',
  412: 'Precondition Failed',
  413: 'Content Too Large',
  414: 'URI Too Long',
  415: 'Unsupported Media Type',
  416: 'Range Not Satisfiable',
  417: 'Expectation Failed',
  421: 'Misdirected Request',
  422: 'Unprocessable Content',
  423: 'Locked',
  424: 'Failed Dependency',
  425: 'Too Early',
  426: 'Upgrade Required',
  428: 'Precondition Required',
  429: 'Too Many Requests',
  431: 'Request Header Fields Too Large',
  451: 'Unavailable For Legal Reasons',
  500: 'Internal Server Error',
  501: 'Not Implemented',
  502: 'Bad Gateway',
  503: 'Service Unavailable',
  504: 'Gateway Timeout',
  505: 'HTTP Version Not Supported',
  506: 'Variant Also Negotiates',
  507: 'Insufficient Storage',
  508: 'Loop Detected',
  511: 'Network Authentication Required',
} as const;

/** The statuses for values that a decoder rejects. */
export type ValidationStatus = 400 | 422;

/** The error statuses that have a phrase. */
export type ProblemStatus = keyof typeof PHRASES;

/** Finds the phrase of an error status, or else the name of its class (RFC 9110 section 15). */
export function toPhrase(status: number): string {
  const phrases: Readonly<Record<number, string>> = PHRASES;
  return phrases[status] ?? (status < 500 ? 'Client Error' : 'Server Error');
}
