/** The response of an operation, as interceptors see it and can change it. */
import type { OperationResponse } from '../endpoint/interceptor.ts';
import type { Operation } from '../endpoint/operation.ts';
import { encodeReply, GivenReply, type ReplyBody } from '../endpoint/reply.ts';
import { createProblem, Rejection } from '../errors/problem.ts';
import { toHeadersObject, type ResponseHeaders } from '../http/headers.ts';
import type { Outgoing } from '../http/response.ts';
import { checkInteger } from '../util/options.ts';

/** The mark of a response. A copy such as `{ ...response, headers }` has it too. A client cannot send it, since JSON has no symbols. */
const MARK = Symbol('response');

/** A response that an interceptor can return. A plain object with the same properties is a result: it may come from a client. */
export class EncodedResponse implements OperationResponse {
  readonly status: number;
  readonly headers: ResponseHeaders;
  readonly body: unknown;
  readonly #outgoing: Outgoing<ReplyBody>;
  readonly #rejection: Rejection | undefined;

  private constructor({ status, headers, body }: OperationResponse, outgoing: Outgoing<ReplyBody>, rejection: Rejection | undefined) {
    this.status = status;
    this.headers = headers;
    this.body = body;
    this.#outgoing = outgoing;
    this.#rejection = rejection;
    Object.assign(this, { [MARK]: EncodedResponse });
  }

  /** `rejection` is set for an error. */
  static encode(outgoing: Outgoing<ReplyBody>, rejection?: Rejection): EncodedResponse {
    return new EncodedResponse({ ...outgoing, headers: toHeadersObject(outgoing.headers) }, outgoing, rejection);
  }

  /** Throws `TypeError` for a status, a header or a body that no reply can have. */
  static restore(operation: Operation, stored: OperationResponse): EncodedResponse {
    const { status, headers, body } = stored;
    checkInteger(status, 'the status of a response', 200, 599);
    // As bytes, since a reply would encode a string as JSON.
    const reply = new GivenReply(status, typeof body === 'string' ? Buffer.from(body) : body, headers);
    const outgoing = encodeReply(reply, reply.headers, body, (value) => operation.replyToJson(value));
    return new EncodedResponse(stored, outgoing, status < 400 ? undefined : new Rejection(createProblem(status)));
  }

  static is(value: unknown): value is EncodedResponse {
    return typeof value === 'object' && value !== null && #outgoing in value;
  }

  /** Restores a changed copy of a response. Any other value is returned as it is. Throws `TypeError` as `restore` does. */
  static restoreCopy(operation: Operation, value: unknown): unknown {
    if (typeof value !== 'object' || value === null || #outgoing in value) return value;
    const isCopy = (value as { readonly [MARK]?: unknown })[MARK] === EncodedResponse;
    return isCopy ? EncodedResponse.restore(operation, value as OperationResponse) : value;
  }

  /** The error of the response, for the log and observers. A stored error has only a status. */
  get rejection(): Rejection | undefined {
    return this.#rejection;
  }

  /** The response as it is sent. */
  get outgoing(): Outgoing<ReplyBody> {
    return this.#outgoing;
  }
}
