/**
 * The closure that answers a route, one maker for each kind of operation. All of them go the same way: read the id,
 * read and decode the body, call the operation, encode what it gives, reply. An operation that is synchronous
 * stays so from end to end.
 */
import { ApiError, textOf, type NotFoundPredicate } from '../errors/api-error.ts';
import { problemOf, problemOfError } from '../errors/problem.ts';
import { readBody } from './body.ts';
import type { CustomDeclaration } from './declaration.ts';
import { argumentOf, isThenable, Refusal, type Decode } from './decoder.ts';
import type { Exchange } from './exchange.ts';
import type { IdCodec } from './id-codec.ts';
import { JsonRefusal, parseJson } from './json.ts';
import type { Settings } from './options.ts';
import { replyAllow, replyCreated, replyJson, replyNoContent, replyProblem } from './reply.ts';
import { OperationRequest, type ApiRequest } from './request.ts';

/** What answers the requests of a route; `segment` is the text that stands for `:id`, as it was sent. */
export type Handler = (exchange: Exchange, segment: string) => void;

/** What a handler has to know of its route. */
export interface OperationContext {
  /** Method and pattern, for the log. */
  readonly route: string;
  /** Whether every failure is logged, and not only the server's own (the specification, Endpoints 9). */
  readonly logsEveryFailure: boolean;
  readonly isNotFound: NotFoundPredicate;
  readonly settings: Settings;
}

/** Answers with what an operation gave. */
type Answer = (exchange: Exchange, context: OperationContext, result: unknown) => void;

export function createHandler(
  context: OperationContext,
  decode: Decode,
  create: (item: unknown, request: ApiRequest) => unknown,
  id: IdCodec<unknown>,
  locationPrefix: string,
): Handler {
  const answer: Answer = (exchange, its, result) => answerCreated(exchange, its, id, locationPrefix, result);
  return (exchange) => {
    readValue(exchange, context, decode, (item) => perform(exchange, context, (request) => create(item, request), answer));
  };
}

export function getHandler(
  context: OperationContext,
  id: IdCodec<unknown>,
  get: (id: unknown, request: ApiRequest) => unknown,
): Handler {
  return (exchange, segment) => {
    const key = readId(exchange, context, id, segment);
    if (key !== REFUSED) perform(exchange, context, (request) => get(key, request), answerJson);
  };
}

export function updateHandler(
  context: OperationContext,
  id: IdCodec<unknown>,
  decode: Decode,
  update: (id: unknown, item: unknown, request: ApiRequest) => unknown,
): Handler {
  return (exchange, segment) => {
    const key = readId(exchange, context, id, segment);
    if (key === REFUSED) return;
    readValue(exchange, context, decode, (item) => {
      perform(exchange, context, (request) => update(key, item, request), replyNoContent);
    });
  };
}

export function deleteHandler(
  context: OperationContext,
  id: IdCodec<unknown>,
  remove: (id: unknown, request: ApiRequest) => unknown,
): Handler {
  return (exchange, segment) => {
    const key = readId(exchange, context, id, segment);
    if (key !== REFUSED) perform(exchange, context, (request) => remove(key, request), replyNoContent);
  };
}

export function customHandler(context: OperationContext, { decode, run }: CustomDeclaration): Handler {
  if (decode === undefined) {
    return (exchange) => readNothing(exchange, context, () => perform(exchange, context, run, answerJson));
  }
  return (exchange) => {
    readValue(exchange, context, decode, (input) => perform(exchange, context, (request) => run(input, request), answerJson));
  };
}

/** Discovery: `OPTIONS` on a path that an endpoint has. */
export function allowHandler(allow: string): Handler {
  return (exchange) => replyAllow(exchange, 200, allow);
}

const REFUSED = Symbol('an id that was refused');

function readId(exchange: Exchange, context: OperationContext, id: IdCodec<unknown>, segment: string): unknown {
  try {
    return id.parse(segment.includes('%') ? decodeSegment(segment) : segment);
  } catch (thrown) {
    refuse(exchange, context, new Refusal(argumentOf(thrown)));
    return REFUSED;
  }
}

function decodeSegment(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch (cause) {
    throw ApiError.argument('the id is not percent-encoded UTF-8', { cause });
  }
}

/** Reads the body and decodes it; answers by itself where either refuses. */
function readValue(exchange: Exchange, context: OperationContext, decode: Decode, use: (value: unknown) => void): void {
  const accept = (value: unknown): void => {
    if (value instanceof Refusal) refuse(exchange, context, value);
    // A decoder that took too long was answered for, and its operation is not invoked any more.
    else if (exchange.isOpen) use(value);
  };
  readBody(exchange, context.settings, (bytes) => {
    const json = parseJson(bytes);
    if (json instanceof JsonRefusal) refuse(exchange, context, new Refusal(ApiError.argument(json.message)));
    else attempt(exchange, context, () => decode(json), accept);
  });
}

