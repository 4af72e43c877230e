/** What the document says of an endpoint and its operations, read from the host's own objects, which registration has checked. */
import type { Kind } from '../endpoint/kinds.ts';
import type { Endpoint, Registered } from '../endpoint/model/endpoint.ts';
import type { Members } from '../errors/members.ts';
import type { Pattern } from '../router/pattern.ts';
import { nameOfOperation, nameOfPath, pascalCase } from './names.ts';
import type { Owner } from './schemas/sided-schema.ts';

export interface DescribedEndpoint {
  /** Prefix of its operations, and their tag. Can be empty. */
  readonly name: string;
  readonly members: Members;
  readonly isSingleton: boolean;
}

export interface DescribedOperation {
  readonly endpoint: DescribedEndpoint;
  readonly kind: Kind;
  readonly operationId: string;
  readonly pattern: Pattern;
  /** Those of its long form. None if it is a plain function. */
  readonly members: Members;
  /** What decodes its body. `undefined` if it takes none. */
  readonly input: unknown;
}

/** All operations of a server, in order of registration. Throws `TypeError` if two have one `operationId`. */
export function describedOperations({ all }: Registered): DescribedOperation[] {
  const operations = all.flatMap((each) => ('operations' in each ? operationsOf(each) : []));
  const routes = new Map<string, string>();
  for (const { operationId, kind: { method }, pattern: { text } } of operations) {
    const other = routes.get(operationId);
    if (other !== undefined) throw new TypeError(`operationId ${operationId} is of ${other} and of ${method} ${text}`);
    routes.set(operationId, `${method} ${text}`);
  }
  return operations;
}

/** Where a part of an operation is, for messages and for the names of components. The endpoint's schema has the endpoint's name. */
export function ownerOf({ operationId, endpoint }: DescribedOperation, part: string, decoder?: unknown): Owner {
  const own = pascalCase([operationId, part]);
  const isItem = decoder !== undefined && decoder === endpoint.members['schema'];
  return { place: `${part} of ${operationId}`, names: isItem ? [pascalCase([endpoint.name || 'item']), own] : [own] };
}

function operationsOf(endpoint: Endpoint): DescribedOperation[] {
  const { name = nameOfPath(endpoint.subpath) } = endpoint.members as { readonly name?: string };
  const described = { name, members: endpoint.members, isSingleton: endpoint.isSingleton };
  return endpoint.operations.map((operation) => {
    const { kind, pattern, members, input } = operation;
    const { operationId = nameOfOperation(name, operation) } = members as { readonly operationId?: string };
    return { endpoint: described, kind, operationId, members, pattern, input };
  });
}
