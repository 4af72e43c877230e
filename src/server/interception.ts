/** Runs an operation in its interceptors, the first outermost. */
import type { ServerResponse } from 'node:http';
import type { MaybePromise } from '../endpoint/decoder.ts';
import type { DecodedHead } from '../endpoint/head-decoders.ts';
import type { Answer, CheckedInterceptor, InterceptedCall } from '../endpoint/interceptor.ts';
import type { Kind } from '../endpoint/kinds.ts';
import type { Operation } from '../endpoint/operation.ts';
import { GivenReply } from '../endpoint/reply.ts';
import type { Route } from '../endpoint/routes.ts';
import { isStream } from '../endpoint/stream.ts';
import { ApiError } from '../errors/api-error.ts';
import { headersOf, type ResponseHeaders } from '../errors/headers.ts';
import { membersOf } from '../errors/members.ts';
import { adopt, isThenable } from '../errors/thrown.ts';
import type { Exchange } from './connection/exchange.ts';
import type { ReadyAnswer } from './result-answer.ts';

/** The mark of an answer, which a copy such as `{ ...answer, headers }` has too. JSON has no symbols, so no body of a client can have it. */
const MARK = Symbol('answer');

/** An answer that an interceptor can return. A plain object of the same form would be a result, and may be made of a client's body. */
export class EncodedAnswer implements Answer {
  readonly status: number;
  readonly headers: ResponseHeaders;
  readonly body: unknown;
  readonly #ready: ReadyAnswer;

  private constructor({ status, headers, body }: Answer, ready: ReadyAnswer) {
    this.status = status;
    this.headers = headers;
    this.body = body;
    this.#ready = ready;
    Object.assign(this, { [MARK]: EncodedAnswer });
  }

  static of(ready: ReadyAnswer): EncodedAnswer {
    if (!('reply' in ready)) return new EncodedAnswer({ status: ready.status, headers: headersOf(ready.fields), body: ready.body }, ready);
    const { content, reply: { ' status': status, ' reply': body, headers: fields } } = ready;
    const headers = headersOf(fields);
    if (content.kind === 'stream' && content.declaredBytes !== undefined) headers['Content-Length'] = String(content.declaredBytes);
    return new EncodedAnswer({ status, headers, body: content.kind === 'text' ? content.text : body }, ready);
  }

  /** Throws `TypeError` for a status, a header field or a body that no reply can have. */
  static ofStored(answer: Answer): EncodedAnswer {
    const { status, headers, body } = answer;
    // Text of a JSON type would be written as JSON once more.
    const reply = new GivenReply(status, typeof body === 'string' ? Buffer.from(body) : body, headers);
    return new EncodedAnswer(answer, { reply, content: typeof body === 'string' ? { kind: 'text', text: body } : reply.content });
  }

  static is(value: unknown): value is EncodedAnswer {
    return typeof value === 'object' && value !== null && #ready in value;
  }

  /** An answer, or a changed copy of one, as an answer; any other value as it is. Throws `TypeError` as `ofStored` does. */
  static orResult(value: unknown): unknown {
    if (typeof value !== 'object' || value === null || #ready in value) return value;
    return (value as { readonly [MARK]?: unknown })[MARK] === EncodedAnswer ? EncodedAnswer.ofStored(value as Answer) : value;
  }

  /** The answer as it is sent. */
  get ready(): ReadyAnswer {
    return this.#ready;
  }
}

/** The parts of a call that interceptors see. */
export interface Intercepted {
  readonly operation: Operation;
  readonly exchange: Exchange;
  readonly request: object;
  readonly id: unknown;
  readonly input: unknown;
  readonly body: Uint8Array | undefined;
  readonly head: DecodedHead | undefined;
  readonly encode: (result: unknown) => MaybePromise<ReadyAnswer>;
  /** Runs the operation. */
  readonly run: (request: object) => unknown;
}

export class Interception {
  readonly #intercepted: Intercepted;
  readonly #interceptors: readonly CheckedInterceptor[];
  #runs = 0;
  // For each interceptor, the calls of its `run` whose result is not `undefined`, or is not there yet.
  readonly #results: number[] = [];
  // What runs have failed with, and the index of the innermost of these runs.
  readonly #failures = new Map<unknown, number>();

  constructor(intercepted: Intercepted, interceptors: readonly CheckedInterceptor[]) {
    this.#intercepted = intercepted;
    this.#interceptors = interceptors;
  }

