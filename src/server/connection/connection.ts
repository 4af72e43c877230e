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
import { cutShort, discardInput, hangUp, hangUpIdle } from './lingering-close.ts';
import { ReadPause } from './read-pause.ts';

/** Node's own pair for a request, which a server's listeners get. */
export interface HttpPair {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  /** Whether what comes behind it can not be read. */
  readonly isLast: boolean;
  /** Whether all of the request is here. */
  readonly isReceived: boolean;
  /** Lets a body come while the request has to wait, though nobody takes it, for as long as there is room. */
  readAhead(hasRoom: () => boolean): void;
  /** Keeps the present async context, for a request that has to wait. */
  keepContext(): void;
  /** Calls a function in the async context that was kept, else in the present one. */
  inContext(call: () => void): void;
  /** Ends the request's part in what is counted as being in work. */
  release(): void;
}

type Stage = 'open' | 'closing' | 'ending' | 'hung up';

// A client that pipelines more than this is not read from until some of it is answered.
const MAX_WAITING = 64;
// How much of bodies is taken while their requests wait.
const MAX_BYTES_WAITING = 1024 * 1024;
// How long a body that can not be taken may stand still.
const STANDSTILL_MS = 500;
// How many bytes of answers may lie there when the next request is begun: a client may ask, and not read.
const MAX_UNSENT = 16 * 1024;

/** One connection, and the requests that came over it. */
export class Connection<Pair extends HttpPair> {
  readonly #socket: Socket;
  readonly #begin: (pair: Pair) => void;
  readonly #isInOrder: boolean;
  #stage: Stage = 'open';
  #current: Pair | undefined;
  // Whether the next request is begun though the answer to the current one may not be out, and what lies there of answers.
  #goesAhead = false;
  #unsent = 0;
  #looksAgain = false;
  // Few clients pipeline, so what that takes is made when one does.
  #waiting: Pair[] | undefined;
  #pause: ReadPause | undefined;
  // Whether what still comes is discarded, unread by Node's parser.
  #discards = false;

  /** `isInOrder` says whether requests are handed on at once, so that they come in their order. */
  constructor(socket: Socket, begin: (pair: Pair) => void, isInOrder: boolean) {
    this.#socket = socket;
    this.#begin = begin;
    this.#isInOrder = isInOrder;
  }

