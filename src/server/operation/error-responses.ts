/** Responds to the errors of a request, and logs them: errors of the user's functions, and rejections of the request itself. */
import { decodeError } from '../../endpoint/outputs.ts';
import { ApiError, toInternalError, toRejection, isApiError, replaceExtensions } from '../../errors/api-error.ts';
import { Rejection } from '../../errors/problem.ts';
import { formatError, isInstance, isThenable } from '../../util/promises.ts';
import type { Call } from './call.ts';
import type { Exchange } from '../exchange/exchange.ts';
import { logWithId, makeRequestError } from '../settings/logger.ts';

/** The step in which an error was thrown. It decides how the error is mapped and logged. */
export type Step = 'decode' | 'authenticate' | 'run' | 'respond';

/** Responds to the error of a step. */
export async function respondToError(call: Call, step: Step, thrown: unknown): Promise<void> {
  if (Rejection.is(thrown)) return call.reject(thrown);
  if (call.isAbort(thrown) && !call.exchange.isOpen) return;
  if (step === 'run') return respondToOperation(call, thrown);
  if (step === 'respond') return respondToUnsent(call, thrown);
  // If a decoder does not find a file, that does not mean that the item is missing.
  const error = step === 'authenticate' ? call.operation.endpoint.mapError(thrown) : toInternalError(thrown);
  // Not logged below 500: a caller could fill the log.
  sendError(call, error, thrown, '5xx');
}

/** Responds to the error of a stream that failed, or could not be closed. */
export function respondToStreamError(call: Call, thrown: unknown): void {
  const isClients = call.isClientError(thrown);
  // If the head is not sent yet, the stream can still reject the request, and so can the request's body, if the stream reads from it.
  if (call.exchange.isOpen && (isClients || isApiError(thrown))) void respondToError(call, 'run', thrown);
  else if (call.exchange.isOpen) respondToUnsent(call, thrown);
  else if (!isClients) call.logFailure(toInternalError(thrown).message, thrown);
}

/** Tells observers of an error that the operation has returned, and logs a 5xx. */
export function reportReturned(call: Call, rejection: Rejection | undefined): void {
  if (rejection === undefined) return;
  const { problem: { status, title, detail = title } } = rejection;
  if (status >= 500) call.logLine(detail, status);
  if (call.exchange.isOpen) call.exchange.observer?.reject(rejection);
}

/** Ends an exchange after a failure of the server itself. */
export function abandonRequest(exchange: Exchange, thrown: unknown): void {
  const { message } = ApiError.internal(formatError(thrown));
  logWithId(exchange.settings.logger, exchange, makeRequestError(exchange, 'a request', message, thrown));
  exchange.abandon();
}

/**
 * Responds to an operation that threw. If the operation declares the error, sends its properties as the decoder returns them, unless an
 * interceptor declares it. An error that does not match is logged, and keeps its status: the client must know what has happened.
 */
async function respondToOperation(call: Call, thrown: unknown): Promise<void> {
  const { operation: { endpoint, errors, kind } } = call;
  const error = explainError(call, endpoint.mapError(thrown));
  const isClients = call.isClientError(thrown);
  // The rejection of an interceptor, such as the 409 while the first request with a key runs: the operation has not failed.
  const isInterceptors = call.chain?.isDeclared(thrown, error.status) === true;
  const declared = isClients || isInterceptors ? undefined : errors.get(error.status);
  const rejection = toRejection(error);
  let sent = rejection;
  let isLogged = false;
  try {
    const decoded = declared ? decodeError(rejection, declared, { cause: thrown }) : rejection;
    sent = isThenable(decoded) ? await call.wait(decoded) : decoded;
  } catch (mismatch) {
    isLogged = true;
    call.logFailure(formatError(mismatch), mismatch);
    // Without the properties: they may be the columns of a row.
    sent = replaceExtensions(rejection, {}, '');
  }
  const isOperations = kind.logsEveryFailure === true && !isClients && !isInterceptors;
  sendRejection(call, sent, error, thrown, isLogged ? 'none' : isOperations ? 'all' : '5xx');
}

/** Adds to the `TypeError` of an operation that its function takes what only other frameworks pass: `(request, response)`, `({ user })`. */
function explainError({ operation }: Call, error: ApiError): ApiError {
  const { cause, kind } = error;
  if (kind !== 'Internal' || !isInstance(cause, TypeError)) return error;
  const [parameters = ''] = /^[^]*?\)(?=\s*(?:=>|\{))/.exec(operation.source) ?? [];
  const [, name = '', properties = ''] = /(?:,\s*(\w+)|\{([^{}]*)\})\s*\)$/.exec(parameters) ?? [];
  const hint = /^(?:res|response|reply)$/.test(name) ? 'an operation gets no response object: return the value, or reply(status, body)'
    : /\buser\b/.test(properties) ? 'request.context is the result of context. Only an interceptor can add request.user' : undefined;
  return hint === undefined ? error : ApiError.internal(`${formatError(cause)} (${hint})`, { cause });
}

/** Responds with 500 for a result that could not be sent. Once its head is written, only the connection can show that. */
function respondToUnsent(call: Call, thrown: unknown): void {
  if (call.exchange.isResponseBegun) call.abandon(thrown);
  else sendError(call, ApiError.internal(formatError(thrown), { cause: thrown }), thrown, 'all');
}

/** Which errors are logged: those of the server, those of clients too, or none, since a different message has it. */
type LoggedErrors = '5xx' | 'all' | 'none';

function sendError(call: Call, error: ApiError, thrown: unknown, logged: LoggedErrors): void {
  sendRejection(call, toRejection(error), error, thrown, logged);
}

function sendRejection(call: Call, rejection: Rejection, error: ApiError, thrown: unknown, logged: LoggedErrors): void {
  const { exchange } = call;
  const { status } = rejection.problem;
  // With a cause, `reject` logs it.
  if (rejection.cause === undefined && logged !== 'none') {
    if (status >= 500) call.logFailure(error.message, thrown, status);
    else if (logged === 'all') call.logLine(error.message, status);
  }
  if (exchange.isOpen) exchange.observer?.fail(thrown);
  call.reject(rejection);
}
