/** The one place that writes a response. Each function answers once: where an answer has begun, it does nothing. */
import { problemOf, type Problem, type ProblemStatus } from '../errors/problem.ts';
import type { Exchange } from './exchange.ts';

const PROBLEM_TYPE = 'application/problem+json';

/** Answers with a body of JSON text. */
export function replyJson(exchange: Exchange, status: number, json: string): void {
  reply(exchange, status, ['Content-Type', 'application/json', 'Content-Length', String(Buffer.byteLength(json))], json);
}

/** Answers a Create: the new id as plain text, and where the item is. */
export function replyCreated(exchange: Exchange, id: string, location: string): void {
  const length = String(Buffer.byteLength(id));
  reply(exchange, 201, ['Content-Type', 'text/plain; charset=utf-8', 'Content-Length', length, 'Location', location], id);
}

/** Answers 204, which has no body and declares none (RFC 9110 section 8.6). */
export function replyNoContent(exchange: Exchange): void {
  reply(exchange, 204, [], '');
}

/** Answers without a body, saying which methods there are: 200 to OPTIONS, else 405. */
export function replyAllow(exchange: Exchange, status: 200 | 405, allow: string): void {
  reply(exchange, status, ['Allow', allow, 'Content-Length', '0'], '');
}

/** Answers with a problem (RFC 9457). */
export function replyProblem(exchange: Exchange, problem: Problem, headers: readonly string[] = []): void {
  const json = JSON.stringify(problem);
  const length = String(Buffer.byteLength(json));
  reply(exchange, problem.status, ['Content-Type', PROBLEM_TYPE, 'Content-Length', length, ...headers], json);
}

/** The whole response as it goes onto the socket: for what never became a request, and where a response is spoilt. */
export function rawProblem(status: ProblemStatus, detail?: string): string {
  const problem = problemOf(status, detail);
  const json = JSON.stringify(problem);
  const head = [
    `HTTP/1.1 ${status} ${problem.title}`,
    `Date: ${new Date().toUTCString()}`,
    `Content-Type: ${PROBLEM_TYPE}`,
    `Content-Length: ${Buffer.byteLength(json)}`,
    'Connection: close',
  ];
  return `${head.join('\r\n')}\r\n\r\n${json}`;
}

function reply(exchange: Exchange, status: number, headers: string[], body: string): void {
  if (!exchange.isOpen) return;
  const { response } = exchange;
  if (closesAfterwards(exchange)) {
    replyLast(exchange, status, headers, body);
    return;
  }
  response.writeHead(status, headers);
  response.end(body);
}

// Node reads away by itself what nobody has read. Up to this size that is cheaper than a new connection.
const MOST_READ_AWAY = 64 * 1024;

/**
 * Whether this is the connection's last answer. It is, too, where a body is on its way that nobody will read and
 * that is not known to be short.
 */
function closesAfterwards({ connection, head, request, response, awaitsContinue, mustClose }: Exchange): boolean {
  if (connection.closesNext || mustClose) return true;
  if (!head.hasBody || request.complete) return false;
  return awaitsContinue || !response.shouldKeepAlive || (head.declaredBytes ?? Infinity) > MOST_READ_AWAY;
}

function replyLast({ connection, request, response }: Exchange, status: number, headers: string[], body: string): void {
  connection.beginLast();
  response.writeHead(status, [...headers, 'Connection', 'close']);
  // `end` would make Node destroy the socket once this is out, and reset the connection if the client still sends.
  if (request.method === 'HEAD' || status === 204) {
    response.flushHeaders();
    connection.hangUp();
  } else {
    response.write(body, () => connection.hangUp());
  }
  request.resume();
}
