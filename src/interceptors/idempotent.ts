/**
 * Runs an operation once for each key that a client sends, so that the client can repeat a request whose response was lost
 * (draft-ietf-httpapi-idempotency-key-header-07):
 *
 *   pay: { use: idempotent(store, { caller: ({ context }: ApiRequest<User>) => context.id }), input: Payment, run: … }
 */
import type { InterceptedCall, Interceptor, OperationResponse, WithoutContext } from '../declaration/interceptor.ts';
import { formatKinds, isKind, type OperationKind } from '../declaration/kinds.ts';
import { isBytes, isStream } from '../util/stream.ts';
import { ApiError } from '../errors/api-error.ts';
import type { InterceptedOperation, InterceptorInternals, RunConditions } from '../endpoint/checked-interceptor.ts';
import { findBoundary, normalizeBodyType } from '../http/media-type.ts';
import { cryptoModule } from '../node.ts';
import { findInternals } from '../util/internals.ts';
import { boolean, type Checked, checkObject, functionOr, shape, type Shape } from '../util/options.ts';
import { checkSync } from '../util/promises.ts';
import type { IdempotencyClaim, IdempotencyStore, StoredResponse } from './idempotency-stores.ts';
import { parameterSchema, type ParameterSchema, problemCode, type ProblemCode, type SentParameters } from './schemas.ts';

/**
 * The options of `idempotent`. `Needs` is the request that `caller` takes.
 *
 * @example
 * ```ts
 * const options: IdempotentOptions<ApiRequest<User>, true> = { caller: ({ context }) => context.id, required: true };
 * const once = idempotent(memoryIdempotencyStore(), options);
 * defineEndpoint({ id: integerId, context: signedIn, create: { input: Pet, use: once, run: (pet) => db.insert(pet) } });
 * ```
 */
export interface IdempotentOptions<Needs = any, Required extends boolean = boolean>
  extends KeyOptions<(request: Needs) => string, Required> {
  /** Returns what identifies the caller: `({ context }) => context.id`. */
  readonly caller: (request: Needs) => string;
}

interface KeyOptions<Caller, Required> {
  /**
   * Identifies the caller, so that no caller gets the response to a different caller's request with the same key. Required if the operation
   * has a context.
   */
  readonly caller?: Caller;
  /** Rejects a request without a key with 400. @default false */
  readonly required?: Required;
}

/**
 * The property that `idempotent` adds to the `request` of an operation.
 *
 * @example
 * ```ts
 * const chargeOnce = (cents: number, { idempotencyKey }: WithIdempotencyKey<true>) => fetch('https://pay.example/charges', {
 *   method: 'POST', headers: { 'Idempotency-Key': `pet-shop-${idempotencyKey}` }, body: JSON.stringify({ cents }),
 * });
 * ```
 */
export interface WithIdempotencyKey<Required extends boolean = boolean> {
  /** The key that the client sent, without quotes: a string of 1 to 255 characters. `undefined` if it sent none, and none is `required`. */
  readonly idempotencyKey: Required extends true ? string : string | undefined;
}

type CallerFunction = (request: never) => string;

/** The request that `caller` takes. Without `caller`, no operation with a context can be repeated safely. */
type NeedsOf<Caller> = unknown extends Caller ? WithoutContext : Caller extends (request: infer Needs) => string ? Needs : any;

/** An interceptor that `idempotent` made. */
export interface Idempotent<Adds, Needs = any, Required extends boolean = boolean, Errors = {}>
  extends Interceptor<Adds & WithIdempotencyKey<Required>, Needs> {
  /**
   * The statuses that it fails with: 409 while the first request runs, 422 for a key of a different request, and the store's. The `code` of
   * a problem distinguishes them from the operation's own.
   */
  readonly errors: { readonly 409: ProblemCode<'idempotency_key_in_use'>; readonly 422: ProblemCode<'idempotency_key_reused'> } & Errors;
  /** Only for the compiler: whether a client's call must have a key. */
  readonly ' types'?: { readonly key: Required };
}

