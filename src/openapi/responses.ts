/**
 * The Responses Object of an operation: its results, as the table of kinds or its `output` has them, and its errors.
 *
 * All operations refer to one Response Object for each status of an error. These have one schema, that of a problem.
 */
import { canBeMissing } from '../endpoint/kinds.ts';
import type { Operation } from '../endpoint/operation.ts';
import { type ErrorForm, phraseOf, PROBLEM_TYPE } from '../errors/problem.ts';
import { formatIn } from '../endpoint/format.ts';
import { comparesVersions } from '../endpoint/versions.ts';
import { contentOf, JSON_TYPE, type Content } from './content.ts';
import { codecSchemaOf, errorsOf, operationIdOf, outputsOf, ownerOf } from './operations.ts';
import { pascalCase } from './names.ts';
import { schemaOfCodec } from './parameters.ts';
import { sorted } from './plain-json.ts';
import type { JsonSchema } from './schemas/json-schema.ts';
import type { Schemas } from './schemas/schemas.ts';

export interface Response {
  readonly description: string;
  readonly headers?: Readonly<Record<string, { readonly required?: true; readonly schema: object }>>;
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
  412: 'The item has another version.',
  413: 'The body is too long.',
  415: 'The body has another media type.',
  422: 'A value of the body or the query is not valid.',
  428: 'The request has no If-Match.',
};

const REDIRECTIONS: readonly number[] = [301, 302, 303, 307, 308];
const ETAG = { ETag: { description: 'The version of the item.', schema: { type: 'string' } } };
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
          pointer: { type: 'string', description: 'The place in the body, as an RFC 6901 pointer in its fragment form.' },
          parameter: { type: 'string', description: 'The name of the query parameter.' },
        },
      },
    },
  },
};

// RFC 9457 requires no property of a problem that the user's code formats.
const { required: _required, ...ANY_PROBLEM } = PROBLEM;
const PROBLEMS: ErrorForm = { types: [PROBLEM_TYPE], schema: PROBLEM, membersAt: [] };

export class ResponseComponents {
  readonly #schemas: Schemas;
  readonly #form: ErrorForm;
  readonly #components: Record<string, Response> = {};

  constructor(schemas: Schemas, form: ErrorForm = PROBLEMS) {
    this.#schemas = schemas;
    this.#form = form;
  }

