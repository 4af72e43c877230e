/**
 * The way of a request from its matched route to the reply, for every kind of operation:
 *
 *   parameters and id; context; query; body -> bytes -> JSON -> value; operation; result -> text; reply
 *
 * All of it is synchronous unless a decoder or the operation returns a promise.
 */
import { answerOf, ApiError, NOT_FOUND_TEXT, textOf } from '../../errors/api-error.ts';
import { DecodeFailure } from '../../errors/decode-failure.ts';
import { shownText, type ErrorAnswer } from '../../errors/problem.ts';
import { adopt, isThenable } from '../../errors/thenable.ts';
import { ErrorResponse } from '../../http/error-response.ts';
import { replyError, replyUnwritten } from '../connection/error-reply.ts';
import type { Exchange } from '../connection/exchange.ts';
import { replyCreated, replyEmpty, replyJson, replyNoContent } from '../connection/reply.ts';
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

/** One call of an operation. The operation gets this object as its request, so all other members are private. */
class Call extends OperationRequest {
  readonly #operation: Operation;
  readonly #exchange: Exchange;

  private constructor(operation: Operation, exchange: Exchange) {
    super(exchange.request, exchange.response);
    this.#operation = operation;
    this.#exchange = exchange;
  }

  static serve(operation: Operation, exchange: Exchange, segment: string): void {
    const call = new Call(operation, exchange);
    if (operation.isOnItem && !call.#parseId(segment)) return;
    if (operation.endpoint.hasContext) call.#askContext();
    else call.#readQuery();
  }

  /** Parses the id. Returns `false` if it has replied, because the text is no id or the codec failed. */
  #parseId(segment: string): boolean {
    try {
      const id = this.#operation.endpoint.id?.parse(segment);
      // An id can be a proxy, for which `instanceof` may throw.
      if (!(id instanceof DecodeFailure)) {
        this.itemId = id;
        return true;
      }
      this.#replyError(id);
    } catch (thrown) {
      this.#replyDecoderError(thrown);
    }
    return false;
  }

