/** Compares responses with an OpenAPI document. */
import { findSchema, type JsonSchema, parsePointer } from '../endpoint/json-schema.ts';
import type { Content, MediaType } from '../openapi/content.ts';
import type { Response as Described, Responses } from '../openapi/responses.ts';
import { SchemaValidator } from './schema-validator.ts';

export interface ReceivedResponse {
  readonly method: string;
  readonly path: string;
  /** The body that was sent, for messages. Empty without one. */
  readonly sent: string;
  readonly status: number;
  /** The headers, by their names in lower case. */
  readonly headers: Readonly<Record<string, string | undefined>>;
  readonly body: Buffer;
}

export const isSuccess = ({ status }: ReceivedResponse): boolean => status < 300;

export class KeptDocument {
  readonly validator: SchemaValidator;
  readonly #document: JsonSchema;
  /** The last body of each media type of a response that had no issue. */
  readonly #valid = new Map<MediaType, Buffer>();

  constructor(document: object) {
    this.#document = document as JsonSchema;
    this.validator = new SchemaValidator(document);
  }

  /** Finds the first difference of a response from those that the document describes. */
  findIssue(received: ReceivedResponse, responses: Responses): string | undefined {
    const { status, headers, body } = received;
    const declared = responses[status] ?? (status >= 400 ? responses['default'] : undefined);
    const response = declared && this.resolve(declared) as Described;
    if (response === undefined) return status === 304 ? undefined : `one of the statuses ${Object.keys(responses).join(', ')}`;
    for (const [name, header] of Object.entries(response.headers ?? {})) {
      if ('required' in header && headers[name.toLowerCase()] === undefined) return `the header ${name}`;
    }
    return response.content === undefined ? (body.length > 0 ? 'no body' : undefined) : this.#findContentIssue(received, response.content);
  }

  /** Returns the target of a reference, or the object itself. */
  resolve(part: object): object | undefined {
    const { $ref: reference } = part as { readonly $ref?: string };
    return reference === undefined ? part : findSchema(this.#document, parsePointer(reference) ?? []);
  }

  #findContentIssue({ status, headers, body }: ReceivedResponse, content: Content): string | undefined {
    const type = headers['content-type']?.split(';')[0]?.trim().toLowerCase() ?? '';
    const found = findMedia(content, type);
    if (found === undefined) return `the media type ${Object.keys(content).join(' or ')}`;
    const [range, media] = found;
    if (!/[/+]json$/.test(range) && range !== 'text/plain') return undefined;
    // Most bodies are read before and after a request that changes nothing: a fifth of the time of all checks.
    if (this.#valid.get(media)?.equals(body) === true) return undefined;
    const value = range === 'text/plain' ? body.toString() : tryJson(body);
    if (value === undefined) return 'JSON';
    const issue = this.validator.findIssue(value, media.schema);
    if (issue !== undefined) return `a body as the document says, but ${issue}`;
    // Errors may have further properties (RFC 9457 section 3.2).
    const unnamed = status < 300 ? this.validator.findUnnamed(value, media.schema) : undefined;
    if (unnamed !== undefined) return `only properties that the document names, but ${unnamed}`;
    this.#valid.set(media, body);
    return undefined;
  }
}

/** Finds the range of a content that has a media type, or a narrower range. */
export function findMedia(content: Content, type: string): [range: string, media: MediaType] | undefined {
  return Object.entries(content).find(([range]) => {
    return range === '*/*' || range === type || (range.endsWith('/*') && type.startsWith(range.slice(0, -1)));
  });
}

/** Parses JSON. `undefined` means that it is none. */
export function tryJson(body: Buffer | undefined): unknown {
  try {
    return JSON.parse(String(body));
  } catch {
    return undefined;
  }
}
