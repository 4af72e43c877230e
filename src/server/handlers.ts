/**
 * The closure that answers a route, one maker for each kind of operation. All of them go the same way: read the id,
 * read and decode the body, call the operation, encode what it gives, reply. An operation that is synchronous
 * stays so from end to end.
 */
import { argumentText } from '../errors/api-error.ts';
import { problemOfRefusal } from '../errors/problem.ts';
import { readBody } from './body.ts';
import type { CustomDeclaration, IdDeclaration, Stringify } from './declaration.ts';
import { isThenable, Refusal, type Decode } from './decoder.ts';
import type { Exchange } from './exchange.ts';
import { JsonRefusal, parseJson } from './json.ts';
import { fail, failToEncode, perform, wait, type Operation } from './operation.ts';
import { Refused } from './refused.ts';
import { replyAllow, replyCreated, replyJson, replyNoContent, replyProblem, replyRefused } from './reply.ts';
import type { ApiRequest } from './request.ts';

/** What answers the requests of a route; `segment` is the text that stands for `:id`, as it was sent. */
export type Handler = (exchange: Exchange, segment: string) => void;

/** What a handler has to know of its route. */
export type OperationContext = Omit<Operation, 'run' | 'answer'>;

export function createHandler(
  context: OperationContext,
  decode: Decode,
  create: (item: unknown, request: ApiRequest) => unknown,
  id: IdDeclaration,
  locationPrefix: string,
): Handler {
  const operation: Operation = {
    ...context,
    run: (_id, item, request) => create(item, request),
    answer: (exchange, its, result) => answerCreated(exchange, its, id, locationPrefix, result),
  };
  return (exchange) => readValue(exchange, operation, decode, undefined);
}

export function getHandler(
  context: OperationContext,
  id: IdDeclaration,
  get: (id: unknown, request: ApiRequest) => unknown,
  stringify: Stringify | undefined,
): Handler {
  const operation: Operation = { ...context, run: (key, _input, request) => get(key, request), answer: answerWith(stringify) };
  return (exchange, segment) => {
    const key = readId(id, segment);
    if (key instanceof Refused) replyRefused(exchange, key);
    else perform(exchange, operation, key, undefined);
  };
}

export function updateHandler(
  context: OperationContext,
  id: IdDeclaration,
  decode: Decode,
  update: (id: unknown, item: unknown, request: ApiRequest) => unknown,
): Handler {
  const operation: Operation = { ...context, run: update, answer: replyNoContent };
  return (exchange, segment) => {
    const key = readId(id, segment);
    if (key instanceof Refused) replyRefused(exchange, key);
    else readValue(exchange, operation, decode, key);
  };
}

export function deleteHandler(
  context: OperationContext,
  id: IdDeclaration,
  remove: (id: unknown, request: ApiRequest) => unknown,
): Handler {
  const operation: Operation = { ...context, run: (key, _input, request) => remove(key, request), answer: replyNoContent };
  return (exchange, segment) => {
    const key = readId(id, segment);
    if (key instanceof Refused) replyRefused(exchange, key);
    else perform(exchange, operation, key, undefined);
  };
}

export function customHandler(context: OperationContext, { decode, run, stringify }: CustomDeclaration): Handler {
  const answer = answerWith(stringify);
  if (decode === undefined) {
    const operation: Operation = { ...context, run: (_id, _input, request) => run(request), answer };
    return (exchange) => readNothing(exchange, operation);
  }
  const operation: Operation = { ...context, run: (_id, input, request) => run(input, request), answer };
  return (exchange) => readValue(exchange, operation, decode, undefined);
}

/** Discovery: `OPTIONS` on a path that an endpoint has. */
export function allowHandler(allow: string): Handler {
  return (exchange) => replyAllow(exchange, 200, allow);
}

const NOT_ENCODED = new Refused(400, argumentText('the id is not percent-encoded UTF-8'));

/** Gives the id, or the `Refused` that is to be answered in its place. */
function readId(id: IdDeclaration, segment: string): unknown {
  if (!segment.includes('%')) return id.read(segment);
  let text: string;
  try {
    text = decodeURIComponent(segment);
  } catch {
    return NOT_ENCODED;
  }
  return id.read(text);
}

/** Reads the body, decodes it, and performs the operation with it; answers by itself where either refuses. */
function readValue(exchange: Exchange, operation: Operation, decode: Decode, id: unknown): void {
  const accept = (value: unknown): void => {
    if (value instanceof Refusal) refuse(exchange, value);
    // A decoder that took too long was answered for, and its operation is not invoked any more.
    else if (exchange.isOpen) perform(exchange, operation, id, value);
  };
  readBody(exchange, operation.settings, (bytes) => {
    const json = parseJson(bytes);
    if (json instanceof JsonRefusal) {
      refuse(exchange, new Refusal(argumentText(json.message)));
      return;
    }
    let value: unknown;
    try {
      value = decode(json);
      if (isThenable(value)) {
        wait(exchange, operation, value, accept);
        return;
      }
    } catch (thrown) {
      fail(exchange, operation, thrown);
      return;
    }
    accept(value);
  });
}

const NO_INPUT = new Refusal(argumentText('the operation takes no input'));

/** Reads the body of an operation that takes no input, and performs it. */
function readNothing(exchange: Exchange, operation: Operation): void {
  readBody(exchange, operation.settings, (bytes) => {
    if (bytes.length === 0 || parseJson(bytes) === null) perform(exchange, operation, undefined, undefined);
    else refuse(exchange, NO_INPUT);
  });
}

/** Answers for a request that its operation never sees. */
function refuse(exchange: Exchange, { detail, issues }: Refusal): void {
  replyProblem(exchange, problemOfRefusal(detail, issues));
}

function answerJson(exchange: Exchange, operation: Operation, result: unknown): void {
  let json: string | undefined;
  try {
    json = JSON.stringify(result);
  } catch (thrown) {
    failToEncode(exchange, operation, thrown);
    return;
  }
  if (json !== undefined) replyJson(exchange, 200, json);
  else failToEncode(exchange, operation, new TypeError(`JSON can not carry a result of type ${typeof result}`));
}

/** How a result is answered: with the host's own `stringify` where there is one. */
function answerWith(stringify: Stringify | undefined): Operation['answer'] {
  if (stringify === undefined) return answerJson;
  return (exchange, operation, result) => answerWritten(exchange, operation, stringify, result);
}

function answerWritten(exchange: Exchange, operation: Operation, stringify: Stringify, result: unknown): void {
  let json: unknown;
  try {
    json = stringify(result);
    // What a promise in its place is rejected with has nobody else who listens for it, and would end the process.
    if (isThenable(json)) json.then(undefined, () => {});
  } catch (thrown) {
    failToEncode(exchange, operation, thrown);
    return;
  }
  if (typeof json === 'string') replyJson(exchange, 200, json);
  else failToEncode(exchange, operation, new TypeError(`a result was written as ${typeof json}`));
}

function answerCreated(
  exchange: Exchange,
  operation: Operation,
  codec: IdDeclaration,
  locationPrefix: string,
  id: unknown,
): void {
  let text: unknown;
  let location: string;
  try {
    text = codec.format(id);
    if (typeof text !== 'string') throw new TypeError(`an id was formatted as ${typeof text}`);
    location = locationPrefix + encodeURIComponent(text);
  } catch (thrown) {
    failToEncode(exchange, operation, thrown);
    return;
  }
  replyCreated(exchange, text, location);
}
