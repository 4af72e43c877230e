/**
 * The Responses Object of an operation: its results, as the table of kinds or its `output` has them, and its errors.
 *
 * All operations refer to one Response Object for each status of an error. These have the schema of a problem.
 */
import { canBeMissing } from '../endpoint/kinds.ts';
import type { Operation } from '../endpoint/operation.ts';
import { type ErrorFormat, findPhrase, PROBLEM_TYPE } from '../errors/problem.ts';
import { findFormat } from '../endpoint/format.ts';
import { comparesVersions } from '../endpoint/versions.ts';
import { describeContent, JSON_TYPE, type Content } from './content.ts';
import { describeOwner, joinPascal, nameOperation } from './names.ts';
import { describeCodec, findCodecSchema } from './parameters.ts';
import { sortByName } from './plain-json.ts';
import type { JsonSchema } from './schemas/json-schema.ts';
import type { Schemas } from './schemas/schemas.ts';

type Headers = Readonly<Record<string, { readonly description?: string; readonly required?: true; readonly schema: object }>>;

export interface Response {
  readonly description: string;
  readonly headers?: Headers;
  readonly content?: Content;
}

export interface Reference {
  readonly $ref: string;
}

export type Responses = Readonly<Record<string, Response | Reference>>;

type Results = Readonly<Record<string, Response>>;

const RESULTS: Readonly<Record<number, string>> = {
  200: 'OK', 201: 'Created', 202: 'Accepted', 204: 'No Content', 205: 'Reset Content', 206: 'Partial Content', 301: 'Moved Permanently',
  302: 'Found', 303: 'See Other', 304: 'Not Modified', 307: 'Temporary Redirect', 308: 'Permanent Redirect',
};
const ERRORS: Readonly<Record<number, string>> = {
  400: 'The path, the query or the body is not valid.',
  401: 'The request has no valid credentials.',
  403: 'The caller is not allowed to do this.',
  404: 'There is no such item.',
  412: 'The item has a different version.',
  413: 'The body is too long.',
  415: 'The body has a media type that is not accepted.',
  422: 'A value of the body or the query is not valid.',
  428: 'The request has no If-Match.',
};

const REDIRECTIONS: readonly number[] = [301, 302, 303, 307, 308];
const ETAG = { ETag: { description: 'The version of the item.', schema: { type: 'string' } } };
const BODY_ETAG = { ETag: { description: 'A hash of the body.', schema: { type: 'string' } } };
const CACHE_CONTROL = { 'Cache-Control': { description: 'How long the response may be kept.', schema: { type: 'string' } } };
const RETRY_AFTER = { 'Retry-After': { description: 'The seconds to wait.', schema: { type: 'integer' } } };
const LOCATION = { description: 'The path of the item.', schema: { type: 'string', format: 'uri-reference' } };

// As a schema with a user's name it becomes a component.
const PROBLEM: JsonSchema = {
  $id: 'Problem',
  description: 'An RFC 9457 problem.',
  type: 'object',
  required: ['type', 'title', 'status'],
  properties: {
    type: { type: 'string', format: 'uri-reference', description: 'Names the kind of problem.' },
    title: { type: 'string' },
    status: { type: 'integer', minimum: 400, maximum: 599 },
    detail: { type: 'string' },
    instance: { type: 'string', format: 'uri-reference', description: 'Names this occurrence.' },
    errors: {
      description: 'What is wrong with the body or the query.',
      type: 'array',
      items: {
        type: 'object',
        required: ['detail'],
        properties: {
          detail: { type: 'string' },
          pointer: { type: 'string', description: 'The path in the body, as an RFC 6901 pointer in a URI fragment.' },
          parameter: { type: 'string', description: 'The name of the query parameter.' },
        },
      },
    },
  },
};

// RFC 9457 requires no property of a problem that the user's code formats.
const { required: _required, ...ANY_PROBLEM } = PROBLEM;
const PROBLEMS: ErrorFormat = { types: [PROBLEM_TYPE], schema: PROBLEM, extensionsAt: [] };