  /** The responses that operations refer to, sorted by name. */
  get components(): Readonly<Record<string, Response>> {
    return sorted(this.#components);
  }

  /** `isSecured`: callers need credentials. */
  responsesOf(operation: Operation, isSecured: boolean): Responses {
    return { ...versioned(operation, this.#resultsOf(operation)), ...this.#errorsOf(operation, isSecured) };
  }

  #resultsOf(operation: Operation): Results {
    const { status } = operation;
    const outputs = outputsOf(operation);
    if (outputs === undefined) return { ...newItemOf(operation), [status]: this.#plainResult(operation) };
    return Object.fromEntries(outputs.map(([declared, decoder]) => {
      const part = declared === status ? 'result' : `result ${declared}`;
      const content = decoder === null ? undefined : contentOf(operation, part, decoder, 'output', this.#schemas);
      const hasLocation = REDIRECTIONS.includes(declared) || (declared === 201 && operation.answer === 'id' && !operation.endpoint.isSingleton);
      return [declared, { ...resultOf(declared, content), ...(hasLocation && { headers: { Location: LOCATION } }) }];
    }));
  }

  /** The response for an operation without `output`. */
  #plainResult(operation: Operation): Response {
    const { answer, status, kind, endpoint: { isSingleton, members: { schema } } } = operation;
    if (answer === 'nothing' || (answer === 'id' && isSingleton)) return resultOf(status);
    if (answer === 'id') {
      const headers = { Location: { ...LOCATION, required: true } } as const;
      return { ...resultOf(status, { 'text/plain': { schema: this.#textOfId(operation) } }), headers };
    }
    // A result that can be "not found" is an item.
    const isItem = answer === 'json' && canBeMissing(kind) && schema !== undefined;
    if (isItem) return resultOf(status, contentOf(operation, 'result', schema, 'output', this.#schemas));
    this.#schemas.report(`the answer of ${operationIdOf(operation)} is not known: declare its output`);
    return resultOf(status, { [JSON_TYPE]: { schema: {} } });
  }

  /** An id as a body is a text, even if the schema of its codec is that of a number. */
  #textOfId(operation: Operation): JsonSchema {
    const schema = codecSchemaOf(operation.endpoint, 'id') as { readonly type?: unknown } | undefined;
    return schema?.type === 'string' ? schemaOfCodec(operation, 'id', this.#schemas) : { type: 'string' };
  }

  #errorsOf(operation: Operation, isSecured: boolean): Responses {
    const known = knownErrors(operation, isSecured).map((status) => [status, null] as const);
    // A declared error takes the place of a known one.
    const declared = errorsOf(operation);
    const responses = [...new Map([...known, ...declared])].map(([status, decoder]) => {
      if (decoder === null) return [status, this.#referenceTo(status)];
      const membersOf = (): JsonSchema => this.#schemas.schemaOf(decoder, 'output', ownerOf(operation, `error ${status}`, decoder));
      // An interceptor can have the same status without members.
      return [status, this.#errorOf(status, membersOf, declared.some(([each, other]) => each === status && other === null))];
    });
    return { ...Object.fromEntries(responses), default: this.#referenceTo('default') };
  }

  /** The response with a status; `default` for those that no operation names. */
  #referenceTo(status: number | 'default'): Reference {
    const name = status === 'default' ? 'Problem' : componentNameOf(status);
    this.#components[name] ??= this.#errorOf(status);
    return { $ref: `#/components/responses/${name}` };
  }

  /** `membersOf`: the members that an operation declares for the status. `isOptional`: not all errors with this status have them. */
  #errorOf(status: number | 'default', membersOf?: () => JsonSchema, isOptional = false): Response {
    const description = status === 'default' ? 'Any other failure.' : ERRORS[status] ?? `${phraseOf(status)}.`;
    const challenge = { headers: { 'WWW-Authenticate': { required: true, schema: { type: 'string' } } } } as const;
    const content = Object.fromEntries(this.#form.types.map((type) => [type, { schema: this.#bodyOf(type, membersOf, isOptional) }]));
    return { description, ...(status === 401 ? challenge : {}), content };
  }

  /** The body of an error with a media type: the whole of it, with the members that are declared. */
  #bodyOf(type: string, membersOf: (() => JsonSchema) | undefined, isOptional: boolean): JsonSchema {
    const { schema = type === PROBLEM_TYPE ? ANY_PROBLEM : undefined, membersAt } = this.#form;
    // Of other JSON, also where it has members is unknown.
    if (schema === undefined) return {};
    const body = this.#schemas.schemaOf(schema, 'output', { place: 'the server', names: ['Problem'] });
    if (membersOf === undefined || membersAt === undefined) return body;
    const members = membersAt.reduceRight<JsonSchema>((inner, key) => ({ type: 'object', required: [key], properties: { [key]: inner } }), membersOf());
    const whole = { allOf: [body, members] };
    return isOptional ? { anyOf: [whole, body] } : whole;
  }
}

function resultOf(status: number, content?: Content): Response {
  const description = RESULTS[status] ?? (status < 300 ? 'Success' : 'Redirection');
  return content === undefined ? { description } : { description, content };
}

/** The 201 of a change that may make a new item. */
function newItemOf({ answer, kind: { statuses = [] }, members }: Operation): Results {
  const isCreated = answer === 'nothing' && members['status'] === undefined && statuses.some(([, status]) => status === 201);
  return isCreated ? { 201: resultOf(201) } : {};
}

/** Results with the version of the item that is sent, and with the answer to a client that has it. */
function versioned({ tagOf, status, kind: { method } }: Operation, results: Results): Results {
  const item = results[status];
  if (tagOf === undefined || item === undefined) return results;
  const known: Results = method === 'GET' ? { 304: { ...resultOf(304), headers: ETAG } } : {};
  return { ...known, ...results, [status]: { ...item, headers: { ...ETAG, ...item.headers } } };
}

/** The errors that the server itself can answer with. */
function knownErrors(operation: Operation, isSecured: boolean): number[] {
  const { endpoint, kind, input, headDecoders, pattern, conditions } = operation;
  const { validationStatus } = endpoint.defaults;
  const hasParameters = pattern.parameters.length > 0;
  const hasBody = input !== undefined;
  const format = formatIn(input);
  // One without a schema, as bytes, is read by the operation itself.
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

/** `NotFound`. A status that has only the phrase of its class has the number in its name. */
function componentNameOf(status: number): string {
  const phrase = phraseOf(status);
  return pascalCase(phrase === phraseOf(499) || phrase === phraseOf(599) ? [phrase, String(status)] : [phrase]);
}
