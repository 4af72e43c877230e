/**
 * Serves a request from its matched route to the reply, for every kind of operation:
 *
 *   parameters and id; context; query; body -> bytes -> JSON -> value; operation; result -> text; reply
 *
 * After the body has arrived, all of it is synchronous unless a decoder or the operation returns a promise.
 */
import { type Content, GivenReply } from '../../endpoint/reply.ts';
import type { Route } from '../../endpoint/routes.ts';
import { isApiError, NOT_FOUND_TEXT } from '../../errors/api-error.ts';
import { ErrorAnswer, errorAnswer } from '../../errors/problem.ts';
import { adopt, isThenable } from '../../errors/thrown.ts';
import { segmentEnd } from '../../router/pattern.ts';
import type { Exchange } from '../connection/exchange.ts';
import { BodyStream } from './body-stream.ts';
import { limitBodyTime } from './body-timeout.ts';
import { type Body, ignoreBody, readBody } from './body.ts';
import { Failures } from './failures.ts';
import { OperationRequest } from './operation-request.ts';
import { sendReply } from './send-reply.ts';
import { sendResult } from './send-result.ts';
import type { Operation } from './served-endpoint.ts';

const NO_ITEM = errorAnswer(404, NOT_FOUND_TEXT);

/** Replies to a request for an operation. `path` is the path of the request, as it was sent. */
export function serve(operation: Operation, exchange: Exchange, path: string): void {
  Call.serve(operation, exchange, path);
}

/** One call of an operation. The operation gets this object as its `request`, so all other members are private. */
class Call extends OperationRequest {
  readonly #operation: Operation;
  readonly #exchange: Exchange;
  readonly #path: string;

  private constructor(operation: Operation, exchange: Exchange, path: string) {
    super(exchange.request, exchange.response);
    this.#operation = operation;
    this.#exchange = exchange;
    this.#path = path;
  }

  static serve(operation: Operation, exchange: Exchange, path: string): void {
    const call = new Call(operation, exchange, path);
    if (operation.parameters.length > 0 && !call.#parsePath()) return;
    if (operation.endpoint.hasContext) call.#askContext();
    else call.#readQuery();
  }

  /** Parses the parameters in the path. If a text is none or its codec fails, replies and returns `false`. */
  #parsePath(): boolean {
    try {
      let end = 0;
      for (const { gap, name, codec } of this.#operation.parameters) {
        const start = end + gap;
        end = segmentEnd(this.#path, start);
        const value = codec.parse(this.#path.slice(start, end));
        // An id can be a proxy, for which `instanceof` may throw.
        if (value instanceof ErrorAnswer) {
          this.#failures.reply(value);
          return false;
        }
        if (name === undefined) this.itemId = value;
        else this.setParam(name, value);
      }
      return true;
    } catch (thrown) {
      this.#failures.replyDecoderError(thrown);
      return false;
    }
  }

  /** Asks the host who is calling. Nothing of the body is read before that. */
  #askContext(): void {
    this.#exchange.isPrivate = true;
    this.#prepare(() => this.#operation.endpoint.askContext(this), (context) => {
      this.context = context;
      // It was to be thrown. To go on would let the caller in.
      if (isApiError(context)) this.#failures.replyDecoderError(context);
      else this.#readQuery();
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
    limitBodyTime(this.#exchange, this.#operation);
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
      if (isThenable(value)) this.#settle(value, (settled) => this.#accept(settled, next), (thrown) => this.#failures.replyDecoderError(thrown));
      else this.#accept(value, next);
    } catch (thrown) {
      this.#failures.replyDecoderError(thrown);
    }
  }

  #receive(body: Body): void {
    if (body instanceof ErrorAnswer) this.#failures.reply(body);
    else if (body instanceof Error) this.#failures.replyInternalError(body);
    else if (body instanceof BodyStream) this.#invoke(body);
    else this.#prepare(() => this.#operation.decode(body), (value) => this.#invoke(value));
  }

  #accept(value: unknown, next: (value: unknown) => void): void {
    if (value instanceof ErrorAnswer) this.#failures.reply(value);
    // After a timeout the reply is given, and the operation is not invoked.
    else if (this.#exchange.isOpen) next(value);
  }

  #invoke(input: unknown): void {
    try {
      const result = this.#operation.run(this.itemId, input, this);
      if (isThenable(result)) this.#settle(result, (value) => this.#finish(value), (thrown) => this.#failures.replyOperationError(thrown));
      else this.#finish(result);
    } catch (thrown) {
      this.#failures.replyOperationError(thrown);
    }
  }

  /** Waits for the promise of a decoder or an operation. Replies 503 after `operationMs`; later replies then do nothing. */
  #settle(promised: PromiseLike<unknown>, onValue: (value: unknown) => void, onError: (thrown: unknown) => void): void {
    const promise = adopt(promised);
    const { operationMs } = this.#operation;
    // The timer alone does not keep the process alive: an open connection does.
    const timeout = operationMs === 0 ? undefined : setTimeout(() => this.abort(this.#failures.replyTimeout(operationMs)), operationMs).unref();
    promise.then((value) => {
      clearTimeout(timeout);
      onValue(value);
    }).catch((thrown: unknown) => {
      clearTimeout(timeout);
      onError(thrown);
    });
  }

  #finish(result: unknown): void {
    const { kind } = this.#operation;
    if (GivenReply.is(result)) this.#sendReply(result);
    else if (kind.mayFindNothing && result === undefined) this.#failures.reply(NO_ITEM);
    else if (kind.answer === 'json' && this.#operation.hasOutput(kind.status)) {
      this.#output(kind.status, result, (value) => sendResult(this.#operation, this.#exchange, this.#path, value));
    } else {
      sendResult(this.#operation, this.#exchange, this.#path, result);
    }
  }

  /** Sends an answer that the operation has spelled out. */
  #sendReply(given: GivenReply): void {
    const { content, '~status': status } = given;
    const send = (sent: Content): void => sendReply(this.#operation, this.#exchange, this.#failures, given, sent);
    if (content.kind !== 'json' || !this.#operation.hasOutput(status)) send(content);
    else this.#output(status, content.value, (value) => send({ kind: 'json', value }));
  }

  /** Lets the host's `output` check and change a result before it is encoded. */
  #output(status: number, result: unknown, next: (value: unknown) => void): void {
    const accept = (value: unknown): void => {
      if (value instanceof ErrorAnswer) this.#failures.replyInternalError(new TypeError(`the result is not what output says: ${value.problem.detail}`));
      else next(value);
    };
    try {
      const value = this.#operation.output(status, result);
      if (isThenable(value)) this.#settle(value, accept, (thrown) => this.#failures.replyInternalError(thrown));
      else accept(value);
    } catch (thrown) {
      this.#failures.replyInternalError(thrown);
    }
  }

  override get route(): Route {
    return this.#operation.route;
  }

  get #failures(): Failures {
    return new Failures(this.#operation, this.#exchange);
  }
}
