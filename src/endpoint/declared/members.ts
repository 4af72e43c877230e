/** Reads a host's objects, whose types are gone at run time. Each function throws `TypeError` that names the wrong member. */

/** A function of the host's, to be called with its receiver as `this`. Binding it would cost memory for each one. */
export type HostFunction = (...args: unknown[]) => unknown;

export type Members = Readonly<Record<string, unknown>>;

export function membersOf(value: unknown, path: string): Members {
  if (typeof value !== 'object' || value === null) throw new TypeError(`${path} must be an object: ${String(value)}`);
  return value as Members;
}

/** A member that is a function, or `undefined`. */
export function functionOf(members: Members, name: string, path: string): HostFunction | undefined {
  const member = members[name];
  if (member === undefined) return undefined;
  if (typeof member !== 'function') throw new TypeError(`${path}.${name} must be a function: ${typeof member}`);
  return member as HostFunction;
}

/** Refuses members that are not known. An instance of a class may have members of its own. */
export function refuseOthers(members: Members, known: readonly string[], path: string): void {
  const prototype: unknown = Object.getPrototypeOf(members);
  if (prototype !== Object.prototype && prototype !== null) return;
  const other = Object.keys(members).find((name) => !known.includes(name));
  if (other !== undefined) throw new TypeError(`unknown member ${path}.${other}: it can be one of ${known.join(', ')}`);
}
