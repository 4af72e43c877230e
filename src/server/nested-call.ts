/**
 * Requests within another one, such as the call of a tool:
 *
 *   POST /mcp   ->   middleware, a place in flight, a mounted handler   ->   GET /v1/pet/7   ->   its operation
 *
 * A nested request is dispatched as one that has arrived over a connection, and its answer is read as it is written. No parser is involved.
 */
import type { IncomingMessage } from 'node:http';
import type { NestedAnswer, NestedCall, NestedRequest } from '../endpoint/nested.ts';
import { http } from '../node.ts';
import { Connection, type ExchangeDispatcher } from './connection/connection.ts';
import type { Owner } from './connection/owner.ts';
import { AnswerSocket } from './node/answer-socket.ts';
import { RequestClass } from './node/incoming.ts';
import type { Settings } from './settings/options.ts';

/** Makes the nested calls of a server. */
export function nestedCallOf(settings: Settings, dispatcher: ExchangeDispatcher, owner: Owner): NestedCall {
  // All is written at once, and nothing waits to be sent.
  const options = { settings, dispatcher, isInOrder: true, owner, onManyUnsent: () => {} };
  return (nested, { outer, maxBytes, signal }) => new Promise((resolve, reject) => {
    signal.throwIfAborted();
    const socket = new AnswerSocket(outer.socket, maxBytes);
    const request = requestOf(nested, socket);
    const response = new http.ServerResponse(request);
    // The body ends with the connection, so it needs no framing.
    response.useChunkedEncodingByDefault = false;
    response.assignSocket(socket);
    response.once('finish', () => socket.end());
    const leave = (): unknown => socket.destroy();
    signal.addEventListener('abort', leave);
    socket.on('error', () => {}).once('close', () => {
      signal.removeEventListener('abort', leave);
      const { written, isTooLong } = socket;
      if (written === undefined && !isTooLong) reject(new Error('the connection was closed before the end of the answer'));
      else resolve(written && answerIn(written));
    });
    new Connection(socket, options).accept(request, response, false, '');
  });
}

/** A request that has arrived as a whole. */
function requestOf({ method, target, fields, body }: NestedRequest, socket: AnswerSocket): IncomingMessage {
  const request = new RequestClass(socket);
  const rawHeaders = body === undefined ? [...fields] : [...fields, 'Content-Length', String(body.length)];
  Object.assign(request, { method, url: target, httpVersion: '1.1', httpVersionMajor: 1, httpVersionMinor: 1, rawHeaders });
  if (body !== undefined) request.push(body);
  request.complete = true;
  request.push(null);
  return request;
}

/** The answer in the bytes of a response. */
function answerIn(bytes: Buffer): NestedAnswer {
  const end = bytes.indexOf('\r\n\r\n');
  const [start = '', ...lines] = bytes.toString('latin1', 0, end).split('\r\n');
  const fields = lines.map((line): [string, string] => {
    const colon = line.indexOf(': ');
    return [line.slice(0, colon).toLowerCase(), line.slice(colon + 2)];
  });
  return { status: Number(start.split(' ')[1]), fields: new Map(fields), body: bytes.subarray(end + 4) };
}
