/**
 * Serves a request from its matched route to the response, for every kind of operation:
 *
 *   `onRequest` of interceptors; parameters and id; context; query and headers; body; interceptors; conditions; operation; response
 */
import { findStatus } from '../../declaration/kinds.ts';
import type { Operation } from '../../endpoint/operation.ts';
import { findContextMistake } from '../../endpoint/context.ts';
import { NOT_FOUND_MESSAGE } from '../../errors/api-error.ts';
import { Rejection, makeRejection } from '../../errors/problem.ts';
import { skipSegment, skipWildcard } from '../../router/pattern.ts';
import { disownAll, isThenable } from '../../util/promises.ts';
import { type BodyStream, checkBodyHead, discardBody, readBody } from './body.ts';
import { Call } from './call.ts';
import { requireIfMatch, runIfMet } from './conditions.ts';
import type { Exchange } from '../exchange/exchange.ts';
import type { Mount } from '../listeners/mounts.ts';
import { encodeResult, findReturnedError } from './encode-result.ts';
import { abandonRequest, reportReturned, respondToError, type Step } from './error-responses.ts';
import { callOnRequest, InterceptorChain } from './interceptor-chain.ts';
import { sendResponse } from './send-response.ts';

const NO_ITEM = makeRejection('item', NOT_FOUND_MESSAGE);

/**
 * Responds to a request for an operation. `path` is the path of the request, as it was sent. If the operation is the guard of a `mount`,
 * that responds to callers whom `context` admits.
 *
 * The functions that are called here return a promise only if a function of the user does, so a synchronous operation waits only for its
 * body. `call.wait` counts against the time of the user's functions: when that is over, it sends a 503.
 *
 * A request is rejected by throwing. A `Rejection` is sent as it is. For any other error, `step` decides: in `authenticate` and `run` the
 * user's `mapError` is called, in `decode` it is not, and in `respond` the response is a 500. The two most frequent rejections are
 * returned: thrown, a 404 takes 1.6 times as long on Node 20, and 1.2 times on Node 26 (CPU time).
 */
export async function serve(operation: Operation, exchange: Exchange, path: string, mount?: Mount): Promise<void> {
  const call = new Call(operation, exchange, path);
  const { request } = call;
  let step: Step = 'decode';
  let result: unknown;
  try {
    exchange.defaultHeaders = operation.defaultHeaders;
    let earlyHeaders: readonly string[] | undefined;
    if (operation.earlyInterceptors !== undefined) {
      step = 'authenticate';
      const headers = callOnRequest(call, operation.earlyInterceptors);
      earlyHeaders = headers instanceof Promise ? await headers : headers;
      step = 'decode';
    }
    if (operation.parameters.length > 0) parsePath(call);

    // The body is not read before the caller is admitted.
    if (operation.context !== undefined) {
      exchange.defaultHeaders = operation.privateDefaultHeaders;
      // The new defaults have replaced the early headers.
      if (earlyHeaders !== undefined) exchange.addHeaders(earlyHeaders);
      step = 'authenticate';
      const context = operation.callContext(request);
      request.context = call.accept(isThenable(context) ? await call.wait(context) : context);
      // The user's `mapError` must not get an error of the server itself.
      step = 'decode';
      const mistake = findContextMistake(request.context);
      if (mistake !== undefined) throw new TypeError(mistake);
      step = 'authenticate';
      const rejection = operation.findRejection(request.context, request);
      if (rejection !== undefined) throw rejection;
      step = 'decode';
    }
    if (mount !== undefined) return mount.handle(exchange, path);

    if (operation.headDecoders !== undefined) {
      const head = operation.headDecoders.decode(call.queryString.slice(1), exchange.rawHeaders);
      call.head = call.accept(isThenable(head) ? await call.wait(head) : head);
    }

    // Checks type, encoding and length before any of the body is read.
    const rejection = operation.input === undefined ? discardBody(exchange, operation) : checkBodyHead(exchange, operation);
    if (rejection !== undefined) return call.reject(rejection);
    if (operation.conditions === 'required') requireIfMatch(exchange);

    let body: Buffer | BodyStream | undefined;
    let input: unknown;
    if (operation.input !== undefined) {
      const reading = readBody(call);
      body = reading instanceof Promise ? call.accept(await reading) : reading;
      const decoded = operation.decode(body, request);
      input = call.accept(isThenable(decoded) ? await call.wait(decoded) : decoded);
    }

    step = 'run';
    const returned = operation.interceptors === undefined
      ? runIfMet(call, request, input)
      : new InterceptorChain(call, operation.interceptors, input, body).start();
    // A result that comes too late is encoded too, but not sent: this closes its stream, and logs its error.
    result = isThenable(returned) ? await call.wait(returned) : returned;

    step = 'respond';
    // A plain result that means that there is no such item, such as `undefined` from a get.
    if (findStatus(operation.kind, result) === 404) return call.reject(NO_ITEM);
    const encoded = encodeResult(call, result, false);
    const response = encoded instanceof Promise ? await call.wait(encoded) : encoded;
    if (response.status >= 400) reportReturned(call, findReturnedError(result));
    sendResponse(call, response);
  } catch (thrown) {
    if (step === 'respond') disownAll(result);
    // Nothing waits for the promise that this function returns.
    await respondToError(call, step, thrown).catch((failure: unknown) => abandonRequest(exchange, failure));
  }
}

/** Parses the parameters in the path. Throws if one is not valid, or its codec fails. */
function parsePath({ operation, path, request }: Call): void {
  let params: Record<string, unknown> | undefined;
  let end = 0;
  for (const { gap, slashesAfter, name, codec } of operation.parameters) {
    const start = end + gap;
    end = slashesAfter === undefined ? skipSegment(path, start) : skipWildcard(path, slashesAfter);
    const segments = path.slice(start, end);
    const value = slashesAfter === undefined ? codec.parse(segments) : codec.parseSegments(segments);
    if (value instanceof Rejection) throw value;
    if (name === undefined) {
      request.itemId = value;
      continue;
    }
    request.params = params ??= {};
    // An assignment to `__proto__` would set the prototype.
    if (name === '__proto__') Object.defineProperty(params, name, { value, enumerable: true });
    else params[name] = value;
  }
}
