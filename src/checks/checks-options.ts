/** Samples and credentials for the checks. */
import { anything, boolean, type Checked, checkObject, integer, MAX_MS, option, type Shape, shape } from '../util/options.ts';

/**
 * The parts of a request of an operation.
 *
 * @example
 * ```ts
 * const petFeed: Sample = { params: { id: 1 }, body: { grams: 20 } };
 * checks(server, { samples: { petFeed } });
 * ```
 */
export interface Sample {
  /**
   * A value that is sent as JSON, or the bytes of a body that is not JSON. A function returns a new one for each request, or a promise of
   * it.
   */
  readonly body?: unknown;
  /** The media type of bytes. Default: the first that the operation accepts. */
  readonly type?: string;
  /** The parameters of the query. */
  readonly query?: Readonly<Record<string, Scalar | readonly Scalar[]>>;
  /** Headers that the operation decodes. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Parameters of the path, for items that the checks cannot create. */
  readonly params?: Readonly<Record<string, Scalar>>;
  /**
   * Whether two responses to the same GET may differ, as the time of a clock does. They are not compared.
   *
   * @default false
   */
  readonly varies?: boolean;
}

/**
 * Makes a sample for each request: for items that only the test can make.
 *
 * @example
 * ```ts
 * const petUpdate: SampleMaker = async () => {
 *   return { params: { id: await db.insert({ name: 'Rex', legs: 4 }) }, body: { name: 'Rex', legs: 3 } };
 * };
 * checks(server, { samples: { petUpdate } });
 * ```
 */
export type SampleMaker = () => Sample | Promise<Sample>;

type Scalar = string | number | boolean;

/**
 * The options of `checks`. An unknown name throws `TypeError`.
 *
 * @example
 * ```ts
 * const samples = { petCreate: { body: { name: 'Rex', legs: 4 } } };
 * const options: ChecksOptions = { headers: { Authorization: 'Bearer secret' }, samples };
 * checks(server, options);
 * ```
 */
export interface ChecksOptions {
  /** By `operationId`: a sample, or a function that makes one for each request. With `false`, the checks do not call the operation. */
  readonly samples?: Readonly<Record<string, Sample | SampleMaker | false>>;
  /** The headers of a caller who may do everything, such as `{ authorization: 'Bearer secret' }`. */
  readonly headers?: Readonly<Record<string, string>>;
  /** The credentials of a caller without any scope. */
  readonly unscoped?: Readonly<Record<string, string>>;
  /**
   * By `operationId`: the credentials of a caller to whom the item does not belong. Such a caller is rejected, even after the owner has
   * read the item. A list, or a singleton of each caller, does not show what the owner writes.
   */
  readonly strangers?: Readonly<Record<string, Readonly<Record<string, string>>>>;
  /**
   * How many requests of an operation are sent at once. More than a pool has connections find operations that wait for each other. With 0,
   * no requests are sent at once, and no races are tried.
   *
   * @default 12
   */
  readonly concurrency?: number;
  /**
   * How long a response may take, in milliseconds.
   *
   * @default 10_000
   */
  readonly timeoutMs?: number;
}

/** `samples: sample`: {@link Sample}. */
export const SAMPLE: Shape<Checked<Sample, 'varies'>> = shape({
  body: anything('any value'),
  type: anything('a media type'),
  query: anything('an object'),
  headers: anything('an object'),
  params: anything('an object'),
  varies: boolean(),
});

/** The options after their check. */
export type CheckedChecksOptions = Checked<ChecksOptions, 'samples' | 'headers' | 'strangers' | 'concurrency' | 'timeoutMs'>;

/** `checks(server, options)`: {@link ChecksOptions}. */
export const CHECKS_OPTIONS: Shape<CheckedChecksOptions> = shape({
  samples: option('an object', checkSamples, {}),
  headers: option('an object', checkSentHeaders, {}),
  unscoped: option<ChecksOptions['unscoped']>('an object', checkSentHeaders, undefined),
  strangers: option('an object', checkStrangers, {}),
  concurrency: integer(0, 1_000, 12),
  timeoutMs: integer(1, MAX_MS, 10_000),
});

function checkSamples(value: unknown, path: string): NonNullable<ChecksOptions['samples']> {
  const samples = checkObject(value, path);
  for (const [operationId, sample] of Object.entries(samples)) {
    if (sample !== false && typeof sample !== 'function') checkSample(sample, `${path}.${operationId}`);
  }
  return samples as NonNullable<ChecksOptions['samples']>;
}

function checkStrangers(value: unknown, path: string): NonNullable<ChecksOptions['strangers']> {
  const strangers = Object.entries(checkObject(value, path));
  return Object.fromEntries(strangers.map(([operationId, headers]) => [operationId, checkSentHeaders(headers, `${path}.${operationId}`)]));
}

function checkSentHeaders(value: unknown, path: string): Readonly<Record<string, string>> {
  return lowerNames(checkObject(value, path) as Readonly<Record<string, string>>);
}

/** Headers by their names in lower case, so that none is sent twice. */
export function lowerNames(headers: Readonly<Record<string, string>> = {}): Readonly<Record<string, string>> {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));
}

/** Throws `TypeError` for an unknown option. */
export function checkSample(sample: unknown, path: string): Sample {
  SAMPLE.check(sample, path);
  return sample as Sample;
}