const { hash } = cryptoModule();

const canHaveKey = ({ repeats }: OperationKind): boolean => !repeats;
const RETRY_SECONDS = '1';
// Replayed, they would ask for the request again for as long as they are stored.
const asksAgain = ({ status }: OperationResponse): boolean => status === 429 || status === 503;
const IN_USE = 'idempotency_key_in_use';
const REUSED = 'idempotency_key_reused';
const REPLAYED = 'Idempotent-Replayed';

/** `idempotent(keys, options)`: {@link KeyOptions}. */
export const IDEMPOTENT_OPTIONS: Shape<Checked<Partial<IdempotentOptions>, 'required'>> = shape({
  caller: functionOr(),
  required: boolean(),
});

/**
 * Makes an interceptor that runs a `create`, `custom`, `itemCustom` or `patch` once for each `Idempotency-Key` of a caller. A repeated
 * request gets the first response with `Idempotent-Replayed: true`. It gets 409 while the first request runs, and 422 if its method, target
 * or body is different. The key is free again if the operation fails, or returns a 429 or 503, which asks for the request again. Without a
 * key the operation runs, unless the key is `required`.
 *
 * Responses are stored unencrypted, so they should not contain secrets. A stream as the body of a `reply` is a logged 500.
 *
 * The operation gets the key as `request.idempotencyKey`. The store can add further properties to the `request`: a store in a database adds
 * the transaction.
 *
 * @example
 * ```ts
 * defineEndpoint({
 *   context: signedIn,
 *   custom: {
 *     pay: {
 *       use: idempotent(memoryIdempotencyStore(), { caller: ({ context }: ApiRequest<User>) => context.id }),
 *       input: z.object({ amount: z.int() }),
 *       run: ({ amount }, { context: user }) => ({ amount, by: user.id }),
 *     },
 *   },
 * });
 * ```
 * @throws `TypeError` for an invalid option, and at registration for an operation of a different kind, for an `output` that is a stream,
 * such as `events` or `ndjson`, and for a context without `caller`.
 */
export function idempotent<Adds, Caller = unknown, const Required extends boolean = false, Errors = {}, CallerErrors = {}>(
  store: IdempotencyStore<Adds, Errors, CallerErrors>,
  options?: KeyOptions<Caller extends CallerFunction ? Caller : CallerFunction, Required>,
): Idempotent<Adds, NeedsOf<Caller>, Required, unknown extends Caller ? Errors : Errors & CallerErrors>;
export function idempotent(store: IdempotencyStore<any>, options: { readonly caller?: CallerOption } = {}): unknown {
  const { caller, required } = IDEMPOTENT_OPTIONS.check(options, 'options');
  if (typeof store?.once !== 'function') throw new TypeError('idempotent needs a store with once(), such as memoryIdempotencyStore()');
  const properties = ['idempotencyKey', ...findInternals<InterceptorInternals>(store)?.properties ?? []];
  const interceptor: Idempotent<any> & { readonly ' internal': InterceptorInternals } = {
    ' internal': {
      replays: true,
      properties,
      resultHeaders: { [REPLAYED]: '`true`, if it is the response to an earlier request with the same key.' },
      readsBody: true,
      check: (operation) => checkOperation(operation, caller !== undefined),
    },
    headers: keySchema(required),
    errors: { ...store.errors, ...(caller && store.callerErrors), 409: problemCode(IN_USE), 422: problemCode(REUSED) },
    around: async (call, run) => {
      const claim = makeClaim(call, caller);
      const { 'idempotency-key': idempotencyKey } = call.headers as KeyHeader;
      let hasRun = false;
      let response: OperationResponse | undefined;
      const runOnce = (adds: unknown): Promise<StoredResponse> => {
        if (hasRun) checkRepeatable(call);
        hasRun = true;
        const added = adds === undefined ? {} : checkObject(adds, 'the properties that a store adds');
        // Derived from the promise of `run`, so that its failure is logged if the store does not wait for it.
        return run({ ...added, idempotencyKey }).then((result) => call.encode(result)).then((encoded) => {
          response = encoded;
          return checkStorable(encoded);
        });
      };
      let record: Awaited<ReturnType<typeof store.once>>;
      try {
        record = await store.once(claim, runOnce, findInternals<RunConditions>(call) as RunConditions | undefined);
      } catch (error) {
        // Its run has failed only so that nothing is stored, whatever error the store makes of that.
        if (response !== undefined && asksAgain(response)) return response;
        throw error;
      }
      if (record === 'done') return response;
      if (record === 'running') {
        const options = { headers: { 'Retry-After': RETRY_SECONDS }, extensions: { code: IN_USE } };
        throw ApiError.status(409, 'A request with this idempotency key is running.', options);
      }
      if (record.fingerprint !== claim?.fingerprint) {
        throw ApiError.status(422, 'The idempotency key was used for a different request.', { extensions: { code: REUSED } });
      }
      return call.response({ ...record.response, headers: { ...record.response.headers, [REPLAYED]: 'true' } });
    },
  };
  return interceptor;
}

