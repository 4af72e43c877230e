/**
 * The mark of an endpoint that the compiler has checked: `defineEndpoint` returns it, and `registerEndpoints` takes nothing else. It is only a
 * type. A private property, since a copy by `{ ...endpoint }` loses it: the copy is to be checked again.
 *
 * It has a file of its own, so that the types of a client load nothing of the server, and need no types of Node.
 */
export declare class DefinedEndpoint {
  private readonly checked: true;
}