/** Reads the body of an operation that takes no input. */
function readNothing(exchange: Exchange, context: OperationContext, use: () => void): void {
  readBody(exchange, context.settings, (bytes) => {
    if (bytes.length === 0 || parseJson(bytes) === null) use();
    else refuse(exchange, context, new Refusal(ApiError.argument('the operation takes no input')));
  });
}

/** Calls the operation, and answers with what it gives, now or later. */
function perform(
  exchange: Exchange,
  context: OperationContext,
  operation: (request: ApiRequest) => unknown,
  answer: Answer,
): void {
  const request = new OperationRequest(exchange.request, exchange.response);
  const use = (result: unknown): void => answer(exchange, context, result);
  attempt(exchange, context, () => operation(request), use, (reason) => request.abort(reason));
}

/** Goes on with what a host's function gives, now or later. Answers by itself where that fails or takes too long. */
function attempt(
  exchange: Exchange,
  context: OperationContext,
  call: () => unknown,
  use: (value: unknown) => void,
  giveUp: (reason: Error) => void = () => {},
): void {
  const failed = (thrown: unknown): void => fail(exchange, context, thrown);
  try {
    const value = call();
    if (!isThenable(value)) {
      use(value);
      return;
    }
    // What is no promise of the language's own may settle twice, throw, or give another promise: this one can not.
    const promise = Promise.resolve(value);
    const patience = patienceFor(exchange, context, giveUp);
    promise.then((result) => {
      clearTimeout(patience);
      use(result);
    }).catch((thrown: unknown) => {
      clearTimeout(patience);
      failed(thrown);
    });
  } catch (thrown) {
    failed(thrown);
  }
}

/** Bounds how long an operation, or its decoder, is waited for. What it gives after that goes nowhere. */
function patienceFor(
  exchange: Exchange,
  context: OperationContext,
  giveUp: (reason: Error) => void,
): NodeJS.Timeout | undefined {
  const { operationMs } = context.settings.limits;
  if (operationMs === 0) return undefined;
  return setTimeout(() => {
    const reason = new DOMException(`the operation took longer than ${operationMs} ms`, 'TimeoutError');
    log(context, reason.message, reason);
    replyProblem(exchange, problemOf(503, 'The operation took too long.'));
    giveUp(reason);
    // A connection keeps the process alive; an operation that nobody waits for does not.
  }, operationMs).unref();
}

function answerJson(exchange: Exchange, context: OperationContext, result: unknown): void {
  let json: string | undefined;
  try {
    json = JSON.stringify(result);
  } catch (thrown) {
    failToEncode(exchange, context, thrown);
    return;
  }
  if (json === undefined) failToEncode(exchange, context, new TypeError(`JSON can not carry a result of type ${typeof result}`));
  else replyJson(exchange, 200, json);
}

function answerCreated(
  exchange: Exchange,
  context: OperationContext,
  codec: IdCodec<unknown>,
  locationPrefix: string,
  id: unknown,
): void {
  let text: string;
  let location: string;
  try {
    text = codec.format(id);
    if (typeof text !== 'string') throw new TypeError(`an id was formatted as ${typeof text}`);
    location = locationPrefix + encodeURIComponent(text);
  } catch (thrown) {
    failToEncode(exchange, context, thrown);
    return;
  }
  replyCreated(exchange, text, location);
}

/** Answers for a request that its operation never sees. */
function refuse(exchange: Exchange, context: OperationContext, { error, issues }: Refusal): void {
  replyProblem(exchange, problemOfError(error, context.settings.exposeInternalErrors, issues));
}

/** Answers for an operation, or a schema, that threw; `error` is what that comes to. */
function fail(
  exchange: Exchange,
  context: OperationContext,
  thrown: unknown,
  error: ApiError = ApiError.from(thrown, context.isNotFound),
): void {
  if (context.logsEveryFailure || error.kind === 'Internal') log(context, error.message, thrown);
  replyProblem(exchange, problemOfError(error, context.settings.exposeInternalErrors));
}

/** A result that can not be sent is the server's failure, whatever its `toJSON` or codec threw. */
function failToEncode(exchange: Exchange, context: OperationContext, thrown: unknown): void {
  fail(exchange, context, thrown, ApiError.internal(textOf(thrown), { cause: thrown }));
}

function log({ route, settings }: OperationContext, displayText: string, cause: unknown): void {
  settings.logger.error(new Error(`${route}: ${displayText}`, { cause }));
}
