/**
 * What a suite imports: `suite`, `assert`, clients, servers, and tables of requests and responses as text.
 *
 *   facts(created, declare, [
 *     ['an item', 'POST /v1/pet {"legs":4}', '201 text 7 | Location: /v1/pet/7'],
 *     ['no legs', 'POST /v1/pet {}', '400 Bad arguments: legs: is missing @#/legs'],
 *     ['a bug', 'GET /v1/pet/9', '500', 'GET /v1/pet/:id: Internal error: no row'],
 *   ]);
 *
 * A row is why, a request, its whole response, and the lines that are logged. Several requests are sent on one connection, in order.
 */
import { suite as makeSuite, type Test as UvuTest } from 'uvu';
import * as assert from 'uvu/assert';
import { decodeUtf8, encodeUtf8, message } from './messages.ts';
import { RawClient, type RawResponse } from './raw-client.ts';
import { serve, type ServeOptions, type TestServer } from './serve.ts';
import { ApiError, type ApiServer } from '../../src/index.ts';

export * from './messages.ts';
export * from './raw-client.ts';
export * from './serve.ts';
export * from './statuses.ts';
export * from './wait.ts';
export { assert };

export type Test = ((name: string, run: () => Promise<unknown>) => void) & UvuTest;
export type Declare = (server: ApiServer) => void;
export type Row = readonly [why: string, requests: string | readonly string[], responses: string | readonly string[], ...logged: (string | RegExp)[]];

/** A suite that runs when its file has been read. */
export function suite(name: string): Test {
  const made = makeSuite(name) as Test;
  queueMicrotask(made.run);
  return made;
}

export interface FactOptions extends ServeOptions {
  /** Further facts of each row. */
  readonly after?: (served: TestServer) => void;
}

export function facts(test: Test, declare: Declare, rows: readonly Row[], options?: FactOptions): void {
  for (const [why, requests, responses, ...logged] of rows) {
    const title = [why, why && ': ', [requests].flat().join(', then ').replaceAll('\n', ', ').slice(0, 90), ' -> ', [responses].flat().join(', then ')].join('');
    test(title, () => check(declare, requests, responses, logged, options));
  }
}

/** Compares the responses of a server, and what it logs, with text. */
export async function check(declare: Declare, requests: Row[1], responses: Row[2], logged: readonly (string | RegExp)[] = [], { after, ...options }: FactOptions = {}): Promise<void> {
  await serve(declare, async (served) => {
    assert.equal(await ask(served.port, [requests].flat()), [responses].flat());
    const lines = served.errors.map((error) => error.message);
    assert.equal(lines.map((line, at) => (logged[at] instanceof RegExp && logged[at].test(line) ? logged[at] : line)), logged);
    after?.(served);
  }, options);
}

/** Sends requests on one connection, or on a further one after `Connection: close`. */
export async function ask(port: number, requests: readonly string[]): Promise<string[]> {
  const texts: string[] = [];
  let client: RawClient | undefined;
  for (const request of requests) {
    client ??= await RawClient.connect(port);
    client.send(toMessage(request));
    const method = request.slice(0, request.indexOf(' '));
    const response = await client.response(method);
    texts.push(toText(response, method));
    if (response.headers.get('connection') !== 'close') continue;
    client.destroy();
    client = undefined;
  }
  client?.destroy();
  return texts;
}

/** `POST /v1/pet {"legs":4}`, and lines of headers below. `␊` in a body is the end of a line. */
function toMessage(text: string): string {
  const [line = '', ...headers] = text.split('\n');
  const [, method = '', target = '', body = ''] = /^(\S+) (\S+) ?(.*)$/.exec(line) ?? [];
  return message(method, target, encodeUtf8(body.replaceAll('␊', '\n')), headers);
}

const OF_EVERY_RESPONSE = new Set(['date', 'keep-alive', 'content-length', 'content-type']);

/** A response in a line: `201 text 7 | Location: /v1/pet/7`. JSON and problems stand without their type, and what follows from the status is left out. */
export function toText({ status, headers, body, head }: RawResponse, method = 'GET'): string {
  const length = headers.get('content-length');
  if (method !== 'HEAD' && length !== undefined) assert.is(length, String(body.length), 'Content-Length');
  const hasNoBody = method === 'HEAD' || status === 204 || status === 304;
  const content = hasNoBody && length !== undefined ? `length ${length}` : toContent(status, headers.get('content-type'), decodeUtf8(body));
  const others = head.split('\r\n').slice(1).filter((line) => !isUsual(line)).map((line) => ` | ${line}`);
  return `${status}${content && ' '}${content}${others.join('')}`;
}

function isUsual(line: string): boolean {
  return OF_EVERY_RESPONSE.has(line.slice(0, line.indexOf(':')).toLowerCase()) || /^(?:connection: keep-alive|x-content-type-options: nosniff)$/i.test(line);
}

function toContent(status: number, type: string | undefined, body: string): string {
  if (type === 'application/problem+json') return toProblem(status, JSON.parse(body) as Record<string, unknown>);
  if (type === undefined || (type === 'application/json' && body !== '')) return body;
  return `${type === 'text/plain; charset=utf-8' ? 'text' : type} ${body}`;
}

/** `Bad arguments: legs: is missing @#/legs`: the detail, where its errors are, and the other properties. */
function toProblem(status: number, { type, title, status: same, detail, errors, ...others }: Record<string, unknown>): string {
  assert.is(same, status);
  if (type !== 'about:blank' || title !== findPhrase(status)) Object.assign(others, { type, title });
  const issues = (errors ?? []) as readonly { detail: string; pointer?: string; parameter?: string; header?: string }[];
  const places = issues.map(({ pointer, parameter, header }) => ` @${pointer ?? parameter ?? header ?? ''}`).join('');
  const isSaid = detail === `Bad arguments: ${issues.map((issue) => issue.detail).join('; ')}`;
  if (errors !== undefined && !isSaid) Object.assign(others, { errors });
  return `${detail ?? ''}${isSaid ? places : ''}${Object.keys(others).length === 0 ? '' : ` ${JSON.stringify(others)}`}`.trim();
}

/** An error without a detail has the phrase of its status as its message. Not of `src/errors`: the tests also run on the installed package. */
function findPhrase(status: number): string {
  return ApiError.status(status, undefined, { headers: { Allow: 'GET', 'WWW-Authenticate': 'Basic' } }).message;
}

/** A test for each row: what throws a TypeError with this text. */
export function rejections(test: Test, rows: readonly (readonly [why: string, call: () => unknown, text: string | RegExp])[]): void {
  for (const [why, call, text] of rows) {
    test(`${why && `${why} -> `}TypeError: ${String(text)}`, () => {
      assert.throws(call, isTypeError(text));
    });
  }
}

/** Whether a value is a TypeError with this text. */
export function isTypeError(text: string | RegExp): (thrown: unknown) => boolean {
  return (thrown) => thrown instanceof TypeError && (text instanceof RegExp ? text.test(thrown.message) : thrown.message === text);
}
