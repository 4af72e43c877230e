/**
 * Sends the requests of the checks. Each response to a request that the document describes is compared with the document, in every check.
 * A failure names the request, the response, the expectation and the declaration.
 */
import { readDelay } from '../client/request.ts';
import { isSchema } from '../endpoint/json-schema.ts';
import { isJsonType } from '../http/media-type.ts';
import type { Components } from '../openapi/document.ts';
import { KeptDocument, type ReceivedResponse } from './kept-document.ts';
import type { CheckedChecksOptions } from './options.ts';
import type { SchemaValidator } from './schema-validator.ts';
import { formatDeclaration, type Subject } from './subject.ts';

/** A request without its method and its path. */
export interface RequestParts {
  readonly query?: string;
  readonly body?: Uint8Array | undefined;
  readonly type?: string | undefined;
  /** By their names in lower case. `undefined` removes a header of a sample. */
  readonly headers?: Readonly<Record<string, string | undefined>>;
  /** Replaces the credentials of the caller who may do everything. By their names in lower case. */
  readonly credentials?: Readonly<Record<string, string>>;
}

/** `ApiServer.fetch`, as far as the checks call it. */
export type PathFetch = (path: string, init: RequestInit) => Promise<Response>;

const TOO_MANY = 429;
const EVENTS = 'text/event-stream';
const SHOWN = 200;

export class Requests {
  readonly #fetch: PathFetch;
  readonly #headers: Readonly<Record<string, string>>;
  readonly #timeoutMs: number;
  readonly #document: KeptDocument;
  readonly #validator: SchemaValidator;

  constructor(fetch: PathFetch, components: Components, { headers, timeoutMs }: CheckedChecksOptions) {
    this.#fetch = fetch;
    this.#headers = headers;
    this.#timeoutMs = timeoutMs;
    this.#document = new KeptDocument({ components });
    this.#validator = this.#document.validator;
  }

