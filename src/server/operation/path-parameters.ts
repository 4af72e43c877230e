/** Where the parameters of an operation are in its path, and the codecs that parse them. */
import type { DeclaredId } from '../../endpoint/declared/declared-id.ts';
import type { DeclaredOperation } from '../../endpoint/declared/declared-operation.ts';
import { pathOf, type RoutedEndpoint } from '../../endpoint/routes.ts';
import { parsePattern } from '../../router/pattern.ts';

/** A parameter of a path: `gap` characters after the one before it. */
export interface PathParameter {
  readonly gap: number;
  readonly name: string | undefined;
  readonly codec: DeclaredId;
}

interface Codecs extends RoutedEndpoint {
  readonly id: DeclaredId | undefined;
  readonly params: ReadonlyMap<string, DeclaredId>;
}

/** The parameters of an operation's path, in order. The id of an item has no name. */
export function parametersOf(endpoint: Codecs, operation: DeclaredOperation): PathParameter[] {
  const { gaps, parameters } = parsePattern(pathOf(endpoint, operation));
  return parameters.flatMap((name, at) => {
    const gap = gaps[at] ?? 0;
    const own = endpoint.params.get(name);
    const codec = own ?? endpoint.id;
    return codec === undefined ? [] : { gap, name: own === undefined ? undefined : name, codec };
  });
}
