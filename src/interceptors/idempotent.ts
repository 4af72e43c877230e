/**
 * Runs an operation once for each key that a client sends, so that the client can repeat a request whose response was lost
 * (draft-ietf-httpapi-idempotency-key-header-07):
 *
 *   pay: { use: idempotent(keys, { caller: ({ context }: ApiRequest<User>) => context.id }), input: Payment, run: … }
 */
import type { InterceptedCall, InterceptedOperation, Interceptor, OperationResponse } from '../endpoint/interceptor.ts';
import { isBytes } from '../endpoint/stream.ts';
import { ApiError } from '../errors/api-error.ts';
import { cryptoModule } from '../node.ts';
import { boolean, type Checked, functionOr, type Shape, shape } from '../util/options.ts';
import { type KeyField, keySchema } from './idempotency-key.ts';
import type { Claim, StoredResponse, Keys } from './keys.ts';

/** The options of `idempotent`. `Needs` is the request that `caller` takes. */
export interface IdempotentOptions<Needs = any, Required extends boolean = boolean> {
  /**
   * Identifies the caller, so that nobody gets the response of another one who has used the same key. Needed where callers are identified: where the
   * operation has a context.
   */
  readonly caller: (request: Needs) => string;
  /** Whether a request without a key is refused with 400. Default `false`. */
  readonly required?: Required;
}

/** An interceptor that `idempotent` made. */
export interface Idempotent<Adds, Needs = any, Required extends boolean = boolean, Errors = {}> extends Interceptor<Adds, Needs> {
  /** The statuses that it fails with: the first request is running, the key was used for another request, and those of the store. */
  readonly errors: { readonly 409: null; readonly 422: null } & Errors;
  /** Only a type: a client's call may have a key, or must. */
  readonly ' key'?: Required;
}

/** The interceptor without `caller`, for operations without a context. */
export interface IdempotentForAnyone<Adds, Required extends boolean = boolean, Errors = {}> extends Idempotent<Adds, any, Required, Errors> {
  /** Only a type: no value has it. */
  readonly ' anyone'?: true;
}

const { hash } = cryptoModule();

const KINDS: readonly InterceptedOperation['kind'][] = ['create', 'custom', 'itemCustom', 'patch'];
const RETRY_SECONDS = '1';

export const IDEMPOTENT_OPTIONS: Shape<Checked<Partial<IdempotentOptions>, 'required'>> = shape({ caller: functionOr(), required: boolean() });

/**
 * The interceptor of a `create`, `custom`, `itemCustom` or `patch`. Of the requests with one `Idempotency-Key` by one caller, the first runs the
 * operation. The others get its response with `Idempotent-Replayed: true`, 422 if they are another request, and 409 while the first runs. The
 * key is free again if the operation fails. Without a key the operation runs, unless the key is `required`.
 *
 * Responses are stored as they are, so they should hold no secrets. A stream as the body of a `reply` is a logged 500.
 *
 * `keys` decides what the operation gets at its request: a store in a database adds the transaction. Throws `TypeError` for an invalid option, and
 * at registration for an operation of another kind, for one whose `output` is a stream, such as `events` or `ndjson`, and without `caller` for one with a
 * context.
 */
export function idempotent<Adds, Needs, const Required extends boolean = false, Errors = {}, CallerErrors = {}>(
  keys: Keys<Adds, Errors, CallerErrors>, options: IdempotentOptions<Needs, Required>,
): Idempotent<Adds, Needs, Required, Errors & CallerErrors>;
export function idempotent<Adds, const Required extends boolean = false, Errors = {}>(
  keys: Keys<Adds, Errors>, options?: { readonly caller?: undefined; readonly required?: Required },
): IdempotentForAnyone<Adds, Required, Errors>;
export function idempotent(keys: Keys<any>, options: { readonly caller?: IdempotentOptions['caller'] | undefined } = {}): unknown {
  const { caller, required } = IDEMPOTENT_OPTIONS.check(options, 'options');
  if (typeof keys?.once !== 'function') throw new TypeError('idempotent needs a key store with once(), such as memoryKeys()');
  const interceptor: Idempotent<any> = {
    headers: keySchema(required),
    errors: { ...keys.errors, ...(caller && keys.callerErrors), 409: null, 422: null },
    readsBody: true,
    check: (operation) => checkOperation(operation, caller !== undefined),
    around: async (call, run) => {
      const claim = makeClaim(call, caller);
      let response: OperationResponse | undefined;
      const kept = await keys.once(claim, async (adds) => {
        response = await call.encode(await run(adds));
        return checkStorable(response);
      });
      if (kept === 'done') return response;
      if (kept === 'running') throw ApiError.status(409, 'A request with this idempotency key is running.', { headers: { 'Retry-After': RETRY_SECONDS } });
      if (kept.fingerprint !== claim?.fingerprint) throw ApiError.status(422, 'The idempotency key was used for another request.');
      return call.response({ ...kept.response, headers: { ...kept.response.headers, 'Idempotent-Replayed': 'true' } });
    },
  };
  return interceptor;
}

function checkOperation({ path, kind, hasContext, sendsStream }: InterceptedOperation, hasCaller: boolean): void {
  if (!KINDS.includes(kind)) throw new TypeError(`${path} cannot be idempotent(…): only ${KINDS.join(', ')} can`);
  if (sendsStream) throw new TypeError(`${path} cannot be idempotent(…): its output is a stream, which cannot be stored`);
  if (hasContext && !hasCaller) throw new TypeError(`${path} has a context, so idempotent needs caller: ({ context }) => context.id`);
}

/** `undefined` for a request without a key. */
function makeClaim({ request, headers, body, route, target, contentType }: InterceptedCall, caller: IdempotentOptions['caller'] | undefined): Claim | undefined {
  const { 'idempotency-key': key } = headers as KeyField;
  if (key === undefined) return undefined;
  const who = caller?.(request);
  // Otherwise all callers would be the same one.
  if (caller !== undefined && typeof who !== 'string') throw new TypeError(`idempotent: caller must return a text: ${typeof who}`);
  return {
    key: digest([who, route.method, route.path, key]),
    fingerprint: digest([route.method, target, contentType], body),
    ...(who !== undefined && { caller: digest([who]) }),
  };
}

function digest(texts: readonly unknown[], body?: Uint8Array): string {
  const text = JSON.stringify(texts);
  if (body === undefined) return hash('sha256', text, 'base64url');
  // `Buffer.concat` would need the text as bytes first.
  const bytes = Buffer.allocUnsafe(Buffer.byteLength(text) + body.length);
  bytes.set(body, bytes.write(text));
  return hash('sha256', bytes, 'base64url');
}

function checkStorable({ status, headers, body }: OperationResponse): StoredResponse {
  if (body === undefined || typeof body === 'string' || isBytes(body)) return { status, headers, body };
  throw new TypeError('idempotent: a stream cannot be stored: give whole bytes');
}
