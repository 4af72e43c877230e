/** An endpoint with one decoder for all its operations, and the forms that a schema can have. */
import { defineEndpoint, stringId, type Decoder, type NotFoundPredicate, type StandardSchemaV1 } from '../../src/index.ts';
import { serving, type Served } from './serving.ts';

export interface Decoding {
  /** The arguments of the operations. */
  readonly got: readonly unknown[];
  readonly served: Served;
}

/** Serves `/thing` with Create, Update and Custom `feed`, all with the same decoder. */
export async function decodingWith(
  decoder: Decoder<unknown>,
  use: (decoding: Decoding) => Promise<void>,
  isNotFound?: NotFoundPredicate,
): Promise<void> {
  const got: unknown[] = [];
  const take = (item: unknown): string => `${got.push(item)} so far`;
  await serving((server) => server.registerEndpoint('/thing', defineEndpoint({
    id: stringId,
    schema: decoder,
    create: take,
    update: (_id, item) => take(item),
    custom: { feed: { input: decoder, run: take } },
    ...(isNotFound === undefined ? {} : { isNotFound }),
  })), (served) => use({ got, served }));
}

/** The operations that decode, and the response of each. */
export const OPERATIONS = [['POST', '/v1/thing', 201], ['PUT', '/v1/thing/1', 204], ['POST', '/v1/thing/feed', 200]] as const;

type Result = ReturnType<StandardSchemaV1['~standard']['validate']>;

export function schemaOf(validate: (value: unknown) => Result): StandardSchemaV1 {
  return { '~standard': { version: 1, vendor: 'tests', validate } };
}

/** A schema that is also callable, as those of some libraries are. */
export function callableSchemaOf(validate: (value: unknown) => Result): StandardSchemaV1 {
  return Object.assign(() => 'the result of the call, which is not the output', schemaOf(validate));
}

/** Makes a schema of each form from a function that validates. */
export const SCHEMA_FORMS = [
  ['a schema', schemaOf],
  ['a schema that promises', (validate: (value: unknown) => Result) => schemaOf(async (value) => validate(value))],
  ['a callable schema', callableSchemaOf],
  ['a callable schema that promises', (validate: (value: unknown) => Result) => callableSchemaOf(async (value) => validate(value))],
] as const;
