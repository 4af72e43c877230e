/**
 * One connection: which of its requests are served, when, and how it ends.
 *
 * A request begins when the previous response has been sent. RFC 9112 section 9.3.2 requires that for unsafe methods. It also limits the
 * work that one connection can cause, and it is always known which response is the last.
 *
 *   open        requests are accepted
 *   one more    the server stops, and nothing is in flight: one request is still accepted, since it may be on its way
 *   closing     no request is accepted; the accepted ones get their responses, and the last response says `Connection: close`
 *   ending      the last response has begun (only whole responses, not streams)
 *   lingering   our side is ended; input is discarded for a while (see lingering-close.ts)
 *
 * Node would close the socket after the last response. `Connections` makes Node call `close` of the connection instead, which lingers.
 */
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { nextTick, setImmediate, setTimeout } from '../../../util/timers.ts';
import { Rejection } from '../../../errors/problem.ts';
import { formatResponse } from '../../../http/response.ts';
import { dropUnread, hasTurn, isLast, onTurn } from './internals/requests.ts';
import { discardInput, isReset } from './internals/sockets.ts';
import type { Settings } from '../../settings/server-options.ts';
import type { Mark } from './stall-watch.ts';
import { type ExchangeConnection, NodeExchange } from './node-exchange.ts';
import { closeSoon, lingeringClose } from './lingering-close.ts';
import { type ConnectionOwner, makeResponseToHead } from '../exchange.ts';
import { Pipeline } from './pipeline.ts';

/** The options of all connections of a `RunningServer` or a request listener. */
export interface ConnectionOptions {
  readonly settings: Settings;
  /** Serves the requests, one after the other. */
  readonly dispatch: (exchange: NodeExchange) => void;
  /** Whether all requests are passed on, in their order. An app's listener can pass on only some, later, and in any order. */
  readonly isInOrder: boolean;
  /** The server that stops the connections. */
  readonly owner: ConnectionOwner;
  /** Called when many bytes of a response could not be sent at once. */
  readonly onManyUnsent?: () => void;
}

const MANY_BYTES = 64 * 1024;

type Stage = 'open' | 'one more' | 'closing' | 'ending' | 'lingering';

export class Connection implements ExchangeConnection {
  readonly socket: Socket;
  /** The state at the last check of the stall watch. */
  mark: Mark | undefined;
  readonly #options: ConnectionOptions;
  readonly #pipeline: Pipeline;
  #stage: Stage = 'open';
  #isDiscarding = false;
  // The error for a waiting request whose body cannot be parsed. It is sent in the request's turn.
  #brokenResponse: { readonly exchange: NodeExchange; readonly error: Rejection } | undefined;

  constructor(socket: Socket, options: ConnectionOptions) {
    this.socket = socket;
    this.#options = options;
    this.#pipeline = new Pipeline(socket, options.isInOrder, (exchange) => this.#begin(exchange));
  }

