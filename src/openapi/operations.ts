/** Reads the model of a server for its document: the operations, their ids, and the decoders of their answers. */
import type { Endpoint, Registered } from '../endpoint/endpoint.ts';
import type { Operation } from '../endpoint/operation.ts';
import { nameOfOperation, nameOfPath, pascalCase, splitWords } from './names.ts';
import type { Owner } from './schemas/decoder-schema.ts';

/** A status, and the decoder of its body: `null` for no body. */
export type DeclaredResponse = readonly [status: number, decoder: unknown];

/**
 * The operations of a server at or below a path, in order of registration. Throws `TypeError` if two have one `operationId`. Those of two
 * versions of an API may have, if the path is that of one version.
 */
export function operationsOf({ all }: Pick<Registered, 'all'>, path = ''): Operation[] {
  const operations = all.flatMap((each) => ('operations' in each ? each.operations : []))
    .filter(({ pattern: { text } }) => text === path || text.startsWith(`${path}/`));
  const routes = new Map<string, string>();
  for (const operation of operations) {
    const { kind: { method }, pattern: { text } } = operation;
    const operationId = operationIdOf(operation);
    const other = routes.get(operationId);
    if (other !== undefined) throw new TypeError(`operationId ${operationId} is of ${other} and of ${method} ${text}`);
    routes.set(operationId, `${method} ${text}`);
  }
  return operations;
}

/** Prefix of an endpoint's operations, and their tag. Can be empty. */
export function nameOf({ members, subpath }: Endpoint): string {
  const { name = nameOfPath(subpath) } = members as { readonly name?: string };
  return name;
}

export function operationIdOf({ endpoint, kind, name, members }: Operation): string {
  return members.operationId ?? nameOfOperation(nameOf(endpoint), kind, name);
}

/** Summarizes an operation without `summary`: `Create pet`, `List pet`, `Feed pet`. */
export function summarize({ endpoint, kind, name }: Operation): string {
  const words = [splitWords(name === '' ? kind.name : name), splitWords(nameOf(endpoint))].filter((each) => each !== '').join(' ');
  return words.charAt(0).toUpperCase() + words.slice(1);
}

/** A decoder's place in an operation: `body`, `query`. The schema of an endpoint has the endpoint's name. */
export function ownerOf(operation: Operation, part: string, decoder: unknown): Owner {
  const { endpoint } = operation;
  const operationId = operationIdOf(operation);
  const own = pascalCase([operationId, part]);
  const isItem = decoder === endpoint.members['schema'];
  return { place: `${part} of ${operationId}`, names: isItem ? [pascalCase([nameOf(endpoint) || 'item']), own] : [own] };
}

/** The `schema` of a codec, by the name of its parameter: `id`, or one of the sub-path. */
export function codecSchemaOf({ members: { id, params } }: Endpoint, name: string): unknown {
  const codecs: Readonly<Record<string, unknown>> = { ...(id === undefined ? {} : { id }), ...Object(params) };
  return (codecs[name] as { readonly schema?: unknown } | undefined)?.schema;
}

/** An output is a decoder, or a map of them by status. `undefined` if the operation declares none. */
export function outputsOf({ status, members: { output } }: Operation): DeclaredResponse[] | undefined {
  if (output === undefined) return undefined;
  const isDecoder = typeof output === 'function' || '~standard' in Object(output);
  return isDecoder ? [[status, output]] : responsesIn(output);
}

/** Those of its interceptors, then its own. */
export function errorsOf({ interceptors = [], members: { errors } }: Operation): DeclaredResponse[] {
  return [...interceptors.flatMap(({ members }) => responsesIn(members['errors'])), ...responsesIn(errors)];
}

function responsesIn(byStatus: unknown): DeclaredResponse[] {
  return Object.entries(Object(byStatus) as object).map(([status, decoder]) => [Number(status), decoder]);
}
