/** Security of an operation: the `security` of its `context`, as the functions of `restpoint/auth` have it, and its scopes. */
import type { Operation } from '../endpoint/operation.ts';
import { copyPlain, isSame, sortByName } from './plain-json.ts';

/** A list of Security Requirement Objects. An empty list admits anyone. */
export type SecurityRequirements = readonly Readonly<Record<string, readonly string[]>>[];

// The names of components.
const NAME = /^[A-Za-z0-9._-]+$/;

export class SecuritySchemes {
  readonly #schemes = new Map<string, object>();

  get schemes(): Readonly<Record<string, object>> {
    return sortByName(Object.fromEntries(this.#schemes));
  }

  /**
   * Lists the requirements of an operation: one for each way to authenticate, and an empty one if that is optional. `undefined` if its
   * `context` has no `security`. Throws `TypeError` for a `security` that is malformed, and for two schemes with the same name.
   */
  require({ context, scopes }: Operation): SecurityRequirements | undefined {
    if (context === undefined) return [];
    if (context.security === undefined) return undefined;
    const ways = [context.security].flat().map((security) => this.#check(security));
    const optional = ways.some((way) => way.optional === true) ? [{}] : [];
    return [...ways.map(({ name }) => ({ [name]: [...scopes] })), ...optional];
  }

  #check(security: unknown): { readonly name: string; readonly optional: unknown } {
    const { name, scheme, optional } = Object(security) as Readonly<Record<string, unknown>>;
    if (typeof name !== 'string' || !NAME.test(name) || typeof scheme !== 'object' || scheme === null) {
      const shown = JSON.stringify(security);
      throw new TypeError(`endpoint.context.security must be { name, scheme }, with a name of A-Z a-z 0-9 . _ -: ${shown}`);
    }
    const known = this.#schemes.get(name) ?? copyPlain(scheme);
    this.#schemes.set(name, known);
    if (isSame(known, scheme)) return { name, optional };
    throw new TypeError(`security scheme ${name} is declared twice, as ${JSON.stringify(known)} and as ${JSON.stringify(scheme)}`);
  }
}
