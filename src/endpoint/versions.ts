/**
 * The versions of an endpoint's items, for conditional requests (RFC 9110 section 13):
 *
 *   version: (pet) => pet.revision                       the entity tag of an item that is sent
 *   currentVersion: (id) => pets.revisionOf(id)          the version of an item before it is changed; without it, `get` is called
 *   requireIfMatch: true                                 no change without If-Match
 */
import { boolean, functionOr, type Properties, type Shape, shape, type UserFunction } from '../util/options.ts';
import { disown, describeType } from '../util/promises.ts';
import { formatTag } from '../http/preconditions.ts';
import type { OperationKind } from '../declaration/kinds.ts';

/** Whether an operation checks the conditions of a request, and whether there must be an `If-Match`. */
export type Conditions = 'none' | 'checked' | 'required';

export interface CheckedVersionOptions {
  readonly version: UserFunction | undefined;
  readonly currentVersion: UserFunction | undefined;
  readonly requireIfMatch: boolean;
}

export const VERSION_OPTIONS: Shape<CheckedVersionOptions> = shape({
  version: functionOr(),
  currentVersion: functionOr(),
  requireIfMatch: boolean(),
});

export class Versions {
  /** Makes the entity tag of an item. */
  readonly getTag: ((item: unknown) => string) | undefined;
  readonly currentVersion: UserFunction | undefined;
  readonly requiresIfMatch: boolean;

  /** Throws `TypeError`, which names the wrong option of an endpoint. */
  constructor(options: CheckedVersionOptions, declared: Properties) {
    const { version, currentVersion, requireIfMatch } = options;
    this.getTag = version === undefined ? undefined : (item) => formatVersion(version.call(declared, item), 'version');
    this.currentVersion = currentVersion;
    this.requiresIfMatch = requireIfMatch;
    if (version !== undefined && declared['get'] === undefined) {
      throw new TypeError('endpoint.version needs endpoint.get, so that clients can read the version');
    }
    if (this.requiresIfMatch && version === undefined && this.currentVersion === undefined) {
      throw new TypeError('endpoint.requireIfMatch needs endpoint.version: without it, no If-Match can name a version');
    }
  }
}

/** Formats the version that a user's function returned as an entity tag. Throws `TypeError` if it cannot be one. */
export function formatVersion(version: unknown, name: string): string {
  if (typeof version === 'string' && version.isWellFormed()) return formatTag(version);
  if (typeof version === 'number' && Number.isFinite(version)) return `"${version}"`;
  disown(version);
  throw new TypeError(`${name} must return a string or a number: it returned ${describeVersion(version)}`);
}

function describeVersion(version: unknown): string {
  if (typeof version === 'string') return 'a string with half a surrogate pair';
  return typeof version === 'number' ? String(version) : describeType(version);
}

/** An operation, as far as its conditions follow from it. */
interface Versioned {
  readonly kind: OperationKind;
  readonly endpoint: { readonly versions: Versions | undefined };
}

/** An operation, as far as it says whether it can be called for the version of its item. */
interface VersionReader {
  readonly kind: OperationKind;
  readonly headDecoders: unknown;
  readonly interceptors: unknown;
  readonly context: unknown;
  readonly scopes: readonly string[];
}

/**
 * Chooses how an operation checks conditions. An operation that can change an item, or all of them, never ignores them (RFC 9110 sections
 * 13.1.1 and 13.1.2).
 */
export function chooseConditions({ versions }: Versioned['endpoint'], kind: OperationKind): Conditions {
  if (kind.conditions === 'response' || kind.conditions === 'nothing') return 'none';
  return versions?.requiresIfMatch === true && kind.requiresIfMatch ? 'required' : 'checked';
}

/** Whether an operation compares conditions with the version of its item, and not only with whether there is one. */
export function comparesVersions({ kind, endpoint: { versions } }: Versioned): boolean {
  return kind.conditions === 'item' && (versions?.getTag !== undefined || versions?.currentVersion !== undefined);
}

/** Whether a plain result is the item, as `get` sends it: a patch may send something else. */
export function sendsItem(
  { declared: { get, schema } }: { readonly declared: Properties },
  { kind, resultKind, options: { output } }: Pick<Versioned, 'kind'> & {
    readonly resultKind: OperationKind['result']; readonly options: Properties;
  },
): boolean {
  if (kind.body !== 'change' || resultKind !== 'json') return kind.readsItem;
  return output === schema || output === (Object(get) as Properties)['output'];
}

/** Throws `TypeError` if neither `currentVersion` nor `get` can give the version of an item before it is changed. */
export function checkVersions(
  { versions, operations }: { readonly versions: Versions | undefined; readonly operations: readonly (Versioned & VersionReader)[] },
): void {
  if (versions?.getTag === undefined || versions.currentVersion !== undefined) return;
  const changing = operations.find((operation) => comparesVersions(operation) && findVersionGet(operation, operations) === undefined);
  if (changing === undefined) return;
  const { name } = changing.kind;
  const reason = `${name} cannot call a get with query, headers, use, or a different context or more scopes`;
  throw new TypeError(`endpoint.version needs endpoint.currentVersion: (id) => …, since ${reason}`);
}

/**
 * Finds the `get` that stands in for `currentVersion`: a change calls it with its own request, so `get` needs nothing else of a request,
 * and each caller of the change may call it.
 */
export function findVersionGet<Get extends VersionReader>({ context, scopes }: VersionReader, operations: readonly Get[]): Get | undefined {
  return operations.find((get) => (
    get.kind.readsItem && get.headDecoders === undefined && get.interceptors === undefined
    && (get.context === undefined || get.context === context) && get.scopes.every((scope) => scopes.includes(scope))
  ));
}
