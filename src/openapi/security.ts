/** Who may call an operation, as the `security` of its endpoint's `context` says. The functions of `restpoint/auth` have one. */
import { plainCopy } from './schemas/plain.ts';
import { canonicalText, sortedEntries } from './schemas/json-schema.ts';
import type { DescribedEndpoint } from './described-endpoint.ts';

/** A list of Security Requirement Objects. Empty: anyone may. */
export type SecurityRequirements = readonly Readonly<Record<string, readonly string[]>>[];

// The names of components.
const NAME = /^[A-Za-z0-9._-]+$/;

export class SecuritySchemes {
  readonly #schemes = new Map<string, object>();

  get schemes(): Readonly<Record<string, object>> {
    return Object.fromEntries(sortedEntries(Object.fromEntries(this.#schemes)));
  }

  /**
   * What the operations of an endpoint require; `undefined` if its `context` does not say. Throws `TypeError` for a `security` that is
   * malformed, and for two schemes of one name.
   */
  requirementsOf({ members: { context } }: DescribedEndpoint): SecurityRequirements | undefined {
    if (context === undefined) return [];
    const { security } = context as { readonly security?: unknown };
    if (security === undefined) return undefined;
    const { name, scheme } = Object(security) as { readonly name?: unknown; readonly scheme?: unknown };
    if (typeof name !== 'string' || !NAME.test(name) || typeof scheme !== 'object' || scheme === null) {
      const shown = JSON.stringify(security);
      throw new TypeError(`endpoint.context.security must be { name, scheme }, with a name of A-Z a-z 0-9 . _ -: ${shown}`);
    }
    const known = this.#schemes.get(name) ?? plainCopy(scheme);
    this.#schemes.set(name, known);
    if (canonicalText(known) === canonicalText(scheme)) return [{ [name]: [] }];
    throw new TypeError(`security scheme ${name} has two contents: ${JSON.stringify(known)} and ${JSON.stringify(scheme)}`);
  }
}
