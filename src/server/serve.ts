/**
 * Serves a request from its matched route to the reply, for every kind of operation:
 *
 *   parameters and id; context; query; body -> bytes -> JSON -> value; operation; output; result -> text; reply
 *
 * After the body has arrived, all of it is synchronous unless a step returns a promise.
 */
import type { IncomingMessage } from 'node:http';
import type { Decode } from '../endpoint/decoder.ts';
import { locationOf } from '../endpoint/endpoint.ts';
import { encodedReply } from '../endpoint/encoded-reply.ts';
import type { Fields } from '../endpoint/field-decoders.ts';
import { type Format, formatIn } from '../endpoint/format.ts';
import type { Answer, CheckedInterceptor } from '../endpoint/interceptor.ts';
import type { Operation } from '../endpoint/operation.ts';
import { type Content, GivenReply, replyIn } from '../endpoint/reply.ts';
import type { ApiRequest } from '../endpoint/request.ts';
import type { Route } from '../endpoint/routes.ts';
import { extensionMembersOf, isApiError, NOT_FOUND_TEXT } from '../errors/api-error.ts';
import { hasField } from '../errors/headers.ts';
import { ErrorAnswer, errorAnswer } from '../errors/problem.ts';
import { adopt, isThenable } from '../errors/thrown.ts';
import { MAX_BODY, tooLong } from '../http/answer.ts';
import { fieldValue } from '../http/head.ts';
import { queryOf } from '../http/target.ts';
import { segmentEnd } from '../router/pattern.ts';
import { type BodyClock, BodyStream } from './body-stream.ts';
import { type Body, ignoreBody, limitBodyTime, readBody } from './body.ts';
import type { Exchange } from './connection/exchange.ts';
import { Deadline } from './deadline.ts';
import { Failures } from './failures.ts';
import { EncodedAnswer, intercept } from './interception.ts';
import { abortOnLeave } from './leave-signal.ts';
import { shared } from './node/incoming.ts';
import { sendReply } from './replies.ts';
import { answerToResult, refuseUndeclared } from './result-answer.ts';

