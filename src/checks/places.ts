/**
 * Finds the path of an item that an operation can be called on. Each parameter is that of an item which the checks create, or a sample:
 *
 *   GET /v1/zoo/:zoo/pet/:id   ->   POST /v1/zoo creates /v1/zoo/3, POST /v1/zoo/3/pet creates /v1/zoo/3/pet/7
 */
import { isJsonType } from '../http/media-type.ts';
import { isParameter } from '../router/pattern.ts';
import type { Sample } from './options.ts';
import { type Answer, failure, type Parts, type Requests } from './requests.ts';
import { shapeOfPath, type Subject, subjectAt } from './subject.ts';

/** The parts of a valid request. */
interface WholeParts extends Parts {
  readonly query: string;
  readonly fields: Readonly<Record<string, string>>;
}

export const KEY_FIELD = 'Idempotency-Key';

export class Places {
  readonly #subjects: readonly Subject[];
  readonly #requests: Requests;

  constructor(subjects: readonly Subject[], requests: Requests) {
    this.#subjects = subjects;
    this.#requests = requests;
  }

  /** Why a subject's path cannot be reached. `undefined` if it can. */
  whyUnreached(subject: Subject): string | undefined {
    const way = this.#wayTo(subject);
    const unknown = way.find(({ name, own, creating }) => name !== undefined && own === undefined && creating === undefined);
    if (unknown !== undefined) return `no samples.${subject.operationId}.params.${unknown.name}, and no create that makes one`;
    for (const { own, creating } of way) {
      const why = own === undefined && creating !== undefined ? this.whyUncalled(creating) : undefined;
      if (why !== undefined) return why;
    }
    return undefined;
  }

