/** The server's options: their defaults, and the refusal of what is misspelt or out of range. */
import { reportsNotFound, type NotFoundPredicate } from '../../errors/api-error.ts';
import { allowedHostNames } from '../../http/host.ts';
import { safeLogger, type Logger } from './logger.ts';

/** What bounds a request and a connection. Times are in milliseconds, sizes in bytes. */
export interface Limits {
  /** The longest body that is read; a longer one is answered 413. Default 1 MiB. */
  readonly bodyBytes?: number;
  /** How long the head of a request may take, and how long a new connection may be silent. Default 10 s. */
  readonly headersMs?: number;
  /** How long a whole request may take to arrive. Default 30 s. */
  readonly requestMs?: number;
  /** How long an operation, or its decoder, may take before it is answered 503; 0 for as long as it likes. Default 60 s. */
  readonly operationMs?: number;
  /**
   * How long a client may take no byte of an answer while something is unsent; then its connection is ended. Default 30 s.
   * What counts is what the system takes for the client: Linux takes up to 4 MiB, and then nothing until a third of that is
   * free again. Of a long answer, a client should therefore read some 2 MiB in this time. Raise it for slower ones.
   */
  readonly sendMs?: number;
  /** How long an idle connection is kept. Default 72 s, which is longer than the usual balancer's 60 s. */
  readonly keepAliveMs?: number;
  /** The longest head that is read; a longer one is answered 431. Default 16 KiB. */
  readonly headerBytes?: number;
  /** How many connections may be open; more are closed as they come. No limit by default. */
  readonly connections?: number;
  /** How many requests may be in work; more are answered 503. No limit by default. */
  readonly inFlight?: number;
}

/** All of it is optional. An unknown name, or a value out of range, throws `TypeError` when the server is made. */
export interface ApiServerOptions {
  /** Where routes and failures are logged. Default: the console. */
  readonly logger?: Logger;
  readonly limits?: Limits;
  /** How long `stop` waits for requests in flight, in milliseconds, before it ends them. Default 10 s. */
  readonly stopGraceMs?: number;
  /** Names and addresses, without a port, that `Host` may have; others are answered 421. Default: any. */
  readonly allowedHosts?: readonly string[];
  /** `'any'` reads every body as JSON, whatever its `Content-Type` says. Default `'json'`: others are answered 415. */
  readonly contentType?: 'json' | 'any';
  /** Sends the text of internal errors to clients, which can hold a store's secrets. Default `false`. */
  readonly exposeInternalErrors?: boolean;
  /** Which failures of a store mean that an item does not exist. Default: see `ApiError.from`. */
  readonly isNotFound?: NotFoundPredicate;
}

/** The options with every default in its place. */
export interface Settings {
  readonly logger: Logger;
  readonly limits: Required<Limits>;
  readonly stopGraceMs: number;
  readonly allowedHosts: ReadonlySet<string> | undefined;
  readonly anyContentType: boolean;
  readonly exposeInternalErrors: boolean;
  readonly isNotFound: NotFoundPredicate;
}

/** What a number is where none is given, and its bounds. */
type Range = readonly [otherwise: number, least: number, most: number];

// Node's timers take no more than this.
const MAX_MS = 2 ** 31 - 1;
// V8 makes no string longer than this, and a body becomes one.
const MAX_BYTES = 2 ** 29 - 24;

const LIMITS: Readonly<Record<keyof Limits, Range>> = {
  bodyBytes: [2 ** 20, 0, MAX_BYTES],
  headersMs: [10_000, 1, MAX_MS],
  requestMs: [30_000, 1, MAX_MS],
  operationMs: [60_000, 0, MAX_MS],
  sendMs: [30_000, 1, MAX_MS],
  keepAliveMs: [72_000, 1, MAX_MS],
  headerBytes: [2 ** 14, 64, MAX_BYTES],
  connections: [Infinity, 1, Infinity],
  inFlight: [Infinity, 1, Infinity],
};
const STOP_GRACE: Range = [10_000, 0, MAX_MS];

const NAMES: readonly string[] = [
  'logger', 'limits', 'stopGraceMs', 'allowedHosts', 'contentType', 'exposeInternalErrors', 'isNotFound',
] satisfies (keyof ApiServerOptions)[];

/** Checks a host's options and fills in the rest. Throws `TypeError`, naming the option. */
export function settingsFrom(options: ApiServerOptions): Settings {
  const given = record('options', options, NAMES);
  const limits = record('limits', given['limits'] ?? {}, Object.keys(LIMITS));
  return {
    logger: safeLogger(loggerFrom(given['logger'] ?? console)),
    limits: limitsFrom(limits),
    stopGraceMs: numberFrom('stopGraceMs', given['stopGraceMs'], STOP_GRACE),
    allowedHosts: given['allowedHosts'] === undefined ? undefined : allowedHostNames(given['allowedHosts']),
    anyContentType: oneOf('contentType', given['contentType'] ?? 'json', ['json', 'any']) === 'any',
    exposeInternalErrors: oneOf('exposeInternalErrors', given['exposeInternalErrors'] ?? false, [false, true]),
    isNotFound: predicateFrom(given['isNotFound'] ?? reportsNotFound),
  };
}

function record(name: string, value: unknown, names: readonly string[]): Record<string, unknown> {
  if (typeof value !== 'object' || value === null) throw new TypeError(`${name} must be an object: ${String(value)}`);
  const unknown = Object.keys(value).find((key) => !names.includes(key));
  if (unknown !== undefined) throw new TypeError(`unknown option in ${name}: "${unknown}"`);
  return value as Record<string, unknown>;
}

function limitsFrom(given: Record<string, unknown>): Required<Limits> {
  const entries = Object.entries(LIMITS).map(([name, range]) => [name, numberFrom(`limits.${name}`, given[name], range)]);
  return Object.fromEntries(entries) as Required<Limits>;
}

function numberFrom(name: string, value: unknown, [otherwise, least, most]: Range): number {
  if (value === undefined) return otherwise;
  if (typeof value === 'number' && value >= least && value <= most && (Number.isInteger(value) || value === Infinity)) return value;
  throw new TypeError(`${name} must be a whole number from ${least} to ${most}: ${String(value)}`);
}

function oneOf<T>(name: string, value: unknown, allowed: readonly T[]): T {
  const found = allowed.find((each) => each === value);
  if (found === undefined) throw new TypeError(`${name} must be one of ${allowed.join(', ')}: ${String(value)}`);
  return found;
}

function loggerFrom(value: unknown): Logger {
  const { info, error } = Object(value) as Partial<Logger>;
  if (typeof info !== 'function' || typeof error !== 'function') throw new TypeError('logger must have info and error');
  return value as Logger;
}

function predicateFrom(value: unknown): NotFoundPredicate {
  if (typeof value !== 'function') throw new TypeError(`isNotFound must be a function: ${String(value)}`);
  return value as NotFoundPredicate;
}
