/** Refuses the requests of a host's own HTTP/2 server. Its requests and responses differ from those of HTTP/1.1 in ways that matter. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { errorAnswer } from '../../errors/problem.ts';
import type { ProblemFormatter } from '../settings/problem-formatter.ts';
import { plainAnswer } from './error-reply.ts';

const NO_HTTP2 = errorAnswer(505, 'This server has no HTTP/2. A proxy in front of it can speak HTTP/2 with clients.');

/** Whether a request came over HTTP/2. A request over HTTP/1.1 has no stream of its own, whatever version it names. */
export function isHttp2(request: IncomingMessage): boolean {
  return request.httpVersionMajor === 2 && 'stream' in request;
}

/** Replies 505. */
export function refuseHttp2(request: IncomingMessage, response: ServerResponse, format: ProblemFormatter | undefined): void {
  // The client may leave, and an `error` event without a listener would end the process.
  for (const stream of [request, response]) stream.on('error', () => {});
  const { status, headers, json } = format?.(NO_HTTP2, request) ?? plainAnswer(NO_HTTP2);
  response.writeHead(status, Object.fromEntries(pairsOf(headers)));
  response.end(json);
  request.resume();
}

// Node throws at these. `formatProblem` cannot give the other fields that HTTP/2 has not (RFC 9113 section 8.2.2).
const OF_CONNECTION: ReadonlySet<string> = new Set(['http2-settings', 'proxy-connection']);

function* pairsOf(headers: readonly string[]): Generator<[name: string, value: string]> {
  for (let at = 0; at < headers.length; at += 2) {
    const [name = '', value = ''] = headers.slice(at, at + 2);
    if (!OF_CONNECTION.has(name.toLowerCase())) yield [name, value];
  }
}