  /** Takes a request, and begins it when all that came before it are answered. Ignores it on a closing connection. */
  accept(pair: Pair): void {
    const { response } = pair;
    // A host that has answered by itself may hand the request on all the same. It would wait for a turn that has passed.
    if (response.writableEnded) return;
    // Node gives a response its socket when the one before it is out.
    const hasTurn = response.socket !== null;
    // Node ends the socket itself behind some answers, and goes on to read from it.
    if ((this.#stage !== 'open' && !hasTurn) || !this.#socket.writable) {
      this.#ignore(pair);
      return;
    }
    if (pair.isLast) this.#stage = 'closing';
    if (hasTurn || (this.#goesAhead && this.#isInOrder && this.#waitingCount === 0)) this.#start(pair);
    else this.#queue(pair);
  }

  /** Hears that the answer to the pair that was begun last is given, and that nothing of it asks for the connection's end. */
  answered(pair: Pair): void {
    const { request, response, isReceived } = pair;
    if (this.#stage !== 'open' || !response.shouldKeepAlive) return;
    const hasTurn = response.socket !== null;
    this.#unsent = response.writableLength + (hasTurn ? 0 : this.#unsent);
    // In HTTP/1.0, Node closes behind an answer that has no length, such as a 204, and says so nowhere.
    this.#goesAhead = isReceived && this.#unsent < MAX_UNSENT && request.httpVersionMinor > 0;
    // The next request may be begun from now on, and is not one more that is in work.
    if (this.#goesAhead) pair.release();
    if (hasTurn && this.#unsent === 0) this.#letGo();
    else if (!this.#looksAgain) this.#lookAgain();
  }

  /** Called when the socket is closed. Node 20 and 22 say nothing of that to a response whose turn has not come. */
  closed(): void {
    this.#current?.release();
  }

  /** Lets go of a request when its answer is out. */
  letGoLater(pair: Pair): void {
    pair.response.once('close', () => {
      if (this.#stage === 'open' && this.#current === pair) this.#letGo();
    });
  }

  /** Whether nothing that still comes is looked at. */
  get isDiscarding(): boolean {
    return this.#discards || this.#stage === 'hung up';
  }

  /** Whether the last answer has begun, so that no other can be given any more. */
  get isEnding(): boolean {
    return this.#stage === 'ending' || this.#stage === 'hung up';
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
    this.#closeBehind(last);
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
      this.sendLast(raw, broken);
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
   * Sends an answer past the response that it belongs to, in its turn, and hangs up. The response may be a mounted
   * handler's, who can go on with it as if the client had left.
   */
  sendLast(raw: string, answered?: Pair): void {
    this.#stage = 'ending';
    if (answered?.response.socket === null) {
      answered.response.once('socket', () => process.nextTick(() => this.sendLast(raw, answered)));
      return;
    }
    this.#socket.write(answered?.request.method === 'HEAD' ? raw.slice(0, raw.indexOf('\r\n\r\n') + 4) : raw);
    this.hangUp();
  }

  /** Ends our side. */
  hangUp(): void {
    if (this.#stage === 'hung up') return;
    this.#stage = 'hung up';
    this.#pause?.resume();
    hangUp(this.#socket);
  }

  /**
   * Called while the client takes no byte of what is sent. Node pauses reading when a request comes behind an answer that is
   * not taken, and does not see the client leave then.
   */
  sendStalled(): void {
    // A body that its handler still reads is not discarded.
    const isComing = this.#last?.isReceived === false && this.#last === this.#current;
    if (!isComing && this.#socket.isPaused()) this.#takeNoMore();
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

  get #bytesWaiting(): number {
    return this.#waiting?.reduce((bytes, { request }) => bytes + request.readableLength, 0) ?? 0;
  }

  #ignore(pair: Pair): void {
    if (this.#isInOrder) pair.request.resume();
    else this.#startIfItsTurnComes(pair);
    // All that was taken is received by now.
    this.#discard();
  }

  /** Discards what still comes. Reading goes on, since only so is it seen that the client leaves. */
  #discard(): void {
    if (this.isDiscarding) return;
    this.#discards = true;
    this.#pause?.resume();
    // We may be inside a parser callback.
    process.nextTick(() => discardInput(this.#socket));
  }

  /**
   * The operations are slow, and the client has pipelined more than is taken. What was taken in full is answered, and
   * the last answer says that the connection closes: the client is then free to ask for the rest anew.
   */
  #takeNoMore(): void {
    if (this.isEnding) return;
    const last = this.#last;
    const isCut = last !== this.#current && last?.isReceived === false;
    if (isCut) this.#waiting?.pop();
    // Where it is closing already, another answer was to say so.
    if (isCut && this.#stage === 'closing') this.#closeBehind(this.#last);
    else this.drain();
    if (this.#last?.isReceived === true) this.#discard();
  }

  /** Node reads no more from the socket once so much of a body is there that nobody takes, and sees nobody leave then. */
  #watchBody(pair: Pair): void {
    const socket = this.#socket;
    const seen = socket.bytesRead;
    const inWork = this.#current;
    setTimeout(() => {
      if (pair.isReceived || this.#waiting?.at(-1) !== pair || this.isDiscarding || socket.destroyed) return;
      // A write to a client that has left fails by itself.
      const isWaitedFor = !socket.isPaused() || socket.bytesRead > seen || socket.writableLength > 0 || this.#current !== inWork;
      if (isWaitedFor) this.#watchBody(pair);
      else this.#takeNoMore();
    }, STANDSTILL_MS).unref();
  }

  #start(pair: Pair): void {
    this.#current = pair;
    this.#goesAhead = false;
    if (this.#stage === 'closing' && this.#waitingCount === 0) this.#closeAfter(pair);
    this.#begin(pair);
  }

  #closeBehind(last: Pair | undefined): void {
    // A mounted handler writes its own head, so it finds this header there already.
    if (last?.response.headersSent === false) last.response.setHeader('Connection', 'close');
    if (last !== undefined && last === this.#current) this.#closeAfter(last);
  }

  /** Closes when an answer is out that did not say so itself: its head may have been sent before. */
  #closeAfter({ response }: Pair): void {
    response.once('close', () => {
      if (this.#stage === 'closing' && this.#socket.writable) this.hangUp();
    });
  }

  /** Holds on to nothing more, where nothing waits: the connection may be idle from now on. */
  #letGo(): void {
    const last = this.#current;
    if (this.#waitingCount === 0 && last?.isReceived === true && last.response.shouldKeepAlive) this.#current = undefined;
  }

  // The answers to pipelined requests are out a moment later, all of them.
  #lookAgain(): void {
    this.#looksAgain = true;
    setImmediate(() => {
      this.#looksAgain = false;
      const last = this.#current;
      if (this.#stage !== 'open' || last === undefined) return;
      if (this.#isInFlight) this.letGoLater(last);
      else this.#letGo();
    });
  }

  #queue(pair: Pair): void {
    pair.keepContext();
    this.#waiting ??= [];
    this.#waiting.push(pair);
    // In a server of the host's own, how long a body may take is the host's.
    if (this.#isInOrder && !pair.isReceived) {
      pair.readAhead(() => this.#bytesWaiting < MAX_BYTES_WAITING);
      this.#watchBody(pair);
    }
    // It waits for its own turn, and not for a certain other one: a host's listener may answer some requests by itself, and
    // hand on others later than those behind them.
    pair.response.once('socket', () => process.nextTick(() => this.#startWaiting(pair)));
    if (this.#waiting.length < MAX_WAITING) return;
    this.#pause ??= new ReadPause(this.#socket, () => this.#takeNoMore(), () => this.#current);
    this.#pause.pause(() => this.#waitingCount >= MAX_WAITING && !this.isDiscarding);
  }

  /** A host may have held a request back for so long that the connection is closing behind a later one. */
  #startIfItsTurnComes(pair: Pair): void {
    pair.keepContext();
    pair.response.once('socket', () => process.nextTick(() => {
      if (!this.isEnding && this.#socket.writable) pair.inContext(() => this.#start(pair));
    }));
  }

  #startWaiting(pair: Pair): void {
    const at = this.#waiting?.indexOf(pair) ?? -1;
    if (at === -1 || this.isEnding || !this.#socket.writable) return;
    this.#waiting?.splice(at, 1);
    if (this.#waitingCount < MAX_WAITING) this.#pause?.resume();
    pair.inContext(() => this.#start(pair));
  }
}
