/**
 * Writes a whole response as one string, which Node takes for its head:
 *
 *   HTTP/1.1 200 OK, the lines of headers, Date, Connection, Keep-Alive, the body   ->   response._header
 *
 * The bytes are those that Node itself would write. Only for HTTP/1.1 on a connection that stays open, and only if a first response, which
 * is not sent, shows that this Node writes such a head as it is. `writeHead` checks and joins the headers one by one: by it, a Get takes
 * 1.2 times as long (CPU time, Node 20 and 26).
 */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { http } from '../../../../node.ts';
import { setTimeout } from '../../../../util/timers.ts';
import { isUntouched } from './requests.ts';

/** Undocumented properties of Node's responses. */
interface NodeResponse extends ServerResponse {
  _header: string | null;
  _hasBody: boolean;
  _keepAliveTimeout: number;
  _storeHeader: unknown;
  readonly _maxRequestsPerSocket?: number | null;
  readonly outputData: readonly { readonly data: string }[];
}

const { writeHead, end, _storeHeader: storeHeader } = http.ServerResponse.prototype as NodeResponse;

/** Whether Node would write the usual head of a response: nobody has changed it, and its connection stays open. */
export function isPlain(response: ServerResponse): boolean {
  return isAsNodeMakesIt(response as NodeResponse) && (isSupported ??= checkSupport());
}

function isAsNodeMakesIt(response: NodeResponse): boolean {
  const { sendDate, shouldKeepAlive, useChunkedEncodingByDefault: isVersion11, _keepAliveTimeout: keepAliveMs } = response;
  if (!sendDate || !shouldKeepAlive || !isVersion11 || !(keepAliveMs > 0)) return false;
  // The maximum is part of a `Keep-Alive` line, and `fetch` has a `_storeHeader` of its own.
  return !response._maxRequestsPerSocket && response._storeHeader === storeHeader && isUntouched(response);
}

/**
 * Sends a response that is plain. `body` must be ASCII, and `undefined` for a status without one. A response to HEAD is sent without it.
 */
export function endWhole(response: ServerResponse, status: number, lines: string, body: string | undefined): void {
  const node = response as NodeResponse;
  const phrase = http.STATUS_CODES[status] ?? 'unknown';
  // Tracers read these.
  node.statusCode = status;
  node.statusMessage = phrase;
  if (body === undefined) node._hasBody = false;
  const head = `HTTP/1.1 ${status} ${phrase}\r\n${lines}${formatEnd(node._keepAliveTimeout)}`;
  node._header = node._hasBody ? head + body : head;
  node.end();
}

// A fake clock that a test installs later must not stop it.
const { Date: Clock } = globalThis;
let headEnd: string | undefined;
let headEndMs = 0;

/**
 * The lines that Node adds, and the end of the head. Kept until the second is over: otherwise a Get takes 1.1 times as long (Node 20 and
 * 26).
 */
function formatEnd(keepAliveMs: number): string {
  if (headEnd !== undefined && headEndMs === keepAliveMs) return headEnd;
  const now = new Clock();
  const made = `Date: ${now.toUTCString()}\r\nConnection: keep-alive\r\nKeep-Alive: timeout=${Math.floor(keepAliveMs / 1000)}\r\n\r\n`;
  if (headEnd === undefined && !forgetAfter(1000 - now.getMilliseconds())) return made;
  headEndMs = keepAliveMs;
  return (headEnd = made);
}

/** Returns `false` if a test has installed a fake timer before this file was loaded: it may never fire. */
function forgetAfter(ms: number): boolean {
  const timer = setTimeout(() => (headEnd = undefined), ms);
  timer.unref();
  return '_idleStart' in timer;
}

let isSupported: boolean | undefined;

/** Whether a response that is sent here has the bytes that `writeHead` and `end` write, and ends as after them. */
function checkSupport(): boolean {
  // A tracer may have replaced them before this file was loaded, and expects to be called.
  if (process.versions['bun'] !== undefined || process.versions['deno'] !== undefined) return false;
  if (!String(writeHead).includes('_storeHeader') || !String(end).includes('_send')) return false;
  try {
    const byNode = trySending((response) => response.writeHead(200, ['Content-Length', '2']).end('ok', 'latin1'));
    return trySending((response) => endWhole(response, 200, 'Content-Length: 2\r\n', 'ok')) === byNode;
  } catch {
    return false;
  }
}

function trySending(send: (response: NodeResponse) => void): string {
  const response = new http.ServerResponse({ method: 'GET', httpVersionMajor: 1, httpVersionMinor: 1 } as IncomingMessage) as NodeResponse;
  response.shouldKeepAlive = true;
  response._keepAliveTimeout = 1000;
  send(response);
  const { headersSent, writableEnded, outputData } = response;
  // Between the two, the clock may have moved on.
  const bytes = outputData.map(({ data }) => data).join('').replace(/^Date: .*$/m, 'Date');
  return JSON.stringify([headersSent, writableEnded, bytes]);
}
