/**
 * The response to the result of an operation. `serve` sends it, and interceptors can get it as a value.
 *
 *   a plain result     ->   its status, with JSON, with the id of the new item, or without a body
 *   with a format      ->   its status, with the encoded body
 *   a reply            ->   its status, with the body that `output` decodes or encodes
 *   of `created`       ->   also with the path of the new item as `Location`
 *   a problem          ->   the same response as an error with its status
 */
import type { MaybePromise } from '../../declaration/decoder.ts';
import { chooseContentType, findFormat, type Format } from '../../declaration/format.ts';
import type { OperationResponse } from '../../declaration/interceptor.ts';
import { findStatus } from '../../declaration/kinds.ts';
import type { Operation } from '../../endpoint/operation.ts';
import { type DeclaredHeaders, decodeError, decodeOutput } from '../../endpoint/outputs.ts';
import {
  dropUnsent, encodeReply, findReply, GivenProblem, GivenReply, ignoreStreamErrors, isChosen, type ReplyBody,
} from '../../declaration/reply.ts';
import { checkResult, writeJson } from '../../endpoint/result-json.ts';
import { isBytes, isStream } from '../../util/stream.ts';
import { makeProblem, Rejection } from '../../errors/problem.ts';
import {
  checkHeaders, filterHeaders, hasHeader, mergeHeaders, replaceHeaders, type ResponseHeaders, toHeadersObject,
} from '../../util/headers.ts';
import { readPrefix } from '../../http/protected-resource.ts';
import { makeTooLongError, isBodiless, MAX_BODY, type Outgoing } from '../../http/response.ts';
import { checkInteger } from '../../util/options.ts';
import { after, checkAwaited, describeType, isError, recover } from '../../util/promises.ts';
import type { Call } from './call.ts';
import { makeUnmetResponse } from './conditions.ts';

type EncodedResult = MaybePromise<Outgoing<ReplyBody>>;

const NO_HEADERS: readonly string[] = [];
const TEXT_HEADERS: readonly string[] = ['Content-Type', 'text/plain; charset=utf-8'];
const NOTHING = Object.freeze({});
const MAX_SHOWN = 100;

/**
 * Returns the response to a result, or a promise of it if a function of the user returns one. Throws if the result cannot be sent.
 *
 * `isKept`: an interceptor may keep the response for a later request, so neither a timeout nor the conditions of this one matter.
 */
export function encodeResult(call: Call, result: unknown, isKept: boolean): EncodedResult {
  const { operation } = call;
  if (operation.interceptors !== undefined && EncodedResponse.is(result)) return result.outgoing;
  const { responseHeaders } = operation;
  return responseHeaders === undefined ? encode(call, result, isKept) : encodeDeclared(call, responseHeaders, result, isKept);
}

/** Returns the response with the headers that the operation declares. Throws if a success lacks one. */
function encodeDeclared(call: Call, declared: DeclaredHeaders, result: unknown, isKept: boolean): EncodedResult {
  const reply = findReply(result, call.operation.resultFormat !== undefined);
  // 200 stands for the status of a plain result, which is always a success. Replies from 300 on are left as they are.
  const { status, givenHeaders, body } = reply ?? { status: 200, givenHeaders: NOTHING, body: result };
  if (status >= 300) return encode(call, result, isKept);
  const encodeWithHeaders = (headers: readonly string[]): EncodedResult => after(encode(call, result, isKept), (response) => {
    return response.status >= 400 ? response : { ...response, headers: replaceHeaders(response.headers, headers) };
  });
  const drop = (thrown: unknown): never => {
    dropUnsent(body);
    throw thrown;
  };
  return after(recover(() => declared.decode(givenHeaders), drop), encodeWithHeaders);
}

