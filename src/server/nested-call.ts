/**
 * Requests within another one, such as the call of a tool:
 *
 *   POST /mcp   ->   middleware, a place in flight, a mounted handler   ->   GET /v1/pet/7   ->   its operation
 *
 * A nested request is dispatched as one that has arrived over a connection, and its answer is read as it is written. No parser is involved.
 */
import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import type { NestedAnswer, NestedCall, NestedRequest, Outer } from '../endpoint/nested.ts';
import { http } from '../node.ts';
import { Connection, type ExchangeDispatcher } from './connection/connection.ts';
import type { Owner } from './connection/owner.ts';
import { AnswerSocket } from './node/answer-socket.ts';
import { Incoming } from './node/incoming.ts';
import { setHeaderLines } from './node/messages.ts';
import type { Settings } from './options.ts';

/** Makes the nested calls of a server. */
export function nestedCallOf(settings: Settings, dispatcher: ExchangeDispatcher, owner: Owner): NestedCall {
  // All is written at once, and nothing waits to be sent.
  const options = { settings, dispatcher, isInOrder: true, owner };
  const call = (nested: NestedRequest, outer: Outer, maxBytes: number): Promise<NestedAnswer | undefined> => new Promise((resolve, reject) => {
    const socket = AnswerSocket.for(outer.request.socket, maxBytes);
    const request = requestOf(nested, socket);
    const response = new http.ServerResponse(request);
    // The body ends with the connection, so it needs no framing.
    response.useChunkedEncodingByDefault = false;
    response.assignSocket(socket);
    let isAnswered = false;
    const finish = (): void => {
      isAnswered = true;
      resolve(answerIn(socket.written));
      // Its stream is still at work in this turn.
      process.nextTick(() => socket.destroy());
    };
    const leave = (): unknown => socket.destroy();
    outer.response.once('close', leave);
    response.once('finish', finish);
    // Node's server passes it on.
    socket.on('drain', () => response.emit('drain'));
    socket.on('error', () => {}).once('finish', finish).once('close', () => {
      outer.response.off('close', leave);
      if (socket.isTooLong) resolve(undefined);
      else if (!isAnswered) reject(new Error('the connection was closed before the end of the answer'));
    });
    new Connection(socket, options).accept(request, response, false, '');
  });
  return Object.assign(call, { headBytes: settings.limits.headerBytes });
}

/** A request that has arrived as a whole. */
function requestOf({ method, target, fields, body }: NestedRequest, socket: Socket): IncomingMessage {
  const request: IncomingMessage = new Incoming(socket);
  Object.assign(request, { method, url: target, httpVersion: '1.1', httpVersionMajor: 1, httpVersionMinor: 1 });
  setHeaderLines(request, body === undefined ? [...fields] : [...fields, 'content-length', String(body.length)]);
  if (body !== undefined) request.push(body);
  request.complete = true;
  request.push(null);
  return request;
}

/** The answer in the bytes of a response. */
function answerIn(bytes: Buffer): NestedAnswer {
  const end = bytes.indexOf('\r\n\r\n');
  const head = bytes.toString('latin1', 0, end + 2);
  const lowered = head.toLowerCase();
  const field = (name: string): string | undefined => {
    const start = lowered.indexOf(`\r\n${name}: `);
    return start === -1 ? undefined : head.slice(start + name.length + 4, head.indexOf('\r\n', start + 2));
  };
  return { status: Number(head.split(' ', 2)[1]), field, body: bytes.subarray(end + 4) };
}
