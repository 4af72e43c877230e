/**
 * Returns one object with the properties of two: of a name that both have, the first object's. Getters run on the object that has them, so
 * they find its private properties. A copy, such as `({ params, ...rest })`, has the properties of both.
 */
export function joinObjects(first: object, second: object): object {
  const owner = (name: PropertyKey): object => (name in first ? first : second);
  return new Proxy(first, {
    get: (_, name) => Reflect.get(owner(name), name),
    has: (_, name) => name in first || name in second,
    ownKeys: () => [...new Set([...Reflect.ownKeys(first), ...Reflect.ownKeys(second)])],
    getOwnPropertyDescriptor: (_, name) => Reflect.getOwnPropertyDescriptor(owner(name), name),
  });
}
