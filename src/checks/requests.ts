/**
 * Sends the requests of the checks. An answer to a request that the document describes is compared with the document, whatever is checked.
 * A failure says which request it was, its answer, what was expected, and which declaration says so.
 */
import type { Content } from '../openapi/content.ts';
import type { OpenApiDocument } from '../openapi/open-api.ts';
import type { Reference, Response as Described } from '../openapi/responses.ts';
import { type ChangedBody, changedBodies } from './changed-bodies.ts';
import type { ChecksOptions } from './options.ts';
import { SchemaFaults } from './schema-faults.ts';
import { declarationOf, type Subject } from './subject.ts';

/** What a request has beside its method and its path. */
export interface Parts {
  readonly query?: string;
  readonly body?: Uint8Array | undefined;
  readonly type?: string | undefined;
  readonly fields?: Readonly<Record<string, string>> | undefined;
  /** In place of the credentials of the caller who may do everything. */
  readonly credentials?: Readonly<Record<string, string>>;
}

export interface Answer {
  readonly method: string;
  readonly path: string;
  readonly status: number;
  /** By names in lower case. */
  readonly headers: Readonly<Record<string, string | undefined>>;
  readonly body: Buffer;
}

/** `ApiServer.fetch`, as far as the checks call it. */
export type Fetch = (path: string, init: RequestInit) => Promise<Response>;

const EVENTS = 'text/event-stream';
const SHOWN = 200;

export class Requests {
  readonly #fetch: Fetch;
  readonly #headers: Readonly<Record<string, string>>;
  readonly #timeoutMs: number;
  readonly #faults: SchemaFaults;
  readonly #responses: Readonly<Record<string, Described>>;

  constructor(fetch: Fetch, document: OpenApiDocument, { headers = {}, timeoutMs = 10_000 }: ChecksOptions) {
    this.#fetch = fetch;
    this.#headers = Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));
    this.#timeoutMs = timeoutMs;
    this.#faults = new SchemaFaults(document);
    this.#responses = document.components?.responses ?? {};
  }

