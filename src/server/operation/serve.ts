/**
 * The one way from a matched route to the reply, whatever the kind of operation:
 *
 *   id text -> id; body -> bytes -> JSON -> decoder -> value; operation; result -> text; reply
 *
 * A decoder or an operation that gives its value at once is not waited for: no promise is made, and no turn is lost.
 */
import { ApiError, NOT_FOUND_TEXT, shownText, textOf } from '../../errors/api-error.ts';
import { DecodeFailure } from '../../errors/decode-failure.ts';
import { problemOfError } from '../../errors/problem.ts';
import { adopt, isThenable } from '../../errors/thenable.ts';
import { parseJson } from '../../http/json.ts';
import { ErrorResponse } from '../../http/error-response.ts';
import { ignoreBody, readBody } from './body.ts';
import type { Exchange } from '../connection/exchange.ts';
import { OperationRequest } from './operation-request.ts';
import { replyCreated, replyJson, replyNoContent, replyProblem, replyError, replyUnwritten } from '../connection/reply.ts';
import { encodeId, encodeJson, type Created } from './result.ts';
import type { Operation } from './served-endpoint.ts';

const NOT_ENCODED = new DecodeFailure('the id is not percent-encoded UTF-8');
const NO_INPUT = new DecodeFailure('the operation takes no input');
const NO_ITEM = new ErrorResponse(404, NOT_FOUND_TEXT);
const TOO_SLOW = new ErrorResponse(503, 'The operation took too long.');
const MAX_SHOWN = 100;

/** Answers a request for an operation; `segment` is the text that stands for `:id`, as it was sent. */
export function serve(operation: Operation, exchange: Exchange, segment: string): void {
  Call.serve(operation, exchange, segment);
}

