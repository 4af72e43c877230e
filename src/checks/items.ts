/**
 * Finds the path of an item that an operation can be called on. Each parameter is the id of an item that the checks create, or a sample:
 *
 *   GET /v1/zoo/:zoo/pet/:id   ->   POST /v1/zoo creates /v1/zoo/3, POST /v1/zoo/3/pet creates /v1/zoo/3/pet/7
 */
import { encodeForm } from '../openapi/content.ts';
import { toFormData } from '../client/form-data.ts';
import { isJsonType } from '../http/media-type.ts';
import { joinPath } from '../endpoint/routes.ts';
import { type Segment, splitTemplate } from '../router/pattern.ts';
import { isBytes } from '../util/stream.ts';
import { type ReceivedResponse, tryJson } from './kept-document.ts';
import { checkSample, lowerNames, type Sample } from './checks-options.ts';
import { makeFailure, type RequestParts, type Requests } from './requests.ts';
import { explainForbidden, readShape, type Subject, findCreate, findSubject, takesForm } from './subject.ts';

export const KEY_HEADER = 'idempotency-key';

export class SubjectItems {
  readonly #subjects: readonly Subject[];
  readonly #requests: Requests;
  /** The items that others are created in, by the paths of their collections. */
  readonly #above = new Map<string, string>();

  constructor(subjects: readonly Subject[], requests: Requests) {
    this.#subjects = subjects;
    this.#requests = requests;
  }

  /** Why a subject's path cannot be reached. `undefined` if it can. */
  explainUnreached(subject: Subject): string | undefined {
    if (subject.makeSample !== undefined) return undefined;
    const steps = this.#listSteps(subject, subject.sample);
    const unknown = steps.find(({ name, own, creating }) => name !== undefined && own === undefined && creating === undefined);
    if (unknown !== undefined) return `no samples.${subject.operationId}.params.${unknown.name}, and no create that makes one`;
    for (const { own, creating } of steps) {
      const why = own === undefined && creating !== undefined ? this.explainUncalled(creating) : undefined;
      if (why !== undefined) return why;
    }
    return undefined;
  }

  /** Why the checks cannot send a whole, valid request of a subject. `undefined` if they can. */
  explainUncalled(subject: Subject): string | undefined {
    const { operation, operationId, sample, isSampled, described } = subject;
    const { kind, input, options: { optional } } = operation;
    const why = explainForbidden(subject) ?? this.#requests.explainCredentials(subject);
    if (why !== undefined || subject.makeSample !== undefined) return why;
    if (input !== undefined && optional !== true && !this.#hasBody(subject)) return `no samples.${operationId}.body`;
    if (kind.body === 'any' && input === undefined && !isSampled) {
      return `no samples.${operationId}: ${kind.name} is only called with a sample`;
    }
    const given = { ...makeHeaders(subject), ...lowerNames(sample.headers) };
    const required = (described.parameters ?? []).filter((parameter) => parameter.required === true);
    const query = required.find(({ in: where, name }) => where === 'query' && sample.query?.[name] === undefined);
    if (query !== undefined) return `no samples.${operationId}.query`;
    const header = required.find(({ in: where, name }) => where === 'header' && !Object.hasOwn(given, name.toLowerCase()));
    return header && `no samples.${operationId}.headers, with ${header.name}`;
  }

  /**
   * Whether the last parameter of a subject's path is the id of an item that the checks create: such an item may be deleted. `false` for a
   * kind that deletes without an id, and for an item of the user's function, which may be in any state.
   */
  isCreated(subject: Subject): boolean {
    const last = this.#listSteps(subject, subject.sample).findLast(({ name }) => name !== undefined);
    return subject.makeSample === undefined && last !== undefined && isCreating(last);
  }

  /** Makes a request of a subject, at the path of an item of its own. Creates the item, in one that earlier checks have created. */
  async make(subject: Subject): Promise<{ readonly path: string; readonly parts: RequestParts }> {
    const sample = await makeSampleFor(subject);
    const path = await this.#makePath(subject, sample).catch((error: unknown) => {
      if (this.#above.size === 0) throw error;
      // It may take one item only, or may be deleted.
      this.#above.clear();
      return this.#makePath(subject, sample);
    });
    return { path, parts: await this.makeParts(subject, sample) };
  }

