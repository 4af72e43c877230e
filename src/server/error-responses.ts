/** Responds to the errors of a request, and logs them: errors of the user's functions, and rejections of the request itself. */
import { decodeOutput } from '../endpoint/outputs.ts';
import { toRejection, ApiError, isApiError } from '../errors/api-error.ts';
import { Rejection, createRejection } from '../errors/problem.ts';
import { isThenable, shortenString, formatError } from '../util/promises.ts';
import type { Call } from './call.ts';
import { makeRequestError } from './logger.ts';

/** The step in which an error was thrown. It decides how the error is mapped and logged. */
export type Step = 'decode' | 'authenticate' | 'run' | 'respond';

const TIMEOUT = createRejection(503, 'The operation took too long.');

/** Responds to the error of a step. */
export async function respondToError(call: Call, step: Step, thrown: unknown): Promise<void> {
  if (Rejection.is(thrown)) return reject(call, thrown);
  if (step === 'run') return respondToOperation(call, thrown);
  if (step === 'respond') return respondToUnsent(call, thrown);
  const error = step === 'authenticate' ? call.operation.endpoint.mapError(thrown) : ApiError.from(thrown, isNeverNotFound);
  // Not logged below 500: a caller could fill the log.
  sendError(call, error, thrown, false);
}

/** For errors outside of the operation: if a decoder does not find a file, that does not mean that the item is missing. */
const isNeverNotFound = (): boolean => false;

/** Responds to the error of a stream that failed, or could not be closed. */
export function respondToStreamError(call: Call, thrown: unknown): void {
  const isClients = call.isClientError(thrown);
  // If the head is not sent yet, the stream can still reject the request, and so can the request's body, if the stream reads from it.
  if (call.exchange.isOpen && (isClients || isApiError(thrown))) void respondToError(call, 'run', thrown);
  else if (call.exchange.isOpen) respondToUnsent(call, thrown);
  else if (!isClients) logFailure(call, ApiError.from(thrown, isNeverNotFound).message, thrown);
}

/** Responds with 503 for an operation that takes too long. Returns the reason for which its `signal` aborts. */
export function respondTimeout(call: Call): Error {
  const reason = new DOMException(`the operation took longer than ${call.operation.operationMs} ms`, 'TimeoutError');
  logFailure(call, reason.message, reason, true);
  call.exchange.observer?.fail(reason);
  reject(call, TIMEOUT);
  return reason;
}

/** Tells observers of an error that the operation has returned, and logs a 5xx. */
export function reportReturned(call: Call, rejection: Rejection | undefined): void {
  if (rejection === undefined) return;
  const { problem: { status, title, detail = title } } = rejection;
  if (status >= 500) logFailure(call, detail, ApiError.wrap(rejection), true);
  if (call.exchange.isOpen) call.exchange.observer?.reject(rejection);
}

/** Rejects a request. */
export function reject(call: Call, rejection: Rejection): void {
  if (rejection.cause !== undefined) logFailure(call, `a decoder failed: ${formatError(rejection.cause)}`, rejection.cause);
  try {
    call.exchange.sendError(rejection);
  } catch (thrown) {
    // The user's message can be too long, and the user's code can have replaced methods of the response.
    abandon(call, thrown);
  }
}

/** Logs a failure, with the route. `isBrief`: in one line. */
export function logFailure({ operation, exchange }: Call, message: string, cause: unknown, isBrief = false): void {
  const { method, path } = operation.route;
  exchange.settings.logger.error(makeRequestError(exchange.request, `${method} ${path}`, shortenString(message), cause, isBrief));
}

/** Ends an exchange after its response could not be written, or only in part. */
export function abandon(call: Call, thrown: unknown): void {
  const { exchange } = call;
  logFailure(call, ApiError.internal(formatError(thrown)).message, thrown);
  if (!exchange.response.writableEnded) exchange.observer?.fail(thrown);
  exchange.abandon();
}

/** Responds to an operation that threw. If the operation declares the error, checks its properties, unless an interceptor declares it. */
async function respondToOperation(call: Call, thrown: unknown): Promise<void> {
  const { operation: { endpoint, errors, kind } } = call;
  const error = endpoint.mapError(thrown);
  const isClients = call.isClientError(thrown);
  const decode = isClients || call.chain?.isDeclared(thrown, error.status) === true ? undefined : errors.get(error.status);
  try {
    if (decode !== undefined) {
      const message = `the error does not match errors.${error.status}`;
      const decoded = decodeOutput(decode, error.extensions, message, { cause: thrown });
      if (isThenable(decoded)) await call.wait(decoded);
    }
    sendError(call, error, thrown, kind.logsEveryFailure === true && !isClients);
  } catch (undeclared) {
    respondToUnsent(call, undeclared);
  }
}

/** Responds with 500 for a result that could not be sent. Once its head is written, only the connection can show that. */
function respondToUnsent(call: Call, thrown: unknown): void {
  if (call.exchange.isResponseBegun) abandon(call, thrown);
  else sendError(call, ApiError.internal(formatError(thrown), { cause: thrown }), thrown, true);
}

function sendError(call: Call, error: ApiError, thrown: unknown, logsClientErrors: boolean): void {
  const { exchange } = call;
  const rejection = toRejection(error, exchange.settings.exposeInternalErrors);
  const isServers = rejection.problem.status >= 500;
  // With a cause, `reject` logs it.
  if (rejection.cause === undefined && (logsClientErrors || isServers)) logFailure(call, error.message, thrown, !isServers);
  if (exchange.isOpen) exchange.observer?.fail(thrown);
  reject(call, rejection);
}
