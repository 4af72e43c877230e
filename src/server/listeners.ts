/**
 * Connect-style listeners: middleware, mounts and the apps of `createServer`. They get Node's own request and response, and may do anything
 * with these streams.
 */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { toRejection, ApiError, isApiError } from '../errors/api-error.ts';
import { Rejection, createProblem } from '../errors/problem.ts';
import { adopt, formatClientError, isThenable, formatError } from '../util/promises.ts';
import { findQuery } from '../http/target.ts';
import type { Exchange } from './connection/exchange.ts';
import { Incoming } from './node/incoming.ts';
import { hasHead } from './node/messages.ts';
import { keepVary } from './vary.ts';

/** A request as listeners see it. Connect and Express set these two where they mount a listener. */
export type MountRequest = IncomingMessage & {
  /** The whole target. */
  originalUrl?: string;
  /** The beginning of the path that `url` lacks. */
  baseUrl?: string;
  /** The route of the mount, without the path at which an app has mounted this server. */
  ' route'?: string;
};

/** Removes the route from a request's target, as Connect does. */
export function stripRoute(request: MountRequest, route: string, path: string): void {
  const target = request.url ?? '';
  const removed = route === '/' ? '' : route;
  // They are set already if an app has mounted this server.
  request.originalUrl ??= target;
  request.baseUrl = (request.baseUrl ?? '') + removed;
  request[' route'] = removed;
  request.url = (path.slice(removed.length) || '/') + findQuery(target);
}

export type OnError = (thrown: unknown) => void;

// The exchange of each request that a listener has got, for a server that is mounted as a listener.
const exchanges = new WeakMap<IncomingMessage, Exchange>();

/** The exchange of a server that has passed a request to a listener. */
export function findOuterExchange(request: IncomingMessage): Exchange | undefined {
  return exchanges.get(request);
}

/**
 * Prepares an exchange for a listener. If the listener writes a body of a different length than its head declares, `onMismatch` gets the
 * error. The `onMismatch` of an earlier listener no longer does.
 */
export function prepareForListener(exchange: Exchange, onMismatch: OnError): void {
  const { request, response, connection } = exchange;
  const isFirst = exchange.onMismatch === undefined;
  exchange.onMismatch = onMismatch;
  exchange.userHasResponse = true;
  if (!isFirst) return;
  exchanges.set(request, exchange);
  if (exchange.variesByOrigin) keepVary(response);
  if (request instanceof Incoming) request.share();
  // The listener may destroy either stream, and an `error` event without a listener would end the process.
  request.on('error', ignore);
  response.on('error', ignore);
  if (connection.closesAfterReply) response.setHeader('Connection', 'close');
  checkLength(exchange);
  response.once('close', () => {
    // Every garbage collection visits the map. With old requests in it, a request with middleware would take a third longer.
    exchanges.delete(request);
    connection.forgetReplied(exchange);
  });
}

/** The outcomes of a call of a listener. */
export interface Outcomes {
  /** Called for `next()`. */
  passOn(): void;
  /** Called for `next(error)`. */
  reject(error: unknown): void;
  /** Called with the error that the listener throws, or that its promise rejects with. */
  fail(thrown: unknown): void;
  /** Called with an error that changes no response. */
  log(error: unknown): void;
}

/** Calls a listener, and then an outcome. After `passOn` and `reject`, further errors are only logged. */
export function callListener(exchange: Exchange, call: (next: (error?: unknown) => void) => unknown, outcomes: Outcomes): void {
  let isOver = false;
  const next = (error?: unknown): void => {
    // Connect takes any falsy value for no error.
    if (error && isOver) outcomes.log(error);
    if (isOver) return;
    if (!error && isHalfSent(exchange.response)) {
      // The listener must end the response itself, or its client waits.
      outcomes.log(new Error('next was called after a response was begun, and does nothing'));
      return;
    }
    isOver = true;
    if (error) outcomes.reject(error);
    else if (exchange.isOpen) outcomes.passOn();
  };
  const onError = (thrown: unknown): void => (isOver ? outcomes.log(thrown) : outcomes.fail(thrown));
  try {
    catchRejection(call(next), onError);
  } catch (thrown) {
    onError(thrown);
  }
}

function isHalfSent({ headersSent, writableEnded, destroyed }: ServerResponse): boolean {
  return headersSent && !writableEnded && !destroyed;
}

/** If a listener has returned a promise, `onError` gets the reason of its rejection. */
export function catchRejection(result: unknown, onError: OnError): void {
  if (isThenable(result)) adopt(result).catch(onError);
}

/**
 * Responds for a listener that failed. If `writeHead` has thrown, or `respond` throws, `fallback` goes to the socket directly. If a part of
 * a response was sent, destroys the connection.
 */
export function respondToFailure(exchange: Exchange, respond: () => void, fallback?: Rejection): void {
  // A `writeHead` that threw has already changed how the response would frame a body.
  if (!exchange.isOpen || hasHead(exchange.response)) {
    exchange.abandon(fallback);
    return;
  }
  try {
    respond();
  } catch {
    exchange.abandon(fallback);
  }
}

/** Reports the error of a listener to observers, and logs it unless it is the client's mistake. */
export function reportFailure(exchange: Exchange, thrown: unknown, { problem }: Rejection, log: () => void): void {
  if (problem.status >= 500 || !exchange.isOpen) log();
  if (!exchange.response.writableEnded) exchange.observer?.fail(thrown);
}

/** Returns the rejection for the error of a listener. The message of an error with a status is sent only if `expose` is `true`. */
export function toListenerRejection(thrown: unknown, exposeInternal: boolean): Rejection {
  if (isApiError(thrown)) return toRejection(thrown, exposeInternal);
  try {
    const { status, statusCode, expose } = Object(thrown) as Readonly<Record<string, unknown>>;
    const stated = [status, statusCode].find(isErrorStatus);
    if (stated !== undefined) return new Rejection(createProblem(stated, expose === true ? formatClientError(thrown) : undefined));
  } catch {
    // A getter of the error throws, so the status is 500.
  }
  return toRejection(ApiError.internal(formatError(thrown), { cause: thrown }), exposeInternal);
}

function isErrorStatus(value: unknown): value is number {
  return Number.isInteger(value) && Number(value) >= 400 && Number(value) < 600;
}

/**
 * Checks that a listener writes as many bytes as its `Content-Length` says: otherwise later responses would be garbled. If not, calls
 * `onMismatch` of the exchange, and writes nothing more. Node's own check throws out of `write` and `end`. The event of a stream often
 * calls these, and nobody would catch the error.
 */
function checkLength(exchange: Exchange): void {
  const { response } = exchange;
  let isBroken = false;
  const guarded = <Result>(method: (...args: never[]) => Result, instead: Result) => (...args: never[]): Result => {
    if (isBroken) return instead;
    try {
      return method.apply(response, args);
    } catch (thrown) {
      if (!isMismatch(thrown)) throw thrown;
      isBroken = true;
      // A response is also too short when its client leaves.
      if (!response.destroyed) exchange.onMismatch?.(thrown);
      return instead;
    }
  };
  const { write, end }: ServerResponse = response;
  response.strictContentLength = true;
  // `Object.assign`, because the types of both have overloads.
  Object.assign(response, { write: guarded<boolean>(write, false), end: guarded(end, response) });
}

function isMismatch(thrown: unknown): boolean {
  return thrown instanceof Error && 'code' in thrown && thrown.code === 'ERR_HTTP_CONTENT_LENGTH_MISMATCH';
}

function ignore(): void {}
