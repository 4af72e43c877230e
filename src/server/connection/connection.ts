/**
 * One connection, and its stages:
 *
 *   open        requests are accepted
 *   one more    the server stops, and nothing is in flight: one more request is accepted, which may be on its way already
 *   closing     no more are accepted; those accepted are answered, and the last reply says `Connection: close`
 *   ending      that last reply has begun
 *   lingering   our side is ended; input is discarded for a while (see lingering-close.ts)
 *
 * A request begins when the reply before it has been sent. RFC 9112 section 9.3.2 requires that for unsafe methods. It
 * also limits the work of one connection, and makes it known which reply is the last.
 */
import type { Socket } from 'node:net';
import { closeIdle, closeSoon, lingeringClose } from './lingering-close.ts';
import { hasTurn, onTurn } from '../node-internals/responses.ts';
import { discardInput } from '../node-internals/sockets.ts';
import { Pipeline, type HttpPair } from './pipeline.ts';
import type { Watched } from './stall-watch.ts';

type Stage = 'open' | 'one more' | 'closing' | 'ending' | 'lingering';

export class Connection<Pair extends HttpPair> implements Watched {
  readonly #socket: Socket;
  readonly #dispatch: (pair: Pair) => void;
  readonly #isInOrder: boolean;
  readonly #pipeline: Pipeline<Pair>;
  #stage: Stage = 'open';
  #isDiscarding = false;
  // The reply to a waiting request whose body is broken, to be sent in its turn.
  #brokenReply: { readonly pair: Pair; readonly raw: string } | undefined;

  /** `isInOrder`: every request is accepted, as it arrives. A host's own listener may accept only some, later, and in any order. */
  constructor(socket: Socket, dispatch: (pair: Pair) => void, isInOrder: boolean) {
    this.#socket = socket;
    this.#dispatch = dispatch;
    this.#isInOrder = isInOrder;
    this.#pipeline = new Pipeline(socket, (pair) => this.#begin(pair));
  }