  /** Whether the user has credentials for a subject. */
  hasCredentials({ credentials }: Subject): boolean {
    return credentials.length === 0 || credentials.some((name) => Object.hasOwn(this.#headers, name));
  }

  /** Sends a request, and reads the whole response. A 429 says when to send it again. */
  async send(subject: Subject, method: string, path: string, parts: RequestParts = {}): Promise<ReceivedResponse> {
    const lastMs = performance.now() + this.#timeoutMs;
    for (;;) {
      const response = await this.#sendOnce(subject, method, path, parts);
      const { status, headers: { 'retry-after': retryAfter } } = response;
      const waitMs = Math.max(readDelay(retryAfter), 1);
      if (status !== TOO_MANY || retryAfter === undefined || performance.now() + waitMs > lastMs) return response;
      await new Promise((resolve) => setTimeout(resolve, waitMs));
    }
  }

  /** A stream of events has no end: its body is left out. */
  async #sendOnce(subject: Subject, method: string, path: string, parts: RequestParts): Promise<ReceivedResponse> {
    const { query = '', body, type, headers: own, credentials } = parts;
    const always = Object.entries(this.#headers).filter(([name]) => credentials === undefined || !subject.credentials.includes(name));
    const typed = type !== undefined && { 'content-type': type };
    const named = { 'accept-encoding': 'identity', ...Object.fromEntries(always), ...credentials, ...own, ...typed };
    const headers = Object.entries(named).filter((pair): pair is [string, string] => pair[1] !== undefined);
    const signal = AbortSignal.timeout(this.#timeoutMs);
    const sent = formatSent(body, type);
    try {
      // Copied, since `fetch` rejects views of shared memory.
      const response = await this.#fetch(path + query, { method, headers, signal, ...(body !== undefined && { body: Buffer.from(body) }) });
      const isEndless = response.headers.get('content-type')?.startsWith(EVENTS) === true;
      if (isEndless) await response.body?.cancel();
      const bytes = isEndless ? Buffer.alloc(0) : Buffer.from(await response.arrayBuffer());
      return { method, path: path + query, sent, status: response.status, headers: Object.fromEntries(response.headers), body: bytes };
    } catch (cause) {
      const reason = signal.aborted ? `got no complete response after ${this.#timeoutMs} ms` : 'got no complete response';
      throw new Error(`${method} ${path}${query}${sent} ${reason}: ${formatDeclaration(subject)}`, { cause });
    }
  }

  /** Sends a request with the method of the subject. Throws if the response is not as the document says. */
  async call(subject: Subject, path: string, parts: RequestParts = {}): Promise<ReceivedResponse> {
    const response = await this.send(subject, subject.method, path, parts);
    const issue = this.#document.findIssue(response, subject.described.responses);
    if (issue !== undefined) throw makeFailure(response, issue, subject);
    return response;
  }

  /** Finds the issue of a JSON value as the body of a request. `undefined` if the document accepts it, or does not describe it. */
  findBodyIssue({ described: { requestBody } }: Subject, value: unknown): string | undefined {
    const content = Object.values(requestBody?.content ?? {});
    return this.#validator.findIssue(value, content[0]?.schema);
  }

  /** Lists the examples of a subject, each with its issue: `undefined` if it is as its schema says. */
  *listExamples({ described: { requestBody, responses } }: Subject): Generator<{ readonly at: string; readonly issue: string | undefined }> {
    const bodies = Object.entries(responses).map(([status, response]) => [status, 'content' in response ? response.content : {}] as const);
    for (const [at, content = {}] of [['inputExamples', requestBody?.content] as const, ...bodies]) {
      for (const { examples = {}, schema } of Object.values(content)) {
        for (const [name, { value }] of Object.entries(examples)) {
          const unnamed = at.startsWith('2') ? this.#validator.findUnnamed(value, schema) : undefined;
          yield { at: `${name} of ${at}`, issue: this.#validator.findIssue(value, schema) ?? unnamed };
        }
      }
    }
  }

  /** Finds the issue of an empty form: required lists are empty, other fields are missing. `undefined` if the document accepts it. */
  findEmptyFormIssue(subject: Subject): string | undefined {
    const [content] = Object.values(subject.described.requestBody?.content ?? {});
    const properties = this.#validator.listProperties(content?.schema);
    const required = this.#validator.listRequired(content?.schema);
    const lists = required.filter((name) => this.#validator.findItemSchema(properties[name]) !== undefined);
    return this.findBodyIssue(subject, Object.fromEntries(lists.map((name) => [name, []])));
  }

  /** Makes valid bodies that differ from a sample in one value. */
  *makeDifferentBodies(subject: Subject, sample: unknown): Generator<ChangedBody> {
    const [content] = Object.values(subject.described.requestBody?.content ?? {});
    for (const changed of listChangedBodies(sample, content?.schema, this.#validator)) {
      if (this.findBodyIssue(subject, changed.body) === undefined) yield changed;
    }
  }

  /**
   * Whether a subject's result can be the id of an item, or contain it. It cannot if the document says that it is a list, or that it has
   * neither a string nor a number.
   */
  canNameItem({ described: { responses } }: Subject): boolean {
    return [responses[200], responses[201]].some((response) => {
      const { 'application/json': json } = (response !== undefined && 'content' in response && response.content) || {};
      if (json === undefined || this.#validator.findItemSchema(json.schema) !== undefined) return false;
      const properties = Object.values(this.#validator.listProperties(json.schema));
      return properties.length === 0 || properties.some((each) => this.#validator.canBeId(each));
    });
  }
}

/** Makes the error of an unexpected response. It shows no properties that the document does not name. */
export function makeFailure({ method, path, sent, status, body }: ReceivedResponse, expected: string, subject: Subject): Error {
  const shown = status < 400 ? '' : ` ${body.toString('utf8', 0, SHOWN)}`;
  const source = `${subject.operationId}, ${formatDeclaration(subject)}`;
  return new Error(`${method} ${path}${sent} returned ${status}${shown}. Expected: ${expected} (${source})`);
}

function formatSent(body: Uint8Array | undefined, type = ''): string {
  if (body === undefined) return '';
  return ` with ${isJsonType(type) && body.length <= SHOWN ? Buffer.from(body).toString() : `${body.length} bytes`}`;
}

export interface ChangedBody {
  readonly body: unknown;
  /** The property of the body that contains the change. `undefined` if the body is not an object. */
  readonly key: string | undefined;
}

/** The times in a response. A store may write the time of a change, so a different time shows nothing. */
export const TIME: RegExp = /^\d{4}-\d\d-\d\dT\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z|[+-]\d\d:\d\d)$/;

/**
 * Lists valid bodies that differ from a sample in one value:
 *
 *   { name: 'Rex', legs: 4 }   ->   { name: 'Rexa', legs: 4 }, …, { name: 'Rex', legs: 5 }, …
 *
 * Each value is replaced by the values that its schema names, and by similar ones. The result may be invalid.
 */
export function* listChangedBodies(body: unknown, schema: unknown, schemas: SchemaValidator): Generator<ChangedBody> {
  if (!isSchema(body)) {
    for (const changed of listChangedValues(body, schema, schemas)) yield { body: changed, key: undefined };
    return;
  }
  const properties = schemas.listProperties(schema);
  for (const key of new Set([...Object.keys(body), ...Object.keys(properties)])) {
    for (const changed of listChangedValues(body[key], properties[key], schemas)) yield { body: { ...body, [key]: changed }, key };
  }
}

function* listChangedValues(value: unknown, schema: unknown, schemas: SchemaValidator): Generator<unknown> {
  if (isSchema(value)) {
    for (const { body } of listChangedBodies(value, schema, schemas)) yield body;
  } else if (Array.isArray(value)) {
    const [first, ...others] = value as unknown[];
    for (const changed of listChangedValues(first, schemas.findItemSchema(schema), schemas)) yield [changed, ...others];
  } else if (!TIME.test(String(value))) {
    for (const other of [...schemas.listValues(schema), ...listSimilar(value)]) if (other !== value) yield other;
  }
}

function listSimilar(value: unknown): unknown[] {
  if (typeof value === 'boolean') return [!value];
  if (typeof value === 'number') return [value + 1, value - 1];
  // A UUID or an address with a different end is still one.
  return typeof value === 'string' && value !== '' ? [`${value}a`, value.slice(0, -1) + (value.endsWith('1') ? '2' : '1')] : [];
}
