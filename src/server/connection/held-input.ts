/**
 * Holds the input of a connection while many requests wait:
 *
 *   socket   ->   held bytes   ->   parser   ->   waiting requests   ->   current request
 *
 * A parsed request takes much more memory than its bytes, and a client can send thousands of requests in one chunk. So the parser stops,
 * and gets the rest later. Meanwhile the socket is still read, so that the server notices when the client leaves.
 */
import type { Socket } from 'node:net';
import { ByteBuffer } from '../../util/byte-buffer.ts';
import { type StoppableParser, stopParser } from '../node/parsers.ts';
import { readFromHandle } from '../node/sockets.ts';

// Reading pauses when this many bytes are held.
const MAX_HELD_BYTES = 16 * 1024;

type OnData = (chunk: Buffer) => void;

export class HeldInput {
  readonly #socket: Socket;
  readonly #parser: StoppableParser;
  readonly #onFull: () => void;
  readonly #bytes = new ByteBuffer();
  // The bytes that arrived after `endAfter` was called.
  readonly #late = new ByteBuffer();
  #isHolding = false;
  // Node's own `data` listeners, once this object has replaced them.
  #listeners: readonly OnData[] | undefined;
  #onEnd: (() => void) | undefined;
  #isDiscarding = false;

  private constructor(socket: Socket, parser: StoppableParser, onFull: () => void) {
    this.#socket = socket;
    this.#parser = parser;
    this.#onFull = onFull;
  }

  /**
   * Makes the parser stop while `isFull` returns `true`. Calls `onFull` when reading should pause. Returns `undefined` if the parser
   * cannot stop.
   */
  static create(socket: Socket, isFull: () => boolean, onFull: () => void): HeldInput | undefined {
    const parser = stopParser(socket, isFull);
    return parser && new HeldInput(socket, parser, onFull);
  }

  get isHolding(): boolean {
    return this.#isHolding;
  }

  /** Holds the bytes that the parser has not parsed. */
  hold(rest: Buffer): void {
    this.#isHolding = true;
    this.#bytes.add(rest);
    this.#listeners ??= this.#listenInPlaceOfNode();
    this.#pauseIfFull();
  }

  /** Passes the held bytes to the parser, which may stop again. */
  release(): void {
    if (!this.#isHolding) return;
    this.#pass(this.#bytes.take());
    if (this.#isHolding || this.#onEnd === undefined) return;
    const end = this.#onEnd;
    this.#onEnd = undefined;
    end();
    this.#pass(this.#late.take());
  }

  /** Calls a function when the parser has got all bytes that are held now. `discards`: later bytes are not parsed. */
  endAfter(onEnd: () => void, discards: boolean): void {
    this.#onEnd = onEnd;
    this.#isDiscarding = discards;
    if (discards) this.#late.clear();
  }

  /** Drops the held bytes, and holds no more. */
  drop(): void {
    this.#isHolding = false;
    this.#bytes.clear();
    this.#late.clear();
  }

  /** Takes over the `data` events of the socket, even if the parser has read from its handle until now. */
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
    // For Node's parser, an empty buffer can be the end of the input: once its `buffer` was asked for, it has no address.
    if (bytes.length > 0) this.#listeners?.forEach((listener) => listener.call(this.#socket, bytes));
    if (!this.#parser.isParsing()) this.#socket.off('data', this.#take);
  }
}
