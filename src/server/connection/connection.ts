/**
 * One connection, and whether it goes on:
 *
 *   open        requests are taken
 *   closing     no more are taken; those taken are answered, and the last reply says `Connection: close`
 *   ending      that last reply has begun
 *   lingering   our side is ended; input is discarded for a while (see lingering-close.ts)
 *
 * Each request begins when the reply before it has been sent, which RFC 9112 section 9.3.2 requires for unsafe methods. So one
 * connection cannot set much in motion, and it is known when a reply is the last.
 */
import type { Socket } from 'node:net';
import { closeIdle, closeSoon, lingeringClose } from './lingering-close.ts';
import { discardInput, hasTurn, onTurn } from './node-internals.ts';
import { Pipeline, type HttpPair } from './pipeline.ts';
import type { Watched } from './stall-watch.ts';

type Stage = 'open' | 'closing' | 'ending' | 'lingering';

export class Connection<Pair extends HttpPair> implements Watched {
  readonly #socket: Socket;
  readonly #begin: (pair: Pair) => void;
  readonly #isInOrder: boolean;
  readonly #pipeline: Pipeline<Pair>;
  #stage: Stage = 'open';
  #isDiscarding = false;
  // The reply to a request whose body broke while it waited for its turn.
  #brokenReply: { readonly pair: Pair; readonly raw: string } | undefined;

  /** `isInOrder` says that requests are accepted as they arrive: a host's listener may pass them on later, in any order. */
  constructor(socket: Socket, begin: (pair: Pair) => void, isInOrder: boolean) {
    this.#socket = socket;
    this.#begin = begin;
    this.#isInOrder = isInOrder;
    this.#pipeline = new Pipeline(socket, (pair) => this.#start(pair));
  }