const NO_ITEM = errorAnswer(404, NOT_FOUND_TEXT);
const JSON_FIELDS: readonly string[] = ['Content-Type', 'application/json'];
const TEXT_FIELDS: readonly string[] = ['Content-Type', 'text/plain; charset=utf-8'];
const NO_FIELDS: readonly string[] = [];
const MAX_SHOWN = 100;
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
  #fields: Fields | undefined;
  #controller: AbortController | undefined;
  // Made when the host is first waited for.
  #deadline: Deadline | undefined;
  // Set if the operation reads its body itself.
  #body: BodyStream | undefined;

  private constructor(operation: Operation, exchange: Exchange, path: string) {
    this.#operation = operation;
    this.#exchange = exchange;
    this.#path = path;
  }

  static serve(operation: Operation, exchange: Exchange, path: string): void {
    const call = new Call(operation, exchange, path);
    if (operation.fields.length > 0) exchange.defaultFields = operation.fields;
    if (operation.parameters.length > 0 && !call.#parsePath()) return;
    if (operation.hasContext) call.#askContext();
    else call.#readFields();
  }

  get raw(): IncomingMessage {
    return shared(this.#exchange.request);
  }

  get route(): Route {
    return this.#operation.route;
  }

  get query(): unknown {
    // `URLSearchParams` drops the leading `?` itself.
    const fields = (this.#fields ??= { query: undefined, headers: undefined, own: [] });
    return (fields.query ??= { value: new URLSearchParams(this.#queryText) }).value;
  }

  get headers(): unknown {
    return this.#fields?.headers;
  }

  get lastEventId(): string | undefined {
    const value = fieldValue(this.#exchange.request.rawHeaders, 'last-event-id');
    // Node decodes header fields as Latin-1.
    return value === undefined ? undefined : Buffer.from(value, 'latin1').toString();
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
      this.#failures.replyToStep(thrown);
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
    this.#exchange.defaultFields = this.#operation.privateFields;
    this.#prepare(() => this.#operation.askContext(this), (context) => {
      this.context = context;
      const refusal = isApiError(context) ? context : this.#operation.refusalOfScopes(context, this);
      // A returned ApiError or reply would otherwise admit the caller.
      if (refusal !== undefined) this.#failures.replyToContext(refusal);
      else if (replyIn(context) !== undefined) this.#failures.replyInternal(new TypeError('a context cannot be a reply: throw an ApiError to refuse the caller'));
      else this.#readFields();
    }, 'replyToContext');
  }

  #readFields(): void {
    const { fieldDecoders } = this.#operation;
    if (fieldDecoders === undefined) {
      this.#readBody();
      return;
    }
    this.#prepare(() => fieldDecoders.decode(this.#queryText.slice(1), this.#exchange.request.rawHeaders), (decoded) => {
      this.#fields = decoded as Fields;
      this.#readBody();
    });
  }

  #readBody(): void {
    if (this.#operation.takesBody) {
      readBody(this.#exchange, this.#operation, () => this.#clock, (body) => this.#receive(body));
    } else {
      const refusal = ignoreBody(this.#exchange, this.#operation);
      if (refusal === undefined) this.#invoke(undefined);
      else this.#failures.refuse(refusal);
    }
  }

  /** Takes a step before the operation, and goes on with its value unless the step fails. */
  #prepare(step: () => unknown, next: (value: unknown) => void, onError: 'replyToStep' | 'replyToContext' = 'replyToStep'): void {
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
    else this.#prepare(() => this.#decode(body), (value) => this.#invoke(value, body));
  }

  #decode(body: Buffer): unknown {
    const operation = this.#operation;
    return operation.format === undefined ? operation.decode(body) : operation.decodeStream(streamOf(body), this);
  }

  #accept(value: unknown, next: (value: unknown) => void): void {
    if (value instanceof ErrorAnswer) this.#failures.refuse(value);
    // After a timeout the reply has been sent, and the operation is not invoked.
    else if (this.#exchange.isOpen) next(value);
  }

  #invoke(input: unknown, body?: Uint8Array): void {
    try {
      const { interceptors } = this.#operation;
      const result = interceptors === undefined ? this.#operation.run(this.itemId, input, this) : this.#intercept(interceptors, input, body);
      if (isThenable(result)) this.#wait(result, (value) => this.#finish(value), (thrown) => this.#fail(thrown));
      else this.#finish(result);
    } catch (thrown) {
      this.#fail(thrown);
    }
  }

  #intercept(interceptors: readonly CheckedInterceptor[], input: unknown, body: Uint8Array | undefined): unknown {
    const encode = (result: unknown): Promise<Answer> => answerToResult(this.#operation, this.#exchange, result, (id) => this.#locationOf(id));
    return intercept({
      operation: this.#operation, exchange: this.#exchange, request: this, id: this.itemId, input, body, fields: this.#fields, encode,
    }, interceptors);
  }

  /** Replies for an operation that threw. Checks the members of the error, if the operation declares them. */
  #fail(thrown: unknown): void {
    const failures = this.#failures;
    const error = failures.errorOf(thrown);
    const isClients = this.#body?.hasThrown(thrown) === true;
    const decode = this.#operation.errors.get(error.status);
    const reply = (): void => failures.replyToOperation(error, thrown, isClients);
    if (decode === undefined || isClients) reply();
    else this.#check(decode, extensionMembersOf(error), { fault: `the error is not what errors.${error.status} declares`, cause: thrown }, reply);
  }

  /** Waits for a promise of the host's. When the deadline is over, replies 503; later replies then do nothing. */
  #wait(promised: PromiseLike<unknown>, onValue: (value: unknown) => void, onError: (thrown: unknown) => void): void {
    const promise = adopt(promised);
    const time = this.#time;
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
      wait: () => this.#time.hold(),
      resume: () => this.#time.release(),
    };
  }

  get #time(): Deadline {
    return (this.#deadline ??= new Deadline(this.#operation.operationMs, () => this.#timeOut()));
  }

  /** Sends the result of the operation. */
  #finish(result: unknown): void {
    const { status, resultFormat, interceptors, kind: { missing } } = this.#operation;
    try {
      const encoded = interceptors !== undefined && EncodedAnswer.is(result) ? result : undefined;
      const reply = encoded?.reply ?? replyIn(result, resultFormat !== undefined);
      if (encoded !== undefined) this.#sendContent(encoded.reply, encoded.content);
      else if (reply !== undefined) this.#sendReply(reply);
      else if (missing?.includes(result) === true) this.#failures.refuse(NO_ITEM);
      else if (resultFormat !== undefined) this.#encode(resultFormat, result, new GivenReply(status, undefined));
      else this.#sendPlain(result);
    } catch (thrown) {
      this.#failures.replyToUnsent(thrown);
    }
  }

  /** Sends a plain result without a format. */
  #sendPlain(result: unknown): void {
    const { answer, status, outputs } = this.#operation;
    if (answer !== 'json' && outputs !== undefined) refuseUndeclared(this.#operation, status);
    if (answer === 'nothing') this.#exchange.send(status, NO_FIELDS, status === 204 ? undefined : '');
    else if (answer === 'id') this.#sendCreated(status, result);
    else if (outputs === undefined) this.#exchange.send(status, JSON_FIELDS, this.#operation.toJson(result));
    else if (result === undefined && outputs.outputOf(204) === null) this.#exchange.send(204, NO_FIELDS);
    else this.#output(status, result, (value) => this.#exchange.send(status, JSON_FIELDS, this.#operation.toJson(value)));
  }

  #sendCreated(status: number, result: unknown): void {
    const { id } = this.#operation.endpoint;
    if (id === undefined) {
      this.#exchange.send(status, NO_FIELDS, '');
      return;
    }
    if (result === undefined || result === null) throw new TypeError(`create must return the id of the new item: it returned ${String(result)}`);
    const location = this.#locationOf(result);
    this.#exchange.send(status, location === undefined ? TEXT_FIELDS : [...TEXT_FIELDS, 'Location', location], id.format(result));
  }

  /** The path of a new item. If no path can have its id, logs that. */
  #locationOf(id: unknown): string | undefined {
    const { endpoint } = this.#operation;
    const { mountPrefix } = this.#exchange;
    const text = endpoint.id?.format(id) ?? '';
    if (text.length > MAX_BODY) throw tooLong();
    const location = mountPrefix === undefined ? undefined : locationOf(endpoint, mountPrefix + this.#path, text);
    if (location === undefined) {
      const reason = mountPrefix === undefined ? 'begin as that of the mount' : `carry the id ${JSON.stringify(text.slice(0, MAX_SHOWN))}`;
      this.#failures.log(`no Location, since no path can ${reason}`, id);
    }
    return location;
  }

  /** Sends an answer that the operation has spelled out. */
  #sendReply(reply: GivenReply): void {
    const { content, '~status': status } = reply;
    const located = this.#located(reply);
    const output = this.#operation.outputs?.outputOf(status);
    const format = formatIn(output);
    if (format !== undefined && content.kind !== 'none') this.#encode(format, reply['~reply'], located);
    else if (content.kind === 'json') this.#output(status, content.value, (value) => this.#sendContent(located, { kind: 'json', value }));
    else if (output === undefined) this.#output(status, undefined, () => this.#sendContent(located, located.content));
    else this.#sendContent(located, located.content);
  }

  /** The reply of `created` with the path of the new item, unless the host has set another. */
  #located(reply: GivenReply): GivenReply {
    const { '~id': id } = reply;
    if (id === undefined) return reply;
    if (this.#operation.kind.answer !== 'id' || this.#operation.endpoint.id === undefined) {
      throw new TypeError('only a create of an endpoint with ids can give created()');
    }
    if (hasField(reply.headers, 'location')) return reply;
    const location = this.#locationOf(id);
    return location === undefined ? reply : reply.withBody(reply['~reply'], { defaults: { Location: location } });
  }

  #sendContent(reply: GivenReply, content: Content): void {
    sendReply(this.#exchange, this.#operation, reply, content, (thrown) => this.#failStream(thrown));
  }

  #failStream(thrown: unknown): void {
    if (this.#body?.hasThrown(thrown) !== true) this.#failures.replyToStream(thrown);
    // The stream is made of the body, which has failed.
    else if (this.#exchange.isOpen) this.#fail(thrown);
  }

  /** Sends a value in a format, with the status and the header fields of a reply. */
  #encode(format: Format, value: unknown, reply: GivenReply): void {
    const send = (body: unknown): void => {
      const encoded = encodedReply(reply, format, body);
      this.#sendContent(encoded, encoded.content);
    };
    const body = format.encode?.(value, this.#exchange.connection);
    if (isThenable(body)) this.#wait(body, send, (thrown) => this.#failures.replyToUnsent(thrown));
    else send(body);
  }

  /** Lets the host's `output` check and change a result before it is encoded. Throws for a status that it does not declare. */
  #output(status: number, result: unknown, next: (value: unknown) => void): void {
    const { outputs } = this.#operation;
    const decode = outputs?.outputOf(status);
    refuseUndeclared(this.#operation, status);
    if (decode === null) throw new TypeError(`output declares status ${status} without a body`);
    // After a timeout nobody gets the result.
    if (typeof decode !== 'function' || !this.#exchange.isOpen) {
      next(result);
      return;
    }
    this.#check(decode, result, { fault: 'the result is not what output says' }, next);
  }

  /** Decodes a value before it is sent. If the decoder refuses it, that is a fault of the host's: 500, logged. */
  #check(decode: Decode, sent: unknown, { fault, ...options }: { readonly fault: string } & ErrorOptions, next: (value: unknown) => void): void {
    const accept = (value: unknown): void => {
      if (value instanceof ErrorAnswer) throw new TypeError(`${fault}: ${value.problem.detail}`, options);
      next(value);
    };
    try {
      const value = decode(sent);
      if (isThenable(value)) this.#wait(value, accept, (thrown) => this.#failures.replyToUnsent(thrown));
      else accept(value);
    } catch (thrown) {
      this.#failures.replyToUnsent(thrown);
    }
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

async function* streamOf(bytes: Buffer): AsyncGenerator<Uint8Array, void, undefined> {
  if (bytes.length > 0) yield bytes;
}

/** Replies to a request for an operation. `path` is the path of the request, as it was sent. */
export const serve: (operation: Operation, exchange: Exchange, path: string) => void = Call.serve;
