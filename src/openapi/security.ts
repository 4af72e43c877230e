/** Who may call an operation: the `security` of its `context`, or of its endpoint's, as the functions of `restpoint/auth` have it. */
import type { Operation } from '../endpoint/operation.ts';
import { isSame, plainCopy, sorted } from './plain-json.ts';

/** A list of Security Requirement Objects. Empty: anyone may. */
export type SecurityRequirements = readonly Readonly<Record<string, readonly string[]>>[];

// The names of components.
const NAME = /^[A-Za-z0-9._-]+$/;

export class SecuritySchemes {
  readonly #schemes = new Map<string, object>();

  get schemes(): Readonly<Record<string, object>> {
    return sorted(Object.fromEntries(this.#schemes));
  }

  /**
   * The requirements of an operation; `undefined` if its `context` has no `security`. Throws `TypeError` for a `security` that
   * is malformed, and for two schemes of one name.
   */
  requirementsOf({ context }: Operation): SecurityRequirements | undefined {
    if (context === undefined) return [];
    const { security } = context;
    if (security === undefined) return undefined;
    const { name, scheme } = Object(security) as { readonly name?: unknown; readonly scheme?: unknown };
    if (typeof name !== 'string' || !NAME.test(name) || typeof scheme !== 'object' || scheme === null) {
      const shown = JSON.stringify(security);
      throw new TypeError(`endpoint.context.security must be { name, scheme }, with a name of A-Z a-z 0-9 . _ -: ${shown}`);
    }
    const known = this.#schemes.get(name) ?? plainCopy(scheme);
    this.#schemes.set(name, known);
    if (isSame(known, scheme)) return [{ [name]: [] }];
    throw new TypeError(`security scheme ${name} has two contents: ${JSON.stringify(known)} and ${JSON.stringify(scheme)}`);
  }
}
