/**
 * Sends the requests of the checks. Each response to a request that the document describes is compared with the document, in every check.
 * A failure names the request, the response, the expectation and the declaration.
 */
import { performance, setTimeout } from '../util/timers.ts';
import { readDelay } from '../client/request.ts';
import { isSchema } from '../endpoint/json-schema.ts';
import { isJsonType } from '../http/media-type.ts';
import { findJsonType } from '../openapi/content.ts';
import type { Components } from '../openapi/document.ts';
import { KeptDocument, type ReceivedResponse, tryJson } from './kept-document.ts';
import type { CheckedChecksOptions } from './checks-options.ts';
import type { SchemaValidator } from './schema-validator.ts';
import { formatDeclaration, type Subject } from './subject.ts';
import { listValid } from './valid-values.ts';

/** A request without its method and its path. */
export interface RequestParts {
  readonly query?: string;
  readonly body?: Buffer | undefined;
  readonly type?: string | undefined;
  /** Aborts when the client leaves. */
  readonly leaving?: AbortSignal;
  /** By their names in lower case. `undefined` removes a header of a sample. */
  readonly headers?: Readonly<Record<string, string | undefined>>;
  /** Replaces the credentials of the caller who may do everything. By their names in lower case. */
  readonly credentials?: Readonly<Record<string, string>>;
}

/** `ApiServer.fetch`, as far as the checks call it. */
export type PathFetch = (path: string, init: RequestInit) => Promise<Response>;

