/** An endpoint with one decoder for all its operations, and the forms that a schema can have. */
import { defineEndpoint, stringId, type ApiServer, type Decoder, type ErrorMapper, type StandardSchemaV1 } from '../../src/index.ts';
import { assert, check, serve, type TestServer } from './facts.ts';

export interface ServedDecoder {
  /** The arguments of the operations. */
  readonly received: readonly unknown[];
  readonly served: TestServer;
}

/** Serves `/thing` with Create, Update and Custom `feed`, all with the same decoder. */
export async function serveDecoder(
  decoder: Decoder<unknown>,
  use: (decoding: ServedDecoder) => Promise<void>,
): Promise<void> {
  const got: unknown[] = [];
  await serve(declareDecoder(decoder, got), (served) => use({ received: got, served }));
}

function declareDecoder(decoder: Decoder<unknown>, got: unknown[], mapError?: ErrorMapper): (server: ApiServer) => void {
  const take = (item: unknown): string => `${got.push(item)} so far`;
  return (server) => server.registerEndpoint('/thing', defineEndpoint({
    id: stringId,
    schema: decoder,
    create: take,
    update: (_id, item) => void take(item),
    custom: { feed: { input: decoder, run: take } },
    ...(mapError === undefined ? {} : { mapError }),
  }));
}

/** The operations that decode, and the response of each. */
export const OPERATIONS = [['POST', '/v1/thing', 201], ['PUT', '/v1/thing/1', 204], ['POST', '/v1/thing/feed', 200]] as const;

const SUCCESSES = ['201 text 1 so far | Location: /v1/thing/1%20so%20far', '204', '200 "3 so far"'];

export interface Decoded {
  readonly body?: string;
  /** The arguments of the operations, none by default. */
  readonly received?: readonly unknown[];
  /** The text that is logged of each operation, and its cause. */
  readonly logged?: string;
  readonly cause?: unknown;
  readonly mapError?: ErrorMapper;
}

/** Each operation gets this response to a body, or its success. */
export async function checkDecoder(decoder: Decoder<unknown>, response?: string, { body = '1', received = [], logged, cause, mapError }: Decoded = {}): Promise<void> {
  const got: unknown[] = [];
  const lines = logged === undefined ? [] : OPERATIONS.map(([method, target]) => `${method} ${target.replace(/1$/, ':id')}: ${logged}`);
  await check(declareDecoder(decoder, got, mapError), OPERATIONS.map(([method, target]) => `${method} ${target} ${body}`), response === undefined ? SUCCESSES : OPERATIONS.map(() => response), lines, {
    after: ({ errors }) => cause !== undefined && errors.forEach((error) => assert.is(error.cause, cause)),
  });
  assert.equal(got, received);
}

type Result = ReturnType<StandardSchemaV1['~standard']['validate']>;

export function makeSchema(validate: (value: unknown) => Result): StandardSchemaV1 {
  return { '~standard': { version: 1, vendor: 'tests', validate } };
}

/** A schema that is also callable, as those of some libraries are. */
export function makeCallableSchema(validate: (value: unknown) => Result): StandardSchemaV1 {
  return Object.assign(() => 'the result of the call, which is not the output', makeSchema(validate));
}

/** Makes a schema of each form from a function that validates. */
export const SCHEMA_MAKERS = [
  ['a schema', makeSchema],
  ['a schema that promises', (validate: (value: unknown) => Result) => makeSchema(async (value) => validate(value))],
  ['a callable schema', makeCallableSchema],
  ['a callable schema that promises', (validate: (value: unknown) => Result) => makeCallableSchema(async (value) => validate(value))],
] as const;
