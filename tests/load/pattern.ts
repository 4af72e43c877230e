/** Checks that bytes are the pattern that is sent, in order, however they are cut. */
import { CHUNK_BYTES, chunkLike } from './load-server.ts';

export class Pattern {
  #bytes = 0;

  /** How many bytes were as expected. */
  get bytes(): number {
    return this.#bytes;
  }

  /** Takes the next bytes. Throws if they are others than expected. */
  take(piece: Buffer): void {
    for (let at = 0; at < piece.length;) {
      const inside = this.#bytes % CHUNK_BYTES;
      const length = Math.min(piece.length - at, CHUNK_BYTES - inside);
      const expected = chunkLike(Math.floor(this.#bytes / CHUNK_BYTES));
      if (piece.compare(expected, inside, inside + length, at, at + length) !== 0) throw new Error(`other bytes than expected behind ${this.#bytes}`);
      this.#bytes += length;
      at += length;
    }
  }
}
