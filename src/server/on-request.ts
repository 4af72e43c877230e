/** Calls the `onRequest` of interceptors, the first outermost, before anything of a request is decoded. */
import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import type { MatchedRequest, EarlyInterceptor } from '../endpoint/interceptor.ts';
import type { Route } from '../endpoint/routes.ts';
import { checkAddedHeaders, mergeHeaders } from '../http/headers.ts';
import { isThenable } from '../util/promises.ts';
import type { Call } from './call.ts';
import { findSocket } from './node/messages.ts';

/**
 * Calls them one after the other, and returns the headers of all. These are added to the response at once: the next one may reject the
 * request. Returns a promise only if one of them does.
 */
export function callOnRequest(call: Call, interceptors: readonly EarlyInterceptor[]): string[] | Promise<string[]> {
  return callNext(0, [], call, interceptors, new RequestView(call));
}

function callNext(
  first: number, added: string[], call: Call, interceptors: readonly EarlyInterceptor[], request: MatchedRequest,
): string[] | Promise<string[]> {
  const add = (returned: unknown): void => {
    if (returned === undefined) return;
    const headers = checkAddedHeaders(returned);
    call.addHeaders(headers);
    added = mergeHeaders(headers, added);
  };
  for (let at = first; at < interceptors.length; at += 1) {
    const { declared, onRequest } = interceptors[at] as EarlyInterceptor;
    const returned = onRequest.call(declared, request);
    if (isThenable(returned)) {
      return call.wait(returned).then((headers) => {
        add(call.accept(headers));
        return callNext(at + 1, added, call, interceptors, request);
      });
    }
    add(returned);
  }
  return added;
}

class RequestView implements MatchedRequest {
  readonly #call: Call;

  constructor(call: Call) {
    this.#call = call;
  }

  get raw(): IncomingMessage {
    return this.#call.request.raw;
  }

  get headers(): IncomingHttpHeaders {
    return this.#call.exchange.request.headers;
  }

  get route(): Route {
    return this.#call.operation.route;
  }

  get address(): string | undefined {
    const { request, response } = this.#call.exchange;
    return findSocket(request, response)?.remoteAddress;
  }

  get signal(): AbortSignal {
    return this.#call.signal;
  }
}
