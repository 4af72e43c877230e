/**
 * One connection: which of its requests are served, and when. `ConnectionStage` has how it ends.
 *
 * A request begins when the reply before it has been sent. RFC 9112 section 9.3.2 requires that for unsafe methods. It
 * also limits the work of one connection, and makes it known which reply is the last.
 */
import type { Socket } from 'node:net';
import { hasTurn, onTurn } from '../node-internals/responses.ts';
import { ConnectionStage } from './connection-stage.ts';
import { type HttpPair, Pipeline } from './pipeline.ts';
import type { Watched } from './stall-watch.ts';

export class Connection<Pair extends HttpPair> implements Watched {
  readonly #socket: Socket;
  readonly #dispatch: (pair: Pair) => void;
  readonly #isInOrder: boolean;
  readonly #pipeline: Pipeline<Pair>;
  readonly #stage: ConnectionStage<Pair>;
  // The reply to a waiting request whose body is broken, to be sent in its turn.
  #brokenReply: { readonly pair: Pair; readonly raw: string } | undefined;

  /** `isInOrder`: every request is accepted, as it arrives. A host's own listener may accept only some, later, and in any order. */
  constructor(socket: Socket, dispatch: (pair: Pair) => void, isInOrder: boolean) {
    this.#socket = socket;
    this.#dispatch = dispatch;
    this.#isInOrder = isInOrder;
    this.#pipeline = new Pipeline(socket, (pair) => this.#begin(pair));
    this.#stage = new ConnectionStage(socket, this.#pipeline);
  }

  /** Accepts a request, and dispatches it in its turn. If the connection is not open, ignores it unless its turn is now. */
  accept(pair: Pair): void {
    // A host may pass on a request that it has answered itself. Its turn is over.
    if (pair.response.writableEnded) return;
    // After a reply, Node may have ended the socket itself and still read from it.
    if ((!this.#stage.acceptsMore && !hasTurn(pair.response)) || !this.#socket.writable) {
      this.#ignore(pair);
      return;
    }
    this.#stage.accept(pair);
    this.#pipeline.add(pair);
  }

  /** Called when a reply that keeps the connection has been written. Forgets the request, so that an idle connection holds none. */
  replied(pair: Pair): void {
    const { isReceived, response } = pair;
    if (response.writableLength > 0) response.once('close', () => this.replied(pair));
    else if (isReceived && this.#stage.isOpen && response.shouldKeepAlive) this.#pipeline.release(pair);
  }

  get current(): Pair | undefined {
    return this.#pipeline.current;
  }

  /** Whether input is discarded, and no longer parsed. */
  get isDiscarding(): boolean {
    return this.#stage.isDiscarding;
  }

  /** Whether the last reply has begun. */
  get isEnding(): boolean {
    return this.#stage.isEnding;
  }

  /** Whether a reply that begins now is the last. */
  get closesAfterReply(): boolean {
    return !this.#stage.isOpen && !this.#pipeline.hasWaiting;
  }

  beginLast(): void {
    this.#stage.beginLast();
  }

  /**
   * Accepts no more requests, and closes when those accepted are answered. If the client cannot know that yet, it has `lingerMs` for
   * one more request: when nothing is in flight, or after a reply whose head was sent before.
   */
  drain(lingerMs: number): void {
    this.#stage.drain(lingerMs);
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
      this.#stage.beginClosing();
      this.#brokenReply = { pair: broken, raw: rawFor(broken) };
    } else if (broken?.response.headersSent === false) {
      this.sendLast(rawFor(broken), broken);
    } else if (isInFlight) {
      // A reply that has begun may depend on the rest of its broken body.
      if (broken === undefined) this.drain(0);
      else this.destroy();
    } else if (broken !== undefined || this.#stage.isClosing || latest?.response.shouldKeepAlive === false) {
      // The last reply has been sent.
      this.close();
    } else {
      this.sendLast(rawFor(undefined));
    }
  }

  /** Writes a reply to the socket, in place of the response to `replaced`, and closes. A mounted handler sees its client leave. */
  sendLast(raw: string, replaced?: Pair): void {
    this.#stage.beginLast();
    this.#socket.write(replaced?.request.method === 'HEAD' ? raw.slice(0, raw.indexOf('\r\n\r\n') + 4) : raw);
    this.close();
  }

  /** Ends our side, and lingers. */
  close(): void {
    this.#stage.close();
  }

  /**
   * Calls a function when the requests that were accepted are answered, as long as the connection is open. No more requests come. Returns
   * whether that is now.
   */
  whenAnswered(call: () => void): boolean {
    const { latest, isInFlight } = this.#pipeline;
    if (!this.#stage.acceptsMore || !this.#socket.writable) return false;
    if (isInFlight) {
      latest?.response.once('close', () => this.whenAnswered(call));
    } else {
      this.#stage.beginClosing();
      call();
    }
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

  #begin(pair: Pair): void {
    if (this.isEnding || !this.#socket.writable) return;
    if (this.closesAfterReply) this.#stage.closeAfter(pair);
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
    this.#stage.discard();
  }

  /** The client pipelines more than is accepted. It may send the rest again on another connection. */
  #acceptNoMore(latest: Pair): void {
    if (this.isEnding || this.isDiscarding) return;
    if (!latest.isReceived) this.#pipeline.dropLatest();
    this.#stage.closeAfterLast(0);
    if (this.#pipeline.latest?.isReceived === true) this.#stage.discard();
  }
}
