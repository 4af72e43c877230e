/**
 * Node's messages for exchanges in memory. They are made only when one of these asks for them:
 *
 *   `request.raw`, `formatProblem`   ->   the request, with a socket that leads nowhere
 *   middleware, a mount              ->   both, on a connection in memory, which counts, drains and closes as any other
 */
import type { ServerResponse } from 'node:http';
import { toHeadersObject } from '../../../../util/headers.ts';
import { Connections } from '../../node/connections.ts';
import { NodeExchange } from '../../node/node-exchange.ts';
import type { ConnectionOwner, Exchange } from '../../exchange.ts';
import type { RawRequest } from '../memory-body.ts';
import type { MemoryParts, MessageMaker, ResponseHead, ResponseReader } from '../memory-parts.ts';
import { http } from '../../../../node.ts';
import { nextTick } from '../../../../util/timers.ts';
import { shareRequest } from '../../node/internals/incoming.ts';
import { makeMessages, MemoryRequest, type MemoryRequestParts, MemorySocket } from './memory-messages.ts';
import { settleShapes } from '../../node/internals/requests.ts';
import type { Settings } from '../../../settings/server-options.ts';

/** Returns the exchange with Node's messages, for listeners. */
export function toNode(exchange: Exchange): NodeExchange {
  return exchange.toNode() as NodeExchange;
}

export class NodeMessages implements MessageMaker {
  readonly statusTexts: MessageMaker['statusTexts'] = http.STATUS_CODES;
  readonly #settings: Settings;
  readonly #owner: ConnectionOwner;
  #connections: Connections | undefined;

  constructor(settings: Settings, owner: ConnectionOwner) {
    this.#settings = settings;
    this.#owner = owner;
  }

  makeRequest(parts: MemoryParts, leave: () => void): RawRequest {
    const ignored = { whole: ignore, begin: ignore, write: (_: unknown, done: () => void) => done(), end: ignore, fail: leave };
    const request = new MemoryRequest(MemorySocket.open(parts.client, ignored), toRequestParts(parts));
    shareRequest(request);
    return withId(request, parts.id);
  }

  closeRequest(request: MemoryRequest, isFinished: boolean): void {
    MemoryRequest.close(request, isFinished);
    request.socket?.destroy();
  }

  makeResponse(request: RawRequest): ServerResponse {
    return new http.ServerResponse(request);
  }

  writeHead(response: ServerResponse, { status, statusText, headers }: ResponseHead): void {
    response.writeHead(status, statusText, toHeadersObject(headers));
  }

  closeResponse(response: ServerResponse, isFinished: boolean): void {
    if (isFinished) response.end();
    else response.destroy();
    nextTick(() => response.emit('close'));
  }

  makeExchange(parts: MemoryParts, reader: ResponseReader): { readonly exchange: NodeExchange; readonly request: RawRequest } {
    const socket = MemorySocket.open(parts.client, reader);
    const connection = this.#connect().get(socket);
    const { request, response } = makeMessages(socket, toRequestParts(parts));
    withId(request, parts.id);
    const exchange = new NodeExchange(request, response, connection, false, '');
    connection.adopt(exchange);
    return { exchange, request };
  }

  /** Lets the connections of the exchanges end, and resolves when they are closed. Later exchanges get new ones. */
  async close(): Promise<void> {
    const connections = this.#connections;
    this.#connections = undefined;
    connections?.drain(this.#settings.lingerMs);
    await connections?.whenNoneLeft();
  }

  #connect(): Connections {
    if (this.#connections !== undefined) return this.#connections;
    settleShapes(() => new MemoryRequest(undefined, { method: 'GET', target: '/', headers: [], body: undefined }));
    // No connection in memory has a second request.
    return (this.#connections = new Connections({ settings: this.#settings, dispatch: ignore, isInOrder: true, owner: this.#owner }));
  }
}

function withId<T extends object>(request: T, id: string | undefined): T {
  return id === undefined ? request : Object.assign(request, { id });
}

function toRequestParts({ method, url, rawHeaders, body }: MemoryParts): MemoryRequestParts {
  return { method, target: url, headers: [...rawHeaders], body };
}

function ignore(): void {}