  /** Whether the host has credentials for a subject. */
  hasCredentials({ credentials }: Subject): boolean {
    return credentials.length === 0 || credentials.some((name) => Object.hasOwn(this.#headers, name));
  }

  /** Sends a request, and reads the whole answer. A stream of events has no end: its body is left out. */
  async send(subject: Subject, method: string, path: string, { query = '', body, type, fields, credentials }: Parts = {}): Promise<Answer> {
    const own = Object.entries(this.#headers).filter(([name]) => credentials === undefined || !subject.credentials.includes(name));
    const typed = type !== undefined && { 'content-type': type };
    const headers = { 'accept-encoding': 'identity', ...Object.fromEntries(own), ...credentials, ...fields, ...typed };
    const signal = AbortSignal.timeout(this.#timeoutMs);
    try {
      // A copy: a request takes no view of shared memory.
      const response = await this.#fetch(path + query, { method, headers, signal, ...(body !== undefined && { body: Buffer.from(body) }) });
      const isEndless = response.headers.get('content-type')?.startsWith(EVENTS) === true;
      if (isEndless) await response.body?.cancel();
      const bytes = isEndless ? Buffer.alloc(0) : Buffer.from(await response.arrayBuffer());
      return { method, path: path + query, status: response.status, headers: Object.fromEntries(response.headers), body: bytes };
    } catch (cause) {
      const reason = signal.aborted ? `had no whole answer after ${this.#timeoutMs} ms` : 'had no whole answer';
      throw new Error(`${method} ${path}${query} ${reason}: ${declarationOf(subject)}`, { cause });
    }
  }

  /** Sends a request of the subject itself. Throws if the answer is not as the document says. */
  async call(subject: Subject, path: string, parts: Parts = {}): Promise<Answer> {
    const answer = await this.send(subject, subject.method, path, parts);
    const fault = this.#faultOf(answer, subject);
    if (fault !== undefined) throw failure(answer, fault, subject);
    return answer;
  }

  /** The fault of a JSON value as the body of a request. `undefined` if the document accepts it, or does not describe it. */
  faultOfBody({ described: { requestBody } }: Subject, value: unknown): string | undefined {
    const content = Object.values(requestBody?.content ?? {});
    return this.#faults.of(value, content[0]?.schema);
  }

  /** Valid bodies that differ from a sample in one value. */
  *bodiesBeside(subject: Subject, sample: unknown): Generator<ChangedBody> {
    const [content] = Object.values(subject.described.requestBody?.content ?? {});
    for (const changed of changedBodies(sample, content?.schema, this.#faults)) {
      if (this.faultOfBody(subject, changed.body) === undefined) yield changed;
    }
  }

  /** Whether a subject's result can be or have the id of an item: unless the document says that it is a list, or has no string and no number. */
  canNameItem({ described: { responses } }: Subject): boolean {
    return [responses[200], responses[201]].some((response) => {
      const { 'application/json': json } = (response !== undefined && 'content' in response && response.content) || {};
      if (json === undefined || this.#faults.itemsOf(json.schema) !== undefined) return false;
      const properties = Object.values(this.#faults.propertiesOf(json.schema));
      return properties.length === 0 || properties.some((each) => this.#faults.canBeId(each));
    });
  }

  #faultOf(answer: Answer, { described: { responses } }: Subject): string | undefined {
    const { status, headers } = answer;
    const isConditional = status === 304;
    const declared = responses[status] ?? (status >= 400 ? responses['default'] : undefined);
    const response = declared && this.#resolved(declared);
    if (response === undefined) return isConditional ? undefined : `one of the statuses ${Object.keys(responses).join(', ')}`;
    const { headers: fields = {}, content } = response;
    const missing = Object.entries(fields).find(([name, { required }]) => required === true && headers[name.toLowerCase()] === undefined);
    if (missing !== undefined) return `the header field ${missing[0]}`;
    return content === undefined ? (answer.body.length > 0 ? 'no body' : undefined) : this.#faultOfContent(answer, content);
  }

  #faultOfContent({ status, headers, body }: Answer, content: Content): string | undefined {
    const type = headers['content-type']?.split(';')[0]?.trim().toLowerCase() ?? '';
    const found = Object.entries(content).find(([range]) => isInRange(type, range));
    if (found === undefined) return `the media type ${Object.keys(content).join(' or ')}`;
    const [range, { schema }] = found;
    if (!/[/+]json$/.test(range) && range !== 'text/plain') return undefined;
    const value = range === 'text/plain' ? { json: body.toString() } : jsonOf(body);
    if (value === undefined) return 'JSON';
    const fault = this.#faults.of(value.json, schema);
    if (fault !== undefined) return `a body as the document says, but ${fault}`;
    // Errors may have further members (RFC 9457 section 3.2).
    const unnamed = status < 300 ? this.#faults.unnamed(value.json, schema) : undefined;
    return unnamed === undefined ? undefined : `only members that the document names, but ${unnamed}`;
  }

  #resolved(response: Described | Reference): Described | undefined {
    return '$ref' in response ? this.#responses[response.$ref.replace(/^.*\//, '')] : response;
  }
}

function isInRange(type: string, range: string): boolean {
  return range === '*/*' || range === type || (range.endsWith('/*') && type.startsWith(range.slice(0, -1)));
}

/** In an object, since `undefined` means that it is not JSON. */
export function jsonOf(body: Buffer): { readonly json: unknown } | undefined {
  try {
    return { json: JSON.parse(body.toString()) as unknown };
  } catch {
    return undefined;
  }
}

/** The error of an answer that is not the expected one. It shows no members that the document does not name. */
export function failure({ method, path, status, body }: Answer, expected: string, subject: Subject): Error {
  const text = status < 400 ? '' : ` ${body.toString('utf8', 0, SHOWN)}`;
  return new Error(`${method} ${path} was answered with ${status}${text}. Expected: ${expected} (${subject.operationId}, ${declarationOf(subject)})`);
}