  /** Accepts a request, and dispatches it in its turn. If the connection is not open, ignores it unless its turn is now. */
  accept(pair: Pair): void {
    // A host may pass on a request that it has answered itself. Its turn is over.
    if (pair.response.writableEnded) return;
    // After a reply, Node may have ended the socket itself and still read from it.
    if ((!this.#acceptsMore && !hasTurn(pair.response)) || !this.#socket.writable) {
      this.#ignore(pair);
      return;
    }
    if (pair.mustBeLast || this.#stage === 'one more') this.#stage = 'closing';
    this.#pipeline.add(pair);
  }

  /** Called when a reply that keeps the connection has been written. Forgets the request, so that an idle connection holds none. */
  replied(pair: Pair): void {
    const { isReceived, response } = pair;
    if (response.writableLength > 0) response.once('close', () => this.replied(pair));
    else if (isReceived && this.#stage === 'open' && response.shouldKeepAlive) this.#pipeline.release(pair);
  }

  get current(): Pair | undefined {
    return this.#pipeline.current;
  }

  /** Whether input is discarded, and no longer parsed. */
  get isDiscarding(): boolean {
    return this.#isDiscarding || this.#stage === 'lingering';
  }

  /** Whether the last reply has begun. */
  get isEnding(): boolean {
    return this.#stage === 'ending' || this.#stage === 'lingering';
  }

  /** Whether a reply that begins now is the last. */
  get closesAfterReply(): boolean {
    return this.#stage !== 'open' && !this.#pipeline.hasWaiting;
  }

  beginLast(): void {
    this.#stage = 'ending';
  }

  /**
   * Accepts no more requests, and closes when those accepted are answered. If the client cannot know that yet, it has `lingerMs` for
   * one more request: when nothing is in flight, or after a reply whose head was sent before.
   */
  drain(lingerMs: number): void {
    // The last reply is written. Only the client's end is awaited.
    if (this.#stage === 'lingering') closeSoon(this.#socket);
    if (this.#stage !== 'open') return;
    if (this.#pipeline.isInFlight) this.#closeAfterLast(lingerMs);
    else this.#acceptOneMore(lingerMs);
  }

  /**
   * Called when a request cannot be parsed, or takes too long to arrive. Complete requests are answered, and the connection closes.
   * `rawFor` gives the reply to a request with a broken body. After a broken head there is no request, and the reply is sent only
   * if nothing is in flight. `hasLeft` says that the client has ended its side within a request: it does not wait for earlier
   * replies either.
   */
  fail(rawFor: (broken: Pair | undefined) => string, hasLeft: boolean): void {
    if (this.isEnding) return;
    const { current, latest, isInFlight } = this.#pipeline;
    const broken = latest?.request.complete === false ? latest : undefined;
    if (hasLeft && isInFlight && broken !== current) {
      this.destroy();
    } else if (broken !== undefined && broken !== current) {
      this.#stage = 'closing';
      this.#brokenReply = { pair: broken, raw: rawFor(broken) };
    } else if (broken?.response.headersSent === false) {
      this.sendLast(rawFor(broken), broken);
    } else if (isInFlight) {
      // A reply that has begun may depend on the rest of its broken body.
      if (broken === undefined) this.drain(0);
      else this.destroy();
    } else if (broken !== undefined || this.#stage === 'closing' || latest?.response.shouldKeepAlive === false) {
      // The last reply has been sent.
      this.close();
    } else {
      this.sendLast(rawFor(undefined));
    }
  }

  /** Writes a reply to the socket, in place of the response to `replaced`, and closes. A mounted handler sees its client leave. */
  sendLast(raw: string, replaced?: Pair): void {
    this.#stage = 'ending';
    this.#socket.write(replaced?.request.method === 'HEAD' ? raw.slice(0, raw.indexOf('\r\n\r\n') + 4) : raw);
    this.close();
  }

  /** Ends our side, and lingers. */
  close(): void {
    if (this.#stage === 'lingering') return;
    this.#stage = 'lingering';
    this.#pipeline.stopPausing();
    lingeringClose(this.#socket);
  }

  /**
   * Calls a function when the requests that were accepted are answered, as long as the connection is open. No more requests come. Returns
   * whether that is now.
   */
  whenAnswered(call: () => void): boolean {
    const { latest, isInFlight } = this.#pipeline;
    if (this.#stage !== 'open' || !this.#socket.writable) return false;
    if (isInFlight) latest?.response.once('close', () => this.whenAnswered(call));
    else call();
    return !isInFlight;
  }

  destroy(): void {
    this.#socket.destroy();
  }

  /** Called when reading is paused and nothing moves. To notice a client that leaves, input is read, and buffered or discarded. */
  stalled(): void {
    const { current, latest, isPaused } = this.#pipeline;
    if (latest === undefined) return;
    // In a host's own server, Node may have paused reading for a request that the host serves itself.
    const isOurs = this.#isInOrder || isPaused;
    if (!latest.isReceived && (latest === current || !isOurs)) this.#pipeline.readAhead(latest);
    else if (isOurs) this.#acceptNoMore(latest);
  }

  get #acceptsMore(): boolean {
    return this.#stage === 'open' || this.#stage === 'one more';
  }

  #begin(pair: Pair): void {
    if (this.isEnding || !this.#socket.writable) return;
    if (this.closesAfterReply) this.#closeAfter(pair);
    if (pair === this.#brokenReply?.pair) this.sendLast(this.#brokenReply.raw, pair);
    else this.#dispatch(pair);
  }

  #ignore(pair: Pair): void {
    if (this.#isInOrder) {
      pair.request.resume();
    } else {
      // Its turn may still come, if a host's listener has held it back while later ones were accepted.
      pair.keepContext();
      onTurn(pair.response, () => pair.inContext(() => this.#pipeline.begin(pair)));
    }
    this.#discard();
  }

  #discard(): void {
    if (this.isDiscarding) return;
    this.#isDiscarding = true;
    this.#pipeline.stopPausing();
    // We may be inside a parser callback.
    process.nextTick(() => discardInput(this.#socket));
  }

  /** The client pipelines more than is accepted. It may send the rest again on another connection. */
  #acceptNoMore(latest: Pair): void {
    if (this.isEnding || this.#isDiscarding) return;
    if (!latest.isReceived) this.#pipeline.dropLatest();
    this.#closeAfterLast(0);
    if (this.#pipeline.latest?.isReceived === true) this.#discard();
  }

  #acceptOneMore(lingerMs: number): void {
    this.#stage = 'one more';
    if (lingerMs === 0) this.#closeIdle();
    // After a timer, the event loop reads the input that has arrived. Then come the immediate callbacks.
    else setTimeout(() => setImmediate(() => setImmediate(() => this.#closeIdle())), lingerMs).unref();
  }

  #closeIdle(): void {
    if (this.#stage !== 'one more' || this.#socket.destroyed) return;
    this.#stage = 'lingering';
    closeIdle(this.#socket);
  }

  #closeAfterLast(lingerMs: number): void {
    this.#stage = 'closing';
    const { current, latest } = this.#pipeline;
    const isHeadSent = latest?.response.headersSent === true;
    // A mounted handler writes its head itself. Node adds this header to it.
    if (!isHeadSent) latest?.response.setHeader('Connection', 'close');
    if (latest !== undefined && latest === current) this.#closeAfter(latest, isHeadSent ? lingerMs : 0);
  }

  /** Closes after a reply, even if its head has been sent already and does not say so. */
  #closeAfter({ response }: Pair, lingerMs = 0): void {
    response.once('close', () => {
      if (this.#stage !== 'closing' || !this.#socket.writable) return;
      if (lingerMs > 0 && !this.isDiscarding) this.#acceptOneMore(lingerMs);
      else this.close();
    });
  }
}
