/**
 * The operations of a server as plain values, from which the document is made. Only this file reads the registered endpoints, and the
 * host's objects behind them, which registration has checked.
 */
import type { Kind } from '../endpoint/kinds.ts';
import type { Registered, RegisteredEndpoint, RegisteredOperation } from '../endpoint/registered.ts';
import { pathOf } from '../endpoint/routes.ts';
import { parsePattern, type Pattern } from '../router/pattern.ts';
import { nameOfOperation, nameOfPath, pascalCase } from './names.ts';
import type { Owner } from './schemas/decoder-schema.ts';

export interface DescribedEndpoint {
  /** Prefix of its operations, and their tag. Can be empty. */
  readonly name: string;
  readonly isSingleton: boolean;
  /** The decoder of its items. */
  readonly schema: unknown;
  /** The `schema` of each codec, by the name of its parameter: `id`, or one of the sub-path. */
  readonly codecSchemas: ReadonlyMap<string, unknown>;
  /** Without a context, anyone may call. */
  readonly hasContext: boolean;
  /** That of the context. */
  readonly security: unknown;
}

/** A status, and the decoder of its body: `null` for no body. */
export type DeclaredResponse = readonly [status: number, decoder: unknown];

export interface DescribedOperation {
  readonly endpoint: DescribedEndpoint;
  readonly kind: Kind;
  readonly operationId: string;
  readonly tags: readonly string[] | undefined;
  readonly summary: string | undefined;
  readonly description: string | undefined;
  readonly deprecated: boolean | undefined;
  readonly pattern: Pattern;
  readonly query: unknown;
  /** The decoder of its body. `undefined` if the body is ignored. */
  readonly input: unknown;
  readonly isOptional: boolean;
  /** `undefined` if it declares no output. */
  readonly outputs: readonly DeclaredResponse[] | undefined;
  readonly errors: readonly DeclaredResponse[];
}

/** All operations of a server, in order of registration. Throws `TypeError` if two have one `operationId`. */
export function describedOperations({ root, all }: Registered): DescribedOperation[] {
  const operations = all.flatMap((each) => ('operations' in each ? operationsOf(each, root) : []));
  const routes = new Map<string, string>();
  for (const { operationId, kind: { method }, pattern: { text } } of operations) {
    const other = routes.get(operationId);
    if (other !== undefined) throw new TypeError(`operationId ${operationId} is of ${other} and of ${method} ${text}`);
    routes.set(operationId, `${method} ${text}`);
  }
  return operations;
}

/** A decoder's place in an operation: `body`, `query`. The schema of an endpoint has the endpoint's name. */
export function ownerOf({ operationId, endpoint }: DescribedOperation, part: string, decoder: unknown): Owner {
  const own = pascalCase([operationId, part]);
  return { place: `${part} of ${operationId}`, names: decoder === endpoint.schema ? [pascalCase([endpoint.name || 'item']), own] : [own] };
}

/** The members of a host's object. */
type Declared = Readonly<Record<string, unknown>> & { readonly name?: string } & Partial<
  Pick<DescribedOperation, 'operationId' | 'tags' | 'summary' | 'description' | 'deprecated'>
>;

function operationsOf(registered: RegisteredEndpoint, root: string): DescribedOperation[] {
  const { name = nameOfPath(registered.base.slice(root.length)), schema, id, params = {}, context } = registered.receiver as Declared;
  const codecs = Object.entries({ ...(id === undefined ? {} : { id }), ...(params as Declared) });
  const endpoint = {
    name, schema,
    isSingleton: registered.isSingleton,
    codecSchemas: new Map(codecs.map(([parameter, codec]) => [parameter, (codec as Declared)['schema']])),
    hasContext: context !== undefined,
    security: (context as { readonly security?: unknown } | undefined)?.security,
  };
  return registered.operations.map((operation) => describedOperation(registered, endpoint, operation));
}

function describedOperation(
  registered: RegisteredEndpoint, endpoint: DescribedEndpoint, operation: RegisteredOperation,
): DescribedOperation {
  const { kind, receiver, name } = operation;
  const container = name === '' ? registered.receiver : (registered.receiver as Declared)[kind.member];
  // A plain function declares nothing else. Beside it are other operations, which can be called `query` or `tags`.
  const declared = (receiver === container ? {} : receiver) as Declared;
  const { operationId = nameOfOperation(endpoint.name, kind, name), tags, summary, description, deprecated, query } = declared;
  const { input = kind.decoder === 'schema' ? endpoint.schema : undefined, optional, output, errors = {} } = declared;
  return {
    endpoint, kind, operationId, tags, summary, description, deprecated, query,
    pattern: parsePattern(pathOf(registered, operation)),
    input: kind.decoder === undefined ? undefined : input,
    isOptional: optional === true,
    outputs: output === undefined ? undefined : outputsOf(output, kind),
    errors: responsesIn(errors as Declared),
  };
}

/** An output is a decoder, or a map of them by status. */
function outputsOf(output: unknown, { status }: Kind): DeclaredResponse[] {
  const isDecoder = typeof output === 'function' || '~standard' in (output as Declared);
  return isDecoder ? [[status, output]] : responsesIn(output as Declared);
}

function responsesIn(byStatus: Declared): DeclaredResponse[] {
  return Object.entries(byStatus).map(([status, decoder]) => [Number(status), decoder]);
}