function checkOperation({ path, kind, method, hasContext, sendsStream }: InterceptedOperation, hasCaller: boolean): void {
  if (!isKind(canHaveKey, kind, method)) throw new TypeError(`${path} must not use idempotent(…): only ${formatKinds(canHaveKey)} can`);
  if (sendsStream) throw new TypeError(`${path} must not use idempotent(…): its output is a stream, and streams are not stored`);
  if (hasContext && !hasCaller) throw new TypeError(`${path} has a context, so idempotent needs caller: ({ context }) => context.id`);
}

type CallerOption = IdempotentOptions['caller'] | undefined;

/** Returns `undefined` for a request without a key. */
function makeClaim(
  { request, headers, body, route, target, contentType }: InterceptedCall, caller: CallerOption,
): IdempotencyClaim | undefined {
  const { 'idempotency-key': key } = headers as KeyHeader;
  if (key === undefined) return undefined;
  const callerId = checkSync(caller?.(request), 'caller');
  // Callers without an id would all share their keys.
  if (caller !== undefined && typeof callerId !== 'string') {
    throw new TypeError(`idempotent: caller must return a string: ${typeof callerId}`);
  }
  return {
    key: makeFingerprint([callerId, route.method, route.path, key]),
    fingerprint: digestRequest(route.method, target, contentType, body),
    ...(callerId !== undefined && { caller: makeFingerprint([callerId]) }),
  };
}

/**
 * Digests a request. A client that sends a form again chooses a new boundary, and two of its senders can differ in `charset=utf-8`: the
 * request is the same.
 */
function digestRequest(method: string, target: string, contentType: string | undefined, body: Uint8Array | undefined): string {
  const type = contentType === undefined ? undefined : normalizeBodyType(contentType);
  const boundary = contentType === undefined ? undefined : findBoundary(contentType);
  if (body === undefined || boundary === undefined) return makeFingerprint([method, target, type], body === undefined ? [] : [body]);
  const pieces = splitAtBoundary(body, boundary);
  // With their lengths, no two lists of pieces have the same digest.
  return makeFingerprint([method, target, type, pieces.map(({ length }) => length)], pieces);
}

/** Splits a body at its delimiters (RFC 2046 section 5.1.1), without a copy. */
function splitAtBoundary(body: Uint8Array, boundary: string): Uint8Array[] {
  const bytes = Buffer.from(body.buffer, body.byteOffset, body.byteLength);
  const first = Buffer.from(`--${boundary}`, 'latin1');
  const delimiter = Buffer.from(`\r\n--${boundary}`, 'latin1');
  const pieces: Uint8Array[] = [];
  // The first delimiter may have no line end before it.
  let start = bytes.subarray(0, first.length).equals(first) ? first.length : 0;
  if (start > 0) pieces.push(bytes.subarray(0, 0));
  for (let end = bytes.indexOf(delimiter, start); end !== -1; end = bytes.indexOf(delimiter, start)) {
    pieces.push(bytes.subarray(start, end));
    start = end + delimiter.length;
  }
  return [...pieces, bytes.subarray(start)];
}