  /**
   * Accepts a request, and dispatches it in its turn. A connection that closes ignores it, unless its turn is now: an app's listener
   * can pass requests on late, while later responses wait for this one. `baseUrl`: see `NodeExchange`.
   */
  accept(request: IncomingMessage, response: ServerResponse, expectsContinue: boolean, baseUrl: string | undefined): void {
    // An app can pass on a request after it has responded itself. The request's turn is over then.
    if (response.writableEnded) return;
    const isTurn = hasTurn(response);
    const isAccepted = (isTurn || this.#acceptsMore) && this.socket.writable;
    if (!isAccepted && this.#options.isInOrder) {
      request.resume();
      return this.#discard();
    }
    const exchange = new NodeExchange(request, response, this, expectsContinue, baseUrl);
    exchange.userHasResponse = !this.#options.isInOrder;
    if (this.settings.requestId !== undefined) exchange.identify();
    if (!isAccepted) return this.#hold(exchange);
    // After the head of a request with an upgrade, Node's parser drops the rest of the chunk, and parses the next chunk as a new request,
    // even in the middle of a body.
    if (exchange.head.upgrade !== undefined || this.#stage === 'one more') this.#stage = 'closing';
    if (isTurn) this.#begin(exchange);
    else this.#pipeline.wait(exchange);
  }

  /** Makes an exchange that is being served the current one. */
  adopt(exchange: NodeExchange): void {
    this.#pipeline.current = exchange;
  }

  /** Called when a response is written. Forgets the exchange unless the response is the last, so that idle connections hold none. */
  forgetResponded(exchange: NodeExchange): void {
    const { isReceived, response } = exchange;
    const isKept = isReceived && this.#stage === 'open' && !isLast(response);
    // Read once: it asks the response and the socket.
    const { writableLength: unsent } = response;
    if (unsent > MANY_BYTES) this.#options.onManyUnsent?.();
    if (unsent > 0) response.once('close', () => this.forgetResponded(exchange));
    else if (isKept && this.#pipeline.current === exchange) this.#pipeline.current = undefined;
  }

  get owner(): ConnectionOwner {
    return this.#options.owner;
  }

  get settings(): Settings {
    return this.#options.settings;
  }

  /** The request that began last. It is kept until its response is written, or until the socket closes if the response is the last. */
  get current(): NodeExchange | undefined {
    return this.#pipeline.current;
  }

  /** Whether nothing is to be sent or read before the next request. A connection that closes is never idle: it ends soon. */
  get isIdle(): boolean {
    const { isInFlight, latest } = this.#pipeline;
    return this.#stage === 'open' && !isInFlight && latest?.isReceived !== false;
  }

  /** Whether input is discarded, and no longer parsed. */
  get isDiscarding(): boolean {
    return this.#isDiscarding || this.#stage === 'lingering';
  }

  /** Called when Node's time limit for a request is over. Returns whether to ignore that: the rest of the request may be held, unparsed. */
  ignoresTimeout(): boolean {
    const { current, latest, isHolding } = this.#pipeline;
    if (isHolding && latest !== undefined) latest.hasMissedTimeout = true;
    return isHolding || current?.ignoresTimeLimit === true;
  }

  /** Whether the last response has begun. */
  get isLastBegun(): boolean {
    return this.#stage === 'ending' || this.#stage === 'lingering';
  }

  /** Whether a response that begins now is the last. */
  get closesAfterResponse(): boolean {
    return this.#stage !== 'open' && !this.#pipeline.hasWaiting;
  }

  beginLast(): void {
    this.#stage = 'ending';
  }

  /**
   * Accepts no more requests, and closes when the accepted ones have their responses. If no response can tell the client, since nothing
   * is in flight or the head is already sent, the client has `lingerMs` for one more request.
   */
  drain(lingerMs: number): void {
    // The last response is written, and the connection only waits for the client to end its side.
    if (this.#stage === 'lingering') closeSoon(this.socket);
    if (this.#stage !== 'open') return;
    if (this.#pipeline.isHolding) this.#pipeline.endAfterHeld(() => this.#stage === 'open' && this.#closeAfterLatest(0), false);
    else if (this.#pipeline.isInFlight) this.#closeAfterLatest(lingerMs);
    else this.#acceptOneMore(lingerMs);
  }

  /** Holds the input that the parser has not parsed, because several requests wait. */
  hold(rest: Buffer): void {
    this.#pipeline.hold(rest);
  }

  /**
   * Called when a request cannot be parsed, or takes too long to arrive. What is sent before the connection closes:
   *
   *   the error is in                              what is sent
   *   the body of a waiting request                the responses before it, then `error`; nothing if the client has left
   *   the current body, before its response        `error`
   *   the current body, during its response        nothing: the response may depend on the rest of the body
   *   the current body, after its response         nothing
   *   a head, while responses are in flight        those responses; nothing if the client has left
   *   a head, while nothing is in flight           `error`, unless the last response has been sent
   *
   * `request` is a CONNECT request, which counts as a head. `hasLeft`: the client has ended its side within a request.
   */
  fail(error: Rejection, hasLeft: boolean, request?: IncomingMessage): void {
    // A destroyed socket emits no event that could end a lingering close.
    if (this.isLastBegun || this.socket.destroyed) return;
    const { current, latest, isInFlight } = this.#pipeline;
    const broken = latest?.request.complete === false ? latest : undefined;
    if (broken !== undefined && !hasLeft) broken.brokenBy = error;
    if (hasLeft && isInFlight && broken !== current) {
      this.destroy();
    } else if (broken !== undefined && broken !== current) {
      this.#stage = 'closing';
      this.#brokenResponse = { exchange: broken, error };
    } else if (broken?.response.headersSent === false) {
      this.sendLast(broken.replacement(error), broken);
    } else if (isInFlight) {
      // A response that has begun may depend on the rest of its broken body.
      if (broken === undefined) this.drain(0);
      else this.destroy();
    } else if (broken !== undefined || this.#stage === 'closing' || (latest !== undefined && isLast(latest.response))) {
      // The last response has been sent.
      this.close();
    } else {
      // Only the head of a CONNECT can be read.
      this.sendLast(formatResponse(makeResponseToHead(this.settings, error, this.socket.remoteAddress, request)));
    }
  }

  /**
   * Writes a response to the socket in place of the response of `replaced`, and closes. The `ServerResponse` is never ended, so a mounted
   * handler sees `close`.
   */
  sendLast(response: string, replaced?: NodeExchange): void {
    this.#stage = 'ending';
    this.socket.write(replaced?.request.method === 'HEAD' ? response.slice(0, response.indexOf('\r\n\r\n') + 4) : response);
    this.close();
  }

  /** Ends our side, and lingers. */
  close(): void {
    if (this.#stage === 'lingering') return;
    this.#stage = 'lingering';
    this.#pipeline.stopPausing();
    lingeringClose(this.socket);
  }

  destroy(): void {
    this.socket.destroy();
  }

  /**
   * Calls a function when all accepted requests have their responses, if the connection is still open. No request is accepted after
   * that. Returns whether the function was called at once.
   */
  whenIdle(call: () => void): boolean {
    const { latest, isInFlight } = this.#pipeline;
    if (!this.#acceptsMore || !this.socket.writable) return false;
    if (isInFlight) {
      latest?.response.once('close', () => this.whenIdle(call));
    } else {
      this.#stage = 'closing';
      call();
    }
    return !isInFlight;
  }

  /**
   * Adds the listeners that Node removes from a socket at a CONNECT or an upgrade, for as long as responses are sent. Returns a function
   * that removes them, except the `error` listener, without which an error would end the process.
   */
  listenInPlaceOfNode(socket: Socket): () => void {
    const onDrain = (): unknown => this.current?.response.emit('drain');
    const onClose = (): unknown => this.current?.request.destroy();
    socket.on('error', () => socket.destroy()).on('drain', onDrain).on('close', onClose);
    return () => socket.off('drain', onDrain).off('close', onClose);
  }

  /** Called when the connection has closed. Frees what the client has sent of a body that the operation has not read. */
  closed(): void {
    const { current } = this.#pipeline;
    if (current !== undefined) dropUnread(current.request);
  }

  /** Called when reading is paused and nothing moves. Reads input and buffers or discards it, to notice when the client leaves. */
  stalled(): void {
    const { current, latest, isPaused } = this.#pipeline;
    if (isReset(this.socket)) this.destroy();
    if (latest === undefined || this.socket.destroyed) return;
    // On an app's server, Node may have paused reading for a request that the app serves itself.
    const isOurs = this.#options.isInOrder || isPaused;
    const isUnread = !latest.isReceived && (latest === current || !isOurs);
    if (isUnread && !this.#pipeline.readAhead(latest)) latest.onUnread?.();
    else if (!isUnread && isOurs) this.#acceptNoMore();
  }

  get #acceptsMore(): boolean {
    return this.#stage === 'open' || this.#stage === 'one more';
  }

  #begin(exchange: NodeExchange): void {
    this.#pipeline.current = exchange;
    // Node reports a timeout only once.
    if (exchange.hasMissedTimeout) exchange.limitBodyTime(this.settings.limits.requestMs);
    if (this.isLastBegun || !this.socket.writable) return;
    if (this.closesAfterResponse) this.#closeAfter(exchange);
    if (exchange === this.#brokenResponse?.exchange) this.sendLast(exchange.replacement(this.#brokenResponse.error), exchange);
    else this.#options.dispatch(exchange);
  }

  /** Begins a request when its turn comes. On a connection that closes, it comes only if an app's listener has passed it on late. */
  #hold(exchange: NodeExchange): void {
    exchange.keepContext();
    onTurn(exchange.response, () => exchange.inContext(() => this.#begin(exchange)));
    this.#discard();
  }

  /** Closes a connection whose client pipelines too much. The client can send the rest again on a new connection. */
  #acceptNoMore(): void {
    if (this.isLastBegun || this.isDiscarding) return;
    if (this.#pipeline.isHolding) this.#pipeline.endAfterHeld(() => this.#endAfterLatest(), true);
    else this.#endAfterLatest();
  }

  /** Closes after the response to the latest complete request. */
  #endAfterLatest(): void {
    if (this.#pipeline.latest?.isReceived === false) this.#pipeline.dropLatest();
    this.#closeAfterLatest(0);
    if (this.#pipeline.latest?.isReceived === true) this.#discard();
  }

  /** Closes after the response to the latest request. If its head has been sent, the client has `lingerMs` for one more request. */
  #closeAfterLatest(lingerMs: number): void {
    this.#stage = 'closing';
    const { current, latest } = this.#pipeline;
    const isHeadSent = latest?.response.headersSent === true;
    // If a mounted handler writes the head, Node adds this header to it.
    if (!isHeadSent) latest?.response.setHeader('Connection', 'close');
    if (latest !== undefined && latest === current) this.#closeAfter(latest, isHeadSent ? lingerMs : 0);
  }

  /** Closes after a response, even if its head was sent without `Connection: close`. */
  #closeAfter({ response }: NodeExchange, lingerMs = 0): void {
    response.once('close', () => {
      if (this.#stage !== 'closing' || !this.socket.writable) return;
      if (lingerMs > 0 && !this.isDiscarding) this.#acceptOneMore(lingerMs);
      else this.close();
    });
  }

  #acceptOneMore(lingerMs: number): void {
    this.#stage = 'one more';
    if (lingerMs === 0) this.#closeIdle();
    // Between the timer and the second immediate callback, the event loop reads input that has already arrived.
    else setTimeout(() => setImmediate(() => setImmediate(() => this.#closeIdle())), lingerMs).unref();
  }

  #closeIdle(): void {
    if (this.#stage !== 'one more' || this.socket.destroyed) return;
    this.close();
    closeSoon(this.socket);
  }

  /** Discards all input from now on. */
  #discard(): void {
    if (this.isDiscarding) return;
    this.#isDiscarding = true;
    this.#pipeline.stopPausing();
    // This may run inside a parser callback.
    nextTick(() => discardInput(this.socket));
  }
}
