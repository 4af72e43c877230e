/**
 * The versions of an endpoint's items, for conditional requests (RFC 9110 section 13):
 *
 *   version: (pet) => pet.revision                       the entity tag of an item that is sent
 *   currentVersion: (id) => pets.revisionOf(id)          the version of an item before it is changed; without it, `get` is called
 *   requireIfMatch: true                                 no change without If-Match
 */
import { boolean, functionOr, type Properties, type Shape, shape, type UserFunction } from '../util/options.ts';
import { disown, describeType } from '../util/promises.ts';
import { formatTag } from '../http/etag.ts';
import type { Endpoint } from './endpoint.ts';
import type { Operation } from './operation.ts';

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

/**
 * Chooses how an operation checks conditions. An operation that can change an item never ignores them (RFC 9110 sections 13.1.1 and
 * 13.1.2).
 */
export function chooseConditions({ versions }: Endpoint, { suffix, method }: Operation['kind']): Conditions {
  if (!suffix.startsWith('/:id') || method === 'GET') return 'none';
  return versions?.requiresIfMatch === true && method !== 'POST' ? 'required' : 'checked';
}

/** Whether an operation compares conditions with the version of its item, and not only with whether there is one. */
export function comparesVersions({ conditions, endpoint: { versions } }: Operation): boolean {
  return conditions !== 'none' && (versions?.getTag !== undefined || versions?.currentVersion !== undefined);
}

/** Whether a plain result is the item, as `get` sends it: a patch may send something else. */
export function sendsItem({ declared: { get, schema } }: Endpoint, { kind, resultKind, options: { output } }: Operation): boolean {
  if (kind.method !== 'PATCH' || resultKind !== 'json') return kind.name === 'get';
  return output === undefined || output === schema || output === (Object(get) as Properties)['output'];
}

/** Throws `TypeError` if neither `currentVersion` nor `get` can give the version of an item before it is changed. */
export function checkVersions({ versions, operations }: Endpoint): void {
  if (versions?.getTag === undefined || versions.currentVersion !== undefined) return;
  const get = operations.find(({ kind: { name } }) => name === 'get');
  const changing = operations.find(({ conditions }) => conditions !== 'none');
  if (get === undefined || changing === undefined || canReadVersions(get)) return;
  const { name } = changing.kind;
  throw new TypeError(`endpoint.version needs endpoint.currentVersion: ${name} cannot call a get that has query, headers, use or scopes`);
}

/** Whether a different operation can call `get` for the version: it has a different query, and different interceptors and scopes. */
export function canReadVersions({ headDecoders, interceptors, options: { scopes } }: Operation): boolean {
  return headDecoders === undefined && interceptors === undefined && scopes === undefined;
}
