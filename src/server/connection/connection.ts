/**
 * One connection: which of its requests are served, when, and how it ends.
 *
 * A request begins when the response before it has been sent. RFC 9112 section 9.3.2 requires that for unsafe methods. It also limits the
 * work of one connection, and makes it known which response is the last.
 *
 *   open        requests are accepted
 *   one more    the server stops, and nothing is in flight: one more request is accepted, which may be on its way already
 *   closing     no more are accepted; those accepted get their responses, and the last one says `Connection: close`
 *   ending      that last response has begun (only whole responses, not streams)
 *   lingering   our side is ended; input is discarded for a while (see lingering-close.ts)
 *
 * Node closes the socket when the last response has been sent. `Connections` makes it call `close` of the connection instead, which
 * lingers.
 */
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { Rejection } from '../../errors/problem.ts';
import { formatResponse } from '../../http/response.ts';
import { hasTurn, isLast, onTurn } from '../node/messages.ts';
import { discardInput } from '../node/sockets.ts';
import type { Settings } from '../options.ts';
import { createErrorResponse } from '../problem-formatter.ts';
import { limitBodyTime } from './body-time.ts';
import { Exchange } from './exchange.ts';
import { closeIdle, closeSoon, lingeringClose } from './lingering-close.ts';
import type { ConnectionOwner } from './owner.ts';
import { Pipeline } from './pipeline.ts';
import type { Mark } from './stall-watch.ts';

/** Gets each request in its turn. */
export interface ExchangeDispatcher {
  dispatch(exchange: Exchange): void;
}

/** The same for all connections of a `RunningServer`, or of a request listener. */
export interface ConnectionOptions {
  readonly settings: Settings;
  readonly dispatcher: ExchangeDispatcher;
  /** Whether every request is accepted, as it arrives. An app's listener may accept only some, later, and in any order. */
  readonly isInOrder: boolean;
  /** The server that stops the connections. */
  readonly owner: ConnectionOwner;
  /** Called when many bytes of a response could not be sent at once. */
  readonly onManyUnsent?: () => void;
}

const MANY_BYTES = 64 * 1024;

type Stage = 'open' | 'one more' | 'closing' | 'ending' | 'lingering';

export class Connection {
  readonly socket: Socket;
  /** The state at the last check of the stall watch. */
  mark: Mark | undefined;
  readonly #options: ConnectionOptions;
  readonly #pipeline: Pipeline;
  #stage: Stage = 'open';
  #isDiscarding = false;
  // The response to a waiting request whose body is broken, to be sent in its turn.
  #brokenResponse: { readonly exchange: Exchange; readonly error: Rejection } | undefined;

  constructor(socket: Socket, options: ConnectionOptions) {
    this.socket = socket;
    this.#options = options;
    this.#pipeline = new Pipeline(socket, options.isInOrder, (exchange) => this.#begin(exchange));
  }