  async #makePath(subject: Subject, sample: Sample): Promise<string> {
    const steps = this.#listSteps(subject, sample);
    const last = steps.findLast(isCreating);
    let path = '';
    for (const step of steps) {
      const { raw, name, isWildcard, own, creating } = step;
      if (name === undefined) path += `/${raw}`;
      // A wildcard has several segments.
      else if (own !== undefined) path += `/${(isWildcard ? own.split('/') : [own]).map(encodeURIComponent).join('/')}`;
      else if (creating === undefined) throw new Error(`samples.${subject.operationId}() has no params.${name}, and no create makes one`);
      else {
        const collection = creating.path.endsWith('/') ? `${path}/` : path;
        path = (step === last ? undefined : this.#above.get(collection)) ?? await this.#create(creating, collection);
        if (step !== last) this.#above.set(collection, path);
      }
    }
    return subject.path.endsWith('/') ? `${path}/` : path;
  }

  /** Whether a subject is a create that says where the item is: by `Location`, or by a property of its JSON. */
  locatesItems(subject: Subject): boolean {
    const { kind, resultKind, endpoint: { isSingleton } } = subject.operation;
    if (kind.result !== 'id' || isSingleton) return false;
    return resultKind === 'id' ? Object.hasOwn(subject.described.responses, 201) : this.#requests.canNameItem(subject);
  }

  async #create(creating: Subject, collection: string): Promise<string> {
    return this.locate(await this.#requests.call(creating, collection, await this.makeParts(creating)), creating, collection);
  }

  /** Returns the path of the item that a create has made. */
  async locate(response: ReceivedResponse, creating: Subject, collection: string): Promise<string> {
    return readLocation(response) ?? this.#findItem(response, creating, collection);
  }

  /** Makes the query, the headers and the body of a valid request. */
  async makeParts(subject: Subject, given?: Sample): Promise<RequestParts> {
    const { operation: { input, format, bodyTypes } } = subject;
    const sample = given ?? await makeSampleFor(subject);
    const parts = { query: formatSampleQuery(sample), headers: { ...makeHeaders(subject), ...lowerNames(sample.headers) } };
    const { body: made, type: own } = await this.#withBody(subject, sample);
    const body: unknown = typeof made === 'function' ? await (made as () => unknown)() : made;
    if (body === undefined || input === undefined) return parts;
    if (takesForm(subject) && typeof body === 'object' && !isBytes(body)) {
      const form = await encodeForm('getAll' in Object(body) ? body as FormData : toFormData(Object(body) as object));
      return { ...parts, body: Buffer.from(form.bytes), type: form.type };
    }
    const [first = 'application/octet-stream'] = format === undefined ? bodyTypes : format.types ?? [];
    const type = own ?? first;
    const isEncoded = isBytes(body) || (format !== undefined && (typeof body === 'string' || !isJsonType(type)));
    return { ...parts, body: isBytes(body) ? Buffer.from(body) : Buffer.from(isEncoded ? String(body) : JSON.stringify(body)), type };
  }

