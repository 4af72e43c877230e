/**
 * How far a connection is on its way to its end:
 *
 *   open        requests are accepted
 *   one more    the server stops, and nothing is in flight: one more request is accepted, which may be on its way already
 *   closing     no more are accepted; those accepted are answered, and the last reply says `Connection: close`
 *   ending      that last reply has begun
 *   lingering   our side is ended; input is discarded for a while (see lingering-close.ts)
 */
import type { Socket } from 'node:net';
import { discardInput } from '../node-internals/sockets.ts';
import { closeIdle, closeSoon, lingeringClose } from './lingering-close.ts';
import type { HttpPair, Pipeline } from './pipeline.ts';

type Stage = 'open' | 'one more' | 'closing' | 'ending' | 'lingering';

export class ConnectionStage<Pair extends HttpPair> {
  readonly #socket: Socket;
  readonly #pipeline: Pipeline<Pair>;
  #stage: Stage = 'open';
  #isDiscarding = false;

  constructor(socket: Socket, pipeline: Pipeline<Pair>) {
    this.#socket = socket;
    this.#pipeline = pipeline;
  }

  get isOpen(): boolean {
    return this.#stage === 'open';
  }

  get acceptsMore(): boolean {
    return this.#stage === 'open' || this.#stage === 'one more';
  }

  get isClosing(): boolean {
    return this.#stage === 'closing';
  }

  /** Whether the last reply has begun. */
  get isEnding(): boolean {
    return this.#stage === 'ending' || this.#stage === 'lingering';
  }

  /** Whether input is discarded, and no longer parsed. */
  get isDiscarding(): boolean {
    return this.#isDiscarding || this.#stage === 'lingering';
  }

  /** Called with each request that is accepted. It may be the last. */
  accept({ mustBeLast }: Pair): void {
    if (mustBeLast || this.#stage === 'one more') this.#stage = 'closing';
  }

  /** Accepts no more requests. */
  beginClosing(): void {
    this.#stage = 'closing';
  }

  beginLast(): void {
    this.#stage = 'ending';
  }

  /** See `Connection.drain`. */
  drain(lingerMs: number): void {
    // The last reply is written. Only the client's end is awaited.
    if (this.#stage === 'lingering') closeSoon(this.#socket);
    if (this.#stage !== 'open') return;
    if (this.#pipeline.isInFlight) this.closeAfterLast(lingerMs);
    else this.#acceptOneMore(lingerMs);
  }

  /** Closes after the reply to the latest request. If its head has been sent, the client has `lingerMs` for one more request. */
  closeAfterLast(lingerMs: number): void {
    this.#stage = 'closing';
    const { current, latest } = this.#pipeline;
    const isHeadSent = latest?.response.headersSent === true;
    // A mounted handler writes its head itself. Node adds this header to it.
    if (!isHeadSent) latest?.response.setHeader('Connection', 'close');
    if (latest !== undefined && latest === current) this.closeAfter(latest, isHeadSent ? lingerMs : 0);
  }

  /** Closes after a reply, even if its head has been sent already and does not say so. */
  closeAfter({ response }: Pair, lingerMs = 0): void {
    response.once('close', () => {
      if (this.#stage !== 'closing' || !this.#socket.writable) return;
      if (lingerMs > 0 && !this.isDiscarding) this.#acceptOneMore(lingerMs);
      else this.close();
    });
  }

  /** Ends our side, and lingers. */
  close(): void {
    if (this.#stage === 'lingering') return;
    this.#stage = 'lingering';
    this.#pipeline.stopPausing();
    lingeringClose(this.#socket);
  }

  /** Discards all input from now on. */
  discard(): void {
    if (this.isDiscarding) return;
    this.#isDiscarding = true;
    this.#pipeline.stopPausing();
    // We may be inside a parser callback.
    process.nextTick(() => discardInput(this.#socket));
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
}
