/** Looks for a secret in a string, in the forms in which a log or a response could show it. */

// With fewer characters, a part of a form could stand in a string by chance.
const MIN_LENGTH = 12;

/** The forms of a secret: as it is, and in the usual encodings. */
export function encodeSecret(secret: string): ReadonlyMap<string, string> {
  const bytes = Buffer.from(secret);
  const hex = bytes.toString('hex');
  const escapes = hex.replace(/../g, '%$&');
  const forms = new Map([
    ['plain', secret],
    ['percent-encoded', encodeURIComponent(secret)],
    ['percent-encoded, each byte', escapes],
    ['percent-encoded, each byte in upper case', escapes.toUpperCase()],
    ['as a form', new URLSearchParams([[secret, '']]).toString().slice(0, -1)],
    ['in JSON', JSON.stringify(secret).slice(1, -1)],
    ['hex', hex],
    ['as Node shows a Buffer', hex.replace(/..(?!$)/g, '$& ')],
    ['as a list of bytes', bytes.join(',')],
    ['as a list of bytes with spaces', bytes.join(', ')],
  ]);
  // In Base64, the same text has three forms, by where it begins.
  for (const before of [0, 1, 2]) {
    const base64 = Buffer.concat([Buffer.alloc(before), bytes]).toString('base64');
    // The characters at both ends contain bits of the text beside the secret.
    const own = base64.slice(before === 0 ? 0 : before + 1, -4);
    forms.set(`Base64, ${before} bytes behind a group`, own);
    forms.set(`Base64 for URLs, ${before} bytes behind a group`, own.replaceAll('+', '-').replaceAll('/', '_'));
  }
  for (const [name, form] of forms) if (form.length < MIN_LENGTH) throw new Error(`${name}: "${form}" is too short to look for`);
  return forms;
}

let last: readonly [secret: string, forms: ReadonlyMap<string, string>] | undefined;

/** The names of the forms in which a string shows a secret. */
export function findDisclosures(text: string, secret: string): string[] {
  if (last?.[0] !== secret) last = [secret, encodeSecret(secret)];
  return [...last[1]].filter(([, form]) => text.includes(form)).map(([name]) => name);
}