  /** Takes a request, and begins it when its turn comes. A closing connection ignores it. */
  accept(pair: Pair): void {
    // A host may pass on a request that it has answered itself. The turn of such a request has passed.
    if (pair.response.writableEnded) return;
    // Node may have ended the socket itself after a reply, and still read from it.
    if ((this.#stage !== 'open' && !hasTurn(pair.response)) || !this.#socket.writable) {
      this.#ignore(pair);
      return;
    }
    if (pair.isLast) this.#stage = 'closing';
    this.#pipeline.add(pair);
  }

  /** Called when a reply that keeps the connection has been written. An idle connection holds no request. */
  replied(pair: Pair): void {
    const { isReceived, response } = pair;
    if (response.writableLength > 0) response.once('close', () => this.replied(pair));
    else if (isReceived && this.#stage === 'open' && response.shouldKeepAlive) this.#pipeline.release(pair);
  }

  get current(): Pair | undefined {
    return this.#pipeline.current;
  }

  /** Whether input is no longer parsed. */
  get isDiscarding(): boolean {
    return this.#isDiscarding || this.#stage === 'lingering';
  }

  /** Whether the last reply has begun, so that no other can be sent. */
  get isEnding(): boolean {
    return this.#stage === 'ending' || this.#stage === 'lingering';
  }

  /** Whether a reply that begins now is the last. */
  get closesNext(): boolean {
    return this.#stage !== 'open' && !this.#pipeline.hasWaiting;
  }

  beginLast(): void {
    this.#stage = 'ending';
  }

  /** Takes no more requests, and closes when those taken are answered; at once when there are none. */
  drain(): void {
    // The last reply has been sent.
    if (this.#stage === 'lingering') closeSoon(this.#socket);
    if (this.#stage !== 'open') return;
    if (this.#pipeline.isInFlight) {
      this.#closeAfterLast();
    } else {
      this.#stage = 'lingering';
      closeIdle(this.#socket);
    }
  }

  /**
   * Called on a parse error, after which later bytes cannot be trusted. Complete requests are answered. `raw` is the reply to what
   * was not complete. `hasLeft` says that the client has ended its side in it, and does not wait for earlier replies either.
   */
  fail(raw: string, hasLeft: boolean): void {
    if (this.isEnding) return;
    const { current, last, isInFlight } = this.#pipeline;
    const broken = last?.request.complete === false ? last : undefined;
    if (hasLeft && isInFlight && broken !== current) {
      this.destroy();
    } else if (broken !== undefined && broken !== current) {
      this.#stage = 'closing';
      this.#brokenReply = { pair: broken, raw };
    } else if (broken?.response.headersSent === false) {
      this.sendLast(raw, broken);
    } else if (isInFlight) {
      // A reply that has begun may depend on the rest of a broken body.
      if (broken === undefined) this.drain();
      else this.destroy();
    } else if (broken !== undefined || this.#stage === 'closing' || last?.response.shouldKeepAlive === false) {
      // The last reply has been sent.
      this.close();
    } else {
      this.sendLast(raw);
    }
  }

  /** Writes a reply in place of the response to `replaced`, and closes. To a mounted handler it is as if the client had left. */
  sendLast(raw: string, replaced?: Pair): void {
    this.#stage = 'ending';
    this.#socket.write(replaced?.request.method === 'HEAD' ? raw.slice(0, raw.indexOf('\r\n\r\n') + 4) : raw);
    this.close();
  }

  /** Ends our side, and lingers. */
  close(): void {
    if (this.#stage === 'lingering') return;
    this.#stage = 'lingering';
    this.#pipeline.pauseNoMore();
    lingeringClose(this.#socket);
  }

  destroy(): void {
    this.#socket.destroy();
  }

  /** Called when reading has been paused, and nothing has moved, for a while. The client could leave unnoticed, so reading goes on. */
  stalled(): void {
    const { current, last, isPaused } = this.#pipeline;
    if (last === undefined) return;
    // In a host's own server, Node may have paused reading for a request that the host serves itself.
    const isOurs = this.#isInOrder || isPaused;
    if (!last.isReceived && (last === current || !isOurs)) this.#pipeline.readAhead(last);
    else if (isOurs) this.#takeNoMore(last);
  }

  #start(pair: Pair): void {
    if (this.isEnding || !this.#socket.writable) return;
    if (this.closesNext) this.#closeOnClose(pair);
    if (pair === this.#brokenReply?.pair) this.sendLast(this.#brokenReply.raw, pair);
    else this.#begin(pair);
  }

  #ignore(pair: Pair): void {
    if (this.#isInOrder) {
      pair.request.resume();
    } else {
      // Its turn may come all the same: a host's listener may have held it back while later ones were taken.
      pair.keepContext();
      onTurn(pair.response, () => pair.inContext(() => this.#pipeline.begin(pair)));
    }
    this.#discard();
  }

  #discard(): void {
    if (this.isDiscarding) return;
    this.#isDiscarding = true;
    this.#pipeline.pauseNoMore();
    // We may be inside a parser callback.
    process.nextTick(() => discardInput(this.#socket));
  }

  /** The client pipelines more than is taken. It may send the rest again on another connection. */
  #takeNoMore(last: Pair): void {
    if (this.isEnding || this.#isDiscarding) return;
    if (!last.isReceived) this.#pipeline.dropLast();
    this.#closeAfterLast();
    if (this.#pipeline.last?.isReceived === true) this.#discard();
  }

  #closeAfterLast(): void {
    this.#stage = 'closing';
    const { current, last } = this.#pipeline;
    // A mounted handler writes its own head, which includes this header.
    if (last?.response.headersSent === false) last.response.setHeader('Connection', 'close');
    if (last !== undefined && last === current) this.#closeOnClose(last);
  }

  /** Closes after a reply that may not have said so: its head may have been sent before. */
  #closeOnClose({ response }: Pair): void {
    response.once('close', () => {
      if (this.#stage === 'closing' && this.#socket.writable) this.close();
    });
  }
}
