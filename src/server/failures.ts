/** Replies to and logs the failures of an operation: its own, and those of its context, decoders and output. */
import type { Operation } from '../endpoint/operation.ts';
import { answerOf, ApiError } from '../errors/api-error.ts';
import { errorAnswer, type ErrorAnswer } from '../errors/problem.ts';
import { shownText, textOf } from '../util/promises.ts';
import type { Exchange } from './connection/exchange.ts';
import { requestFailure } from './logger.ts';

const TIMEOUT = errorAnswer(503, 'The operation took too long.');

export class Failures {
  readonly #operation: Operation;
  readonly #exchange: Exchange;

  constructor(operation: Operation, exchange: Exchange) {
    this.#operation = operation;
    this.#exchange = exchange;
  }

  /** The error that an operation or a context has thrown, as the host maps it. */
  errorOf(thrown: unknown): ApiError {
    return this.#operation.endpoint.errorFrom(thrown);
  }

  /** Replies for an operation that threw. `isClients`: the client has caused it, and could fill the log. */
  replyToOperation(error: ApiError, thrown: unknown, isClients: boolean): void {
    this.#reply(error, thrown, this.#operation.kind.logsEveryFailure === true && !isClients);
  }

  /**
   * Replies for a question that the host failed to answer, or refused: who calls, or which version an item has. A caller could fill the
   * log with refusals.
   */
  replyToQuestion(thrown: unknown): void {
    this.#reply(this.errorOf(thrown), thrown, false);
  }

  /**
   * Replies for a decoder or a codec that failed. An `ApiError` keeps its kind. `isNotFound` is not asked: a file that a
   * decoder does not find is not the item.
   */
  replyToDecoder(thrown: unknown): void {
    this.#reply(ApiError.from(thrown, () => false), thrown, false);
  }

  /** Replies 500, whatever was thrown. */
  replyInternal(thrown: unknown): void {
    this.#reply(ApiError.internal(textOf(thrown), { cause: thrown }), thrown, true);
  }

  /** Replies for a result that could not be sent. Before its head is written, another reply can be sent. */
  replyToUnsent(thrown: unknown): void {
    if (this.#exchange.isReplyBegun) this.#abandon(thrown);
    else this.replyInternal(thrown);
  }

  /** Replies for a stream that failed, or could not be closed. Before the head of the reply is written, another reply can be sent. */
  replyToStream(thrown: unknown): void {
    if (this.#exchange.isOpen) this.replyToUnsent(thrown);
    else this.log(ApiError.from(thrown, () => false).message, thrown);
  }

  /** Replies 503 for an operation that takes too long. Returns the reason for which its `signal` aborts. */
  replyTimeout(): Error {
    const reason = new DOMException(`the operation took longer than ${this.#operation.operationMs} ms`, 'TimeoutError');
    this.log(reason.message, reason, true);
    this.#exchange.observer?.fail(reason);
    this.refuse(TIMEOUT);
    return reason;
  }

  /** Replies with an error. */
  refuse(answer: ErrorAnswer): void {
    if (answer.cause !== undefined) this.log(`a decoder failed: ${textOf(answer.cause)}`, answer.cause);
    try {
      this.#exchange.sendError(answer);
    } catch (thrown) {
      // A problem's text can be the host's, and too long. The host can also have replaced methods of the response.
      this.#abandon(thrown);
    }
  }

  /** Logs a failure, with the route. `isBrief`: in one line. */
  log(displayText: string, cause: unknown, isBrief = false): void {
    const { method, path } = this.#operation.route;
    this.#exchange.settings.logger.error(requestFailure(this.#exchange.request, `${method} ${path}`, shownText(displayText), cause, isBrief));
  }

  #reply(error: ApiError, thrown: unknown, isLogged: boolean): void {
    const answer = answerOf(error, this.#exchange.settings.exposeInternalErrors);
    const isServers = answer.problem.status >= 500;
    if (answer.cause === undefined && (isLogged || isServers)) this.log(error.message, thrown, !isServers);
    if (this.#exchange.isOpen) this.#exchange.observer?.fail(thrown);
    this.refuse(answer);
  }

  /** Ends an exchange whose reply could not be written, or only in part. */
  #abandon(thrown: unknown): void {
    this.log(ApiError.internal(textOf(thrown)).message, thrown);
    if (!this.#exchange.response.writableEnded) this.#exchange.observer?.fail(thrown);
    this.#exchange.abandon();
  }
}
