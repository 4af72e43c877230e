/**
 * Calls a host's function, and sees to it that there is one answer: what the function gives now or later, what it
 * throws, or that it took too long.
 */
import { ApiError, textOf, type NotFoundPredicate } from '../errors/api-error.ts';
import { problemOfError } from '../errors/problem.ts';
import { isThenable } from './decoder.ts';
import type { Exchange } from './exchange.ts';
import type { Settings } from './options.ts';
import { Refused } from './refused.ts';
import { replyProblem, replyRefused } from './reply.ts';
import { OperationRequest, type ApiRequest } from './request.ts';

/** An operation behind its route. */
export interface Operation {
  /** Method and pattern, for the log. */
  readonly route: string;
  /** Whether every failure is logged, and not only the server's own (a Custom operation's is). */
  readonly logsEveryFailure: boolean;
  readonly isNotFound: NotFoundPredicate;
  readonly settings: Settings;
  /** Calls the host's function with those of its arguments that it has. */
  readonly run: (id: unknown, input: unknown, request: ApiRequest) => unknown;
  /** Answers with what that gave. */
  readonly answer: (exchange: Exchange, operation: Operation, result: unknown) => void;
}

const TOO_SLOW = new Refused(503, 'The operation took too long.');

/** Calls the operation, and answers with what it gives, now or later. */
export function perform(exchange: Exchange, operation: Operation, id: unknown, input: unknown): void {
  const request = new OperationRequest(exchange.request, exchange.response);
  let result: unknown;
  try {
    result = operation.run(id, input, request);
    if (isThenable(result)) {
      wait(exchange, operation, result, (value) => operation.answer(exchange, operation, value), request);
      return;
    }
  } catch (thrown) {
    fail(exchange, operation, thrown);
    return;
  }
  operation.answer(exchange, operation, result);
}

/** Goes on with what is promised. Answers by itself where that fails or takes too long, and aborts the request then. */
export function wait(
  exchange: Exchange,
  operation: Operation,
  promised: PromiseLike<unknown>,
  use: (value: unknown) => void,
  request?: OperationRequest,
): void {
  // What is no promise of the language's own may settle twice, throw, or give another promise: this one can not.
  const promise = Promise.resolve(promised);
  const patience = patienceFor(exchange, operation, request);
  promise.then((value) => {
    clearTimeout(patience);
    use(value);
  }).catch((thrown: unknown) => {
    clearTimeout(patience);
    fail(exchange, operation, thrown);
  });
}

/** Bounds how long an operation, or its decoder, is waited for. What it gives after that goes nowhere. */
function patienceFor(
  exchange: Exchange,
  operation: Operation,
  request: OperationRequest | undefined,
): NodeJS.Timeout | undefined {
  const { operationMs } = operation.settings.limits;
  if (operationMs === 0) return undefined;
  return setTimeout(() => {
    const reason = new DOMException(`the operation took longer than ${operationMs} ms`, 'TimeoutError');
    log(operation, reason.message, reason);
    replyRefused(exchange, TOO_SLOW);
    request?.abort(reason);
    // A connection keeps the process alive; an operation that nobody waits for does not.
  }, operationMs).unref();
}

/** Answers for an operation, or a schema, that threw; `error` is what that comes to. */
export function fail(
  exchange: Exchange,
  operation: Operation,
  thrown: unknown,
  error: ApiError = ApiError.from(thrown, operation.isNotFound),
): void {
  if (operation.logsEveryFailure || error.kind === 'Internal') log(operation, error.message, thrown);
  replyProblem(exchange, problemOfError(error, operation.settings.exposeInternalErrors));
}

/** A result that can not be sent is the server's failure, whatever its `toJSON` or codec threw. */
export function failToEncode(exchange: Exchange, operation: Operation, thrown: unknown): void {
  fail(exchange, operation, thrown, ApiError.internal(textOf(thrown), { cause: thrown }));
}

function log({ route, settings }: Operation, displayText: string, cause: unknown): void {
  settings.logger.error(new Error(`${route}: ${displayText}`, { cause }));
}
