/** Checks what a host gives to `bearer`, `basic` and `apiKey`. */

const NAMES: readonly string[] = ['realm', 'optional'];
// A quoted string (RFC 9110 section 5.6.4) in a header field.
const REALM = /^[\x20-\x7e]*$/;

export interface CheckedOptions {
  /** `realm="…"`, as a challenge has it. */
  readonly realm: string;
  readonly isOptional: boolean;
}

/** Throws `TypeError` that names what is wrong. */
export function checkedOptions(verify: unknown, options: unknown): CheckedOptions {
  if (typeof verify !== 'function') throw new TypeError(`verify must be a function: ${typeof verify}`);
  if (typeof options !== 'object' || options === null) throw new TypeError(`options must be an object: ${String(options)}`);
  const unknown = Object.keys(options).find((name) => !NAMES.includes(name));
  if (unknown !== undefined) throw new TypeError(`unknown option: "${unknown}"`);
  const { realm = 'api', optional = false } = options as { realm?: unknown; optional?: unknown };
  if (typeof realm !== 'string' || !REALM.test(realm)) {
    throw new TypeError(`realm must be printable ASCII: ${JSON.stringify(realm)}`);
  }
  if (typeof optional !== 'boolean') throw new TypeError(`optional must be true or false: ${String(optional)}`);
  return { realm: `realm="${realm.replace(/["\\]/g, '\\$&')}"`, isOptional: optional };
}