function encode(call: Call, result: unknown, isKept: boolean): EncodedResult {
  const { operation, exchange } = call;
  const { resultKind, endpoint: { id }, outputs, resultFormat, status } = operation;
  const reply = findReply(result, resultFormat !== undefined);
  if (GivenProblem.is(reply)) return encodeProblem(call, reply);
  if (reply !== undefined) return encodeGivenReply(call, reply, isKept);
  const etag = operation.getTag === undefined || result === undefined || isError(result) ? undefined : operation.getTag(result);
  if (resultFormat !== undefined && !operation.isNothing(result)) {
    // `body: undefined`, since a plain result has the Content-Type of its format even if the format returns it unchanged.
    return encodeWith(call, resultFormat, result, { status, headers: etag === undefined ? NO_HEADERS : ['ETag', etag], body: undefined });
  }
  // An item whose version the client has is not encoded. `sendResponse` compares all other conditions.
  const isCompared = etag !== undefined && !isKept && exchange.head.isConditional;
  const unmet = isCompared ? makeUnmetResponse(call, status, ['ETag', etag]) : undefined;
  if (unmet !== undefined) return unmet;
  const jsonHeaders = etag === undefined ? operation.jsonHeaders : [...operation.jsonHeaders, 'ETag', etag];
  // `writeJson` itself rejects an error and `undefined`.
  if (resultKind === 'json' && outputs === undefined) return { status, headers: jsonHeaders, body: writeJson(result) };
  if (typeof result === 'object' && result !== null) checkResult(result);
  if (resultKind === 'json' && operation.isNothing(result)) return { status: 204, headers: NO_HEADERS, body: undefined };
  if (resultKind === 'json') {
    return after(decodeResult(call, status, result, isKept), (value) => ({ status, headers: jsonHeaders, body: writeJson(value) }));
  }
  checkDeclared(operation, status);
  if (resultKind === 'nothing' || id === undefined) {
    return { status: findStatus(operation.kind, result) ?? status, headers: NO_HEADERS, body: undefined };
  }
  const body = id.format(result, 'create must return the id of the new item, or created(id, body): it returned');
  const location = locateItem(call, result, body);
  if (outputs?.find(status) === null) return { status, headers: location, body: undefined };
  return { status, headers: [...TEXT_HEADERS, ...location], body };
}

/** Returns the rejection of an error that is returned; `undefined` for any other result. */
export function findReturnedError(result: unknown): Rejection | undefined {
  return GivenProblem.is(result) || EncodedResponse.is(result) ? result.rejection : undefined;
}

/**
 * Returns the response to an error that is returned, with the extensions as the decoder of the operation returns them. Throws if they are
 * not those that it declares.
 */
function encodeProblem({ operation: { errors }, exchange, chain }: Call, problem: GivenProblem): EncodedResult {
  const { status, rejection } = problem;
  const declared = chain?.isDeclared(problem, status) === true ? undefined : errors.get(status);
  return after(declared ? decodeError(rejection, declared) : rejection, (sent) => exchange.formatProblem(sent));
}

function encodeGivenReply(call: Call, reply: GivenReply, isKept: boolean): EncodedResult {
  const { operation, exchange } = call;
  const { status, body, isJson } = reply;
  try {
    const headers = locateCreated(call, reply);
    const output = operation.outputs?.find(status);
    const format = findFormat(output);
    if (format !== undefined && body !== undefined) return encodeWith(call, format, body, { status, headers, body });
    checkDeclared(operation, status);
    if (body !== undefined) checkBodyDeclared(operation, status);
    if (!isJson) return encodeReply(reply, headers, body, writeJson);
    return after(decodeResult(call, status, body, isKept), (value) => {
      // If the tag is a hash of the body, `sendResponse` compares it.
      const isTagFinal = operation.caching?.formatTag === undefined || hasHeader(headers, 'etag');
      const unmet = isTagFinal && !isKept && exchange.head.isConditional ? makeUnmetResponse(call, status, headers) : undefined;
      return unmet ?? encodeReply(reply, headers, value, writeJson, operation.chooseJsonType(output));
    });
  } catch (thrown) {
    dropUnsent(body);
    throw thrown;
  }
}

/** Returns the headers of a reply. `created` gets the `Location` of the new item, unless the user has set one. */
function locateCreated(call: Call, { createdId: id, headers }: GivenReply): readonly string[] {
  const { endpoint, kind } = call.operation;
  if (id === undefined) return headers;
  if (kind.result !== 'id' || endpoint.id === undefined) {
    throw new TypeError('only create of an endpoint with ids can return created(): return reply(status, body)');
  }
  if (hasHeader(headers, 'location')) return headers;
  return [...headers, ...locateItem(call, id, endpoint.id.format(id, 'created takes the id of the new item: it got'))];
}

/** The `Location` of a new item. If no path can have its id, logs that. */
function locateItem(call: Call, id: unknown, idString: string): readonly string[] {
  const { operation, exchange: { baseUrl: prefix, settings: { proxy } }, path } = call;
  if (idString.length > MAX_BODY) throw makeTooLongError();
  const baseUrl = proxy.url === undefined ? prefix : readPrefix(proxy.url);
  const location = baseUrl === undefined ? undefined : operation.endpoint.formatLocation(baseUrl + path, idString);
  if (location !== undefined) return ['Location', location];
  const shown = JSON.stringify(idString.slice(0, MAX_SHOWN));
  const reason = baseUrl === undefined ? 'the path of the mount is not valid' : `no path can have the id ${shown}`;
  call.logFailure(`no Location is sent: ${reason}`, id);
  return NO_HEADERS;
}

/**
 * Returns the response with the body that a format makes of a value, and with the format's headers. If the format returns `given`, the
 * body of a reply, as it is, that is sent as bytes without the format's headers.
 */