export class ResponseComponents {
  readonly #schemas: Schemas;
  readonly #form: ErrorFormat;
  readonly #components: Record<string, Response> = {};

  constructor(schemas: Schemas, form: ErrorFormat = PROBLEMS) {
    this.#schemas = schemas;
    this.#form = form;
  }

  /** The responses that several operations refer to, sorted by name. */
  get components(): Readonly<Record<string, Response>> {
    return sortByName(this.#components);
  }

  /** Describes the responses of an operation. `isSecured`: callers need credentials. */
  describe(operation: Operation, isSecured: boolean): Responses {
    const headers = describeAddedHeaders(operation);
    const plain = changeResults(operation, this.#describeResults(operation));
    const results = this.#describeDeclaredHeaders(operation, addCaching(operation, addVersion(operation, plain)));
    const responses: Responses = { ...results, ...this.#describeErrors(operation, isSecured, headers !== undefined) };
    if (headers === undefined) return responses;
    return Object.fromEntries(Object.entries(responses as Results).map(([status, response]) => {
      return [status, { ...response, headers: { ...headers, ...(status === '429' && RETRY_AFTER), ...response.headers } }];
    }));
  }

  /** Adds the headers that the operation declares to its successes. */
  #describeDeclaredHeaders(operation: Operation, results: Results): Results {
    const declared = operation.responseHeaders?.list() ?? [];
    if (declared.length === 0) return results;
    const described = Object.fromEntries(declared.map(({ name, decoder, isRequired }) => {
      const schema = this.#schemas.describe(decoder, 'output', describeOwner(operation, `header ${name}`, decoder));
      return [name, { ...(isRequired && { required: true } as const), schema }];
    }));
    return Object.fromEntries(Object.entries(results).map(([status, result]) => {
      return [status, status.startsWith('2') ? { ...result, headers: { ...result.headers, ...described } } : result];
    }));
  }

  #describeResults(operation: Operation): Results {
    const { status } = operation;
    const outputs = listOutputs(operation);
    if (outputs === undefined) return { ...describeNewItem(operation), [status]: this.#describePlainResult(operation) };
    return Object.fromEntries(outputs.map(([declared, decoder]) => {
      const part = declared === status ? 'result' : `result ${declared}`;
      const content = decoder === null ? undefined : describeContent(operation, part, decoder, 'output', this.#schemas);
      const isNewItem = declared === 201 && operation.resultKind === 'id' && !operation.endpoint.isSingleton;
      const hasLocation = isNewItem || REDIRECTIONS.includes(declared);
      return [declared, { ...makeResult(declared, content), ...(hasLocation && { headers: { Location: LOCATION } }) }];
    }));
  }

  /** The response for an operation without `output`. */
  #describePlainResult(operation: Operation): Response {
    const { resultKind, status, kind, endpoint: { isSingleton, declared: { schema } } } = operation;
    if (resultKind === 'nothing' || (resultKind === 'id' && isSingleton)) return makeResult(status);
    if (resultKind === 'id') {
      const headers = { Location: { ...LOCATION, required: true } } as const;
      return { ...makeResult(status, { 'text/plain': { schema: this.#describeIdString(operation) } }), headers };
    }
    // A result that can be "not found" is an item.
    const isItem = resultKind === 'json' && canBeMissing(kind) && schema !== undefined;
    if (isItem) return makeResult(status, describeContent(operation, 'result', schema, 'output', this.#schemas));
    this.#schemas.report(`the response of ${nameOperation(operation)} is not known: declare its output`);
    return makeResult(status, { [JSON_TYPE]: { schema: {} } });
  }

  /** An id as a body is a string, even if its codec has the schema of a number. */
  #describeIdString(operation: Operation): JsonSchema {
    const schema = findCodecSchema(operation.endpoint, 'id') as { readonly type?: unknown } | undefined;
    return schema?.type === 'string' ? describeCodec(operation, 'id', this.#schemas) : { type: 'string' };
  }

  /** `hasHeaders`: the responses get headers, which a reference cannot have. */
  #describeErrors(operation: Operation, isSecured: boolean, hasHeaders: boolean): Responses {
    const known = listKnownErrors(operation, isSecured).map((status) => [status, null] as const);
    // A declared error takes the place of a known one.
    const declared = listErrors(operation);
    const responses = [...new Map([...known, ...declared])].map(([status, decoder]) => {
      if (decoder === null) return [status, hasHeaders ? this.#describeError(status) : this.#refer(status)];
      const owner = describeOwner(operation, `error ${status}`, decoder);
      const describeMembers = (): JsonSchema => this.#schemas.describe(decoder, 'output', owner);
      // An interceptor can have the same status without properties.
      return [status, this.#describeError(status, describeMembers, declared.some(([each, other]) => each === status && other === null))];
    });
    return { ...Object.fromEntries(responses), default: hasHeaders ? this.#describeError('default') : this.#refer('default') };
  }

  /** The response with a status; `default` for those that no operation names. */
  #refer(status: number | 'default'): Reference {
    const name = status === 'default' ? 'Problem' : nameComponent(status);
    this.#components[name] ??= this.#describeError(status);
    return { $ref: `#/components/responses/${name}` };
  }

  /**
   * `describeMembers`: the properties that an operation declares for the status. `isOptional`: not all errors with this status have them.
   */
  #describeError(status: number | 'default', describeMembers?: () => JsonSchema, isOptional = false): Response {
    const description = status === 'default' ? 'Any other failure.' : ERRORS[status] ?? `${findPhrase(status)}.`;
    const challenge = { headers: { 'WWW-Authenticate': { required: true, schema: { type: 'string' } } } } as const;
    const content = Object.fromEntries(this.#form.types.map((type) => {
      return [type, { schema: this.#describeErrorBody(type, describeMembers, isOptional) }];
    }));
    return { description, ...(status === 401 ? challenge : {}), content };
  }

  /** Describes the body of an error with a media type, with the declared properties. */
  #describeErrorBody(type: string, describeMembers: (() => JsonSchema) | undefined, isOptional: boolean): JsonSchema {
    const { schema = type === PROBLEM_TYPE ? ANY_PROBLEM : undefined, extensionsAt } = this.#form;
    // It is not known where other JSON has the declared properties.
    if (schema === undefined) return {};
    const body = this.#schemas.describe(schema, 'output', { at: 'the server', names: ['Problem'] });
    if (describeMembers === undefined || extensionsAt === undefined) return body;
    const nested = extensionsAt.reduceRight<JsonSchema>((inner, key) => {
      return { type: 'object', required: [key], properties: { [key]: inner } };
    }, describeMembers());
    const whole = { allOf: [body, nested] };
    return isOptional ? { anyOf: [whole, body] } : whole;
  }
}

function makeResult(status: number, content?: Content): Response {
  const description = RESULTS[status] ?? (status < 300 ? 'Success' : 'Redirection');
  return content === undefined ? { description } : { description, content };
}

type Change = (schema: JsonSchema) => JsonSchema;

/** Describes the JSON that interceptors make of results, the innermost first. */
function changeResults({ allInterceptors }: Operation, results: Results): Results {
  const declared = allInterceptors.map((interceptor) => interceptor.declared['describeResult'] as Change | undefined);
  const changes = declared.filter((change) => change !== undefined);
  if (changes.length === 0) return results;
  return Object.fromEntries(Object.entries(results).map(([status, result]) => {
    const { [JSON_TYPE]: json, ...others } = result.content ?? {};
    if (json?.schema === undefined || !status.startsWith('2')) return [status, result];
    const schema = changes.reduceRight((inner, change) => change(inner), json.schema);
    return [status, { ...result, content: { [JSON_TYPE]: { ...json, schema }, ...others } }];
  }));
}

/** Describes the 201 of a change that may make a new item. */
function describeNewItem({ resultKind, kind: { statuses = [] }, options }: Operation): Results {
  const isCreated = resultKind === 'nothing' && options['status'] === undefined && statuses.some(([, status]) => status === 201);
  return isCreated ? { 201: makeResult(201) } : {};
}

/** Adds the version of the item that is sent, and the response to a client that has it. */
function addVersion({ getTag: tagOf, status, kind: { method } }: Operation, results: Results): Results {
  const item = results[status];
  if (tagOf === undefined || item === undefined) return results;
  const known: Results = method === 'GET' ? { 304: { ...makeResult(304), headers: ETAG } } : {};
  return { ...known, ...results, [status]: { ...item, headers: { ...ETAG, ...item.headers } } };
}

/** Adds the headers that `cache` and `etag` declare to the successes, and the response to a client that has the body. */
function addCaching({ caching }: Operation, results: Results): Results {
  if (caching === undefined) return results;
  const { control, formatTag } = caching;
  const known: Results = formatTag === undefined ? {} : { 304: makeResult(304) };
  return Object.fromEntries(Object.entries({ ...known, ...results }).map(([status, result]) => {
    if (!status.startsWith('2') && status !== '304') return [status, result];
    const hasTag = formatTag !== undefined && status !== '206' && (status === '304' || result.content !== undefined);
    return [status, { ...result, headers: { ...(control !== undefined && CACHE_CONTROL), ...(hasTag && BODY_ETAG), ...result.headers } }];
  }));
}

/** The statuses of errors that the server itself can respond with. */
function listKnownErrors(operation: Operation, isSecured: boolean): number[] {
  const { endpoint, kind, input, headDecoders, pattern, conditions } = operation;
  const { validationStatus } = endpoint.defaults;
  const hasParameters = pattern.parameters.length > 0;
  const hasBody = input !== undefined;
  const format = findFormat(input);
  // Formats without a schema, such as bytes, leave decoding to the operation.
  const decodesBody = hasBody && (format === undefined || format.jsonSchema !== undefined);
  return [
    ...(hasParameters || headDecoders !== undefined || decodesBody ? [400] : []),
    ...(isSecured ? [401, 403] : []),
    ...(hasParameters || canBeMissing(kind) ? [404] : []),
    ...(comparesVersions(operation) ? [412] : []),
    ...(hasBody ? [413, 415] : []),
    ...(conditions === 'required' ? [428] : []),
    ...(validationStatus !== 400 && (headDecoders !== undefined || decodesBody) ? [validationStatus] : []),
  ];
}

/** Names a component: `NotFound`. A status without a phrase of its own has its number in the name. */
function nameComponent(status: number): string {
  const phrase = findPhrase(status);
  return joinPascal(phrase === findPhrase(499) || phrase === findPhrase(599) ? [phrase, String(status)] : [phrase]);
}

/** A status, and the decoder of its body: `null` for no body. */
type DeclaredResponse = readonly [status: number, decoder: unknown];

/** Lists the outputs: one decoder, or a map of them by status. `undefined` if the operation declares none. */
export function listOutputs({ status, options: { output } }: Operation): DeclaredResponse[] | undefined {
  if (output === undefined) return undefined;
  const isDecoder = typeof output === 'function' || '~standard' in Object(output);
  return isDecoder ? [[status, output]] : listByStatus(output);
}

/** Describes the headers that interceptors add to all responses. `undefined` if there are none. */
function describeAddedHeaders({ allInterceptors }: Operation): Headers | undefined {
  const described = allInterceptors.flatMap(({ declared }) => Object.entries(Object(declared['addedHeaders']) as Record<string, string>));
  if (described.length === 0) return undefined;
  return Object.fromEntries(described.map(([name, description]) => [name, { description, schema: { type: 'string' } }]));
}

/** Lists the errors of the interceptors, then of the operation. */
function listErrors({ allInterceptors, options: { errors } }: Operation): DeclaredResponse[] {
  return [...allInterceptors.flatMap(({ declared }) => listByStatus(declared['errors'])), ...listByStatus(errors)];
}

function listByStatus(byStatus: unknown): DeclaredResponse[] {
  return Object.entries(Object(byStatus) as object).map(([status, decoder]) => [Number(status), decoder]);
}
