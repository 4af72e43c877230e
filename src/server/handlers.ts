/**
 * The closure that answers a route, one maker for each kind of operation. All of them go the same way: read the id,
 * read and decode the body, call the operation, encode what it gives, reply. An operation that is synchronous
 * stays so from end to end.
 */
import { argumentText } from '../errors/api-error.ts';
import { problemOfRefusal } from '../errors/problem.ts';
import { isThenable } from '../errors/thenable.ts';
import { ignoreBody, readBody } from './body.ts';
import { Refusal, type Decode } from '../endpoint/decoder.ts';
import type { Exchange } from './connection/exchange.ts';
import { parseJson } from '../http/json.ts';
import { answerProblem, failToDecode, perform, wait, type Operation } from './operation.ts';
import { CREATE, DELETE, GET, UPDATE, type CustomOperation } from './operations.ts';
import { Refused } from '../http/refused.ts';
import { replyAllow, replyRefused } from './reply.ts';
import type { ServedEndpoint } from './served-endpoint.ts';

/** What answers the requests of a route; `segment` is the text that stands for `:id`, as it was sent. */
export type Handler = (exchange: Exchange, segment: string) => void;

export function createHandler(endpoint: ServedEndpoint, decode: Decode): Handler {
  return (exchange) => readValue(exchange, CREATE, endpoint, decode, undefined);
}

export function getHandler(endpoint: ServedEndpoint): Handler {
  return (exchange, segment) => {
    const id = readId(exchange, GET, endpoint, segment);
    if (id !== NO_ID) performAlone(exchange, GET, endpoint, id);
  };
}

export function updateHandler(endpoint: ServedEndpoint, decode: Decode): Handler {
  return (exchange, segment) => {
    const id = readId(exchange, UPDATE, endpoint, segment);
    if (id !== NO_ID) readValue(exchange, UPDATE, endpoint, decode, id);
  };
}

export function deleteHandler(endpoint: ServedEndpoint): Handler {
  return (exchange, segment) => {
    const id = readId(exchange, DELETE, endpoint, segment);
    if (id !== NO_ID) performAlone(exchange, DELETE, endpoint, id);
  };
}

export function customHandler(endpoint: ServedEndpoint, operation: CustomOperation): Handler {
  const { decode } = operation.declaration;
  if (decode === undefined) return (exchange) => readNothing(exchange, operation, endpoint);
  return (exchange) => readValue(exchange, operation, endpoint, decode, undefined);
}

// There are few values of `Allow`, and one closure for each of them serves all endpoints.
const allowHandlers = new Map<string, Handler>();

/** Discovery: `OPTIONS` on a path that an endpoint has. */
export function allowHandler(allow: string): Handler {
  let handler = allowHandlers.get(allow);
  if (handler === undefined) allowHandlers.set(allow, (handler = (exchange) => replyAllow(exchange, 200, allow)));
  return handler;
}

const NOT_ENCODED = new Refused(400, argumentText('the id is not percent-encoded UTF-8'));

const NO_ID = Symbol('no id');

/** Gives the id; answers by itself, and gives `NO_ID`, where the text is none or the codec fails. */
function readId(exchange: Exchange, operation: Operation, endpoint: ServedEndpoint, segment: string): unknown {
  try {
    const text = decodeSegment(segment);
    const id = text === undefined ? NOT_ENCODED : endpoint.declaration.id.read(text);
    // A host's proxy can throw even here.
    if (!(id instanceof Refused)) return id;
    replyRefused(exchange, id);
  } catch (thrown) {
    failToDecode(exchange, operation, endpoint, thrown);
  }
  return NO_ID;
}

function decodeSegment(segment: string): string | undefined {
  if (!segment.includes('%')) return segment;
  try {
    return decodeURIComponent(segment);
  } catch {
    return undefined;
  }
}

/** Reads the body, decodes it, and performs the operation with it; answers by itself where either refuses. */
function readValue(exchange: Exchange, operation: Operation, endpoint: ServedEndpoint, decode: Decode, id: unknown): void {
  readBody(exchange, operation, endpoint, (bytes) => {
    const json = parseJson(bytes);
    if (json instanceof Refused) replyRefused(exchange, json);
    else decodeValue(exchange, operation, endpoint, decode, id, json);
  });
}

function decodeValue(
  exchange: Exchange,
  operation: Operation,
  endpoint: ServedEndpoint,
  decode: Decode,
  id: unknown,
  json: unknown,
): void {
  try {
    const value = decode(json);
    if (isThenable(value)) acceptLater(exchange, operation, endpoint, id, value);
    else accept(exchange, operation, endpoint, id, value);
  } catch (thrown) {
    failToDecode(exchange, operation, endpoint, thrown);
  }
}

// By itself, so that what is decoded at once makes no closure, nor the scope of one.
function acceptLater(
  exchange: Exchange,
  operation: Operation,
  endpoint: ServedEndpoint,
  id: unknown,
  promised: PromiseLike<unknown>,
): void {
  wait(exchange, operation, endpoint, promised, (value) => accept(exchange, operation, endpoint, id, value), failToDecode);
}

function accept(exchange: Exchange, operation: Operation, endpoint: ServedEndpoint, id: unknown, value: unknown): void {
  if (value instanceof Refusal) answerProblem(exchange, operation, endpoint, problemOfRefusal(value.detail, value.issues));
  // A decoder that took too long was answered for, and its operation is not invoked any more.
  else if (exchange.isOpen) perform(exchange, operation, endpoint, id, value);
}

const NO_INPUT = new Refused(400, argumentText('the operation takes no input'));

/** Reads the body of an operation that takes no input, and performs it. */
function readNothing(exchange: Exchange, operation: Operation, endpoint: ServedEndpoint): void {
  readBody(exchange, operation, endpoint, (bytes) => {
    if (bytes.length === 0 || parseJson(bytes) === null) perform(exchange, operation, endpoint, undefined, undefined);
    else replyRefused(exchange, NO_INPUT);
  });
}

/** Performs an operation that takes no body. */
function performAlone(exchange: Exchange, operation: Operation, endpoint: ServedEndpoint, id: unknown): void {
  ignoreBody(exchange);
  perform(exchange, operation, endpoint, id, undefined);
}
