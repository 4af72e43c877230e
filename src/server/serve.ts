/**
 * Serves a request from its matched route to the reply, for every kind of operation:
 *
 *   parameters and id; context; query; body -> bytes -> JSON -> value; interceptors; conditions; operation; output; result -> text; reply
 *
 * After the body has arrived, all of it is synchronous unless a step returns a promise.
 */
import type { IncomingMessage } from 'node:http';
import type { MaybePromise } from '../endpoint/decoder.ts';
import type { DecodedHead } from '../endpoint/head-decoders.ts';
import type { CheckedInterceptor } from '../endpoint/interceptor.ts';
import { findStatus } from '../endpoint/kinds.ts';
import type { Operation } from '../endpoint/operation.ts';
import { replyIn } from '../endpoint/reply.ts';
import type { ApiRequest } from '../endpoint/request.ts';
import type { Route } from '../endpoint/routes.ts';
import { extensionMembersOf, isApiError, NOT_FOUND_TEXT } from '../errors/api-error.ts';
import { ErrorAnswer, errorAnswer } from '../errors/problem.ts';
import { adopt, isThenable } from '../util/promises.ts';
import { fieldValue } from '../http/head.ts';
import { queryOf } from '../http/target.ts';
import { segmentEnd } from '../router/pattern.ts';
import { type BodyClock, BodyStream } from './body-stream.ts';
import { type Body, ignoreBody, readBody, refusalOfHead } from './body.ts';
import { checkConditions, refusalOfUnconditional, sendUnmet, versionsNamed } from './conditions.ts';
import { limitBodyTime } from './connection/body-time.ts';
import type { Exchange } from './connection/exchange.ts';
import type { ItemRequest } from './current-version.ts';
import { Deadline } from './deadline.ts';
import { Failures } from './failures.ts';
import { EncodedAnswer, Interception } from './interception.ts';
import { shared } from './node/incoming.ts';
import { sendReply } from './replies.ts';
import { abortOnLeave } from './request-signal.ts';
import { answerToResult, decodedWith, encodedAnswer, etagOf, type ReadyAnswer } from './result-answer.ts';

const NO_ITEM = errorAnswer(404, NOT_FOUND_TEXT);
const NO_PARAMS: Readonly<Record<string, never>> = Object.freeze({});

/** One call of an operation. The operation gets this object as its `request`, so all other members are private. */
class Call implements ApiRequest<unknown, object, unknown> {
  context: unknown = undefined;
  params: object = NO_PARAMS;
  /** The id of the item. */
  itemId: unknown = undefined;
  readonly #operation: Operation;
  readonly #exchange: Exchange;
  readonly #path: string;
  // The decoded query and header fields. Without a decoder of the query, made when the operation first reads it.
  #head: DecodedHead | undefined;
  #controller: AbortController | undefined;
  // Made when the host is first waited for.
  #deadline: Deadline | undefined;
  // Set if the operation reads its body itself.
  #body: BodyStream | undefined;
  #interception: Interception | undefined;
  // What comparing the conditions of the request has thrown. The operation has not run.
  #unmet: { readonly thrown: unknown } | undefined;

  private constructor(operation: Operation, exchange: Exchange, path: string) {
    this.#operation = operation;
    this.#exchange = exchange;
    this.#path = path;
  }