  /** Why the checks cannot send a whole, valid request of a subject. `undefined` if they can. */
  whyUncalled(subject: Subject): string | undefined {
    const { operation, operationId, sample, isSampled, isCallable, described } = subject;
    const { kind: { method, member }, input, members: { optional } } = operation;
    if (!isCallable) return `samples.${operationId} is false`;
    if (!this.#requests.hasCredentials(subject)) return `options.headers have no ${subject.credentials.join(' and no ')}`;
    const needsSample = method === 'POST' && input === undefined;
    if (input !== undefined && optional !== true && this.#bodySample(subject).body === undefined) return `no samples.${operationId}.body`;
    if (needsSample && !isSampled) return `no samples.${operationId}: ${member} may do anything`;
    const required = (described.parameters ?? []).filter((parameter) => parameter.required === true);
    if (required.some(({ in: place, name }) => place === 'query' && sample.query?.[name] === undefined)) return `no samples.${operationId}.query`;
    const given = Object.keys({ ...madeFieldsOf(subject), ...sample.headers }).map((name) => name.toLowerCase());
    const field = required.find(({ in: place, name }) => place === 'header' && !given.includes(name.toLowerCase()));
    return field === undefined ? undefined : `no samples.${operationId}.headers, with ${field.name}`;
  }

  /** Whether the last parameter of a subject's path is that of an item which the checks create: such an item may be deleted. */
  isCreated(subject: Subject): boolean {
    const last = this.#wayTo(subject).findLast(({ name }) => name !== undefined);
    return last !== undefined && last.own === undefined && last.creating !== undefined;
  }

  /** The path of an item for a subject. Creates it, and those above it. */
  async pathFor(subject: Subject): Promise<string> {
    let path = '';
    for (const { text, name, own, creating } of this.#wayTo(subject)) {
      if (name === undefined) path += `/${text}`;
      // A wildcard has several segments.
      else if (own !== undefined) path += `/${(text.startsWith('*') ? own.split('/') : [own]).map(encodeURIComponent).join('/')}`;
      else if (creating !== undefined) path = await this.create(creating, path);
    }
    return path === '' ? '/' : path;
  }

  /** Creates an item at the path of a collection. Returns the path of the item. */
  async create(creating: Subject, path: string): Promise<string> {
    const answer = await this.#requests.call(creating, path === '' ? '/' : path, this.partsOf(creating));
    return locationIn(answer, creating);
  }

  /** The query, the header fields and the body of a valid request. */
  partsOf(subject: Subject): WholeParts {
    const { operation: { input, format } } = subject;
    const { body: made, type: own } = this.#bodySample(subject);
    const parts = { query: queryOf(subject.sample), fields: { ...madeFieldsOf(subject), ...subject.sample.headers } };
    const body = typeof made === 'function' ? (made as () => unknown)() : made;
    if (body === undefined || input === undefined) return parts;
    const [first = 'application/octet-stream'] = format === undefined ? ['application/json'] : format.types ?? [];
    const type = own ?? first;
    const isText = body instanceof Uint8Array || (format !== undefined && (typeof body === 'string' || !isJsonType(type)));
    return { ...parts, body: isText ? bytesOf(body) : Buffer.from(JSON.stringify(body)), type };
  }

  /** The sample with the body of a subject. An update can have that of a create with the same decoder. */
  #bodySample(subject: Subject): Sample {
    const { sample, operation, path } = subject;
    if (sample.body !== undefined || operation.kind.member !== 'update') return sample;
    const create = subjectAt(this.#subjects, 'POST', operation.endpoint.isSingleton ? path : path.replace(/\/[^/]*$/, ''));
    return create?.operation.input === operation.input ? { ...create?.sample, ...sample } : sample;
  }

  #wayTo({ path, sample: { params = {} } }: Subject): Step[] {
    const segments = path.split('/').slice(1).filter((segment) => segment !== '');
    return segments.map((text, index): Step => {
      if (!isParameter(text)) return { text };
      const name = text.slice(1);
      const above = segments.slice(0, index).map((segment) => `/${segment}`).join('');
      const own = Object.hasOwn(params, name) ? String(params[name]) : undefined;
      return { text, name, own, creating: this.#creatorAt(above) };
    });
  }

  #creatorAt(path: string): Subject | undefined {
    const shape = shapeOfPath(path);
    return this.#subjects.find((subject) => locatesItems(subject) && shapeOfPath(subject.path) === shape);
  }
}

/** Whether a subject is a create whose answer says where the item is. One that sends the item as a plain result has no `Location`. */
export function locatesItems({ operation, described: { responses } }: Subject): boolean {
  const { kind: { member }, answer, endpoint: { isSingleton }, members: { output } } = operation;
  if (member !== 'create' || isSingleton) return false;
  const created = responses[201];
  const isDocumented = created !== undefined && 'headers' in created && created.headers?.['Location'] !== undefined;
  return isDocumented && (answer === 'id' || (typeof output === 'object' && output !== null && !('~standard' in output)));
}

/** A segment of a path. A parameter has a name. */
interface Step {
  readonly text: string;
  readonly name?: string;
  /** The host's sample. */
  readonly own?: string | undefined;
  /** The create that makes items whose path has the parameter. */
  readonly creating?: Subject | undefined;
}

function queryOf({ query = {} }: Sample): string {
  const pairs = Object.entries(query).flatMap(([name, value]) => [value].flat().map((each): [string, string] => [name, String(each)]));
  return pairs.length === 0 ? '' : `?${new URLSearchParams(pairs).toString()}`;
}

/** The header fields that the checks know values for: any version, and a key that no other request has. */
function madeFieldsOf({ described: { parameters = [] } }: Subject): Readonly<Record<string, string>> {
  const required = parameters.filter((parameter) => parameter.in === 'header' && parameter.required === true).map(({ name }) => name);
  const needs = (field: string): boolean => required.includes(field);
  return { ...(needs('If-Match') && { 'if-match': '*' }), ...(needs(KEY_FIELD) && { [KEY_FIELD]: crypto.randomUUID() }) };
}

function bytesOf(body: unknown): Uint8Array {
  return body instanceof Uint8Array ? body : Buffer.from(String(body));
}

function locationIn(answer: Answer, creating: Subject): string {
  const { headers: { location } } = answer;
  const base = 'http://localhost';
  if (answer.status === 201 && location !== undefined && URL.canParse(location, base)) return new URL(location, base).pathname;
  throw failure(answer, '201 with Location', creating);
}
