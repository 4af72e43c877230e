/** Copies of the host's objects: the document shares none with the host, and has no member that JSON does not have. */

export function plainCopy<T extends object>(value: T): T {
  return JSON.parse(JSON.stringify(value)) as T;
}

/** The members that are not `undefined`. */
export function given<T extends object>(members: T): Given<T> {
  return Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined)) as Given<T>;
}

type Given<T> = { readonly [Name in keyof T as undefined extends T[Name] ? never : Name]: T[Name] } & {
  readonly [Name in keyof T as undefined extends T[Name] ? Name : never]?: Exclude<T[Name], undefined>;
};