  static serve(operation: Operation, exchange: Exchange, path: string): void {
    const call = new Call(operation, exchange, path);
    exchange.defaultFields = operation.answerFields;
    if (operation.parameters.length > 0 && !call.#parsePath()) return;
    if (operation.context !== undefined) call.#askContext();
    else call.#decodeHead();
  }

  get raw(): IncomingMessage {
    return shared(this.#exchange.request);
  }

  get route(): Route {
    return this.#operation.route;
  }

  get query(): unknown {
    // `URLSearchParams` drops the leading `?` itself.
    const head = (this.#head ??= { query: undefined, headers: undefined, own: [] });
    return (head.query ??= { value: new URLSearchParams(this.#queryText) }).value;
  }

  get headers(): unknown {
    return this.#head?.headers;
  }

  get lastEventId(): string | undefined {
    const value = fieldValue(this.#exchange.request.rawHeaders, 'last-event-id');
    // Node decodes header fields as Latin-1.
    return value === undefined ? undefined : Buffer.from(value, 'latin1').toString();
  }

  get ifMatch(): readonly string[] | '*' | undefined {
    return versionsNamed(this.#exchange.request.rawHeaders, 'if-match');
  }

  get ifNoneMatch(): readonly string[] | '*' | undefined {
    return versionsNamed(this.#exchange.request.rawHeaders, 'if-none-match');
  }

  get signal(): AbortSignal {
    return (this.#controller ??= abortOnLeave(this.#exchange)).signal;
  }

  /** Parses the parameters in the path. If a text is none or its codec fails, replies and returns `false`. */
  #parsePath(): boolean {
    try {
      let end = 0;
      for (const { gap, isWildcard, name, codec } of this.#operation.parameters) {
        const start = end + gap;
        end = isWildcard ? this.#path.length : segmentEnd(this.#path, start);
        const value = isWildcard ? codec.parseRest(this.#path.slice(start)) : codec.parse(this.#path.slice(start, end));
        // An id can be a proxy, for which `instanceof` may throw.
        if (value instanceof ErrorAnswer) {
          this.#failures.refuse(value);
          return false;
        }
        if (name === undefined) this.itemId = value;
        else this.#setParam(name, value);
      }
      return true;
    } catch (thrown) {
      this.#failures.replyToDecoder(thrown);
      return false;
    }
  }

  #setParam(name: string, value: unknown): void {
    if (this.params === NO_PARAMS) this.params = {};
    // A parameter can have the name `__proto__`, for which an assignment would set the prototype.
    if (name === '__proto__') Object.defineProperty(this.params, name, { value, enumerable: true });
    else (this.params as Record<string, unknown>)[name] = value;
  }

  /** Asks the host who is calling. Nothing of the body is read before that. */
  #askContext(): void {
    this.#exchange.defaultFields = this.#operation.privateAnswerFields;
    this.#prepare(() => this.#operation.askContext(this), (context) => {
      this.context = context;
      const rejection = this.#operation.rejectionOf(context, this);
      // A returned ApiError or reply would otherwise admit the caller.
      if (rejection !== undefined) this.#failures.replyToQuestion(rejection);
      else if (replyIn(context, true) !== undefined) this.#failures.replyInternal(new TypeError('a context cannot be a reply: throw an ApiError to refuse the caller'));
      else this.#decodeHead();
    }, 'replyToQuestion');
  }

  #decodeHead(): void {
    const { headDecoders } = this.#operation;
    if (headDecoders === undefined) {
      this.#readBody();
      return;
    }
    this.#prepare(() => headDecoders.decode(this.#queryText.slice(1), this.#exchange.request.rawHeaders), (decoded) => {
      this.#head = decoded as DecodedHead;
      this.#readBody();
    });
  }

  #readBody(): void {
    const operation = this.#operation;
    const exchange = this.#exchange;
    const { input } = operation;
    const refusal = (input === undefined ? ignoreBody(exchange, operation) : refusalOfHead(exchange, operation)) ?? refusalOfUnconditional(operation, exchange);
    if (refusal !== undefined) this.#failures.refuse(refusal);
    else if (input === undefined) this.#invoke(undefined);
    else readBody(exchange, operation, () => this.#clock, (body) => this.#receive(body));
  }

  /** Takes a step before the operation, and goes on with its value unless the step fails. */
  #prepare(step: () => unknown, next: (value: unknown) => void, onError: 'replyToDecoder' | 'replyToQuestion' = 'replyToDecoder'): void {
    try {
      const value = step();
      if (isThenable(value)) this.#wait(value, (awaited) => this.#accept(awaited, next), (thrown) => this.#failures[onError](thrown));
      else this.#accept(value, next);
    } catch (thrown) {
      this.#failures[onError](thrown);
    }
  }

  #receive(body: Body): void {
    if (body instanceof ErrorAnswer) this.#failures.refuse(body);
    else if (body instanceof Error) this.#failures.replyInternal(body);
    else if (body instanceof BodyStream) this.#prepare(() => this.#operation.decodeStream((this.#body = body), this), (value) => this.#invoke(value));
    else this.#prepare(() => this.#operation.decode(body, this), (value) => this.#invoke(value, body));
  }

  #accept(value: unknown, next: (value: unknown) => void): void {
    if (value instanceof ErrorAnswer) this.#failures.refuse(value);
    // After a timeout the reply has been sent, and the operation is not invoked.
    else if (this.#exchange.isOpen) next(value);
  }

  #invoke(input: unknown, body?: Uint8Array): void {
    try {
      const { interceptors } = this.#operation;
      const result = interceptors === undefined ? this.#run(this, input) : this.#intercept(interceptors, input, body);
      if (isThenable(result)) this.#wait(result, (value) => this.#finish(value), (thrown) => this.#fail(thrown));
      else this.#finish(result);
    } catch (thrown) {
      this.#fail(thrown);
    }
  }