/** One call of an operation, from the request to the reply. To the operation it is its request, and shows nothing else. */
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
    if (kind.suffix === '/:id' && !call.#readId(segment)) return;
    if (kind.decoder === undefined) {
      ignoreBody(exchange);
      call.#invoke(undefined);
    } else {
      readBody(exchange, settings, (bytes) => call.#parse(bytes), (failure) => call.#failInternally(failure));
    }
  }

  /** Gives `false` where it has answered: the text is no id, or the codec failed. */
  #readId(segment: string): boolean {
    try {
      const text = decodeSegment(segment);
      const id = text === undefined ? NOT_ENCODED : this.#operation.endpoint.id.parse(text);
      // A host's proxy can throw even here.
      if (id instanceof DecodeFailure) {
        this.#replyDecodeFailure(id);
        return false;
      }
      this.#id = id;
      return true;
    } catch (thrown) {
      this.#failToDecode(thrown);
      return false;
    }
  }

  #parse(bytes: Buffer): void {
    const { decode } = this.#operation;
    if (decode !== undefined) {
      const json = parseJson(bytes);
      if (json instanceof DecodeFailure) this.#replyDecodeFailure(json);
      else this.#decode(decode, json);
    } else if (bytes.length === 0 || parseJson(bytes) === null) {
      this.#invoke(undefined);
    } else {
      this.#replyDecodeFailure(NO_INPUT);
    }
  }

  #decode(decode: (json: unknown) => unknown, json: unknown): void {
    try {
      const value = decode(json);
      if (isThenable(value)) this.#wait(value, (decoded) => this.#accept(decoded), (thrown) => this.#failToDecode(thrown));
      else this.#accept(value);
    } catch (thrown) {
      this.#failToDecode(thrown);
    }
  }

  #accept(value: unknown): void {
    if (value instanceof DecodeFailure) this.#replyDecodeFailure(value);
    // A decoder that took too long was answered for, and its operation is not invoked any more.
    else if (this.#exchange.isOpen) this.#invoke(value);
  }

  #invoke(input: unknown): void {
    let result: unknown;
    try {
      result = this.#operation.run(this.#id, input, this);
      if (isThenable(result)) {
        this.#wait(result, (value) => this.#answer(value), (thrown) => this.#fail(thrown));
        return;
      }
    } catch (thrown) {
      this.#fail(thrown);
      return;
    }
    this.#answer(result);
  }

  /** Goes on with what is promised. Answers by itself where that takes too long; what comes after that goes nowhere. */
  #wait(promised: PromiseLike<unknown>, use: (value: unknown) => void, fail: (thrown: unknown) => void): void {
    const promise = adopt(promised);
    const { operationMs } = this.#operation.endpoint.settings.limits;
    // A connection keeps the process alive; an operation that nobody waits for does not.
    const timer = operationMs === 0 ? undefined : setTimeout(() => this.#abort(operationMs), operationMs).unref();
    promise.then((value) => {
      clearTimeout(timer);
      use(value);
    }).catch((thrown: unknown) => {
      clearTimeout(timer);
      fail(thrown);
    });
  }

  #abort(operationMs: number): void {
    const reason = new DOMException(`the operation took longer than ${operationMs} ms`, 'TimeoutError');
    this.#log(reason.message, reason);
    replyError(this.#exchange, TOO_SLOW);
    this.abort(reason);
  }

  #answer(result: unknown): void {
    const { answer, status, mayFindNothing } = this.#operation.kind;
    const isMissing = mayFindNothing && result === undefined;
    let text = '';
    let location: string | undefined;
    try {
      if (answer === 'json' && !isMissing) text = encodeJson(this.#operation, result);
      else if (answer === 'id') ({ text, location } = this.#encodeId(result));
    } catch (thrown) {
      this.#failInternally(thrown);
      return;
    }
    try {
      if (isMissing) replyError(this.#exchange, NO_ITEM);
      else if (answer === 'json') replyJson(this.#exchange, status, text);
      else if (answer === 'id') replyCreated(this.#exchange, text, location);
      else replyNoContent(this.#exchange);
    } catch (thrown) {
      this.#failToWrite(thrown);
    }
  }

  #encodeId(result: unknown): Created {
    const created = encodeId(this.#operation, result);
    if (created.location === undefined) {
      this.#log(`no Location, since no path can carry the id ${JSON.stringify(created.text.slice(0, MAX_SHOWN))}`, result);
    }
    return created;
  }

  /** Answers for an operation that threw. */
  #fail(thrown: unknown): void {
    const { kind, endpoint } = this.#operation;
    this.#replyError(ApiError.from(thrown, (failure) => endpoint.isNotFound(failure)), thrown, kind.logsEveryFailure === true);
  }

  /**
   * Answers for a decoder or a codec that threw what is no refusal. An `ApiError` is what it says; anything else is the server's
   * failure, and `isNotFound` is not asked: a file that a decoder misses is not the item. The operation itself has not failed.
   */
  #failToDecode(thrown: unknown): void {
    this.#replyError(ApiError.from(thrown, () => false), thrown, false);
  }

  /** Answers for what is the server's failure, whatever was thrown: a result that can not be sent, a body that is gone. */
  #failInternally(thrown: unknown): void {
    this.#replyError(ApiError.internal(textOf(thrown), { cause: thrown }), thrown, true);
  }

  #replyError(error: ApiError, thrown: unknown, isLogged: boolean): void {
    if (isLogged || error.kind === 'Internal') this.#log(error.message, thrown);
    const problem = problemOfError(error, this.#operation.endpoint.settings.exposeInternalErrors);
    this.#replyProblem(problem.status, () => JSON.stringify(problem));
  }

  /** Answers for an id or a body that could not be decoded. */
  #replyDecodeFailure(failure: DecodeFailure): void {
    this.#replyProblem(400, () => failure.problemText);
  }

  /** A host's text in the problem may be too long to be written. */
  #replyProblem(status: number, writeJson: () => string): void {
    try {
      replyProblem(this.#exchange, status, writeJson());
    } catch (thrown) {
      this.#failToWrite(thrown);
    }
  }

  /** Ends what could not be written, and of which something may have been. */
  #failToWrite(thrown: unknown): void {
    this.#log(ApiError.internal(textOf(thrown)).message, thrown);
    replyUnwritten(this.#exchange);
  }

  #log(displayText: string, cause: unknown): void {
    const { kind: { method }, path, endpoint: { settings } } = this.#operation;
    settings.logger.error(new Error(`${method} ${path}: ${shownText(displayText)}`, { cause }));
  }
}

function decodeSegment(segment: string): string | undefined {
  if (!segment.includes('%')) return segment;
  try {
    return decodeURIComponent(segment);
  } catch {
    return undefined;
  }
}
