/**
 * Calls a host's function, and sees to it that there is one answer: what the function gives now or later, what it
 * throws, or that it took too long.
 */
import { ApiError, shownText, textOf } from '../errors/api-error.ts';
import { problemOfError, type Problem } from '../errors/problem.ts';
import { adopt, isThenable } from '../errors/thenable.ts';
import type { Exchange } from './connection/exchange.ts';
import { Refused } from '../http/refused.ts';
import { replyProblem, replyRefused, replyUnwritten } from './reply.ts';
import type { ApiRequest } from '../endpoint/request.ts';
import { OperationRequest } from './operation-request.ts';
import type { ServedEndpoint } from './served-endpoint.ts';

/** One of an endpoint's operations, without the endpoint: what Get does is the same for all that have it. */
export interface Operation {
  readonly method: string;
  /** Whether every failure is logged, and not only the server's own (a Custom operation's is). */
  readonly logsEveryFailure: boolean;
  /** The pattern of its route, for the log. */
  readonly pathIn: (endpoint: ServedEndpoint) => string;
  /** Calls the host's function with those of its arguments that it has. */
  readonly run: (endpoint: ServedEndpoint, id: unknown, input: unknown, request: ApiRequest) => unknown;
  /** Answers with what that gave. */
  readonly answer: (exchange: Exchange, endpoint: ServedEndpoint, result: unknown) => void;
}

const TOO_SLOW = new Refused(503, 'The operation took too long.');

/** Calls the operation, and answers with what it gives, now or later. */
export function perform(exchange: Exchange, operation: Operation, endpoint: ServedEndpoint, id: unknown, input: unknown): void {
  const request = new OperationRequest(exchange.request, exchange.response);
  let result: unknown;
  try {
    result = operation.run(endpoint, id, input, request);
    if (isThenable(result)) {
      answerLater(exchange, operation, endpoint, result, request);
      return;
    }
  } catch (thrown) {
    fail(exchange, operation, endpoint, thrown);
    return;
  }
  answer(exchange, operation, endpoint, result);
}

// By itself, so that what answers at once makes no closure, nor the scope of one.
function answerLater(
  exchange: Exchange,
  operation: Operation,
  endpoint: ServedEndpoint,
  promised: PromiseLike<unknown>,
  request: OperationRequest,
): void {
  wait(exchange, operation, endpoint, promised, (value) => answer(exchange, operation, endpoint, value), fail, request);
}

function answer(exchange: Exchange, operation: Operation, endpoint: ServedEndpoint, result: unknown): void {
  try {
    operation.answer(exchange, endpoint, result);
  } catch (thrown) {
    failToWrite(exchange, operation, endpoint, thrown);
  }
}

/**
 * Goes on with what is promised, or with `failWith` where that rejects. Answers by itself where it takes too long, and aborts
 * the request then.
 */
export function wait(
  exchange: Exchange,
  operation: Operation,
  endpoint: ServedEndpoint,
  promised: PromiseLike<unknown>,
  use: (value: unknown) => void,
  failWith: typeof fail,
  request?: OperationRequest,
): void {
  const promise = adopt(promised);
  const patience = patienceFor(exchange, operation, endpoint, request);
  promise.then((value) => {
    clearTimeout(patience);
    use(value);
  }).catch((thrown: unknown) => {
    clearTimeout(patience);
    failWith(exchange, operation, endpoint, thrown);
  });
}

/** Bounds how long an operation, or its decoder, is waited for. What it gives after that goes nowhere. */
function patienceFor(
  exchange: Exchange,
  operation: Operation,
  endpoint: ServedEndpoint,
  request: OperationRequest | undefined,
): NodeJS.Timeout | undefined {
  const { operationMs } = endpoint.settings.limits;
  if (operationMs === 0) return undefined;
  return setTimeout(() => {
    const reason = new DOMException(`the operation took longer than ${operationMs} ms`, 'TimeoutError');
    report(operation, endpoint, reason.message, reason);
    replyRefused(exchange, TOO_SLOW);
    request?.abort(reason);
    // A connection keeps the process alive; an operation that nobody waits for does not.
  }, operationMs).unref();
}

/** Answers for an operation that threw. */
export function fail(exchange: Exchange, operation: Operation, endpoint: ServedEndpoint, thrown: unknown): void {
  const error = ApiError.from(thrown, (failure) => endpoint.isNotFound(failure));
  answerFailure(exchange, operation, endpoint, thrown, error, operation.logsEveryFailure);
}

/**
 * Answers for a decoder or a codec that threw what is no refusal. An `ApiError` is what it says; anything else is the server's
 * failure, and `isNotFound` is not asked: a file that a decoder misses is not the item. The operation itself has not failed.
 */
export function failToDecode(exchange: Exchange, operation: Operation, endpoint: ServedEndpoint, thrown: unknown): void {
  answerFailure(exchange, operation, endpoint, thrown, ApiError.from(thrown, () => false), false);
}

/** A result that can not be sent is the server's failure, whatever its `toJSON` or codec threw. */
export function failToEncode(exchange: Exchange, operation: Operation, endpoint: ServedEndpoint, thrown: unknown): void {
  answerFailure(exchange, operation, endpoint, thrown, ApiError.internal(textOf(thrown), { cause: thrown }), true);
}

/** Logs and answers a failure; `error` is what the thing that was thrown comes to. */
function answerFailure(
  exchange: Exchange,
  operation: Operation,
  endpoint: ServedEndpoint,
  thrown: unknown,
  error: ApiError,
  isLogged: boolean,
): void {
  if (isLogged || error.kind === 'Internal') report(operation, endpoint, error.message, thrown);
  answerProblem(exchange, operation, endpoint, problemOfError(error, endpoint.settings.exposeInternalErrors));
}

/** Answers with a problem whose text may be the host's. */
export function answerProblem(exchange: Exchange, operation: Operation, endpoint: ServedEndpoint, problem: Problem): void {
  try {
    replyProblem(exchange, problem);
  } catch (thrown) {
    failToWrite(exchange, operation, endpoint, thrown);
  }
}

/** Answers for an answer that could not be written. */
function failToWrite(exchange: Exchange, operation: Operation, endpoint: ServedEndpoint, thrown: unknown): void {
  report(operation, endpoint, ApiError.internal(textOf(thrown)).message, thrown);
  replyUnwritten(exchange);
}

/** Tells the host's log of an operation; `cause` is what was thrown, or given. */
export function report(operation: Operation, endpoint: ServedEndpoint, displayText: string, cause: unknown): void {
  endpoint.settings.logger.error(new Error(`${operation.method} ${operation.pathIn(endpoint)}: ${shownText(displayText)}`, { cause }));
}
