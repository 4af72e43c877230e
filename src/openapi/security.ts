/** Who may call an operation: the `security` of its `context`, as the functions of `restpoint/auth` have it, and its scopes. */
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
   * The requirements of an operation: one for each way to authenticate, and an empty one if that is optional. `undefined` if its `context` has
   * no `security`. Throws `TypeError` for a `security` that is malformed, and for two schemes of one name.
   */
  requirementsOf({ context, scopes }: Operation): SecurityRequirements | undefined {
    if (context === undefined) return [];
    if (context.security === undefined) return undefined;
    const ways = [context.security].flat().map((security) => this.#checked(security));
    const optional = ways.some((way) => way.optional === true) ? [{}] : [];
    return [...ways.map(({ name }) => ({ [name]: [...scopes] })), ...optional];
  }

  #checked(security: unknown): Security {
    const { name, scheme, optional } = Object(security) as { readonly name?: unknown; readonly scheme?: unknown; readonly optional?: unknown };
    if (typeof name !== 'string' || !NAME.test(name) || typeof scheme !== 'object' || scheme === null) {
      const shown = JSON.stringify(security);
      throw new TypeError(`endpoint.context.security must be { name, scheme }, with a name of A-Z a-z 0-9 . _ -: ${shown}`);
    }
    const known = this.#schemes.get(name) ?? plainCopy(scheme);
    this.#schemes.set(name, known);
    if (isSame(known, scheme)) return { name, optional };
    throw new TypeError(`security scheme ${name} has two contents: ${JSON.stringify(known)} and ${JSON.stringify(scheme)}`);
  }
}

interface Security {
  readonly name: string;
  readonly optional: unknown;
}

/** The header fields with the credentials of an operation's callers, in lower case: those that the `security` of its context names. */
export function credentialFieldsOf({ context }: Operation): string[] {
  return [context?.security ?? []].flat().flatMap((security) => {
    const { type, in: place, name } = Object((Object(security) as { readonly scheme?: unknown }).scheme) as Readonly<Record<string, unknown>>;
    if (type !== 'apiKey') return ['authorization'];
    return place === 'header' ? [String(name).toLowerCase()] : [];
  });
}
