/**
 * Finds the path of an item that an operation can be called on. Each parameter is that of an item which the checks create, or a sample:
 *
 *   GET /v1/zoo/:zoo/pet/:id   ->   POST /v1/zoo creates /v1/zoo/3, POST /v1/zoo/3/pet creates /v1/zoo/3/pet/7
 */
import { locationOf } from '../endpoint/location.ts';
import { isJsonType } from '../http/media-type.ts';
import { isParameter } from '../router/pattern.ts';
import { checkSample, type Sample } from './options.ts';
import { type Answer, failure, jsonOf, type Parts, type Requests } from './requests.ts';
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
  /** The samples that were made for the paths of subjects. The next request has them too. */
  readonly #made = new Map<Subject, Sample>();

  constructor(subjects: readonly Subject[], requests: Requests) {
    this.#subjects = subjects;
    this.#requests = requests;
  }

  /** Why a subject's path cannot be reached. `undefined` if it can. */
  whyUnreached(subject: Subject): string | undefined {
    if (subject.makeSample !== undefined) return undefined;
    const way = this.#wayTo(subject, subject.sample);
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
    const { kind: { method, name: kind }, input, members: { optional } } = operation;
    if (!isCallable) return `samples.${operationId} is false`;
    if (!this.#requests.hasCredentials(subject)) return `options.headers have no ${subject.credentials.join(' and no ')}`;
    if (subject.makeSample !== undefined) return undefined;
    const needsSample = method === 'POST' && input === undefined;
    if (input !== undefined && optional !== true && !this.#hasBody(subject)) return `no samples.${operationId}.body`;
    if (needsSample && !isSampled) return `no samples.${operationId}: ${kind} may do anything`;
    const required = (described.parameters ?? []).filter((parameter) => parameter.required === true);
    if (required.some(({ in: place, name }) => place === 'query' && sample.query?.[name] === undefined)) return `no samples.${operationId}.query`;
    const given = Object.keys({ ...madeFieldsOf(subject), ...sample.headers }).map((name) => name.toLowerCase());
    const field = required.find(({ in: place, name }) => place === 'header' && !given.includes(name.toLowerCase()));
    return field === undefined ? undefined : `no samples.${operationId}.headers, with ${field.name}`;
  }

  /** Whether the last parameter of a subject's path is that of an item which the checks create: such an item may be deleted. */
  isCreated(subject: Subject): boolean {
    const last = this.#wayTo(subject, subject.sample).findLast(({ name }) => name !== undefined);
    return last !== undefined && last.own === undefined && last.creating !== undefined;
  }

  /** The path of an item for a subject. Creates it, and those above it. */
  async pathFor(subject: Subject): Promise<string> {
    const sample = await sampleOf(subject);
    this.#made.set(subject, sample);
    let path = '';
    for (const { text, name, own, creating } of this.#wayTo(subject, sample)) {
      if (name === undefined) path += `/${text}`;
      // A wildcard has several segments.
      else if (own !== undefined) path += `/${(text.startsWith('*') ? own.split('/') : [own]).map(encodeURIComponent).join('/')}`;
      else if (creating !== undefined) path = await this.create(creating, path);
      else throw new Error(`samples.${subject.operationId}() has no params.${name}, and no create makes one`);
    }
    return path === '' ? '/' : path;
  }

  /** Whether a subject is a create that says where the item is: by `Location`, or by a property of its JSON. */
  locatesItems(subject: Subject): boolean {
    const { kind, answer, endpoint: { isSingleton } } = subject.operation;
    return kind.result === 'id' && !isSingleton && (answer === 'id' ? Object.hasOwn(subject.described.responses, 201) : this.#requests.canNameItem(subject));
  }

  /** Creates an item at the path of a collection. Returns the path of the item. */
  async create(creating: Subject, path: string): Promise<string> {
    const collection = path === '' ? '/' : path;
    const answer = await this.#requests.call(creating, collection, await this.partsOf(creating));
    const location = locationIn(answer);
    return location ?? this.#itemIn(answer, creating, collection);
  }

  /** The query, the header fields and the body of a valid request. */
  async partsOf(subject: Subject): Promise<WholeParts> {
    const { operation: { input, format } } = subject;
    const sample = this.#made.get(subject) ?? await sampleOf(subject);
    this.#made.delete(subject);
    const parts = { query: queryOf(sample), fields: { ...madeFieldsOf(subject), ...sample.headers } };
    const { body: made, type: own } = await this.#withBody(subject, sample);
    const body: unknown = typeof made === 'function' ? await (made as () => unknown)() : made;
    if (body === undefined || input === undefined) return parts;
    const [first = 'application/octet-stream'] = format === undefined ? ['application/json'] : format.types ?? [];
    const type = own ?? first;
    const isText = body instanceof Uint8Array || (format !== undefined && (typeof body === 'string' || !isJsonType(type)));
    return { ...parts, body: isText ? bytesOf(body) : Buffer.from(JSON.stringify(body)), type };
  }

  #hasBody(subject: Subject): boolean {
    const other = this.#bodyOwner(subject);
    return subject.sample.body !== undefined || other?.sample.body !== undefined || other?.makeSample !== undefined;
  }

  /** The sample with the body of a subject. */
  async #withBody(subject: Subject, sample: Sample): Promise<Sample> {
    const other = this.#bodyOwner(subject);
    return sample.body !== undefined || other === undefined ? sample : { ...await sampleOf(other), ...sample };
  }

  /** The create whose body an update can have, since both have the same decoder. */
  #bodyOwner({ operation, path }: Subject): Subject | undefined {
    if (operation.kind.method !== 'PUT') return undefined;
    const create = subjectAt(this.#subjects, 'POST', operation.endpoint.isSingleton ? path : path.replace(/\/[^/]*$/, ''));
    return create?.operation.input === operation.input ? create : undefined;
  }

  /**
   * The path of the item that the body of a create names: by `id`, by a property whose name ends in it, or by another. If there is a GET for
   * items, it finds the item there.
   */
  async #itemIn(answer: Answer, creating: Subject, collection: string): Promise<string> {
    const made = jsonOf(answer.body)?.json;
    const values = Object.entries(typeof made === 'object' && made !== null ? made : { id: made }).filter(([, value]) => /^(string|number)$/.test(typeof value) && value !== '');
    const rank = (name: string): number => (name === 'id' ? 0 : /(?:^id|id$)/i.test(name) ? 1 : 2);
    const get = subjectAt(this.#subjects, 'GET', `${creating.path === '/' ? '' : creating.path}/:id`);
    const getParts = get === undefined || this.whyUncalled(get) !== undefined ? undefined : await this.partsOf(get);
    for (const [, value] of values.sort(([one], [other]) => rank(one) - rank(other))) {
      const path = locationOf(creating.operation.endpoint, collection, String(value));
      if (path === undefined) continue;
      if (get === undefined || getParts === undefined) return path;
      const { status, body } = await this.#requests.send(get, 'GET', path, getParts);
      if (status < 300 && isSameItem(jsonOf(body)?.json, made)) return path;
    }
    throw failure(answer, '201 with Location, or with a property that has the id of the item', creating);
  }

  #wayTo({ path }: Subject, { params = {} }: Sample): Step[] {
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
    return this.#subjects.find((subject) => this.locatesItems(subject) && shapeOfPath(subject.path) === shape);
  }
}

/** The sample of a subject. Throws `TypeError` if a function makes another object. */
async function sampleOf({ makeSample, sample, operationId }: Subject): Promise<Sample> {
  return makeSample === undefined ? sample : checkSample(await makeSample(), `options.samples.${operationId}()`);
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

/** Whether two objects have the same value for each property that both have. */
function isSameItem(one: unknown, other: unknown): boolean {
  const [own, others] = [Object(one), Object(other)] as [Readonly<Record<string, unknown>>, Readonly<Record<string, unknown>>];
  return Object.keys(own).every((key) => !Object.hasOwn(others, key) || JSON.stringify(own[key]) === JSON.stringify(others[key]));
}

function locationIn({ headers: { location } }: Answer): string | undefined {
  const base = 'http://localhost';
  return location !== undefined && URL.canParse(location, base) ? new URL(location, base).pathname : undefined;
}
