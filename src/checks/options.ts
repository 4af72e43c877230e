/** Samples and credentials for the checks. */
import { anything, boolean, type Checked, checkObject, functionOr, integer, MAX_MS, option, type Shape, shape } from '../util/options.ts';
import type { SchemaConverter } from '../openapi/schemas/conversion.ts';

/** The parts of a request of an operation. */
export interface Sample {
  /**
   * A value that is sent as JSON, or the bytes of a body that is not JSON; or a function that returns a new one, or a promise of it, for
   * each request.
   */
  readonly body?: unknown;
  /** The media type of bytes. Default: the first that the operation accepts. */
  readonly type?: string;
  readonly query?: Readonly<Record<string, Scalar | readonly Scalar[]>>;
  /** Headers that the operation decodes. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Parameters of the path, for items that the checks cannot create. */
  readonly params?: Readonly<Record<string, Scalar>>;
  /** Whether two responses to the same GET may differ, such as those of a clock. They are not compared. Default `false`. */
  readonly varies?: boolean;
}

/**
 * Makes a sample for each request: for items that only the test can make.
 *
 * @example
 * ```ts
 * const samples = { paymentRefund: async () => ({ params: { id: await insertPayment() }, body: { amount: 5 } }) };
 * ```
 */
export type SampleMaker = () => Sample | Promise<Sample>;

type Scalar = string | number | boolean;

/** The options of `checks`. An unknown name throws `TypeError`. */
export interface ChecksOptions {
  /** By `operationId`: a sample, or a function that makes one for each request. With `false`, the checks do not call the operation. */
  readonly samples?: Readonly<Record<string, Sample | SampleMaker | false>>;
  /** The headers of a caller who may do everything, such as `{ authorization: 'Bearer secret' }`. */
  readonly headers?: Readonly<Record<string, string>>;
  /** The credentials of a caller without any scope. */
  readonly unscoped?: Readonly<Record<string, string>>;
  /** As in `openApi`: the JSON Schema of decoders that have none. */
  readonly jsonSchema?: SchemaConverter;
  /** How long a response may take, in milliseconds. Default 10,000. */
  readonly timeoutMs?: number;
}

export const SAMPLE: Shape<Checked<Sample, 'varies'>> = shape({
  body: anything('any value'),
  type: anything('a media type'),
  query: anything('an object'),
  headers: anything('an object'),
  params: anything('an object'),
  varies: boolean(),
});

export const CHECKS_OPTIONS: Shape<Checked<ChecksOptions, 'samples' | 'headers' | 'timeoutMs'>> = shape({
  samples: option('an object', checkSamples, {}),
  headers: option('an object', checkHeaders, {}),
  unscoped: option<ChecksOptions['unscoped']>('an object', checkHeaders, undefined),
  jsonSchema: functionOr(),
  timeoutMs: integer(1, MAX_MS, 10_000),
});

/** Throws `TypeError` that names the wrong option. `operationIds` are those that there are. */
export function checkOptions(options: ChecksOptions, operationIds: readonly string[]): void {
  const { samples } = CHECKS_OPTIONS.check(options, 'options');
  const unknown = Object.keys(samples).find((operationId) => !operationIds.includes(operationId));
  if (unknown !== undefined) throw new TypeError(`options.samples.${unknown} is no operation: there are ${operationIds.join(', ')}`);
}

function checkSamples(value: unknown, path: string): NonNullable<ChecksOptions['samples']> {
  const samples = checkObject(value, path);
  for (const [operationId, sample] of Object.entries(samples)) {
    if (sample !== false && typeof sample !== 'function') checkSample(sample, `${path}.${operationId}`);
  }
  return samples as NonNullable<ChecksOptions['samples']>;
}

function checkHeaders(value: unknown, path: string): Readonly<Record<string, string>> {
  return checkObject(value, path) as Readonly<Record<string, string>>;
}

/** Throws `TypeError` for an unknown option. */
export function checkSample(sample: unknown, path: string): Sample {
  SAMPLE.check(sample, path);
  return sample as Sample;
}
