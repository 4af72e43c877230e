/**
 * Marks an endpoint that the compiler has checked: `defineEndpoint` returns it, and `registerEndpoints` takes nothing else. No value has
 * it. The property is private, so that a copy by `{ ...endpoint }` loses it, and must be checked again.
 *
 * The file has no imports, so that the types of a client need neither the server nor the types of Node.
 */
export declare class DefinedEndpoint {
  private readonly checked: true;
}
