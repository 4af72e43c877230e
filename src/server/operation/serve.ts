/**
 * Serves a request from its matched route to the reply, for every kind of operation:
 *
 *   id text -> id; body -> bytes -> JSON -> value; operation; result -> text; reply
 *
 * After the body has arrived, all of it is synchronous unless a decoder or the operation returns a promise.
 */
import { answerOf, ApiError, NOT_FOUND_TEXT, textOf } from '../../errors/api-error.ts';
import { DecodeFailure } from '../../errors/decode-failure.ts';
import { shownText, type ErrorAnswer } from '../../errors/problem.ts';
import { adopt, isThenable } from '../../errors/thenable.ts';
import { ErrorResponse } from '../../http/error-response.ts';
import { endFailedReply, replyError } from '../connection/error-reply.ts';
import type { Exchange } from '../connection/exchange.ts';
import { replyCreated, replyJson, replyNoContent } from '../connection/reply.ts';
import { ignoreBody, readBody, type Body } from './body.ts';
import { OperationRequest } from './operation-request.ts';
import type { Operation } from './served-endpoint.ts';

const NO_ITEM = new ErrorResponse(404, NOT_FOUND_TEXT);
const TIMEOUT = new ErrorResponse(503, 'The operation took too long.');
const MAX_SHOWN = 100;

/** Replies to a request for an operation. `segment` is the text in place of `:id`, as it was sent. */
export function serve(operation: Operation, exchange: Exchange, segment: string): void {
  Call.serve(operation, exchange, segment);
}

/** One call of an operation. The operation gets this object as its `request`, so all other members are private. */
class Call extends OperationRequest {
  readonly #operation: Operation;
  readonly #exchange: Exchange;
  #id: unknown;

  private constructor(operation: Operation, exchange: Exchange) {
    super(exchange.request, exchange.response);
    this.#operation = operation;
    this.#exchange = exchange;
  }

  static serve(operation: Operation, exchange: Exchange, segment: string): void {
    const { kind, endpoint: { settings } } = operation;
    const call = new Call(operation, exchange);
    if (kind.suffix === '/:id' && !call.#parseId(segment)) return;
    if (kind.decoder === undefined) {
      ignoreBody(exchange);
      call.#invoke(undefined);
    } else {
      readBody(exchange, settings, (body) => call.#receive(body));
    }
  }

  /** Parses the id. If the text is no id or the codec fails, replies and returns `false`. */
  #parseId(segment: string): boolean {
    try {
      const id = this.#operation.endpoint.parseId(segment);
      // An id can be a proxy, for which `instanceof` may throw.
      if (!(id instanceof DecodeFailure)) {
        this.#id = id;
        return true;
      }
      this.#replyError(id);
    } catch (thrown) {
      this.#replyDecoderError(thrown);
    }
    return false;
  }

  #receive(body: Body): void {
    if (body instanceof ErrorResponse) this.#replyError(body);
    else if (body instanceof Error) this.#replyInternalError(body);
    else this.#decode(body);
  }

