/** The answer that a host gives to `ApiError.status`, checked where it is given. */
import { checkedHeaders, FRAMING_FIELDS, hasField, type ResponseHeaders } from '../http/headers.ts';
import { phraseOf } from './phrases.ts';
import { ProblemAnswer, shownText, type Problem } from './problem.ts';

/** What an error with a status of the host's own can say besides its `detail`. The names are those of RFC 9457. */
export interface StatusOptions extends ErrorOptions {
  /** A URI that names the kind of problem. Default `about:blank`. */
  readonly type?: string;
  /** What the kind of problem is called. Default: the phrase of the status. Another one needs a `type`. */
  readonly title?: string;
  /** A URI that names this occurrence. */
  readonly instance?: string;
  /** Further members of the problem. They cannot be `type`, `title`, `status`, `detail` or `instance`. */
  readonly members?: Readonly<Record<string, unknown>>;
  /** Header fields of the answer. The server sets those that describe the body and the connection. */
  readonly headers?: ResponseHeaders;
}

/** The options of a 401, which needs a challenge (RFC 9110 section 15.5.2). */
export interface ChallengeOptions extends StatusOptions {
  readonly headers: ResponseHeaders & (Challenge<'WWW-Authenticate'> | Challenge<'www-authenticate'>);
}

type Challenge<Name extends string> = { readonly [N in Name]: string | readonly string[] };

/** What follows the status: for a status that may be 401, options with a challenge. */
export type StatusArguments<Status extends number> = [Extract<Status, 401>] extends [never]
  ? [detail?: string | undefined, options?: StatusOptions]
  : [detail: string | undefined, options: ChallengeOptions];

const OPTIONS: readonly string[] = [
  'type', 'title', 'instance', 'members', 'headers', 'cause',
] satisfies (keyof StatusOptions)[];
const RESERVED: readonly string[] = ['type', 'title', 'status', 'detail', 'instance'];
const REFUSED_FIELDS: ReadonlySet<string> = new Set([...FRAMING_FIELDS, 'content-type']);
const REQUIRED_FIELDS: Readonly<Record<number, string>> = { 401: 'WWW-Authenticate', 405: 'Allow' };

/** Makes the answer. Throws `TypeError` that names what is wrong. */
export function statusAnswer(status: unknown, detail: unknown, options: StatusOptions): ProblemAnswer {
  const headers = options.headers === undefined ? [] : checkedHeaders(options.headers, REFUSED_FIELDS);
  requireFields(errorStatus(status), headers);
  return new ProblemAnswer(problemFrom(errorStatus(status), textOrNothing('detail', detail), options), headers);
}

/** Returns an error status as it is. Throws `TypeError` for anything else. */
export function errorStatus(status: unknown): number {
  if (typeof status === 'number' && Number.isInteger(status) && status >= 400 && status <= 599) return status;
  throw new TypeError(`status must be a whole number from 400 to 599: ${String(status)}`);
}

/** Throws `TypeError` if a header field is missing that this status needs (RFC 9110 sections 15.5.2 and 15.5.6). */
export function requireFields(status: number, headers: readonly string[]): void {
  const field = REQUIRED_FIELDS[status];
  if (field === undefined || hasField(headers, field.toLowerCase())) return;
  throw new TypeError(`status ${status} needs the header ${field}`);
}

function problemFrom(status: number, detail: string | undefined, options: StatusOptions): Problem {
  const unknown = Object.keys(options).find((name) => !OPTIONS.includes(name));
  if (unknown !== undefined) throw new TypeError(`unknown option of an error: "${unknown}"`);
  const phrase = phraseOf(status);
  const type = textOrNothing('type', options.type) ?? 'about:blank';
  const title = textOrNothing('title', options.title) ?? phrase;
  const instance = textOrNothing('instance', options.instance);
  if (type === 'about:blank' && title !== phrase) throw new TypeError(`title needs a type: "${title}"`);
  return {
    type,
    title,
    status,
    ...(detail !== undefined && { detail: shownText(detail) }),
    ...(instance !== undefined && { instance }),
    ...extensionMembers(options.members),
  };
}

function extensionMembers(members: unknown): object {
  if (members === undefined) return {};
  if (typeof members !== 'object' || members === null) throw new TypeError(`members must be an object: ${String(members)}`);
  const copied = { ...members };
  const reserved = RESERVED.find((name) => Object.hasOwn(copied, name));
  if (reserved !== undefined) throw new TypeError(`members cannot have "${reserved}": it has an argument or an option of its own`);
  // Throws here for what cannot be sent, where the stack shows who gave it.
  JSON.stringify(copied);
  return copied;
}

function textOrNothing(name: string, value: unknown): string | undefined {
  if (value === undefined || typeof value === 'string') return value;
  throw new TypeError(`${name} must be text: ${typeof value}`);
}