  /** Runs the operation, with the request as its interceptors have left it. */
  #run(request: ItemRequest, input: unknown): unknown {
    const isConditional = this.#operation.conditions !== 'none' && this.#exchange.head.isConditional;
    return isConditional ? this.#runIfMet(request, input) : this.#operation.run(this.itemId, input, request);
  }

  /** Runs it if the item meets the conditions of the request. They are compared as late as possible (RFC 9110 section 13.2.1). */
  async #runIfMet(request: ItemRequest, input: unknown): Promise<unknown> {
    try {
      await checkConditions(this.#operation, this.#exchange, request);
    } catch (thrown) {
      this.#unmet = { thrown };
      throw thrown;
    }
    return this.#operation.run(this.itemId, input, request);
  }

  #intercept(interceptors: readonly CheckedInterceptor[], input: unknown, body: Uint8Array | undefined): unknown {
    const [operation, exchange] = [this.#operation, this.#exchange];
    // Decodes it after a timeout too: an interceptor may keep the answer for a later request.
    const encode = (result: unknown): MaybePromise<ReadyAnswer> =>
      encodedAnswer({ operation, exchange, path: this.#path, decodes: true, etag: etagOf(operation, result) }, result);
    const run = (request: object, given: unknown): unknown => this.#run(request as ItemRequest, given);
    const logLost = (text: string, thrown: unknown): void => this.#failures.log(text, thrown);
    const intercepted = { operation, exchange, request: this, id: this.itemId, input, body, head: this.#head, encode, run, logLost };
    this.#interception = new Interception(intercepted, interceptors);
    return this.#interception.start();
  }

  /** Replies for an operation that threw. Checks the members of the error if the operation declares them, unless they are an interceptor's. */
  #fail(thrown: unknown): void {
    const failures = this.#failures;
    const error = failures.errorOf(thrown);
    const isClients = this.#unmet?.thrown === thrown || this.#body?.hasThrown(thrown) === true;
    const decode = this.#operation.errors.get(error.status);
    const reply = (): void => failures.replyToOperation(error, thrown, isClients);
    if (decode === undefined || isClients || this.#interception?.isDeclared(thrown, error.status) === true) {
      reply();
      return;
    }
    const fault = `the error is not what errors.${error.status} declares`;
    try {
      const decoded = decodedWith(decode, extensionMembersOf(error), fault, { cause: thrown });
      if (isThenable(decoded)) this.#wait(decoded, reply, (unsent) => failures.replyToUnsent(unsent));
      else reply();
    } catch (unsent) {
      failures.replyToUnsent(unsent);
    }
  }

  /** Waits for a promise of the host's. When the deadline is over, replies 503; later replies then do nothing. */
  #wait<T>(promised: PromiseLike<T>, onValue: (value: T) => void, onError: (thrown: unknown) => void): void {
    const promise = adopt(promised);
    const time = this.#hostTime;
    time.run();
    promise.then((value) => {
      time.pause();
      onValue(value);
    }).catch((thrown: unknown) => {
      time.pause();
      onError(thrown);
    });
  }

  /** While the client sends the body, the host's time stands still. */
  get #clock(): BodyClock {
    const { requestMs = this.#exchange.settings.limits.requestMs } = this.#operation;
    return {
      begin: () => limitBodyTime(this.#exchange, requestMs),
      hold: () => this.#hostTime.hold(),
      release: () => this.#hostTime.release(),
    };
  }

  get #hostTime(): Deadline {
    return (this.#deadline ??= new Deadline(this.#operation.operationMs, () => this.#timeOut()));
  }

  /** Sends the answer to the result of the operation. */
  #finish(result: unknown): void {
    const operation = this.#operation;
    const exchange = this.#exchange;
    if (findStatus(operation.kind, result) === 404) {
      this.#failures.refuse(NO_ITEM);
      return;
    }
    try {
      if (operation.interceptors !== undefined && EncodedAnswer.is(result)) {
        this.#send(result.ready);
        return;
      }
      const etag = operation.tagOf === undefined ? undefined : etagOf(operation, result);
      if (etag !== undefined && this.#isUnmet(etag)) return;
      const answer = answerToResult({ operation, exchange, path: this.#path, decodes: exchange.isOpen, etag }, result);
      if (isThenable(answer)) this.#wait(answer, (ready) => this.#send(ready), (thrown) => this.#failures.replyToUnsent(thrown));
      else this.#send(answer);
    } catch (thrown) {
      this.#failures.replyToUnsent(thrown);
    }
  }

  /** Replies in place of an item whose version does not meet the conditions of the request, before it is encoded. */
  #isUnmet(etag: string): boolean {
    const { status, resultFormat } = this.#operation;
    // A result for a format can be a stream, which is closed as that of a reply.
    return resultFormat === undefined && this.#exchange.head.isConditional && sendUnmet(this.#exchange, status, ['ETag', etag]);
  }

  #send(answer: ReadyAnswer): void {
    const exchange = this.#exchange;
    if ('reply' in answer) {
      sendReply(exchange, this.#operation, answer.reply, answer.content, (thrown) => this.#failStream(thrown));
    } else if (!exchange.head.isConditional || !sendUnmet(exchange, answer.status, answer.fields)) {
      exchange.send(answer.status, answer.fields, answer.body ?? (answer.status === 204 ? undefined : ''));
    }
  }

  #failStream(thrown: unknown): void {
    const isClients = this.#body?.hasThrown(thrown) === true;
    // Before the head is sent, an operation can still refuse, and so can the body that the stream is made of.
    if (this.#exchange.isOpen && (isClients || isApiError(thrown))) this.#fail(thrown);
    else if (!isClients) this.#failures.replyToStream(thrown);
  }

  /** Replies 503, and aborts `signal`, even if the operation reads it only later. */
  #timeOut(): void {
    if (!this.#exchange.isOpen) return;
    this.#controller ??= new AbortController();
    this.#controller.abort(this.#failures.replyTimeout());
  }

  /** The query of the target, with its `?`. */
  get #queryText(): string {
    return queryOf(this.#exchange.request.url ?? '');
  }

  get #failures(): Failures {
    return new Failures(this.#operation, this.#exchange);
  }
}

/** Replies to a request for an operation. `path` is the path of the request, as it was sent. */
export const serve: (operation: Operation, exchange: Exchange, path: string) => void = Call.serve;
