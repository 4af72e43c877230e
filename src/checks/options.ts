/** The options of `checks`. */
import { functionFrom, knownMembersOf, MAX_MS, membersOf, numberFrom } from '../util/options.ts';
import type { SchemaSource } from '../openapi/schemas/conversion.ts';

/** What a request of an operation is made of. */
export interface Sample {
  /** A value that is sent as JSON, or the bytes of a body that is not JSON; or a function that returns a new one, or a promise of it, for each request. */
  readonly body?: unknown;
  /** The media type of bytes. Default: the first that the operation takes. */
  readonly type?: string;
  readonly query?: Readonly<Record<string, Scalar | readonly Scalar[]>>;
  /** Header fields that the operation decodes. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Parameters of the path, for items that the checks cannot create. */
  readonly params?: Readonly<Record<string, Scalar>>;
  /** Whether two answers to the same GET may differ, such as those of a clock. They are not compared. Default `false`. */
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

/** What the checks need to know besides the declarations. An unknown name throws `TypeError`. */
export interface ChecksOptions {
  /** By `operationId`: a sample, or a function that makes one for each request. With `false`, the checks do not call the operation. */
  readonly samples?: Readonly<Record<string, Sample | SampleMaker | false>>;
  /** The header fields of a caller who may do everything, such as `{ authorization: 'Bearer secret' }`. */
  readonly headers?: Readonly<Record<string, string>>;
  /** The credentials of a caller without any scope. */
  readonly unscoped?: Readonly<Record<string, string>>;
  /** As in `openApi`: the JSON Schema of decoders that have none. */
  readonly jsonSchema?: SchemaSource;
  /** How long an answer may take, in milliseconds. Default 10,000. */
  readonly timeoutMs?: number;
}

const NAMES: readonly string[] = ['samples', 'headers', 'unscoped', 'jsonSchema', 'timeoutMs'] satisfies (keyof ChecksOptions)[];
const SAMPLE: readonly string[] = ['body', 'type', 'query', 'headers', 'params', 'varies'] satisfies (keyof Sample)[];

/** Throws `TypeError` that names the wrong option. `operationIds` are those that there are. */
export function checkOptions(options: ChecksOptions, operationIds: readonly string[]): void {
  knownMembersOf(options, 'options', NAMES);
  const { samples = {}, headers = {}, unscoped = {}, jsonSchema, timeoutMs = 1 } = options;
  for (const [operationId, sample] of Object.entries(membersOf(samples, 'options.samples'))) {
    if (!operationIds.includes(operationId)) throw new TypeError(`options.samples.${operationId} is no operation: there are ${operationIds.join(', ')}`);
    if (sample !== false && typeof sample !== 'function') checkedSample(sample, `options.samples.${operationId}`);
  }
  membersOf(headers, 'options.headers');
  membersOf(unscoped, 'options.unscoped');
  functionFrom(jsonSchema, 'options.jsonSchema');
  numberFrom(timeoutMs, 'options.timeoutMs', [1, MAX_MS]);
}

/** Throws `TypeError` for an unknown property. */
export function checkedSample(sample: unknown, path: string): Sample {
  return knownMembersOf(sample, path, SAMPLE);
}
