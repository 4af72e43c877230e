/** Bytes that arrive in pieces, such as a body, and bytes as Base64. */

const NO_BYTES = Buffer.alloc(0);

/**
 * Collects pieces in one buffer, which holds at most twice their bytes. Node allocates about 140 bytes for each piece that it reads, and a
 * client can send pieces of one byte.
 */
export class ByteBuffer {
  // The first piece itself until there is a second one, since most bodies have only one.
  #bytes: Uint8Array = NO_BYTES;
  length = 0;

  add(piece: Uint8Array): void {
    const length = this.length + piece.length;
    if (this.length === 0) {
      this.#bytes = piece;
    } else {
      if (length > this.#bytes.length) this.#grow(2 * length);
      this.#bytes.set(piece, this.length);
    }
    this.length = length;
  }

  /** Adds a piece. If there are more than `maxBytes` then, forgets all of them, and returns `false`. */
  addWithin(piece: Uint8Array, maxBytes: number): boolean {
    const isShort = this.length + piece.length <= maxBytes;
    if (isShort) this.add(piece);
    else this.clear();
    return isShort;
  }

  /** Returns all bytes, and forgets them. */
  take(): Buffer {
    const bytes = this.#bytes;
    const length = this.length;
    this.clear();
    // A chunk of Deno is a plain `Uint8Array`, whose `toString` does not decode.
    return bytes.length === length && Buffer.isBuffer(bytes) ? bytes : Buffer.from(bytes.buffer, bytes.byteOffset, length);
  }

  clear(): void {
    this.#bytes = NO_BYTES;
    this.length = 0;
  }

  #grow(size: number): void {
    const bytes = Buffer.allocUnsafeSlow(size);
    bytes.set(this.#bytes.subarray(0, this.length));
    this.#bytes = bytes;
  }
}

/**
 * Decodes Base64 (RFC 4648 section 4). Returns `undefined` for anything else: Node's decoder skips characters that are not in the alphabet,
 * and stops at a `=`, so the bytes would differ from the sender's (section 3.3).
 */
export function decodeBase64(encoded: string): Buffer | undefined {
  const bytes = Buffer.from(encoded, 'base64');
  return bytes.toString('base64') === encoded ? bytes : undefined;
}

/** Returns the bytes of a string, or the same bytes, which are not copied. */
export function toBuffer(chunk: string | Uint8Array): Buffer {
  return typeof chunk === 'string' ? Buffer.from(chunk) : Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength);
}
