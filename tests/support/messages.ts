/** The bytes of requests, and the problems in responses. Strings stand for bytes, one character for each. */
import * as assert from 'uvu/assert';
import type { Problem, ProblemIssue } from '../../src/index.ts';
import type { RawResponse } from './raw-client.ts';

export type MakeMessage = (method: string, target: string, body?: string, headers?: readonly string[]) => string;

/** A request. A body that is not empty has a `Content-Length`. */
export const message: MakeMessage = (method, target, body = '', headers = []) => {
  const framing = body === '' ? [] : [`Content-Length: ${body.length}`];
  return head(method, target, [...headers, ...framing]) + body;
};

/** A request whose body has two chunks, or no body if it is empty. */
export const chunkedMessage: MakeMessage = (method, target, body = '', headers = []) => {
  const half = Math.ceil(body.length / 2);
  const parts = [body.slice(0, half), body.slice(half)].filter((part) => part !== '');
  const chunks = parts.map((part) => `${part.length.toString(16)}\r\n${part}\r\n`).join('');
  return `${head(method, target, [...headers, 'Transfer-Encoding: chunked'])}${chunks}0\r\n\r\n`;
};

/** The head of a request, with the empty line that ends it. */
export function head(method: string, target: string, headers: readonly string[] = []): string {
  return [`${method} ${target} HTTP/1.1`, 'Host: a', ...headers, '', ''].join('\r\n');
}

/** The UTF-8 bytes of a string. */
export function encodeUtf8(text: string): string {
  return Buffer.from(text).toString('latin1');
}

/** The text that UTF-8 bytes stand for. */
export function decodeUtf8(bytes: string): string {
  return Buffer.from(bytes, 'latin1').toString();
}

/** The problem in a response. Asserts that it is a problem with the status of the response. */
export function readProblem({ status, headers, body }: RawResponse): Problem {
  assert.is(headers.get('content-type'), 'application/problem+json');
  const problem = JSON.parse(decodeUtf8(body)) as Problem;
  assert.is(problem.status, status);
  return problem;
}

/** The problem of a request with one error, which is of the whole body unless `place` says otherwise. */
export function badRequest(detail: string, at: Omit<ProblemIssue, 'detail'> = { pointer: '#' }): Problem {
  return { type: 'about:blank', title: 'Bad Request', status: 400, detail: `Bad arguments: ${detail}`, errors: [{ detail, ...at }] };
}
