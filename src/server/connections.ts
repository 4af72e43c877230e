/**
 * Who is connected, and how each connection stands:
 *
 *   idle        nothing was asked, or all was answered and is out
 *   in flight   a request is being read, worked on or answered; others may wait behind it
 *   closing     nothing more is taken: what was received is answered, and the last answer says `Connection: close`
 *   hung up     our side is ended; what the client still sends is swallowed, for a while
 *
 * The requests of a connection are worked on one after the other. RFC 9112 section 9.3.2 asks that for all but safe
 * methods, it bounds what one connection can set in motion, and only so is it known when an answer begins whether
 * it is the connection's last.
 */
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { finished } from 'node:stream';

/** Node's own pair for a request, which a server's listeners get. */
export interface HttpPair {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  /** Whether what comes behind it can not be read. */
  readonly isLast: boolean;
}

// A client that pipelines more than this is not read from until some of it is answered.
const MOST_WAITING = 64;
// How long a client that was hung up on may be quiet before it is cut off, and how often it may go on sending.
const LINGER_MS = 500;
const MOST_LINGERS = 20;
// How long an idle client that is still sending holds `stop()` up.
const UNREAD_MS = 50;

/** One connection, and the requests that came over it. */
export class Connection<Pair extends HttpPair> {
  readonly #socket: Socket;
  readonly #begin: (pair: Pair) => void;
  readonly #waiting: Pair[] = [];
  #current: Pair | undefined;
  #awaited: Pair | undefined;
  #closing = false;
  #isHolding = false;
  #isHeld = false;
  #isPaused = false;
  #isLastBegun = false;
  #hungUp = false;

