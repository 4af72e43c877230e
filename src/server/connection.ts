/**
 * How a connection stands:
 *
 *   idle        nothing was asked, or all was answered and is out
 *   in flight   a request is being read, worked on or answered; others may wait behind it
 *
 * and whether it goes on:
 *
 *   open        requests are taken
 *   closing     nothing more is taken; what was received is answered, and the last answer says `Connection: close`
 *   ending      that last answer has begun
 *   hung up     our side is ended; what the client still sends is swallowed, for a while
 *
 * The requests of a connection are worked on one after the other: each is begun when the answer to the one before it is
 * given, though not yet out. RFC 9112 section 9.3.2 asks that for all but safe methods, it bounds what one connection
 * can set in motion, and only so is it known when an answer begins whether it is the connection's last.
 */
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { Brake } from './brake.ts';
import { cutShort, hangUp, hangUpIdle } from './hang-up.ts';

/** Node's own pair for a request, which a server's listeners get. */
export interface HttpPair {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  /** Whether what comes behind it can not be read. */
  readonly isLast: boolean;
  /** Whether all of the request is here. */
  readonly isReceived: boolean;
}

type Stage = 'open' | 'closing' | 'ending' | 'hung up';

// A client that pipelines more than this is not read from until some of it is answered.
const MOST_WAITING = 64;
// How many bytes of answers may lie there when the next request is begun: a client may ask, and not read.
const MOST_UNSENT = 16 * 1024;

/** One connection, and the requests that came over it. */
export class Connection<Pair extends HttpPair> {
  readonly #socket: Socket;
  readonly #begin: (pair: Pair) => void;
  readonly #mayGoAhead: boolean;
  #stage: Stage = 'open';
  #current: Pair | undefined;
  // Few clients pipeline, so what that takes is made when one does.
  #before: Pair | undefined;
  // Whether the next request is begun though the answer to the current one may not be out, and what lies there of answers.
  #goesAhead = false;
  #unsent = 0;
  #looksAgain = false;
  #waiting: Pair[] | undefined;
  #awaited: Pair | undefined;
  #brake: Brake | undefined;

  /** `mayGoAhead` says whether a request may be begun before the answer to the one before it is out. */
  constructor(socket: Socket, begin: (pair: Pair) => void, mayGoAhead: boolean) {
    this.#socket = socket;
    this.#begin = begin;
    this.#mayGoAhead = mayGoAhead;
  }

  /** Takes a request, and begins it when all that came before it are answered. Ignores it on a closing connection. */
  accept(pair: Pair): void {
    // Node ends the socket itself behind some answers, and goes on to read from it.
    if (this.#stage !== 'open' || !this.#socket.writable) {
      this.#ignore(pair);
      return;
    }
    if (pair.isLast) this.#stage = 'closing';
    // Node gives a response its socket when the one before it is out.
    if (this.#waitingCount > 0 || (pair.response.socket === null && !this.#goesAhead)) {
      this.#queue(pair);
      return;
    }
    this.#start(pair);
    if (pair.isLast) this.#advanceAfter(pair);
    this.#begin(pair);
  }

