/** Writes DER, the encoding of certificates (ITU-T X.690): each value is a tag, a length and its content. */

export function encodeDer(tag: number, ...content: readonly Uint8Array[]): Buffer {
  const bytes = Buffer.concat(content);
  return Buffer.concat([Buffer.from([tag, ...lengthOf(bytes.length)]), bytes]);
}

// A length over 127 has a byte before it, which says how many bytes it has.
function lengthOf(length: number): number[] {
  if (length < 0x80) return [length];
  return length < 0x100 ? [0x81, length] : [0x82, length >> 8, length & 0xff];
}

export const sequence = (...content: readonly Uint8Array[]): Buffer => encodeDer(0x30, ...content);
export const set = (...content: readonly Uint8Array[]): Buffer => encodeDer(0x31, ...content);
export const integer = (bytes: Uint8Array): Buffer => encodeDer(0x02, bytes);
export const encodeBitString = (bytes: Uint8Array): Buffer => encodeDer(0x03, Buffer.from([0]), bytes);
export const encodeOctetString = (bytes: Uint8Array): Buffer => encodeDer(0x04, bytes);
export const encodeUtf8String = (text: string): Buffer => encodeDer(0x0c, Buffer.from(text));
/** A value that only its tag distinguishes from its neighbours, such as `[0]`. */
export const encodeTagged = (number: number, content: Uint8Array): Buffer => encodeDer(0xa0 | number, content);

/** `1.2.840.10045.4.3.2`, for example. Each number has seven bits in a byte; all bytes but the last have the eighth set. */
export function objectIdentifier(text: string): Buffer {
  const [first = 0, second = 0, ...others] = text.split('.').map(Number);
  const bytes = [first * 40 + second, ...others].flatMap((number) => {
    const sevens = [number & 0x7f];
    for (let left = number >> 7; left > 0; left >>= 7) sevens.unshift((left & 0x7f) | 0x80);
    return sevens;
  });
  return encodeDer(0x06, Buffer.from(bytes));
}

/** A time until 2049: `261122070000Z`. */
export function utcTime(ms: number): Buffer {
  return encodeDer(0x17, Buffer.from(`${new Date(ms).toISOString().slice(2, 19).replaceAll(/[-:T]/g, '')}Z`));
}