  /** Returns the result of the outermost interceptor, or a promise of it. */
  start(): unknown {
    const returned = this.#run(0, this.#intercepted.request);
    return isThenable(returned) ? adopt(returned).then((result) => this.#checked(0, result)) : this.#checked(0, returned);
  }

  /** Whether the error was thrown by an interceptor that declares its status. */
  isDeclared(thrown: unknown, status: number): boolean {
    // Behind the last interceptor is the operation.
    return this.#interceptors[this.#failures.get(thrown) ?? 0]?.errors.has(status) === true;
  }

  #run(index: number, request: object): unknown {
    const interceptor = this.#interceptors[index];
    if (interceptor === undefined) return this.#runOperation(request);
    const { members, around } = interceptor;
    return around.call(members, new CallSeen(this.#intercepted, index, request), (adds?: unknown) => this.#promise(index + 1, request, adds));
  }

  async #promise(index: number, request: object, adds: unknown): Promise<unknown> {
    this.#count(index - 1, 1);
    try {
      const returned = this.#run(index, adds === undefined ? request : withAdded(request, adds));
      const result = this.#checked(index, isThenable(returned) ? await adopt(returned) : returned);
      if (result === undefined) this.#count(index - 1, -1);
      return result;
    } catch (thrown) {
      this.#count(index - 1, -1);
      if (!this.#failures.has(thrown)) this.#failures.set(thrown, index);
      throw thrown;
    }
  }

  #count(index: number, more: 1 | -1): void {
    this.#results[index] = (this.#results[index] ?? 0) + more;
  }

  /** What an interceptor has returned, or the operation. Throws `TypeError` if a result was lost: a get would be answered 404, without a word. */
  #checked(index: number, result: unknown): unknown {
    const interceptor = this.#interceptors[index];
    if (interceptor === undefined) return result;
    if (result !== undefined || (this.#results[index] ?? 0) === 0) return EncodedAnswer.orResult(result);
    throw new TypeError(`${interceptor.path}.around returned undefined, and not the result of run(): return await run()`);
  }

  #runOperation(request: object): unknown {
    const { exchange, input, run } = this.#intercepted;
    // As everywhere before an operation: after a timeout, or when the client has left, it is not invoked.
    if (!exchange.isOpen) throw ApiError.argument('the request was over before the operation ran');
    this.#runs += 1;
    if (this.#runs > 1 && isStream(input)) throw new TypeError('an operation cannot run again: its input is a stream, which has been read');
    return run(request);
  }
}

/** A call, as one of the interceptors sees it. */
class CallSeen implements InterceptedCall {
  readonly request: object;
  readonly id: unknown;
  readonly input: unknown;
  readonly body: Uint8Array | undefined;
  readonly query: unknown;
  readonly headers: unknown;
  readonly #intercepted: Intercepted;

  constructor(intercepted: Intercepted, index: number, request: object) {
    const own = intercepted.head?.own[index];
    this.request = request;
    this.id = intercepted.id;
    this.input = intercepted.input;
    this.body = intercepted.body;
    this.query = own?.query;
    this.headers = own?.headers;
    this.#intercepted = intercepted;
  }

  get route(): Route {
    return this.#intercepted.operation.route;
  }

  get target(): string {
    return this.#intercepted.exchange.request.url ?? '';
  }

  get contentType(): string | undefined {
    return this.#intercepted.exchange.head.contentType;
  }

  get kind(): Kind['member'] {
    return this.#intercepted.operation.kind.member;
  }

  get name(): string {
    return this.#intercepted.operation.name;
  }

  async encode(result: unknown): Promise<Answer> {
    // It may be an answer already, of this interceptor or of an inner one.
    const answer = EncodedAnswer.orResult(result);
    if (EncodedAnswer.is(answer)) return answer;
    const ready = this.#intercepted.encode(result);
    return EncodedAnswer.of(isThenable(ready) ? await ready : ready);
  }

  answer(stored: Answer): Answer {
    return EncodedAnswer.ofStored(stored);
  }

  get sent(): Promise<void> {
    return sent(this.#intercepted.exchange.response);
  }
}

/** The request with further members. It is another object for each run. */
function withAdded(request: object, adds: unknown): object {
  const entries = Object.entries(membersOf(adds, 'the members that an interceptor adds'));
  if (entries.length === 0) return request;
  const added = new Map<PropertyKey, unknown>(entries);
  const taken = [...added.keys()].find((name) => name in request);
  if (taken !== undefined) throw new TypeError(`an interceptor cannot add ${String(taken)}: the request has it`);
  return new Proxy(request, {
    // With the request as its receiver, a getter finds the private members.
    get: (target, name) => (added.has(name) ? added.get(name) : Reflect.get(target, name, target)),
    has: (target, name) => added.has(name) || name in target,
  });
}

function sent(response: ServerResponse): Promise<void> {
  return new Promise((resolve) => {
    if (response.writableFinished || response.destroyed) resolve();
    else response.once('finish', resolve).once('close', resolve);
  });
}