  /** Hears that the answer to the pair that was begun last is given, and that nothing of it asks for the connection's end. */
  answered(pair: Pair): void {
    const { response, isReceived } = pair;
    if (this.#stage !== 'open' || !response.shouldKeepAlive) return;
    const hasTurn = response.socket !== null;
    this.#unsent = response.writableLength + (hasTurn ? 0 : this.#unsent);
    this.#goesAhead = this.#mayGoAhead && isReceived && this.#unsent < MOST_UNSENT;
    if (hasTurn && this.#unsent === 0) this.#letGo();
    else if (!this.#looksAgain) this.#lookAgain();
  }

  /** Whether our side is ended, so that no answer can be given any more. */
  get isHungUp(): boolean {
    return this.#stage === 'hung up';
  }

  /** Whether an answer that begins now is this connection's last. */
  get closesNext(): boolean {
    return this.#stage !== 'open' && this.#waitingCount === 0;
  }

  /** Takes nothing more, and lets nothing that still fails disturb the answer that begins now, which says so. */
  beginLast(): void {
    this.#stage = 'ending';
  }

  /** Takes nothing more, and closes when what was received is answered; at once when that is nothing. */
  drain(): void {
    // A client that was hung up on has had its answer: it is not waited for once that is out.
    if (this.#stage === 'hung up') cutShort(this.#socket);
    if (this.#stage !== 'open') return;
    const last = this.#last;
    if (last === undefined || !this.#isInFlight) {
      this.#stage = 'hung up';
      hangUpIdle(this.#socket);
      return;
    }
    this.#stage = 'closing';
    // A mounted handler writes its own head, so it finds this header there already.
    if (!last.response.headersSent) last.response.setHeader('Connection', 'close');
    this.#advanceAfter(this.#current);
  }

  /**
   * What came can not be read, so nothing behind it can be either. What was received in full is answered; `raw` is
   * sent for a request whose body it broke, and where there was no request at all. A client that ended its side there
   * has left, though, as one has that ends it between two requests, and what it asked for before is not waited for.
   */
  fail(raw: string, hasLeft: boolean): void {
    if (this.#stage === 'hung up' || this.#stage === 'ending') return;
    const last = this.#last;
    const broken = last === undefined || last.request.complete ? undefined : last;
    if (hasLeft && this.#isInFlight && broken !== this.#current) {
      this.destroy();
    } else if (broken !== undefined && broken !== this.#current) {
      this.#waiting?.pop();
      this.drain();
    } else if (broken !== undefined && !broken.response.headersSent) {
      this.sendLast(raw, broken.request.method);
    } else if (this.#isInFlight) {
      // An answer that has begun before its request had come to an end can not be trusted to come to one.
      if (broken === undefined) this.drain();
      else this.destroy();
    } else if (broken !== undefined || this.#stage === 'closing' || last?.response.shouldKeepAlive === false) {
      // The answer is out, and was the last.
      this.hangUp();
    } else {
      this.sendLast(raw);
    }
  }

  /**
   * Sends an answer past the response that it belongs to, and hangs up. The response may be a mounted handler's, who
   * can go on with it as if the client had left.
   */
  sendLast(raw: string, method?: string): void {
    this.#stage = 'ending';
    const before = this.#before?.response;
    if (before !== undefined && !before.writableFinished) {
      before.once('close', () => this.sendLast(raw, method));
      return;
    }
    this.#socket.write(method === 'HEAD' ? raw.slice(0, raw.indexOf('\r\n\r\n') + 4) : raw);
    this.hangUp();
  }

  /** Ends our side. */
  hangUp(): void {
    if (this.#stage === 'hung up') return;
    this.#stage = 'hung up';
    this.#brake?.release();
    hangUp(this.#socket);
  }

  /** Ends the connection as it stands. */
  destroy(): void {
    this.#socket.destroy();
  }

  get #isInFlight(): boolean {
    return this.#waitingCount > 0 || (this.#current !== undefined && !this.#current.response.writableFinished);
  }

  get #last(): Pair | undefined {
    return this.#waiting?.at(-1) ?? this.#current;
  }

  get #waitingCount(): number {
    return this.#waiting?.length ?? 0;
  }

  #ignore(pair: Pair): void {
    pair.request.resume();
    // All that was taken is received by now, so nothing has to be read before the last answer is out.
    this.#brake ??= new Brake(this.#socket);
    this.#brake.pull(() => !this.isHungUp);
  }

  #start(pair: Pair): void {
    this.#before = this.#isInFlight ? this.#current : undefined;
    this.#current = pair;
    this.#goesAhead = false;
  }

  /** Holds on to nothing more, where nothing waits: the connection may be idle from now on. */
  #letGo(): void {
    if (this.#goesAhead && this.#waitingCount === 0) this.#current = this.#before = undefined;
  }

  // The answers to pipelined requests are out a moment later, all of them.
  #lookAgain(): void {
    this.#looksAgain = true;
    setImmediate(() => {
      this.#looksAgain = false;
      if (this.#stage === 'open' && !this.#isInFlight) this.#letGo();
    });
  }

  #queue(pair: Pair): void {
    this.#waiting ??= [];
    this.#brake ??= new Brake(this.#socket);
    this.#waiting.push(pair);
    this.#advanceAfter(this.#current);
    if (this.#waiting.length >= MOST_WAITING) this.#brake.pull(() => this.#waitingCount >= MOST_WAITING);
  }

  /** Goes on when a pair's answer is out. Asked for only where something waits for it. */
  #advanceAfter(pair: Pair | undefined): void {
    if (this.#awaited === pair) return;
    this.#awaited = pair;
    pair?.response.once('close', () => this.#advance());
  }

  #advance(): void {
    this.#awaited = undefined;
    if (!this.#socket.writable) return;
    const next = this.#waiting?.shift();
    if (next === undefined) {
      if (this.#stage === 'closing') this.hangUp();
      return;
    }
    this.#start(next);
    if (this.#stage === 'closing' || this.#waitingCount > 0) this.#advanceAfter(next);
    if (this.#waitingCount < MOST_WAITING) this.#brake?.release();
    this.#begin(next);
  }
}
