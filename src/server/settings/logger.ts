/**
 * The logger gets a line for each route and an `Error` for each failure. As `console` shows the error, it is one line, or at most twelve
 * that begin in the user's code:
 *
 *   Error: GET /v1/animal/:id (request 7f3c): Internal error: disk is full
 *       at find (file:///app/store.js:7:9)
 *       at get (file:///app/animals.js:12:24)
 *     caused by Error: ENOSPC: no space left on device
 *       at write (file:///app/disk.js:3:5)
 *
 * A message can come from a client, which must not fake a line of the log: the line end of `no pet "\n2026-01-31 all is well"` is escaped.
 * `cause` is the value that was thrown, with its whole stack. A line has none.
 */
import type { IncomingHttpHeaders } from 'node:http';
import { findHeader } from '../../http/head.ts';
import { checkSync, disown, formatError, readProperty } from '../../util/promises.ts';
import type { LoggedRequest } from './logged-request.ts';

/**
 * The two methods that the server calls. `console`, pino and winston have them.
 *
 * @example
 * ```ts
 * const logger: Logger = {
 *   info: () => {},
 *   error: ({ message, cause }) => console.error(new Date().toISOString(), message, cause),
 * };
 * new ApiServer('/v1', { logger });
 * ```
 */
export interface Logger {
  /** Logs a route at its registration: `route: GET /v1/animal/:id`. */
  readonly info: (message: string) => unknown;
  /**
   * Logs a failure. Its `message` names the route, the failure, and the id of the request. Its `cause` is the value that was thrown; a 4xx
   * of a Custom operation and an operation that takes too long have none. Its `stack` is printed by `console`: one line for these, and at
   * most twelve for a 500, from the first frame of your code on. Control characters of `message` and `stack` are escaped, but not in
   * `cause`. `about` is a `LoggedRequest`, for a function with two parameters, and for any other if the server has the option
   * `requestId`. Its type is `any`, since pino declares a string there.
   */
  readonly error: (error: Error, about?: any) => unknown;
}

/** Wraps a user's logger: when it throws or rejects, neither the request nor the server fails. */
export function guardLogger(logger: Logger): Logger {
  return {
    info: (message) => attempt(() => logger.info(message)),
    error: (error, about) => attempt(() => logTo(logger, error, about)),
  };
}

/** A logger of pino, which would take a second argument for the message. */
interface PinoLogger extends Logger {
  readonly bindings: () => unknown;
  readonly child: (fields: object) => Logger;
}

const NO_REQUEST: LoggedRequest = Object.freeze({});

function logTo(logger: Logger, error: Error, about: LoggedRequest = NO_REQUEST): unknown {
  // A function with `{ id }` as its second parameter would throw without an argument for it, and log nothing.
  if (about.id === undefined) return logger.error.length > 1 ? logger.error(error, about) : logger.error(error);
  if (isPino(logger)) return logToChild(logger, error, about.id);
  // The message has the id already, and `console` would print the object after it.
  return logger.error === console.error ? logger.error(error) : logger.error(error, about);
}

/** Logs an error by a logger of its request. If there is none, logs why, and the error without it. */
function logToChild(logger: PinoLogger, error: Error, requestId: string | undefined): unknown {
  try {
    return checkSync(logger.child({ requestId }), 'child').error(error);
  } catch (thrown) {
    logger.error(makeLoggedLine(`logger.child failed: ${formatError(thrown)}`));
    return logger.error(error);
  }
}

function isPino(logger: Logger): logger is PinoLogger {
  const { bindings, child } = logger as Partial<PinoLogger>;
  return typeof bindings === 'function' && typeof child === 'function';
}

async function attempt(log: () => unknown): Promise<void> {
  try {
    await log();
  } catch (thrown) {
    // The logger itself has failed, so this cannot be logged.
    disown(thrown);
  }
}

/** What a request is identified by. */
export interface LoggableRequest {
  readonly rawHeaders: readonly string[];
  readonly headers: IncomingHttpHeaders;
  /** The id by the option `requestId`. */
  readonly id?: string | undefined;
  /** The address of the client, by the option `proxy`. */
  readonly clientAddress?: string | undefined;
  /** Node's request, unless this object is Node's request. */
  readonly raw?: object;
}

/** The failure of a request, for `Logger.error`. `source` is the route, or the code that failed. */
export function makeRequestError(request: LoggableRequest, source: string, message: string, cause: unknown): Error {
  return makeLoggedError(`${nameSource(request, source)}: ${message}`, cause);
}

/** The same in one line, for a failure whose stack nobody needs. */
export function makeRequestLine(request: LoggableRequest, source: string, message: string): Error {
  return makeLoggedLine(`${nameSource(request, source)}: ${message}`);
}

function nameSource(request: LoggableRequest, source: string): string {
  const id = request.id ?? findRequestId(request);
  return `${source}${id === undefined ? '' : ` (request ${id})`}`;
}

/** Logs an error of the user's code for a request. `source` is as for `makeRequestError`. */
export function logRequestError(logger: Logger, request: LoggableRequest, source: string, thrown: unknown): void {
  logWithId(logger, request, makeRequestError(request, source, formatError(thrown), thrown));
}