  /** Asks the host who is calling. Nothing of the body is read before that. */
  #askContext(): void {
    this.#exchange.isPrivate = true;
    this.#prepare(() => this.#operation.endpoint.askContext(this), (context) => {
      this.context = context;
      this.#readQuery();
    });
  }

  #readQuery(): void {
    if (!this.#operation.takesQuery) {
      this.#readBody();
      return;
    }
    this.#prepare(() => this.#operation.decodeQuery(this.queryText), (query) => {
      this.query = query;
      this.#readBody();
    });
  }

  #readBody(): void {
    if (this.#operation.takesBody) {
      readBody(this.#exchange, this.#operation, (body) => this.#receive(body));
    } else {
      ignoreBody(this.#exchange);
      this.#invoke(undefined);
    }
  }

  /** Takes a step before the operation, and goes on with its value unless the step fails. */
  #prepare(step: () => unknown, next: (value: unknown) => void): void {
    try {
      const value = step();
      if (isThenable(value)) this.#settle(value, (settled) => this.#accept(settled, next), (thrown) => this.#replyDecoderError(thrown));
      else this.#accept(value, next);
    } catch (thrown) {
      this.#replyDecoderError(thrown);
    }
  }

  #receive(body: Body): void {
    if (body instanceof ErrorResponse) this.#replyError(body);
    else if (body instanceof Error) this.#replyInternalError(body);
    else this.#decode(body);
  }

  #decode(bytes: Buffer): void {
    this.#prepare(() => this.#operation.decode(bytes), (value) => this.#invoke(value));
  }

  #accept(value: unknown, next: (value: unknown) => void): void {
    if (value instanceof DecodeFailure) this.#replyError(value);
    // After a timeout the reply is given, and the operation is not invoked.
    else if (this.#exchange.isOpen) next(value);
  }

  #invoke(input: unknown): void {
    try {
      const result = this.#operation.run(this.itemId, input, this);
      if (isThenable(result)) this.#settle(result, (value) => this.#finish(value), (thrown) => this.#replyOperationError(thrown));
      else this.#finish(result);
    } catch (thrown) {
      this.#replyOperationError(thrown);
    }
  }

  /** Waits for a promise. Replies 503 if it takes too long; replies that come after that do nothing. */
  #settle(promised: PromiseLike<unknown>, onValue: (value: unknown) => void, onError: (thrown: unknown) => void): void {
    const promise = adopt(promised);
    const { operationMs } = this.#operation;
    // The timer alone does not keep the process alive: an open connection does.
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

  #finish(result: unknown): void {
    const { kind } = this.#operation;
    if (kind.mayFindNothing && result === undefined) this.#replyError(NO_ITEM);
    else if (kind.answer === 'json' && this.#operation.hasOutput(kind.status)) this.#output(kind.status, result);
    else this.#encode(result);
  }

  /** Lets the host's `output` check and change a result before it is encoded. */
  #output(status: number, result: unknown): void {
    const accept = (value: unknown): void => {
      if (value instanceof DecodeFailure) this.#replyInternalError(new TypeError(`the result is not what output says: ${value.detail}`));
      else this.#encode(value);
    };
    try {
      const value = this.#operation.output(status, result);
      if (isThenable(value)) this.#settle(value, accept, (thrown) => this.#replyInternalError(thrown));
      else accept(value);
    } catch (thrown) {
      this.#replyInternalError(thrown);
    }
  }

  #encode(result: unknown): void {
    const { kind, endpoint } = this.#operation;
    let text: string;
    let location: string | undefined;
    try {
      text = this.#operation.encode(result);
      if (kind.answer === 'id' && !endpoint.isSingleton) location = endpoint.locationOf(text);
    } catch (thrown) {
      this.#replyInternalError(thrown);
      return;
    }
    if (kind.answer === 'id' && !endpoint.isSingleton && location === undefined) {
      this.#log(`no Location, since no path can carry the id ${JSON.stringify(text.slice(0, MAX_SHOWN))}`, result);
    }
    this.#reply(text, location);
  }

  #reply(text: string, location: string | undefined): void {
    const { kind: { answer, status }, endpoint } = this.#operation;
    try {
      if (answer === 'id' && endpoint.isSingleton) replyEmpty(this.#exchange, status);
      else if (answer === 'json') replyJson(this.#exchange, status, text);
      else if (answer === 'id') replyCreated(this.#exchange, text, location);
      else replyNoContent(this.#exchange);
    } catch (thrown) {
      this.#replyUnwritten(thrown);
    }
  }

  /** Replies for an operation that threw. */
  #replyOperationError(thrown: unknown): void {
    const { kind, endpoint } = this.#operation;
    this.#replyApiError(endpoint.errorFrom(thrown), thrown, kind.logsEveryFailure === true);
  }

  /**
   * Replies for a decoder or a codec that failed. An `ApiError` keeps its kind. `isNotFound` is not asked: a file that a decoder
   * does not find is not the item.
   */
  #replyDecoderError(thrown: unknown): void {
    this.#replyApiError(ApiError.from(thrown, () => false), thrown, false);
  }

  /** Replies 500, whatever was thrown: a result cannot be sent, or other code has read the body. */
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
      // A problem's text can be the host's, and too long. The host can also have replaced methods of the response.
      this.#replyUnwritten(thrown);
    }
  }

  /** Ends an exchange whose reply could not be written, or only in part. */
  #replyUnwritten(thrown: unknown): void {
    this.#log(ApiError.internal(textOf(thrown)).message, thrown);
    replyUnwritten(this.#exchange, this.#operation.endpoint.settings.formatProblem);
  }

  #log(displayText: string, cause: unknown): void {
    const { routeText, endpoint: { settings } } = this.#operation;
    settings.logger.error(new Error(`${routeText}: ${shownText(displayText)}`, { cause }));
  }
}