function encodeWith(call: Call, format: Format, value: unknown, { status, headers, body: given }: Outgoing<unknown>): EncodedResult {
  return after(call.inStreamContext(() => format.encode?.(value, call.exchange)), (body) => {
    if (typeof body !== 'string' && !isBytes(body) && !isStream(body) && !isChosen(body)) {
      throw new TypeError(`encode of a format must return bytes, a string, a stream or ranges: it returned ${describeType(body)}`);
    }
    if (isBodiless(status)) throw new TypeError(`a reply with status ${status} must not have a body`);
    ignoreStreamErrors(body);
    if (body === given && typeof body !== 'string') {
      return { status, headers: mergeHeaders(headers, ['Content-Type', 'application/octet-stream']), body };
    }
    // The user's `Content-Length` counts the body before it was encoded.
    const kept = filterHeaders(headers, (lowerCase) => lowerCase !== 'content-length');
    const own = mergeHeaders(checkHeaders(format.headers ?? {}), ['Content-Type', chooseContentType(format)]);
    return { status, headers: mergeHeaders(kept, own), body };
  });
}

/** Lets `output` check and change a result before it is sent as JSON. Throws for a status that `output` does not declare. */
function decodeResult({ operation, exchange, request }: Call, status: number, result: unknown, isKept: boolean): MaybePromise<unknown> {
  checkDeclared(operation, status);
  checkBodyDeclared(operation, status);
  const decode = operation.outputs?.find(status);
  if (typeof decode !== 'function' || !(isKept || exchange.isOpen)) return result;
  return decodeOutput(decode(result, request), 'the result does not match output');
}

/** Throws `TypeError` for a success that `output` does not declare. */
function checkDeclared({ outputs }: Operation, status: number): void {
  if (outputs === undefined || status >= 300 || outputs.find(status) !== undefined) return;
  throw new TypeError(`output does not declare status ${status}`);
}

/** Throws `TypeError` for a body of a status that `output` declares without one. */
function checkBodyDeclared({ outputs }: Operation, status: number): void {
  if (outputs?.find(status) === null) throw new TypeError(`output declares status ${status} without a body`);
}

/** The mark of a response. A copy such as `{ ...response, headers }` has it too. A client cannot send it, since JSON has no symbols. */
const MARK = Symbol('response');

/** A response that an interceptor can return. A plain object with the same properties is a result: it may come from a client. */
export class EncodedResponse implements OperationResponse {
  readonly status: number;
  readonly headers: ResponseHeaders;
  readonly body: unknown;
  readonly #outgoing: Outgoing<ReplyBody>;
  readonly #rejection: Rejection | undefined;

  private constructor({ status, headers, body }: OperationResponse, outgoing: Outgoing<ReplyBody>, rejection: Rejection | undefined) {
    this.status = status;
    this.headers = headers;
    this.body = body;
    this.#outgoing = outgoing;
    this.#rejection = rejection;
    Object.assign(this, { [MARK]: EncodedResponse });
  }

  /** `rejection` is set for an error. */
  static encode(outgoing: Outgoing<ReplyBody>, rejection?: Rejection): EncodedResponse {
    return new EncodedResponse({ ...outgoing, headers: toHeadersObject(outgoing.headers) }, outgoing, rejection);
  }

  /** Throws `TypeError` for a status, a header or a body that no reply can have. */
  static restore(stored: OperationResponse): EncodedResponse {
    const { status, headers, body } = stored;
    checkInteger(status, 'the status of a response', 200, 599);
    checkAwaited(body, 'the body of a response');
    const reply = new GivenReply(status, body, headers, undefined, typeof body === 'string');
    const outgoing = encodeReply(reply, reply.headers, body, writeJson);
    return new EncodedResponse(stored, outgoing, status < 400 ? undefined : new Rejection(makeProblem(status)));
  }

  static is(value: unknown): value is EncodedResponse {
    return typeof value === 'object' && value !== null && #outgoing in value;
  }

  /** Restores a changed copy of a response. Any other value is returned as it is. Throws `TypeError` as `restore` does. */
  static restoreCopy(value: unknown): unknown {
    if (typeof value !== 'object' || value === null || #outgoing in value) return value;
    const isCopy = (value as { readonly [MARK]?: unknown })[MARK] === EncodedResponse;
    return isCopy ? EncodedResponse.restore(value as OperationResponse) : value;
  }

  /** The error of the response, for the log and observers. A stored error has only a status. */
  get rejection(): Rejection | undefined {
    return this.#rejection;
  }

  /** The response as it is sent. */
  get outgoing(): Outgoing<ReplyBody> {
    return this.#outgoing;
  }
}
