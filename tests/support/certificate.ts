/** Certificates for tests (RFC 5280): self-signed, for localhost, valid for a day. So tests need neither files nor `openssl`. */
import { generateKeyPairSync, randomBytes, sign } from 'node:crypto';

export interface Certificate {
  /** PEM. */
  readonly key: string;
  /** PEM. A client that has it as its `ca` trusts the server. */
  readonly cert: string;
}

/** DER, the encoding of certificates (ITU-T X.690): each value is a tag, a length and its content. */
function encodeDer(tag: number, ...content: readonly Uint8Array[]): Buffer {
  const bytes = Buffer.concat(content);
  return Buffer.concat([Buffer.from([tag, ...lengthOf(bytes.length)]), bytes]);
}

// A length over 127 has a byte before it, which says how many bytes it has.
function lengthOf(length: number): number[] {
  if (length < 0x80) return [length];
  return length < 0x100 ? [0x81, length] : [0x82, length >> 8, length & 0xff];
}

const sequence = (...content: readonly Uint8Array[]): Buffer => encodeDer(0x30, ...content);
const set = (...content: readonly Uint8Array[]): Buffer => encodeDer(0x31, ...content);
const integer = (bytes: Uint8Array): Buffer => encodeDer(0x02, bytes);
const encodeBitString = (bytes: Uint8Array): Buffer => encodeDer(0x03, Buffer.from([0]), bytes);
const encodeOctetString = (bytes: Uint8Array): Buffer => encodeDer(0x04, bytes);
const encodeUtf8String = (text: string): Buffer => encodeDer(0x0c, Buffer.from(text));
/** A value that only its tag distinguishes from its neighbours, such as `[0]`. */
const encodeTagged = (number: number, content: Uint8Array): Buffer => encodeDer(0xa0 | number, content);

/** `1.2.840.10045.4.3.2`, for example. Each number has seven bits in a byte; all bytes but the last have the eighth set. */
function objectIdentifier(text: string): Buffer {
  const [first = 0, second = 0, ...others] = text.split('.').map(Number);
  const bytes = [first * 40 + second, ...others].flatMap((number) => {
    const sevens = [number & 0x7f];
    for (let left = number >> 7; left > 0; left >>= 7) sevens.unshift((left & 0x7f) | 0x80);
    return sevens;
  });
  return encodeDer(0x06, Buffer.from(bytes));
}

/** A time until 2049: `261122070000Z`. */
function utcTime(ms: number): Buffer {
  return encodeDer(0x17, Buffer.from(`${new Date(ms).toISOString().slice(2, 19).replaceAll(/[-:T]/g, '')}Z`));
}

const HOUR_MS = 3_600_000;
const ECDSA_WITH_SHA256 = sequence(objectIdentifier('1.2.840.10045.4.3.2'));
const COMMON_NAME = objectIdentifier('2.5.4.3');
const SUBJECT_ALT_NAME = objectIdentifier('2.5.29.17');
const VERSION_3 = encodeTagged(0, integer(Buffer.from([2])));

/** Makes a key and its certificate. `name` is the common name. */
export function makeCertificate(name = 'localhost'): Certificate {
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const distinguishedName = sequence(set(sequence(COMMON_NAME, encodeUtf8String(name))));
  const alternatives = sequence(encodeDer(0x82, Buffer.from('localhost')), encodeDer(0x87, Buffer.from([127, 0, 0, 1])));
  const toBeSigned = sequence(
    VERSION_3,
    integer(Buffer.concat([Buffer.from([1]), randomBytes(8)])),
    ECDSA_WITH_SHA256,
    distinguishedName,
    sequence(utcTime(Date.now() - HOUR_MS), utcTime(Date.now() + 24 * HOUR_MS)),
    distinguishedName,
    publicKey.export({ type: 'spki', format: 'der' }),
    encodeTagged(3, sequence(sequence(SUBJECT_ALT_NAME, encodeOctetString(alternatives)))),
  );
  const signature = sign('sha256', toBeSigned, privateKey);
  const certificate = sequence(toBeSigned, ECDSA_WITH_SHA256, encodeBitString(signature));
  return { key: privateKey.export({ type: 'pkcs8', format: 'pem' }) as string, cert: pem(certificate) };
}

function pem(bytes: Buffer): string {
  const lines = bytes.toString('base64').match(/.{1,64}/g) ?? [];
  return ['-----BEGIN CERTIFICATE-----', ...lines, '-----END CERTIFICATE-----', ''].join('\n');
}
