/**
 * The input of a connection behind the requests that wait:
 *
 *   socket   ->   bytes that are held, while many requests wait   ->   parser   ->   requests that wait   ->   the one that is served
 *
 * Parsed requests take much more memory than their bytes, and a client can send thousands in one piece. So the parser stops, and gets the
 * rest later. Meanwhile the socket is read, so that the server sees when the client leaves.
 */
import type { Socket } from 'node:net';
import { ByteBuffer } from '../../util/byte-buffer.ts';
import { type StoppableParser, stopParser } from '../node/parsers.ts';
import { readFromHandle } from '../node/sockets.ts';

// How many bytes may be held before reading pauses.
const MAX_HELD_BYTES = 16 * 1024;

type OnData = (chunk: Buffer) => void;

export class HeldInput {
  readonly #socket: Socket;
  readonly #parser: StoppableParser;
  readonly #onFull: () => void;
  readonly #bytes = new ByteBuffer();
  // The bytes behind those that `endAfter` found.
  readonly #late = new ByteBuffer();
  #isHolding = false;
  // Node's own listeners, once this object listens in their place.
  #listeners: readonly OnData[] | undefined;
  #onEnd: (() => void) | undefined;
  #isDiscarding = false;

  private constructor(socket: Socket, parser: StoppableParser, onFull: () => void) {
    this.#socket = socket;
    this.#parser = parser;
    this.#onFull = onFull;
  }

  /**
   * The parser stops while `isFull` returns `true`. `onFull` is called when reading should pause. `undefined` if the parser cannot stop.
   */
  static create(socket: Socket, isFull: () => boolean, onFull: () => void): HeldInput | undefined {
    const parser = stopParser(socket, isFull);
    return parser && new HeldInput(socket, parser, onFull);
  }

  get isHolding(): boolean {
    return this.#isHolding;
  }

  /** Holds the bytes that the parser has left. */
  hold(rest: Buffer): void {
    this.#isHolding = true;
    this.#bytes.add(rest);
    this.#listeners ??= this.#listenInPlaceOfNode();
    this.#pauseIfFull();
  }

  /** Lets the parser go on with the bytes that are held. It may stop again. */
  release(): void {
    if (!this.#isHolding) return;
    this.#pass(this.#bytes.take());
    if (this.#isHolding || this.#onEnd === undefined) return;
    const end = this.#onEnd;
    this.#onEnd = undefined;
    end();
    this.#pass(this.#late.take());
  }

  /** Calls a function when the parser has got all bytes that are held now. `discards`: no later bytes are parsed. */
  endAfter(onEnd: () => void, discards: boolean): void {
    this.#onEnd = onEnd;
    this.#isDiscarding = discards;
    if (discards) this.#late.clear();
  }

  /** Forgets what is held, and holds nothing more. */
  drop(): void {
    this.#isHolding = false;
    this.#bytes.clear();
    this.#late.clear();
  }

  /** From now on the events of the socket come here, even if the parser read from its handle before. */
  #listenInPlaceOfNode(): readonly OnData[] {
    const listeners = this.#socket.listeners('data') as OnData[];
    this.#socket.removeAllListeners('data').on('data', this.#take);
    readFromHandle(this.#socket);
    return listeners;
  }

  readonly #take = (chunk: Buffer): void => {
    if (!this.#isHolding) {
      this.#pass(chunk);
    } else if (!this.#isDiscarding) {
      (this.#onEnd === undefined ? this.#bytes : this.#late).add(chunk);
      this.#pauseIfFull();
    }
  };

  #pauseIfFull(): void {
    if (this.#bytes.length + this.#late.length >= MAX_HELD_BYTES) this.#onFull();
  }

  #pass(bytes: Buffer): void {
    this.#isHolding = false;
    if (!this.#parser.isParsing()) return;
    this.#parser.resume();
    for (const listener of this.#listeners ?? []) listener.call(this.#socket, bytes);
    if (!this.#parser.isParsing()) this.#socket.off('data', this.#take);
  }
}
