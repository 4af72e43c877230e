/**
 * Runs an operation once for each key that a client sends, so that the client can repeat a request whose response was lost
 * (draft-ietf-httpapi-idempotency-key-header-07):
 *
 *   pay: { use: idempotent(store, { caller: ({ context }: ApiRequest<User>) => context.id }), input: Payment, run: … }
 */
import type { InterceptedCall, InterceptedOperation, Interceptor, OperationResponse } from '../endpoint/interceptor.ts';
import { KINDS } from '../endpoint/kinds.ts';
import { isBytes } from '../endpoint/stream.ts';
import { ApiError } from '../errors/api-error.ts';
import { cryptoModule } from '../node.ts';
import { boolean, type Checked, functionOr, type Shape, shape } from '../util/options.ts';
import { type KeyHeader, keySchema } from './idempotency-key.ts';
import type { IdempotencyClaim, IdempotencyStore, StoredResponse } from './idempotency-store.ts';

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
export interface IdempotentOptions<Needs = any, Required extends boolean = boolean> {
  /**
   * Identifies the caller, so that no caller gets the response to a different caller's request with the same key. Required if the operation
   * has a context.
   */
  readonly caller: (request: Needs) => string;
  /** Rejects a request without a key with 400. @default false */
  readonly required?: Required;
}

/** An interceptor that `idempotent` made. */
export interface Idempotent<Adds, Needs = any, Required extends boolean = boolean, Errors = {}> extends Interceptor<Adds, Needs> {
  /** The statuses that it fails with: 409 while the first request runs, 422 for a key of a different request, and the store's. */
  readonly errors: { readonly 409: null; readonly 422: null } & Errors;
  /** Only a type: a client's call may have a key, or must. */
  readonly ' key'?: Required;
}

const { hash } = cryptoModule();

// A repeated PUT or DELETE has the same effect as the first (RFC 9110 section 9.2.2), a safe request has none.
const KIND_NAMES = KINDS.filter(({ method }) => method === 'POST' || method === 'PATCH').map(({ name }) => name);
const RETRY_SECONDS = '1';

export const IDEMPOTENT_OPTIONS: Shape<Checked<Partial<IdempotentOptions>, 'required'>> = shape({
  caller: functionOr(),
  required: boolean(),
});

/**
 * Makes an interceptor that runs a `create`, `custom`, `itemCustom` or `patch` once for each `Idempotency-Key` of a caller. A repeated
 * request gets the first response with `Idempotent-Replayed: true`. It gets 409 while the first request runs, and 422 if its method, target
 * or body is different. The key is free again if the operation fails. Without a key the operation runs, unless the key is `required`.
 *
 * Responses are stored unencrypted, so they should not contain secrets. A stream as the body of a `reply` is a logged 500.
 *
 * The store can add properties to the `request` of the operation: a store in a database adds the transaction.
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
export function idempotent<Adds, Needs, const Required extends boolean = false, Errors = {}, CallerErrors = {}>(
  store: IdempotencyStore<Adds, Errors, CallerErrors>, options: IdempotentOptions<Needs, Required>,
): Idempotent<Adds, Needs, Required, Errors & CallerErrors>;
/**
 * Makes an interceptor that runs an operation without a context once for each `Idempotency-Key`, and sends the stored response to a
 * repeated request. With a context, the option `caller` is required.
 *
 * @example
 * ```ts
 * defineEndpoint({
 *   id: integerId,
 *   schema: Pet,
 *   get: (id) => db.find(id),
 *   create: { use: idempotent(memoryIdempotencyStore(), { required: true }), run: (pet) => db.insert(pet) },
 * });
 * ```
 * @throws `TypeError` for an invalid option, and at registration for an operation of a different kind, for an `output` that is a stream,
 * such as `events` or `ndjson`, and for a context without `caller`.
 */
export function idempotent<Adds, const Required extends boolean = false, Errors = {}>(
  store: IdempotencyStore<Adds, Errors>, options?: { readonly caller?: undefined; readonly required?: Required },
): Idempotent<Adds, any, Required, Errors>;
export function idempotent(store: IdempotencyStore<any>, options: { readonly caller?: CallerOption } = {}): unknown {
  const { caller, required } = IDEMPOTENT_OPTIONS.check(options, 'options');
  if (typeof store?.once !== 'function') throw new TypeError('idempotent needs a store with once(), such as memoryIdempotencyStore()');
  const interceptor: Idempotent<any> = {
    headers: keySchema(required),
    errors: { ...store.errors, ...(caller && store.callerErrors), 409: null, 422: null },
    readsBody: true,
    check: (operation) => checkOperation(operation, caller !== undefined),
    around: async (call, run) => {
      const claim = makeClaim(call, caller);
      let response: OperationResponse | undefined;
      const record = await store.once(claim, async (adds) => {
        response = await call.encode(await run(adds));
        return checkStorable(response);
      });
      if (record === 'done') return response;
      if (record === 'running') {
        throw ApiError.status(409, 'A request with this idempotency key is running.', { headers: { 'Retry-After': RETRY_SECONDS } });
      }
      if (record.fingerprint !== claim?.fingerprint) throw ApiError.status(422, 'The idempotency key was used for a different request.');
      return call.response({ ...record.response, headers: { ...record.response.headers, 'Idempotent-Replayed': 'true' } });
    },
  };
  return interceptor;
}

function checkOperation({ path, kind, hasContext, sendsStream }: InterceptedOperation, hasCaller: boolean): void {
  if (!KIND_NAMES.includes(kind)) throw new TypeError(`${path} must not use idempotent(…): only ${KIND_NAMES.join(', ')} can`);
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
  const callerId = caller?.(request);
  // Callers without an id would all share their keys.
  if (caller !== undefined && typeof callerId !== 'string') {
    throw new TypeError(`idempotent: caller must return a string: ${typeof callerId}`);
  }
  return {
    key: digest([callerId, route.method, route.path, key]),
    fingerprint: digest([route.method, target, contentType], body),
    ...(callerId !== undefined && { caller: digest([callerId]) }),
  };
}

function digest(values: readonly unknown[], body?: Uint8Array): string {
  const json = JSON.stringify(values);
  if (body === undefined) return hash('sha256', json, 'base64url');
  // One copy of the body: `Buffer.concat` would need the JSON as bytes first.
  const bytes = Buffer.allocUnsafe(Buffer.byteLength(json) + body.length);
  bytes.set(body, bytes.write(json));
  return hash('sha256', bytes, 'base64url');
}

function checkStorable({ status, headers, body }: OperationResponse): StoredResponse {
  if (body === undefined || typeof body === 'string' || isBytes(body)) return { status, headers, body };
  throw new TypeError('idempotent: a stream cannot be stored: reply with a string or bytes');
}
