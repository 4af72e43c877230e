/** What clients may send. Each function returns the value, or throws an error that the client gets as a 400. */

export interface NewPayment {
  readonly to: string;
  readonly cents: number;
}

export interface Evidence {
  readonly reason: string;
  readonly document: File;
}

export function decodePayment(json: unknown): NewPayment {
  const { to, cents } = readProperties(json);
  if (typeof to !== 'string' || to === '') throw new Error('to: expected the name of an account');
  if (typeof cents !== 'number' || !Number.isSafeInteger(cents) || cents < 1) throw new Error('cents: expected an integer from 1');
  return { to, cents };
}

export function decodeEvidence(fields: unknown): Evidence {
  const { reason, document } = readProperties(fields);
  if (typeof reason !== 'string' || reason.length > 500) throw new Error('reason: expected a string of at most 500 characters');
  if (!(document instanceof File)) throw new Error('document: expected a file');
  return { reason, document };
}

/** The properties of the problem that says why a payment was declined. */
export function decodeDeclined(value: unknown): { readonly code: 'declined' } {
  if (readProperties(value)['code'] !== 'declined') throw new Error('code: expected declined');
  return { code: 'declined' };
}

/** The properties of the problem of a payment to nobody. */
export function decodeUnknownPayee(value: unknown): { readonly code: 'unknown-payee' } {
  if (readProperties(value)['code'] !== 'unknown-payee') throw new Error('code: expected unknown-payee');
  return { code: 'unknown-payee' };
}

function readProperties(value: unknown): Record<string, unknown> {
  if (typeof value !== 'object' || value === null) throw new Error('expected an object');
  return { ...value };
}