/** Logs the error of a request, with its id if it has one. `status` is of the response, if the error is the reason for it. */
export function logWithId(logger: Logger, request: LoggableRequest, error: Error, status?: number): void {
  const { id } = request;
  const about = { ...(id !== undefined && { id }), ...(status !== undefined && { status }) };
  // Getters, since reading `raw` has a cost: it prepares Node's request for any use.
  const getters = { request: { get: () => request.raw ?? request }, client: { get: () => request.clientAddress } };
  logger.error(error, Object.defineProperties(about, getters) as LoggedRequest);
}

const REQUEST_ID = /^[\w.:+/=@|~-]+$/;
const MAX_ID = 200;

/**
 * Whether a value is an id of a request. Clients choose it: these characters are harmless in a terminal, in a log, in a page and in a
 * header.
 */
export function isRequestId(value: unknown, maxLength: number): value is string {
  return typeof value === 'string' && value.length <= maxLength && REQUEST_ID.test(value);
}

/**
 * Without the option `requestId`, returns the `X-Request-Id` of a request: from the client, or else from middleware, which sets it in
 * `headers`. `undefined` if it is too long or has other characters.
 */
function findRequestId({ rawHeaders, headers }: Partial<LoggableRequest>): string | undefined {
  // The user's code may have changed the headers.
  const sent = Array.isArray(rawHeaders) ? findHeader(rawHeaders.map(String), 'x-request-id') : undefined;
  const id = sent ?? headers?.['x-request-id'];
  return isRequestId(id, MAX_ID) ? id : undefined;
}

// As `util.inspect.custom`.
const INSPECT = Symbol.for('nodejs.util.inspect.custom');

const MAX_LINES = 12;
// If no frame is in the user's code, the first few frames are shown.
const MAX_FOREIGN = 3;
const MAX_CAUSES = 2;
const MAX_BEFORE_CAUSE = 5;
// The characters in which frames are looked for. A message that was changed later is still in the stack, and can have lines like frames.
const MAX_STACK = 50_000;

/** Makes an error that is one line for every logger: it has no cause, whose stack some loggers print. */
export function makeLoggedLine(message: string): Error {
  return replaceStack(new Error(escape(message)), []);
}

/** Makes an error with an escaped message. `isBrief`: its stack is only the message. */
export function makeLoggedError(message: string, cause: unknown, isBrief = false): Error {
  return replaceStack(new Error(escape(message), { cause }), isBrief ? [] : formatErrorLines(cause, MAX_CAUSES));
}

function replaceStack(error: Error, lines: readonly string[]): Error {
  const stack = [`Error: ${error.message}`, ...lines].slice(0, MAX_LINES).join('\n');
  // Without `INSPECT`, `console` shows the whole cause too, with frames of the server.
  return Object.defineProperties(error, { stack: { value: stack }, [INSPECT]: { value: () => stack } });
}

// The control characters of ASCII and Latin-1, and the line ends of Unicode.
const CONTROL = /[\p{Cc}\u2028\u2029]/gu;
const SHORT: Readonly<Record<string, string>> = { '\n': '\\n', '\r': '\\r', '\t': '\\t' };

// A client can choose the message, and each of its characters can become six.
const MAX_CHARACTERS = 10_000;

function escape(message: string): string {
  const isWhole = message.length <= MAX_CHARACTERS;
  const shortened = isWhole ? message : `${message.slice(0, MAX_CHARACTERS)}… (${message.length} characters)`;
  return shortened.replace(CONTROL, (character) => SHORT[character] ?? `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

function formatErrorLines(thrown: unknown, causes: number): readonly string[] {
  const { frames } = formatThrown(thrown);
  const cause = readProperty(thrown, 'cause') ?? readProperty(readProperty(thrown, 'errors'), '0');
  if (causes === 0 || cause === undefined) return frames;
  return [...frames.slice(0, MAX_BEFORE_CAUSE), `  caused by ${formatThrown(cause).title}`, ...formatErrorLines(cause, causes - 1)];
}

/**
 * Returns the first line of a thrown value, and its frames from the first frame of the user's code on: whoever reads the log needs these,
 * and of V8's ten frames of a synchronous operation, eight are of this package.
 */
function formatThrown(thrown: unknown): { readonly title: string; readonly frames: readonly string[] } {
  const message = readString(thrown, 'message');
  const stack = readString(thrown, 'stack');
  if (stack === '') return { title: escape(formatError(thrown)), frames: [] };
  // The message may have lines that look like frames.
  const start = message === '' ? -1 : stack.indexOf(message);
  const end = start === -1 ? stack.search(/\n +at |$/) : start + message.length;
  const frames = stack.slice(Math.max(end, stack.length - MAX_STACK)).split('\n').filter((line) => /^ +at /.test(line));
  const first = frames.findIndex((frame) => !isOwn(frame) && !/[\\/]node_modules[\\/]/.test(frame));
  const own = first === -1 ? frames.slice(0, MAX_FOREIGN) : frames.slice(first).filter((frame) => !isOwn(frame));
  return { title: escape(stack.slice(0, end)), frames: own.slice(0, MAX_LINES).map((frame) => `    ${escape(frame.trim())}`) };
}

// The folder of this package. A bundler may have removed it.
const [OWN = '\0'] = /^.*\/(?:src|dist)\//.exec(String(import.meta.url)) ?? [];

/** Whether a frame is in this package or in the engine. */
function isOwn(frame: string): boolean {
  return frame.includes(OWN) || /\bnode:|<anonymous>\)?$/.test(frame);
}

function readString(value: unknown, name: 'message' | 'stack'): string {
  const property = readProperty(value, name);
  return typeof property === 'string' ? property : '';
}