export const TOO_MANY = 429;
const EVENTS = 'text/event-stream';
const DAY_MS = 86_400_000;
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

  /** Says which credentials the user has not given for a subject. */
  explainCredentials({ credentials }: Subject): string | undefined {
    const isKnown = credentials.length === 0 || credentials.some((name) => Object.hasOwn(this.#headers, name));
    return isKnown ? undefined : `options.headers have no ${credentials.join(' and no ')}`;
  }

  /** Sends a request, and reads the whole response. A 429 says when to send it again. */
  async send(subject: Subject, path: string, parts: RequestParts = {}): Promise<ReceivedResponse> {
    const lastMs = performance.now() + this.#timeoutMs;
    for (;;) {
      const response = await this.#sendOnce(subject, path, parts);
      const { status, headers: { 'retry-after': retryAfter } } = response;
      const waitMs = Math.max(readDelay(retryAfter), 1);
      if (status !== TOO_MANY || retryAfter === undefined || performance.now() + waitMs > lastMs) return response;
      await new Promise((resolve) => setTimeout(resolve, waitMs));
    }
  }

  /** A stream of events has no end: its body is left out. */
  async #sendOnce(subject: Subject, path: string, parts: RequestParts): Promise<ReceivedResponse> {
    const { method } = subject;
    const { query = '', body, type, headers: own, credentials, leaving } = parts;
    const always = Object.entries(this.#headers).filter(([name]) => credentials === undefined || !subject.credentials.includes(name));
    const typed = type !== undefined && { 'content-type': type };
    const named = { 'accept-encoding': 'identity', ...Object.fromEntries(always), ...credentials, ...own, ...typed };
    const headers = Object.entries(named).filter((pair): pair is [string, string] => pair[1] !== undefined);
    const time = AbortSignal.timeout(this.#timeoutMs);
    const signal = leaving === undefined ? time : AbortSignal.any([time, leaving]);
    const sent = formatSent(own, body, type);
    try {
      // Copied, since `fetch` rejects views of shared memory.
      const response = await this.#fetch(path + query, { method, headers, signal, ...(body !== undefined && { body: Buffer.from(body) }) });
      const isEndless = response.headers.get('content-type')?.startsWith(EVENTS) === true;
      if (isEndless) await response.body?.cancel();
      const bytes = isEndless ? Buffer.alloc(0) : Buffer.from(await response.arrayBuffer());
      return { method, path: path + query, sent, status: response.status, headers: Object.fromEntries(response.headers), body: bytes };
    } catch (cause) {
      const why = time.aborted ? `got no complete response after ${this.#timeoutMs} ms` : 'got no complete response';
      throw new Error(`${method} ${path}${query}${sent} ${why}: ${formatDeclaration(subject)}`, { cause });
    }
  }

  /** Sends a request with the method of the subject. Throws if the response is not as the document says. */
  async call(subject: Subject, path: string, parts: RequestParts = {}): Promise<ReceivedResponse> {
    const response = await this.send(subject, path, parts);
    const issue = this.#document.findIssue(response, subject.described.responses);
    if (issue !== undefined) throw makeFailure(response, issue, subject);
    return response;
  }

  /** Finds the issue of a JSON value as the body of a request. `undefined` if the document accepts it, or does not describe it. */
  findBodyIssue(subject: Subject, value: unknown): string | undefined {
    return this.#validator.findIssue(value, readBodySchema(subject));
  }

  /** Finds the issue of an empty form: required lists are empty, other fields are missing. `undefined` if the document accepts it. */
  findEmptyFormIssue(subject: Subject): string | undefined {
    const schema = readBodySchema(subject);
    const properties = this.#validator.listProperties(schema);
    const lists = this.#validator.listRequired(schema).filter((name) => this.#validator.findItemSchema(properties[name]) !== undefined);
    return this.findBodyIssue(subject, Object.fromEntries(lists.map((name) => [name, []])));
  }

  /** Makes valid JSON that differs from a sample in one value. */
  #listDifferent(subject: Subject, sample: unknown): unknown[] {
    const all = [...listChanged(sample, readBodySchema(subject), this.#validator)];
    return all.filter((changed) => this.findBodyIssue(subject, changed) === undefined);
  }

  /** Makes valid requests with bodies that differ from a sample in one value. None if the sample is not JSON. */
  listDifferent(subject: Subject, { body }: RequestParts): RequestParts[] {
    const sample = tryJson(body);
    return sample === undefined ? [] : this.#listDifferent(subject, sample).map(encode);
  }

  /** Picks the properties of an object that a body of a subject can have, each by itself. */
  pickBody(subject: Subject, value: unknown): Readonly<Record<string, unknown>> {
    const properties = this.#validator.listProperties(readBodySchema(subject));
    return Object.fromEntries(Object.entries(Object(value) as object).filter(([name, each]) => {
      return Object.hasOwn(properties, name) && this.findBodyIssue(subject, { [name]: each }) === undefined;
    }));
  }

  /** Makes valid changes of one value of a sample, those of each value together: `{ legs: 4 }` -> `[[{ legs: 5 }, { legs: 3 }]]`. */
  groupChanges(subject: Subject, sample: unknown): unknown[][] {
    const groups = new Map<string, unknown[]>();
    for (const body of this.#listDifferent(subject, sample)) {
      const change = pickDifference(sample, body);
      const at = JSON.stringify(change, (_, value: unknown) => (isSchema(value) ? value : 0));
      if (this.findBodyIssue(subject, change) === undefined) groups.set(at, [...groups.get(at) ?? [], change]);
    }
    return [...groups.values()];
  }

  /**
   * Whether a subject's result can be the id of an item, or contain it. It cannot if the document says that it is a list, or that it has
   * neither a string nor a number.
   */
  canNameItem({ described: { responses } }: Subject): boolean {
    return [responses[200], responses[201]].some((response) => {
      const content = (response !== undefined && 'content' in response && response.content) || {};
      const { [findJsonType(content)]: json } = content;
      if (json === undefined || this.#validator.findItemSchema(json.schema) !== undefined) return false;
      const properties = Object.values(this.#validator.listProperties(json.schema));
      const values = properties.flatMap((each) => listValid(each, this.#validator));
      return properties.length === 0 || values.some((value) => /^(?:string|number)$/.test(typeof value));
    });
  }
}

function readBodySchema({ described: { requestBody } }: Subject): unknown {
  return Object.values(requestBody?.content ?? {})[0]?.schema;
}

/** Makes the error of an unexpected response. It shows no properties that the document does not name. */
export function makeFailure({ method, path, sent, status, body }: ReceivedResponse, expected: string, subject: Subject): Error {
  const error = status < 400 ? '' : ` ${body.toString('utf8', 0, SHOWN)}`;
  const source = `${subject.operationId}, ${formatDeclaration(subject)}`;
  return new Error(`${method} ${path}${sent} returned ${status}${error}. Expected: ${expected} (${source})`);
}

/** Formats the headers that decide what a request does, and its body. */
function formatSent(headers: RequestParts['headers'] = {}, body: Buffer | undefined, type = ''): string {
  const names = ['if-match', 'if-none-match', 'idempotency-key'].filter((name) => headers[name] !== undefined);
  const parts = names.map((name) => `${name}: ${headers[name]}`);
  if (body !== undefined) parts.push(isJsonType(type) && body.length <= SHOWN ? body.toString() : `${body.length} bytes`);
  return parts.length === 0 ? '' : ` with ${parts.join(' and ')}`;
}

/** The times in a response. A store may write the time of a change, so a different time shows nothing. */
const TIME: RegExp = /^\d{4}-\d\d-\d\dT\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z|[+-]\d\d:\d\d)$/;

/** Whether a value is a time, or a number that is the time of today: it is different after each request. */
export function isTime(value: unknown): boolean {
  return TIME.test(String(value)) || [1, 1000].some((unit) => Math.abs(Number(value) * unit - Date.now()) < DAY_MS);
}

export const encode = (json: unknown): RequestParts => ({ body: Buffer.from(JSON.stringify(json)) });

/**
 * Lists values that differ from a sample in one value:
 *
 *   { name: 'Rex', legs: 4 }   ->   { name: 'Rexa', legs: 4 }, …, { name: 'Rex', legs: 5 }, …
 *
 * Each value is replaced by the values that its schema names, and by similar ones. The result may be invalid.
 */
function* listChanged(value: unknown, schema: unknown, schemas: SchemaValidator): Generator {
  if (isSchema(value)) {
    const properties = schemas.listProperties(schema);
    for (const key of new Set([...Object.keys(value), ...Object.keys(properties)])) {
      for (const changed of listChanged(value[key], properties[key], schemas)) yield { ...value, [key]: changed };
    }
  } else if (Array.isArray(value)) {
    const [first, ...others] = value as unknown[];
    for (const changed of listChanged(first, schemas.findItemSchema(schema), schemas)) yield [changed, ...others];
  } else if (!isTime(value)) {
    const named = isSchema(schema) ? listValid(schema, schemas).filter((each) => value === undefined || typeof each === typeof value) : [];
    for (const other of [...named, ...listSimilar(value)]) if (other !== value) yield other;
  }
}

/** Picks what is different in a changed value: `{ name: 'Rex', home: { city: 'Rome' } }` -> `{ home: { city: 'Rome' } }`. */
export function pickDifference(before: unknown, after: unknown): unknown {
  if (!isSchema(before) || !isSchema(after)) return after;
  const key = Object.keys(after).find((each) => JSON.stringify(after[each]) !== JSON.stringify(before[each])) ?? '';
  return { [key]: pickDifference(before[key], after[key]) };
}

function listSimilar(value: unknown): unknown[] {
  if (typeof value === 'boolean') return [!value];
  if (typeof value === 'number') return [value + 1, value - 1];
  // A UUID or an address with a different end is still one.
  return typeof value === 'string' && value !== '' ? [`${value}a`, value.slice(0, -1) + (value.endsWith('1') ? '2' : '1')] : [];
}
