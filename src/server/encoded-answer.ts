/** The encoded response of an operation, as interceptors see it. */
import type { Answer } from '../endpoint/interceptor.ts';
import { GivenReply } from '../endpoint/reply.ts';
import { headersOf, type ResponseHeaders } from '../http/headers.ts';
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