  #decode(bytes: Buffer): void {
    try {
      const value = this.#operation.decode(bytes);
      if (isThenable(value)) this.#settle(value, (decoded) => this.#accept(decoded), (thrown) => this.#replyDecoderError(thrown));
      else this.#accept(value);
    } catch (thrown) {
      this.#replyDecoderError(thrown);
    }
  }

  #accept(value: unknown): void {
    if (value instanceof DecodeFailure) this.#replyError(value);
    // The operation is not invoked after the decoder's timeout, nor when the client has left meanwhile.
    else if (this.#exchange.isOpen) this.#invoke(value);
  }

  #invoke(input: unknown): void {
    try {
      const result = this.#operation.run(this.#id, input, this);
      if (isThenable(result)) this.#settle(result, (value) => this.#encode(value), (thrown) => this.#replyOperationError(thrown));
      else this.#encode(result);
    } catch (thrown) {
      this.#replyOperationError(thrown);
    }
  }

  /** Waits for the promise of a decoder or an operation. Replies 503 after `operationMs`; later replies then do nothing. */
  #settle(promised: PromiseLike<unknown>, onValue: (value: unknown) => void, onError: (thrown: unknown) => void): void {
    const promise = adopt(promised);
    const { operationMs } = this.#operation.endpoint.settings.limits;
    // The timer need not keep the process alive, since the connection does.
    const timeout = operationMs === 0 ? undefined : setTimeout(() => this.#timeOut(operationMs), operationMs).unref();
    promise.then((value) => {
      clearTimeout(timeout);
      onValue(value);
    }).catch((thrown: unknown) => {
      clearTimeout(timeout);
      onError(thrown);
    });
  }

  #timeOut(operationMs: number): void {
    const reason = new DOMException(`the operation took longer than ${operationMs} ms`, 'TimeoutError');
    this.#log(reason.message, reason);
    this.#replyError(TIMEOUT);
    this.abort(reason);
  }

  #encode(result: unknown): void {
    const { kind, endpoint } = this.#operation;
    if (kind.mayFindNothing && result === undefined) {
      this.#replyError(NO_ITEM);
      return;
    }
    let text: string;
    let location: string | undefined;
    try {
      text = this.#operation.encode(result);
      if (kind.answer === 'id') location = endpoint.locationOf(text);
    } catch (thrown) {
      this.#replyInternalError(thrown);
      return;
    }
    if (kind.answer === 'id' && location === undefined) {
      this.#log(`no Location, since no path can carry the id ${JSON.stringify(text.slice(0, MAX_SHOWN))}`, result);
    }
    this.#reply(text, location);
  }

  #reply(text: string, location: string | undefined): void {
    const { answer } = this.#operation.kind;
    try {
      if (answer === 'json') replyJson(this.#exchange, text);
      else if (answer === 'id') replyCreated(this.#exchange, text, location);
      else replyNoContent(this.#exchange);
    } catch (thrown) {
      this.#endFailedReply(thrown);
    }
  }

  #replyOperationError(thrown: unknown): void {
    const { kind, endpoint } = this.#operation;
    this.#replyApiError(endpoint.errorFrom(thrown), thrown, kind.logsEveryFailure === true);
  }

  /** Replies for a decoder or a codec that failed. `isNotFound` is not called: a file that a decoder lacks is not the item. */
  #replyDecoderError(thrown: unknown): void {
    this.#replyApiError(ApiError.from(thrown, () => false), thrown, false);
  }

  /** Replies 500: a result cannot be sent, or other code has read the body. */
  #replyInternalError(thrown: unknown): void {
    this.#replyApiError(ApiError.internal(textOf(thrown), { cause: thrown }), thrown, true);
  }

  #replyApiError(error: ApiError, thrown: unknown, isLogged: boolean): void {
    const answer = answerOf(error, this.#operation.endpoint.settings.exposeInternalErrors);
    if (isLogged || answer.problem.status >= 500) this.#log(error.message, thrown);
    this.#replyError(answer);
  }

  #replyError(answer: ErrorAnswer): void {
    try {
      replyError(this.#exchange, answer, this.#operation.endpoint.settings.formatProblem);
    } catch (thrown) {
      // The host's text can be too long. The host can also have replaced methods of the response.
      this.#endFailedReply(thrown);
    }
  }

  #endFailedReply(thrown: unknown): void {
    this.#log(ApiError.internal(textOf(thrown)).message, thrown);
    endFailedReply(this.#exchange, this.#operation.endpoint.settings.formatProblem);
  }

  #log(displayText: string, cause: unknown): void {
    const { routeText, endpoint: { settings } } = this.#operation;
    settings.logger.error(new Error(`${routeText}: ${shownText(displayText)}`, { cause }));
  }
}
