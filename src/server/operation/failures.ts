/** Replies for what fails in a call of an operation, and logs it. */
import { answerOf, ApiError } from '../../errors/api-error.ts';
import { type ErrorAnswer, errorAnswer } from '../../errors/problem.ts';
import { shownText, textOf } from '../../errors/thrown.ts';
import type { Exchange } from '../connection/exchange.ts';
import { endFailedReply, replyError } from '../reply/error-reply.ts';
import { failureOf } from '../settings/logger.ts';
import type { Operation } from './served-endpoint.ts';

const TIMEOUT = errorAnswer(503, 'The operation took too long.');

export class Failures {
  readonly #operation: Operation;
  readonly #exchange: Exchange;

  constructor(operation: Operation, exchange: Exchange) {
    this.#operation = operation;
    this.#exchange = exchange;
  }

  /** Replies for an operation that threw. */
  replyOperationError(thrown: unknown): void {
    const { kind, endpoint } = this.#operation;
    this.#replyApiError(endpoint.errorFrom(thrown), thrown, kind.logsEveryFailure === true);
  }

  /**
   * Replies for a context, a decoder or a codec that failed. An `ApiError` keeps its kind. `isNotFound` is not asked: a file that a
   * decoder does not find is not the item.
   */
  replyDecoderError(thrown: unknown): void {
    this.#replyApiError(ApiError.from(thrown, () => false), thrown, false);
  }

  /** Replies 500, whatever was thrown: a result cannot be sent, or other code has read the body. */
  replyInternalError(thrown: unknown): void {
    this.#replyApiError(ApiError.internal(textOf(thrown), { cause: thrown }), thrown, true);
  }

  /** Replies 503 for an operation that takes too long. Returns the reason for which its `signal` aborts. */
  replyTimeout(operationMs: number): Error {
    const reason = new DOMException(`the operation took longer than ${operationMs} ms`, 'TimeoutError');
    this.log(reason.message, reason);
    this.#exchange.observer?.fail(reason);
    this.reply(TIMEOUT);
    return reason;
  }

  /** Replies with an error. */
  reply(answer: ErrorAnswer): void {
    try {
      replyError(this.#exchange, answer, this.#operation.endpoint.settings.formatProblem);
    } catch (thrown) {
      // A problem's text can be the host's, and too long. The host can also have replaced methods of the response.
      this.endFailedReply(thrown);
    }
  }

  /** Ends an exchange whose reply could not be written, or only in part. */
  endFailedReply(thrown: unknown): void {
    this.log(ApiError.internal(textOf(thrown)).message, thrown);
    if (!this.#exchange.response.writableEnded) this.#exchange.observer?.fail(thrown);
    endFailedReply(this.#exchange, this.#operation.endpoint.settings.formatProblem);
  }

  /** Logs what failed, with the route. */
  log(displayText: string, cause: unknown): void {
    const { route: { method, path }, endpoint: { settings } } = this.#operation;
    settings.logger.error(failureOf(this.#exchange.request, `${method} ${path}`, shownText(displayText), cause));
  }

  #replyApiError(error: ApiError, thrown: unknown, isLogged: boolean): void {
    const answer = answerOf(error, this.#operation.endpoint.settings.exposeInternalErrors);
    if (isLogged || answer.problem.status >= 500) this.log(error.message, thrown);
    if (this.#exchange.isOpen) this.#exchange.observer?.fail(thrown);
    this.reply(answer);
  }
}