  constructor(socket: Socket, begin: (pair: Pair) => void) {
    this.#socket = socket;
    this.#begin = begin;
    // Node pauses the socket too, while what is written to it piles up.
    socket.on('pause', () => (this.#isPaused = true));
    socket.on('resume', () => {
      this.#isPaused = false;
      if (this.#isHeld) socket.pause();
    });
  }

  /** Takes a request, and begins it when all that came before it is answered. Ignores it on a closing connection. */
  accept(pair: Pair): void {
    // Node ends the socket itself behind some answers, and goes on to read from it.
    if (this.#closing || !this.#socket.writable) {
      pair.request.resume();
      return;
    }
    this.#closing = pair.isLast;
    // Node gives a response its socket when the one before it is out.
    if (this.#waiting.length === 0 && pair.response.socket !== null) {
      this.#current = pair;
      if (pair.isLast) this.#advanceAfter(pair);
      this.#begin(pair);
    } else {
      this.#waiting.push(pair);
      this.#advanceAfter(this.#current);
      if (this.#waiting.length >= MOST_WAITING) this.#holdSoon();
    }
  }

  /** Whether anything received is not answered yet, or its answer not out. */
  get isInFlight(): boolean {
    return this.#waiting.length > 0 || (this.#current !== undefined && !this.#current.response.writableFinished);
  }

  /** Whether our side is ended, so that no answer can be given any more. */
  get isHungUp(): boolean {
    return this.#hungUp;
  }

  /** Whether an answer that begins now is this connection's last. */
  get closesNext(): boolean {
    return this.#closing && this.#waiting.length === 0;
  }

  /** Takes nothing more, and lets nothing that still fails disturb the answer that begins now, which says so. */
  beginLast(): void {
    this.#closing = true;
    this.#isLastBegun = true;
  }

  /** Takes nothing more, and closes when what was received is answered; at once when that is nothing. */
  drain(): void {
    // A client that was hung up on has had its answer: it is not waited for once that is out.
    if (this.#hungUp) finished(this.#socket, { readable: false }, () => this.#socket.destroy());
    if (this.#closing) return;
    this.#closing = true;
    const last = this.#last;
    if (last === undefined || !this.isInFlight) {
      this.#closeIdle();
      return;
    }
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
    if (this.#hungUp || this.#isLastBegun) return;
    const last = this.#last;
    const broken = last === undefined || last.request.complete ? undefined : last;
    if (hasLeft && this.isInFlight && broken !== this.#current) {
      this.destroy();
    } else if (broken !== undefined && broken !== this.#current) {
      this.#waiting.pop();
      this.drain();
    } else if (broken !== undefined && !broken.response.headersSent) {
      this.sendLast(raw, broken.request.method);
    } else if (this.isInFlight) {
      // An answer that has begun before its request had come to an end can not be trusted to come to one.
      if (broken === undefined) this.drain();
      else this.destroy();
    } else if (broken !== undefined || this.#closing || last?.response.shouldKeepAlive === false) {
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
    this.#socket.write(method === 'HEAD' ? raw.slice(0, raw.indexOf('\r\n\r\n') + 4) : raw);
    this.hangUp();
  }

  /**
   * Ends our side, and swallows what the client still sends: to destroy the socket while it sends would reset the
   * connection, and take the answer from a client that has not read it yet.
   */
  hangUp(): void {
    if (this.#hungUp) return;
    this.#closing = true;
    this.#hungUp = true;
    this.#isHeld = false;
    this.#socket.end();
    this.#socket.resume();
    let seen = this.#socket.bytesRead;
    let left = MOST_LINGERS;
    const timer = setInterval(() => {
      left -= 1;
      if (this.#socket.bytesRead === seen || left === 0) this.#socket.destroy();
      seen = this.#socket.bytesRead;
    }, LINGER_MS);
    this.#socket.once('close', () => clearInterval(timer));
  }

  /** Ends the connection as it stands. */
  destroy(): void {
    this.#socket.destroy();
  }

  /**
   * Closes at once, or a moment later where the client has sent something that is not read yet: to destroy the socket
   * then would reset the connection, and take from the client what it has not received of an earlier answer.
   */
  #closeIdle(): void {
    const seen = this.#socket.bytesRead;
    this.hangUp();
    // What lies there is read between the one and the other.
    setImmediate(() => setImmediate(() => {
      if (this.#socket.bytesRead === seen) this.#socket.destroy();
      else setTimeout(() => this.#socket.destroy(), UNREAD_MS).unref();
    }));
  }

  get #last(): Pair | undefined {
    return this.#waiting.at(-1) ?? this.#current;
  }

  /** Goes on when a pair's answer is out. Asked for only where something waits for it. */
  #advanceAfter(pair: Pair | undefined): void {
    if (this.#awaited === pair) return;
    this.#awaited = pair;
    pair?.response.once('close', () => this.#advance());
  }

  #advance(): void {
    if (!this.#socket.writable) return;
    const next = this.#waiting.shift();
    if (next === undefined) {
      if (this.#closing) this.hangUp();
      return;
    }
    this.#current = next;
    if (this.#closing || this.#waiting.length > 0) this.#advanceAfter(next);
    if (this.#isHeld && this.#waiting.length < MOST_WAITING) this.#release();
    this.#begin(next);
  }

  #holdSoon(): void {
    if (this.#isHolding) return;
    this.#isHolding = true;
    // Node resumes the socket at the end of each request, so it can be held only when a whole reading is parsed.
    process.nextTick(() => {
      this.#isHolding = false;
      if (this.#waiting.length < MOST_WAITING) return;
      this.#isHeld = true;
      // What Node has paused, and may be about to resume, would go on reading if it were paused before that is over.
      if (!this.#isPaused) this.#socket.pause();
    });
  }

  #release(): void {
    this.#isHeld = false;
    this.#socket.resume();
  }
}

/** All connections of a listener. */
export class Connections<Pair extends HttpPair> {
  readonly #begin: (pair: Pair) => void;
  readonly #open = new Map<Socket, Connection<Pair>>();
  #draining = false;

  constructor(begin: (pair: Pair) => void) {
    this.#begin = begin;
  }

  /** The connection of a socket, known from its first sight to its close. */
  of(socket: Socket): Connection<Pair> {
    const known = this.#open.get(socket);
    if (known !== undefined) return known;
    const connection = new Connection(socket, this.#begin);
    this.#open.set(socket, connection);
    socket.once('close', () => this.#open.delete(socket));
    // The system may have taken a connection just before the listener was closed.
    if (this.#draining) connection.drain();
    return connection;
  }

  /** Drains every connection there is, and any that still comes. */
  drain(): void {
    this.#draining = true;
    for (const connection of this.#open.values()) connection.drain();
  }

  /** Ends every connection as it stands. */
  destroy(): void {
    for (const connection of this.#open.values()) connection.destroy();
  }
}
