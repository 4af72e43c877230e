/** One request and its response, from the connection to the reply. */
import type { AsyncResource } from 'node:async_hooks';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { ErrorAnswer } from '../../errors/problem.ts';
import { Head } from '../../http/head.ts';
import { asyncHooks } from '../../node.ts';
import type { Connection } from './connection.ts';
import type { Connections } from './connections.ts';
import type { HttpPair } from './pipeline.ts';

/** Someone who follows a request, and what its answer is. */
export interface Observer {
  /** Called with what was thrown, if that makes the answer an error. */
  fail(thrown: unknown): void;
  /** Called with an answer that is an error. */
  refuse(answer: ErrorAnswer): void;
  /** Called before an answer with this status is written to the socket, in place of the response. */
  replace(status: number): void;
}

/** A header field as a response has it. */
export type HeaderField = readonly [name: string, value: string | number | readonly string[]];

export class Exchange implements HttpPair {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly connection: Connection<Exchange>;
  readonly head: Head;
  /** Whether the client waits for a `100 Continue` before it sends the body (RFC 9110 section 10.1.1). */
  expectsContinue: boolean;
  /** Whether the connection must close after the reply, because the end of this request is unknown or its body too long. */
  forceClose = false;
  /** Whether its operation sets the time in which the body must arrive. */
  hasOwnTimeout = false;
  /** Whether caches must keep the reply to themselves: it depends on who asks. */
  isPrivate = false;
  /** Called when a host's listener writes a body of another length than its head declares. */
  onMismatch: ((error: unknown) => void) | undefined;
  /** The beginning of the path that a host's router has removed; see `mountPrefixOf`. */
  mountPrefix: string | undefined = '';
  /** The header fields that middleware had set when a mount got the response; `undefined` if no mount has it. */
  fieldsBeforeMount: readonly HeaderField[] | undefined;
  /** `undefined` if nobody subscribes to requests, or the route is not known yet. */
  observer: Observer | undefined;
  #context: AsyncResource | undefined;

  constructor(
    request: IncomingMessage,
    response: ServerResponse,
    connection: Connection<Exchange>,
    expectsContinue: boolean,
  ) {
    this.request = request;
    this.response = response;
    this.connection = connection;
    this.expectsContinue = expectsContinue;
    this.head = new Head(request.rawHeaders);
  }

  /**
   * After the head of a request with an upgrade, Node's parser drops the bytes that it has received already. It parses the next
   * ones as a new request, even in the middle of a body.
   */
  get mustBeLast(): boolean {
    return this.head.upgrade !== undefined;
  }

  get isReceived(): boolean {
    return this.request.complete || !this.head.hasBody;
  }

  /** Whether the server's time limit does not hold for what is still to be received. */
  get isTimedByOperation(): boolean {
    return this.hasOwnTimeout && !this.isReceived;
  }

  /**
   * Keeps the current async context for `inContext`. A request that waits is continued from a callback of its connection or of
   * another request. There, the host's functions would find the wrong `AsyncLocalStorage` store.
   */
  keepContext(): void {
    this.#context ??= new asyncHooks.AsyncResource('RESTPOINT_REQUEST');
  }

  inContext(call: () => void): void {
    if (this.#context === undefined) call();
    else this.#context.runInAsyncScope(call);
  }

  /** Forgets the context that was kept: middleware may have called `next` in another one, and observers may have begun one. */
  forgetContext(): void {
    this.#context = undefined;
  }

  /** Whether a listener of the host has had the response. It may have set headers, and replaced methods. */
  get isShared(): boolean {
    return this.onMismatch !== undefined;
  }

  /** The header fields that middleware has set. They are kept on any reply, and those of a mount only on its own. */
  get middlewareFields(): readonly HeaderField[] {
    if (this.fieldsBeforeMount !== undefined) return this.fieldsBeforeMount;
    return this.isShared ? fieldsOf(this.response) : NO_FIELDS;
  }

  /** Asks the client for the body, if it waits for that. */
  sendContinue(): void {
    if (!this.expectsContinue) return;
    this.expectsContinue = false;
    this.response.writeContinue();
  }

  /** Whether a reply can still be sent: none has begun, and the client is there. */
  get isOpen(): boolean {
    return !this.response.headersSent && !this.response.destroyed && !this.connection.isEnding;
  }
}

const NO_FIELDS: readonly HeaderField[] = [];

/** The header fields that are set by now. Lists are copied: a handler may append to them. */
function fieldsOf(response: ServerResponse): HeaderField[] {
  return Object.entries(response.getHeaders()).map(([name, value = '']) => [name, Array.isArray(value) ? [...value] : value]);
}

/** Passes a request to the connection of its socket, which dispatches it in its turn. */
export function acceptRequest(
  connections: Connections<Exchange>,
  request: IncomingMessage,
  response: ServerResponse,
  expectsContinue: boolean,
): void {
  const connection = connections.of(request.socket);
  connection.accept(new Exchange(request, response, connection, expectsContinue));
}