  #hasBody(subject: Subject): boolean {
    const other = this.#findBodyOwner(subject);
    return subject.sample.body !== undefined || other?.sample.body !== undefined || other?.makeSample !== undefined;
  }

  /** Adds a body to the sample of an update: the body of its create. */
  async #withBody(subject: Subject, sample: Sample): Promise<Sample> {
    const other = this.#findBodyOwner(subject);
    return sample.body !== undefined || other === undefined ? sample : { ...await makeSampleFor(other), ...sample };
  }

  /** Finds a create with the same decoder as an update, so that its sample is a body of the update. */
  #findBodyOwner({ operation, path }: Subject): Subject | undefined {
    if (operation.kind.body !== 'whole' || !operation.kind.isOfItem) return undefined;
    const create = findCreate(this.#subjects, operation.endpoint.isSingleton ? path : path.replace(/\/[^/]*$/, ''));
    return create?.operation.input === operation.input ? create : undefined;
  }

  /**
   * The path of the item that the body of a create names: by `id`, by a property with a name that ends in `id`, or by any other property.
   * If there is a GET for items, it must return the item.
   */
  async #findItem(response: ReceivedResponse, creating: Subject, collection: string): Promise<string> {
    const made = tryJson(response.body);
    const values = Object.entries(typeof made === 'object' && made !== null ? made : { id: made })
      .filter(([, value]) => /^(string|number)$/.test(typeof value) && value !== '');
    const rank = (name: string): number => (name === 'id' ? 0 : /(?:^id|id$)/i.test(name) ? 1 : 2);
    const get = findSubject(this.#subjects, 'GET', joinPath(creating.path, '/:id'));
    const getParts = get === undefined || this.explainUncalled(get) !== undefined ? undefined : await this.makeParts(get);
    for (const [, value] of values.sort(([one], [other]) => rank(one) - rank(other))) {
      const path = creating.operation.endpoint.formatLocation(collection, String(value));
      if (path === undefined) continue;
      if (get === undefined || getParts === undefined) return path;
      const { status, body } = await this.#requests.send(get, path, getParts);
      if (status < 300 && isSameItem(tryJson(body), made)) return path;
    }
    throw makeFailure(response, '201 with Location, or with a property that has the id of the item', creating);
  }

  #listSteps({ path }: Subject, { params = {} }: Sample): PathStep[] {
    const segments = splitTemplate(path);
    return segments.map((segment, index): PathStep => {
      const { name } = segment;
      if (name === undefined) return segment;
      const above = segments.slice(0, index).map(({ raw }) => `/${raw}`).join('');
      const own = Object.hasOwn(params, name) ? String(params[name]) : undefined;
      return { ...segment, own, creating: this.#findCreator(above) };
    });
  }

  #findCreator(path: string): Subject | undefined {
    const shape = readShape(path);
    return this.#subjects.find((subject) => this.locatesItems(subject) && readShape(subject.path) === shape);
  }
}

/** The sample of a subject. Throws `TypeError` if a function returns an invalid sample. */
async function makeSampleFor({ makeSample, sample, operationId }: Subject): Promise<Sample> {
  return makeSample === undefined ? sample : checkSample(await makeSample(), `options.samples.${operationId}()`);
}

interface PathStep extends Segment {
  /** The user's sample. */
  readonly own?: string | undefined;
  /** The create of the items that the parameter identifies. */
  readonly creating?: Subject | undefined;
}

const isCreating = ({ name, own, creating }: PathStep): boolean => name !== undefined && own === undefined && creating !== undefined;

function formatSampleQuery({ query = {} }: Sample): string {
  const pairs = Object.entries(query).flatMap(([name, value]) => [value].flat().map((each): [string, string] => [name, String(each)]));
  return pairs.length === 0 ? '' : `?${new URLSearchParams(pairs).toString()}`;
}

/** Makes the required headers that need no sample: `If-Match: *`, and a new idempotency key. */
function makeHeaders({ described: { parameters = [] } }: Subject): Readonly<Record<string, string>> {
  const needs = (header: string): boolean => {
    return parameters.some(({ in: where, name, required }) => where === 'header' && required === true && name.toLowerCase() === header);
  };
  return { ...(needs('if-match') && { 'if-match': '*' }), ...(needs(KEY_HEADER) && { [KEY_HEADER]: crypto.randomUUID() }) };
}

/** Whether two objects have the same value for each property that both have. */
function isSameItem(one: unknown, other: unknown): boolean {
  const [item, same] = [Object(one), Object(other)] as [Readonly<Record<string, unknown>>, Readonly<Record<string, unknown>>];
  return Object.keys(item).every((key) => !Object.hasOwn(same, key) || JSON.stringify(item[key]) === JSON.stringify(same[key]));
}

function readLocation({ headers: { location } }: ReceivedResponse): string | undefined {
  const base = 'http://localhost';
  return location !== undefined && URL.canParse(location, base) ? new URL(location, base).pathname : undefined;
}