  /**
   * Accepts a request, and dispatches it in its turn. If the connection accepts no more, ignores it unless its turn is now: an app's
   * listener may pass it on after later ones, whose responses wait for its own. `baseUrl`: see `Exchange`.
   */
  accept(request: IncomingMessage, response: ServerResponse, expectsContinue: boolean, baseUrl: string | undefined): void {
    // An app may pass on a request that it has responded to itself. Its turn is over.
    if (response.writableEnded) return;
    const isTurn = hasTurn(response);
    const isAccepted = (isTurn || this.#acceptsMore) && this.socket.writable;
    if (!isAccepted && this.#options.isInOrder) {
      request.resume();
      this.#discard();
      return;
    }
    const exchange = new Exchange(request, response, this, expectsContinue, baseUrl);
    exchange.userHasResponse = !this.#options.isInOrder;
    if (!isAccepted) {
      this.#hold(exchange);
      return;
    }
    // After the head of a request with an upgrade, Node's parser drops the bytes that it has received already. It parses the next ones as
    // a new request, even in the middle of a body.
    if (exchange.head.upgrade !== undefined || this.#stage === 'one more') this.#stage = 'closing';
    if (isTurn) this.#begin(exchange);
    else this.#pipeline.wait(exchange);
  }

  /** Called when a response is written. Unless it is the last, forgets the request, so that an idle connection holds none. */
  forgetReplied(exchange: Exchange): void {
    const { isReceived, response } = exchange;
    const isKept = isReceived && this.#stage === 'open' && !isLast(response);
    if (response.writableLength > MANY_BYTES) this.#options.onManyUnsent?.();
    if (response.writableLength > 0) response.once('close', () => this.forgetReplied(exchange));
    else if (isKept && this.#pipeline.current === exchange) this.#pipeline.current = undefined;
  }

  get owner(): ConnectionOwner {
    return this.#options.owner;
  }

  get settings(): Settings {
    return this.#options.settings;
  }

  /** Aborts when the server begins to stop. */
  get stopping(): AbortSignal {
    return this.#options.owner.stopping;
  }

  /** The request that began last. It is kept until its response is written. If that is the last one, it is kept until the socket closes. */
  get current(): Exchange | undefined {
    return this.#pipeline.current;
  }

  /** Whether input is discarded, and no longer parsed. */
  get isDiscarding(): boolean {
    return this.#isDiscarding || this.#stage === 'lingering';
  }

  /** Called when Node's time limit for a request is over. Returns whether it does not hold: the rest of the request may wait unparsed. */
  ignoresTimeout(): boolean {
    const { current, latest, isHolding } = this.#pipeline;
    if (isHolding && latest !== undefined) latest.hasMissedTimeout = true;
    return isHolding || current?.ignoresNodeTimeout === true;
  }

  /** Whether the last response has begun. */
  get isLastBegun(): boolean {
    return this.#stage === 'ending' || this.#stage === 'lingering';
  }

  /** Whether a response that begins now is the last. */
  get closesAfterReply(): boolean {
    return this.#stage !== 'open' && !this.#pipeline.hasWaiting;
  }

  beginLast(): void {
    this.#stage = 'ending';
  }

  /**
   * Accepts no more requests, and closes when those accepted have their responses. If the client cannot know that yet, it has `lingerMs`
   * for one more request: when nothing is in flight, or after a response whose head was sent before.
   */
  drain(lingerMs: number): void {
    // The last response is written. Only the client's end is awaited.
    if (this.#stage === 'lingering') closeSoon(this.socket);
    if (this.#stage !== 'open') return;
    if (this.#pipeline.isHolding) this.#pipeline.endAfterHeld(() => this.#stage === 'open' && this.#closeAfterLatest(0), false);
    else if (this.#pipeline.isInFlight) this.#closeAfterLatest(lingerMs);
    else this.#acceptOneMore(lingerMs);
  }

  /** Holds input that the parser has left because several requests wait. */
  hold(rest: Buffer): void {
    this.#pipeline.hold(rest);
  }

  /**
   * Called when a request cannot be parsed, or takes too long to arrive. Sends these responses, and closes:
   *
   *   broken is the body of a request that waits         the responses before it, then `error`; nothing if the client has left
   *   the body of the current one, before its response   `error`
   *   the same, in the middle of its response            nothing: the response may depend on the rest of the body
   *   the same, after its response                       nothing
   *   a head, and a response is complete, but unsent      that one, then `error`
   *   a head, and other responses are in flight           those; nothing if the client has left
   *   a head, and nothing is in flight                   `error`, unless the last response has been sent
   *
   * `request` is that of a CONNECT, which counts as a head. `hasLeft`: the client has ended its side within a request.
   */
  fail(error: Rejection, hasLeft: boolean, request?: IncomingMessage): void {
    // After the end of a socket, no event would end a lingering close.
    if (this.isLastBegun || this.socket.destroyed) return;
    const { current, latest, isInFlight } = this.#pipeline;
    const broken = latest?.request.complete === false ? latest : undefined;
    if (broken !== undefined && !hasLeft) broken.brokenBy = error;
    if (hasLeft && isInFlight && broken !== current) {
      this.destroy();
    } else if (latest === current && broken === undefined && isInFlight && current?.response.writableEnded === true) {
      this.#discard();
      // Over TLS, no response is sent at once.
      current.response.once('close', () => this.socket.writable && this.fail(error, false, request));
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
      this.sendLast(formatResponse(createErrorResponse(this.settings, error, request)));
    }
  }

  /**
   * Writes a response to the socket, in place of the response to `replaced`, and closes. The response itself is never ended, so a mounted
   * handler sees `close`.
   */
  sendLast(response: string, replaced?: Exchange): void {
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
   * Calls a function when all accepted requests have their responses, if the connection is still open then. No more requests come. Returns
   * whether that is now.
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
   * Replaces Node's listeners on a socket, which Node removes at CONNECT and at an upgrade, for as long as responses are to be sent.
   * Returns a function that removes these again, except that for errors, which a socket must have.
   */
  listenInPlaceOfNode(socket: Socket): () => void {
    const onDrain = (): unknown => this.current?.response.emit('drain');
    const onClose = (): unknown => this.current?.request.destroy();
    socket.on('error', () => socket.destroy()).on('drain', onDrain).on('close', onClose);
    return () => socket.off('drain', onDrain).off('close', onClose);
  }

  /** Called when reading is paused and nothing moves. To notice a client that leaves, input is read, and buffered or discarded. */
  stalled(): void {
    const { current, latest, isPaused } = this.#pipeline;
    if (latest === undefined) return;
    // On the server of an app, Node may have paused reading for a request that the app serves itself.
    const isOurs = this.#options.isInOrder || isPaused;
    if (!latest.isReceived && (latest === current || !isOurs)) this.#pipeline.readAhead(latest);
    else if (isOurs) this.#acceptNoMore();
  }

  get #acceptsMore(): boolean {
    return this.#stage === 'open' || this.#stage === 'one more';
  }

  #begin(exchange: Exchange): void {
    this.#pipeline.current = exchange;
    // Node reports it once.
    if (exchange.hasMissedTimeout) limitBodyTime(exchange, this.settings.limits.requestMs);
    if (this.isLastBegun || !this.socket.writable) return;
    if (this.closesAfterReply) this.#closeAfter(exchange);
    if (exchange === this.#brokenResponse?.exchange) this.sendLast(exchange.replacement(this.#brokenResponse.error), exchange);
    else this.#options.dispatcher.dispatch(exchange);
  }

  /** Its turn may still come, if an app's listener has held a request back while later ones were accepted. */
  #hold(exchange: Exchange): void {
    exchange.keepContext();
    onTurn(exchange.response, () => exchange.inContext(() => this.#begin(exchange)));
    this.#discard();
  }

  /** The client pipelines more than is accepted. It may send the rest again on a new connection. */
  #acceptNoMore(): void {
    if (this.isLastBegun || this.isDiscarding) return;
    if (this.#pipeline.isHolding) this.#pipeline.endAfterHeld(() => this.#endAfterLatest(), true);
    else this.#endAfterLatest();
  }

  /** Closes after the response to the latest request that was received as a whole. */
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
    // A mounted handler writes its head itself. Node adds this header to it.
    if (!isHeadSent) latest?.response.setHeader('Connection', 'close');
    if (latest !== undefined && latest === current) this.#closeAfter(latest, isHeadSent ? lingerMs : 0);
  }

  /** Closes after a response, even if its head has been sent already and does not say so. */
  #closeAfter({ response }: Exchange, lingerMs = 0): void {
    response.once('close', () => {
      if (this.#stage !== 'closing' || !this.socket.writable) return;
      if (lingerMs > 0 && !this.isDiscarding) this.#acceptOneMore(lingerMs);
      else this.close();
    });
  }

  #acceptOneMore(lingerMs: number): void {
    this.#stage = 'one more';
    if (lingerMs === 0) this.#closeIdle();
    // After a timer, the event loop reads the input that has arrived. Then come the immediate callbacks.
    else setTimeout(() => setImmediate(() => setImmediate(() => this.#closeIdle())), lingerMs).unref();
  }

  #closeIdle(): void {
    if (this.#stage !== 'one more' || this.socket.destroyed) return;
    this.#stage = 'lingering';
    closeIdle(this.socket);
  }

  /** Discards all input from now on. */
  #discard(): void {
    if (this.isDiscarding) return;
    this.#isDiscarding = true;
    this.#pipeline.stopPausing();
    // We may be inside a parser callback.
    process.nextTick(() => discardInput(this.socket));
  }
}