function makeFingerprint(values: readonly unknown[], pieces: readonly Uint8Array[] = []): string {
  const json = JSON.stringify(values);
  if (pieces.length === 0) return hash('sha256', json, 'base64url');
  // One copy of the body: `Buffer.concat` would need the JSON as bytes first.
  const bytes = Buffer.allocUnsafe(pieces.reduce((sum, { length }) => sum + length, Buffer.byteLength(json)));
  let at = bytes.write(json);
  for (const piece of pieces) {
    bytes.set(piece, at);
    at += piece.length;
  }
  return hash('sha256', bytes, 'base64url');
}

/** A store can run an operation again, after a conflict with others, unless the input was read: the client has to send it again. */
function checkRepeatable({ input }: InterceptedCall): void {
  if (!isStream(input)) return;
  throw ApiError.status(503, 'Too many requests change the same data.', { headers: { 'Retry-After': RETRY_SECONDS } });
}

/** Throws for a response that must not be stored: nothing is stored of a run that fails, and the response is sent nevertheless. */
function checkStorable(response: OperationResponse): StoredResponse {
  const { status, headers, body } = response;
  if (asksAgain(response)) throw new Error(`idempotent: a response with status ${status} is not stored`);
  if (body === undefined || typeof body === 'string' || isBytes(body)) return { status, headers, body };
  throw new TypeError('idempotent: a stream cannot be stored: reply with a string or bytes');
}

/** The decoded header. */
export interface KeyHeader {
  readonly 'idempotency-key'?: string;
}

const NAME = 'idempotency-key';
// A String, or the characters of a Token. A key may begin with any of them, as a UUID does with a digit.
const KEY = /^(?:"((?:[\x20\x21\x23-\x5b\x5d-\x7e]|\\["\\]){1,255})"|([!#$%&'*+.^_`|~0-9A-Za-z:/-]{1,255}))$/;
const MALFORMED = 'Idempotency-Key: expected a string in quotes, or a token, of 1 to 255 characters';
const PROPERTY = {
  type: 'string',
  pattern: KEY.source,
  description: 'A new key for each request, and the same key to repeat it: a repeated request gets the first response, without being run.',
};

/**
 * Makes the decoder of the header: a String of Structured Fields (RFC 9651 section 3.3.3) without parameters, or the same key as a bare
 * token, as most clients write it.
 *
 *   Idempotency-Key: "8e03978e"   ->   8e03978e
 *   Idempotency-Key: 8e03978e     ->   8e03978e
 *
 * A malformed key gets 400, and so does a missing one if it is required.
 */
export function keySchema(isRequired: boolean): ParameterSchema<KeyHeader> {
  const jsonSchema = { type: 'object', properties: { 'Idempotency-Key': PROPERTY }, ...(isRequired && { required: ['Idempotency-Key'] }) };
  return parameterSchema<KeyHeader>(jsonSchema, ({ [NAME]: sent }: SentParameters) => {
    if (sent === undefined && !isRequired) return { value: {} };
    const [, quoted, key = quoted?.replace(/\\(.)/g, '$1')] = KEY.exec(String(sent ?? '')) ?? [];
    if (key !== undefined) return { value: { [NAME]: key } };
    // Always 400. An issue would get the server's `validationStatus`, and a 422 means that the key was used for a different request.
    throw ApiError.argument(MALFORMED, { errors: [{ detail: MALFORMED, header: NAME, path: [NAME] }] });
  });
}
