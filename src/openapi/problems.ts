/** The answers with an error: one Response Object for each status that is used, all over one schema. */
import { phraseOf } from '../errors/problem.ts';
import { PROBLEM_TYPE } from '../errors/problem.ts';
import { JSON_TYPE, type Content } from './content.ts';
import { pascalCase } from './names.ts';
import { sortedEntries, type JsonSchema } from './schemas/json-schema.ts';

export interface Reference {
  readonly $ref: string;
}

export interface Response {
  readonly description: string;
  readonly headers?: Readonly<Record<string, object>>;
  readonly content?: Content;
}

// A function, since a host may change its document.
const problemSchema = (): JsonSchema => ({
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
});
const problemReference = (): JsonSchema => ({ $ref: '#/components/schemas/Problem' });

const DESCRIPTIONS: Readonly<Record<number, string>> = {
  400: 'The path, the query or the body is not valid.',
  401: 'The request has no valid credentials.',
  403: 'The caller is not allowed to do this.',
  404: 'There is no such item.',
  413: 'The body is too long.',
  415: 'The body has another media type.',
};
const challenge = (): object => ({ headers: { 'WWW-Authenticate': { required: true, schema: { type: 'string' } } } });

export class Problems {
  readonly #isFormatted: boolean;
  readonly #responses: Record<string, Response> = {};

  /** `isFormatted`: the host has a format of its own, of which nothing is known. */
  constructor(isFormatted: boolean) {
    this.#isFormatted = isFormatted;
  }

  /** The components that the answers refer to. */
  get schemas(): Readonly<Record<string, JsonSchema>> {
    return this.#isFormatted ? {} : { Problem: problemSchema() };
  }

  get responses(): Readonly<Record<string, Response>> {
    return Object.fromEntries(sortedEntries(this.#responses));
  }

  /** The answer with a status; `default` for those that no operation names. */
  reference(status: number | 'default'): Reference {
    const name = status === 'default' ? 'Problem' : nameOf(status);
    this.#responses[name] ??= this.response(status);
    return { $ref: `#/components/responses/${name}` };
  }

  /** The answer with a status and members of the host's. */
  response(status: number | 'default', members?: JsonSchema): Response {
    const description = status === 'default' ? 'Any other failure.' : DESCRIPTIONS[status] ?? `${phraseOf(status)}.`;
    return { description, ...(status === 401 ? challenge() : {}), content: this.#contentWith(members) };
  }

  #contentWith(members: JsonSchema | undefined): Content {
    if (this.#isFormatted) return { [JSON_TYPE]: { schema: members ?? {} } };
    return { [PROBLEM_TYPE]: { schema: members === undefined ? problemReference() : { allOf: [problemReference(), members] } } };
  }
}

/** `NotFound`; a status without a phrase of its own has the number in its name. */
function nameOf(status: number): string {
  const phrase = phraseOf(status);
  return pascalCase(phrase === phraseOf(499) || phrase === phraseOf(599) ? [phrase, String(status)] : [phrase]);
}
