/**
 * The Responses Object of an operation: its results, as the table of kinds or its `output` has them, and its errors.
 *
 * All operations refer to one Response Object for each status of an error. These have the schema of a problem.
 */
import { canBeMissing } from '../declaration/kinds.ts';
import type { Operation } from '../endpoint/operation.ts';
import { type ErrorFormat, toPhrase, PROBLEM_TYPE } from '../errors/problem.ts';
import { findFormat } from '../declaration/format.ts';
import { comparesVersions } from '../endpoint/versions.ts';
import { describeContent, findJsonType, type Content } from './content.ts';
import { describeOwner, joinPascal, toComponentName } from './names.ts';
import { describeCodec, describeText, findCodec } from './parameters.ts';
import { mapValues, sortByName } from './plain-json.ts';
import type { JsonSchema } from '../endpoint/json-schema.ts';
import type { DeclaredError } from '../endpoint/outputs.ts';
import type { Owner } from './schemas/decoder-schema.ts';
import type { Schemas } from './schemas/schemas.ts';

/** A Header Object of OpenAPI. */
interface Header {
  readonly description?: string;
  readonly deprecated?: true;
  readonly required?: true;
  readonly schema: object;
}

export interface Response {
  readonly description: string;
  readonly headers?: Readonly<Record<string, Header | ResponseReference>>;
  readonly content?: Content;
}

export interface ResponseReference {
  readonly $ref: string;
}

export type Responses = Readonly<Record<string, Response | ResponseReference>>;

type Results = Readonly<Record<string, Response>>;
type DescribeWhole = (toWhole: (part: JsonSchema) => JsonSchema, others: readonly JsonSchema[]) => JsonSchema;

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
          header: { type: 'string', description: 'The name of the header.' },
        },
      },
    },
  },
};

// RFC 9457 requires no property of a problem that the user's code formats.
const { required: _required, ...ANY_PROBLEM } = PROBLEM;
const PROBLEMS: ErrorFormat = { types: [PROBLEM_TYPE], schema: PROBLEM };

export class ResponseComponents {
  readonly #schemas: Schemas;
  readonly #form: ErrorFormat;
  readonly #components: Record<string, Response> = {};
  readonly #headers: Record<string, Header> = {};

  constructor(schemas: Schemas, form: ErrorFormat = PROBLEMS) {
    this.#schemas = schemas;
    this.#form = form;
  }

