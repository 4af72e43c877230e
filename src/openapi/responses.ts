/** The Responses Object of an operation: its answers, as the table of kinds or its `output` has them, and its errors. */
import { membersOf, type Members } from '../errors/members.ts';
import { contentOf, isBytes, JSON_TYPE, schemaOf, type Content } from './content.ts';
import type { DescribedOperation } from './described-endpoint.ts';
import { schemaOfCodec } from './parameters.ts';
import type { Problems, Reference, Response } from './problems.ts';
import type { JsonSchema } from './schemas/json-schema.ts';
import type { Schemas } from './schemas/schemas.ts';

export type Responses = Readonly<Record<string, Response | Reference>>;

const PHRASES: Readonly<Record<number, string>> = {
  200: 'OK', 201: 'Created', 202: 'Accepted', 204: 'No Content', 205: 'Reset Content', 206: 'Partial Content', 301: 'Moved Permanently',
  302: 'Found', 303: 'See Other', 304: 'Not Modified', 307: 'Temporary Redirect', 308: 'Permanent Redirect',
};
const location = (): object => ({
  description: 'The path of the new item.', required: true, schema: { type: 'string', format: 'uri-reference' },
});

export function responsesOf(operation: DescribedOperation, isSecured: boolean, schemas: Schemas, problems: Problems): Responses {
  return { ...answersOf(operation, schemas), ...errorsOf(operation, isSecured, schemas, problems) };
}

function answersOf(operation: DescribedOperation, schemas: Schemas): Responses {
  const { output } = operation.members;
  const { status } = operation.kind;
  if (isDecoder(output)) return { [status]: answer(status, contentOf(operation, output, 'output', 'result', schemas)) };
  if (output === undefined) return { [status]: plainAnswer(operation, schemas) };
  const byStatus = Object.entries(membersOf(output, 'output')).map(([given, decoder]) => {
    const part = Number(given) === status ? 'result' : `result ${given}`;
    const content = decoder === null ? undefined : contentOf(operation, decoder, 'output', part, schemas);
    return [given, answer(Number(given), content)];
  });
  return Object.fromEntries(byStatus);
}

/** The answer of a plain result. */
function plainAnswer(operation: DescribedOperation, schemas: Schemas): Response {
  const { kind: { answer: how, status, mayFindNothing }, endpoint } = operation;
  if (how === 'nothing' || (how === 'id' && endpoint.isSingleton)) return answer(status);
  if (how === 'id') {
    const content = { 'text/plain': { schema: textOfId(operation, schemas) } };
    return { ...answer(status, content), headers: { Location: location() } };
  }
  // A result that can be "not found" is an item.
  const item = mayFindNothing === true ? endpoint.members['schema'] : undefined;
  const anything = { [JSON_TYPE]: { schema: {} } };
  return answer(status, item === undefined ? anything : contentOf(operation, item, 'output', 'result', schemas));
}

/** An id as a body: a text, whatever its codec says of its value. */
function textOfId(operation: DescribedOperation, schemas: Schemas): JsonSchema {
  const { schema } = membersOf(operation.endpoint.members['id'], 'endpoint.id');
  const isText = (schema as { readonly type?: unknown } | undefined)?.type === 'string';
  return isText ? schemaOfCodec(operation, 'id', schemas) : { type: 'string' };
}

function errorsOf(operation: DescribedOperation, isSecured: boolean, schemas: Schemas, problems: Problems): Responses {
  const { kind: { mayFindNothing }, input, members: { query, errors = {} }, pattern: { parameters } } = operation;
  const hasParameters = parameters.length > 0;
  const hasBody = input !== undefined;
  const decodesBody = hasBody && !isBytes(input);
  const statuses = [
    ...(hasParameters || query !== undefined || decodesBody ? [400] : []),
    ...(isSecured ? [401, 403] : []),
    ...(hasParameters || mayFindNothing === true ? [404] : []),
    ...(hasBody ? [413, 415] : []),
  ];
  const own = Object.entries(membersOf(errors, 'errors')).map(([status, decoder]) => {
    if (decoder === null) return [status, problems.reference(Number(status))];
    return [status, problems.response(Number(status), schemaOf(operation, decoder, 'output', `error ${status}`, schemas))];
  });
  const named = new Set(own.map(([status]) => Number(status)));
  const known = statuses.filter((status) => !named.has(status)).map((status) => [status, problems.reference(status)]);
  return { ...Object.fromEntries([...known, ...own]), default: problems.reference('default') };
}

function answer(status: number, content?: Content): Response {
  const description = PHRASES[status] ?? (status < 300 ? 'Success' : 'Redirection');
  return content === undefined ? { description } : { description, content };
}

function isDecoder(output: unknown): output is Members {
  return typeof output === 'function' || (output !== undefined && '~standard' in membersOf(output, 'output'));
}
