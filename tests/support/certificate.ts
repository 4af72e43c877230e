/** Certificates for tests (RFC 5280): self-signed, for localhost, valid for a day. So tests need neither files nor `openssl`. */
import { generateKeyPairSync, randomBytes, sign } from 'node:crypto';
import { encodeBitString, encodeDer, integer, objectIdentifier, encodeOctetString, sequence, set, encodeTagged, utcTime, encodeUtf8String } from './der.ts';

export interface Certificate {
  /** PEM. */
  readonly key: string;
  /** PEM. A client that has it as its `ca` trusts the server. */
  readonly cert: string;
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