  /** The responses that several operations refer to, sorted by name. */
  get components(): Readonly<Record<string, Response>> {
    return sortByName(this.#components);
  }

  /** The headers that interceptors add to all responses, sorted by name. */
  get headers(): Readonly<Record<string, object>> {
    return sortByName(this.#headers);
  }

  /** Describes the responses of an operation. `isSecured`: callers need credentials. */
  describe(operation: Operation, isSecured: boolean): Responses {
    const headers = this.#describeAddedHeaders(operation);
    const plain = changeResults(operation, this.#describeResults(operation));
    const results = this.#describeSuccesses(operation, describeCaching(operation, addVersion(operation, plain)));
    const responses = { ...results, ...this.#describeErrors(operation, isSecured, headers !== undefined) };
    if (headers === undefined) return responses;
    return mapValues(responses as Results, (response, status) => {
      return { ...response, headers: { ...headers, ...(status === '429' && RETRY_AFTER), ...response.headers } };
    });
  }

  /** Adds the headers that the operation and its interceptors declare for its successes. */
  #describeSuccesses(operation: Operation, results: Results): Results {
    const added = joinInternals(operation, 'resultHeaders');
    const declared = (operation.responseHeaders?.list() ?? []).map(({ name, decoder, isRequired }) => {
      const owner = describeOwner(operation, `header ${name}`, decoder);
      const schema = this.#schemas.describe(decoder, 'output', owner);
      const text = describeText(decoder, 'output', owner, this.#schemas);
      return [name, { ...text, ...(isRequired && { required: true } as const), schema }] as const;
    });
    const described = { ...this.#referHeaders(added), ...Object.fromEntries(declared) };
    if (Object.keys(described).length === 0) return results;
    return mapValues(results, (result, status) => {
      return status.startsWith('2') ? { ...result, headers: { ...result.headers, ...described } } : result;
    });
  }

  /** Describes the headers that interceptors add to all responses. `undefined` if there are none. */
  #describeAddedHeaders(operation: Operation): Readonly<Record<string, Header | ResponseReference>> | undefined {
    const added = joinInternals(operation, 'addedHeaders');
    return Object.keys(added).length === 0 ? undefined : this.#referHeaders(added);
  }

  /** All responses of many operations have such headers. Written in each, they would be half of the document. */
  #referHeaders(added: Readonly<Record<string, string>>): Record<string, Header | ResponseReference> {
    return mapValues(added, (description, name) => {
      const component = toComponentName(name);
      const header = { description, schema: { type: 'string' } };
      const first = (this.#headers[component] ??= header);
      return first.description === description ? { $ref: `#/components/headers/${component}` } : header;
    });
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
    const { resultKind, status, kind, endpoint: { isSingleton, schema } } = operation;
    if (resultKind === 'nothing' || (resultKind === 'id' && isSingleton)) return makeResult(status);
    if (resultKind === 'id') {
      const headers = { Location: { ...LOCATION, required: true } } as const;
      return { ...makeResult(status, { 'text/plain': { schema: this.#describeIdString(operation) } }), headers };
    }
    // A result that can be "not found" is an item.
    const isItem = resultKind === 'json' && canBeMissing(kind) && schema !== undefined;
    if (isItem) return makeResult(status, describeContent(operation, 'result', schema, 'output', this.#schemas));
    return makeResult(status, { [operation.chooseJsonType()]: { schema: {} } });
  }

  /** An id as a body is a string, even if its codec has the schema of a number. */
  #describeIdString(operation: Operation): JsonSchema {
    const { schema } = findCodec(operation.endpoint, 'id') as { readonly schema?: { readonly type?: unknown } };
    return schema?.type === 'string' ? describeCodec(operation, 'id', this.#schemas) : { type: 'string' };
  }

  /** `hasHeaders`: the responses get headers, which a reference cannot have. */
  #describeErrors(operation: Operation, isSecured: boolean, hasHeaders: boolean): Responses {
    const ofServer = listKnownErrors(operation, isSecured);
    const ofInterceptors = operation.allInterceptors.flatMap(({ errors }) => [...errors]);
    const declared = [...ofInterceptors, ...operation.errors];
    const responses = [...new Set([...ofServer, ...declared.map(([status]) => status)])].map((status) => {
      // An interceptor and the operation can declare the same status, with different properties or without any.
      const errors = listWithStatus(declared, status);
      const decoders = [...new Set(errors.flatMap((error) => error?.decoders ?? []))];
      if (decoders.length === 0) return [status, hasHeaders ? this.#describeError(status) : this.#refer(status)];
      const ownerOf = (decoder: unknown): Owner => describeOwner(operation, `error ${status}`, decoder);
      // A declared error of the operation takes the place of the server's own. One of an interceptor does not, and `formatProblem` may not
      // send its properties.
      const isAdded = listWithStatus(ofInterceptors, status).length > 0 && (ofServer.includes(status) || this.#form !== PROBLEMS);
      const describeWhole: DescribeWhole = (...rest) => this.#schemas.describeWhole(decoders, ownerOf, ...rest);
      return [status, this.#describeError(status, describeWhole, isAdded || errors.includes(null))];
    });
    return { ...Object.fromEntries(responses), default: hasHeaders ? this.#describeError('default') : this.#refer('default') };
  }

  /** The response with a status; `default` for those that no operation names. */
  #refer(status: number | 'default'): ResponseReference {
    const name = status === 'default' ? 'Problem' : nameComponent(status);
    this.#components[name] ??= this.#describeError(status);
    return { $ref: `#/components/responses/${name}` };
  }

  /**
   * `describeWhole` adds the properties that the operation and its interceptors declare for the status, each time instead of the others.
   * `isOptional`: an error with this status can have none of them.
   */
  #describeError(status: number | 'default', describeWhole?: DescribeWhole, isOptional = false): Response {
    const description = status === 'default' ? 'Any other failure.' : ERRORS[status] ?? `${toPhrase(status)}.`;
    const challenge = { headers: { 'WWW-Authenticate': { required: true, schema: { type: 'string' } } } } as const;
    const content = Object.fromEntries(this.#form.types.map((type) => {
      return [type, { schema: this.#describeErrorBody(type, describeWhole, isOptional) }];
    }));
    return { description, ...(status === 401 ? challenge : {}), content };
  }

  /** Describes the body of an error with a media type, with the declared properties. */
  #describeErrorBody(type: string, describeWhole: DescribeWhole | undefined, isOptional: boolean): JsonSchema {
    const { schema = type === PROBLEM_TYPE ? ANY_PROBLEM : undefined } = this.#form;
    if (schema === undefined) return {};
    const body = this.#schemas.describe(schema, 'output', { at: 'the server', names: ['Problem'] });
    // It is not known where other JSON has the declared properties.
    if (describeWhole === undefined || type !== PROBLEM_TYPE) return body;
    return describeWhole((part) => ({ allOf: [body, part] }), isOptional ? [body] : []);
  }
}

/** The headers that the interceptors of an operation add, with what is known of them. */
function joinInternals({ allInterceptors }: Operation, name: 'resultHeaders' | 'addedHeaders'): Readonly<Record<string, string>> {
  return Object.assign({}, ...allInterceptors.map(({ internals }) => internals[name])) as Readonly<Record<string, string>>;
}

function makeResult(status: number, content?: Content): Response {
  const description = RESULTS[status] ?? (status < 300 ? 'Success' : 'Redirection');
  return content === undefined ? { description } : { description, content };
}

/** Describes the JSON that interceptors make of results, the innermost first. */
function changeResults({ allInterceptors }: Operation, results: Results): Results {
  const changes = allInterceptors.flatMap(({ internals: { describeResult } }) => describeResult ?? []);
  if (changes.length === 0) return results;
  return mapValues(results, (result, status) => {
    const type = findJsonType(result.content);
    const { [type]: json, ...others } = result.content ?? {};
    if (json?.schema === undefined || !status.startsWith('2')) return result;
    const schema = changes.reduceRight((inner, change) => change(inner), json.schema);
    return { ...result, content: { [type]: { ...json, schema }, ...others } };
  });
}

/** Describes the 201 of a change that may make a new item. */
function describeNewItem({ resultKind, kind: { statuses = [] } }: Operation): Results {
  const isCreated = resultKind === 'nothing' && statuses.some(([, status]) => status === 201);
  return isCreated ? { 201: makeResult(201) } : {};
}

/** Adds the version of the item that is sent, and the response to a client that has it. */
function addVersion({ getTag: tagOf, status, kind }: Operation, results: Results): Results {
  const item = results[status];
  if (tagOf === undefined || item === undefined) return results;
  const notModified: Results = kind.reads ? { 304: { ...makeResult(304), headers: ETAG } } : {};
  return { ...notModified, ...results, [status]: { ...item, headers: { ...ETAG, ...item.headers } } };
}

/** Adds the headers that `cache` and `etag` declare to the successes, and the response to a client that has the body. */
function describeCaching({ caching }: Operation, results: Results): Results {
  if (caching === undefined) return results;
  const { control, formatTag } = caching;
  const notModified: Results = formatTag === undefined ? {} : { 304: makeResult(304) };
  return mapValues({ ...notModified, ...results }, (result, status) => {
    if (!status.startsWith('2') && status !== '304') return result;
    const hasTag = formatTag !== undefined && status !== '206' && (status === '304' || result.content !== undefined);
    return { ...result, headers: { ...(control !== undefined && CACHE_CONTROL), ...(hasTag && BODY_ETAG), ...result.headers } };
  });
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
    ...(comparesVersions(operation) || conditions === 'required' ? [412] : []),
    ...(hasBody ? [413, 415] : []),
    ...(conditions === 'required' ? [428] : []),
    ...(validationStatus !== 400 && (headDecoders !== undefined || decodesBody) ? [validationStatus] : []),
  ];
}

/** Names a component: `NotFound`. A status without a phrase of its own has its number in the name. */
function nameComponent(status: number): string {
  const phrase = toPhrase(status);
  return joinPascal(phrase === toPhrase(499) || phrase === toPhrase(599) ? [phrase, String(status)] : [phrase]);
}

/** A status, and the decoder of its body: `null` for no body. */
type DeclaredResponse = readonly [status: number, decoder: unknown];

/** Lists the outputs: one decoder, or a map of them by status. `undefined` if the operation declares none. */
export function listOutputs({ status, options: { output } }: Operation): DeclaredResponse[] | undefined {
  if (output === undefined) return undefined;
  const isDecoder = typeof output === 'function' || '~standard' in Object(output);
  if (isDecoder) return [[status, output]];
  return Object.entries(Object(output) as object).map(([each, decoder]) => [Number(each), decoder]);
}

type StatusError = readonly [status: number, error: DeclaredError | null];

function listWithStatus(errors: readonly StatusError[], status: number): (DeclaredError | null)[] {
  return errors.filter(([each]) => each === status).map(([, error]) => error);
}
