/** One run of a check: an item, requests to it, and what GET shows of it. */
import { KEY_HEADER, type SubjectItems } from './items.ts';
import type { ReceivedResponse } from './kept-document.ts';
import type { CheckedChecksOptions } from './options.ts';
import { makeFailure, type RequestParts, type Requests } from './requests.ts';
import { findCreate, findSubject, findUpdate, type Subject } from './subject.ts';

/** What all checks of a server have in common. */
export interface Tools {
  readonly subjects: readonly Subject[];
  readonly requests: Requests;
  readonly items: SubjectItems;
  readonly options: CheckedChecksOptions;
}

export class Probe {
  readonly tools: Tools;
  readonly subject: Subject;
  /** The path of the subject, with the id of an item. */
  readonly path: string;
  /** A sample for each operation. A second one could make an item, which GET would show as a change. */
  readonly #parts = new Map<Subject, RequestParts>();

  constructor(tools: Tools, subject: Subject, path: string, parts?: RequestParts) {
    this.tools = tools;
    this.subject = subject;
    this.path = path;
    if (parts !== undefined) this.#parts.set(subject, parts);
  }

  /** Makes an item for a subject. */
  static async begin(tools: Tools, subject: Subject): Promise<Probe> {
    const { path, parts } = await tools.items.make(subject);
    const probe = new Probe(tools, subject, path, parts);
    await probe.fill();
    return probe;
  }

  /** Adds an item to a list, and puts a singleton at its path. */
  async fill(): Promise<void> {
    const { tools: { items, subjects, requests }, subject, path } = this;
    const { kind: { readsItems }, endpoint: { isSingleton } } = subject.operation;
    const create = readsItems ? findCreate(subjects, subject.path) : undefined;
    const update = isSingleton ? findUpdate(subjects, subject) : undefined;
    for (const each of [create, update]) {
      if (each !== undefined && items.explainUncalled(each) === undefined) await requests.call(each, path, await items.makeParts(each));
    }
  }

  /** Returns the parts of a request of an operation: the same ones in each call. */
  async partsOf(subject: Subject = this.subject): Promise<RequestParts> {
    const parts = this.#parts.get(subject) ?? await this.tools.items.makeParts(subject);
    this.#parts.set(subject, parts);
    return parts;
  }

  /** Calls the operation, or a different one at this item. Throws if the response is not as the document says. */
  async call(changes: RequestParts = {}, subject: Subject = this.subject): Promise<ReceivedResponse> {
    const parts = await this.partsOf(subject);
    // With the key of an earlier request, the response would be the stored one.
    const key = Object.hasOwn(parts.headers ?? {}, KEY_HEADER) && { [KEY_HEADER]: crypto.randomUUID() };
    const headers = { ...parts.headers, ...key, ...changes.headers };
    return this.tools.requests.call(subject, this.#pathOf(subject), { ...parts, ...changes, headers });
  }

  /** As `call`. Throws too if the response is not a success. */
  async succeed(expected: string, changes: RequestParts = {}, subject: Subject = this.subject): Promise<ReceivedResponse> {
    const response = await this.call(changes, subject);
    return this.expect(response.status < 400, response, expected, subject);
  }

  /** Throws unless a response is right. */
  expect(isRight: boolean, response: ReceivedResponse, expected: string, subject: Subject = this.subject): ReceivedResponse {
    if (!isRight) throw makeFailure(response, expected, subject);
    return response;
  }

  /** Sends a request that must get a status, and change nothing. */
  async reject(status: number, changes: RequestParts): Promise<void> {
    await this.keep(async () => {
      const response = await this.call(changes);
      return this.expect(response.status === status, response, String(status));
    });
  }

  /** Throws if a GET has a different response after a request than before. */
  async keep(send: () => Promise<ReceivedResponse>): Promise<void> {
    const before = await this.observe();
    const response = await send();
    const after = await this.observe();
    for (const [at, seen] of before) {
      const now = after.get(at)!;
      // Of an error only the status is compared, since it may have an id or a time.
      const isSame = seen.status === now.status && (seen.status >= 400 || seen.body.equals(now.body));
      const difference = isSame ? '' : formatDifference(seen, now);
      this.expect(isSame, response, `nothing changes, but ${at} has a different response than before: ${difference}`);
    }
  }

  /** Returns the response to each GET that can be compared, by its path. */
  async observe(): Promise<ReadonlyMap<string, ReceivedResponse>> {
    const gets = listGets(this.tools, this.subject);
    // First of all, since a function that makes samples may make items.
    for (const get of gets) await this.partsOf(get);
    const seen = new Map<string, ReceivedResponse>();
    for (const get of gets) seen.set(`GET ${this.#pathOf(get)}`, await this.call({}, get));
    return seen;
  }

  /** The path of an operation at this item. */
  #pathOf({ path }: Subject): string {
    if (path === this.subject.path) return this.path;
    const own = this.path.split('/');
    return path.split('/').map((segment, at) => (segment.startsWith(':') ? own[at] : segment)).join('/');
  }
}

// As much of two responses as shows their difference.
const [BEFORE, SHOWN] = [40, 100];

function formatDifference(...responses: readonly [ReceivedResponse, ReceivedResponse]): string {
  const [one, other] = responses.map(({ status, body }) => `${status} ${body.toString()}`) as [string, string];
  let at = 0;
  while (at < one.length && one[at] === other[at]) at += 1;
  const begin = Math.max(at - BEFORE, 0);
  return [one, other].map((each) => `${begin === 0 ? '' : '…'}${each.slice(begin, begin + SHOWN)}`).join(', then ');
}

/** Finds the GET at a path, if its responses can be compared. */
export function findGet({ subjects, items }: Tools, path: string): Subject | undefined {
  const get = findSubject(subjects, 'GET', path);
  return get === undefined || get.sample.varies === true || isEndless(get) || items.explainUncalled(get) !== undefined ? undefined : get;
}

/** Finds the GET of the item that an operation is about. */
export function findItemGet(tools: Tools, subject: Subject): Subject | undefined {
  return findGet(tools, readItemPath(subject));
}

/** Lists the GETs that may show what an operation changes: at its path, above it, and below its item. */
export function listGets(tools: Tools, subject: Subject): Subject[] {
  const segments = subject.path.split('/');
  const above = segments.map((_, index) => segments.slice(0, segments.length - index).join('/'));
  const item = `${readItemPath(subject)}/`;
  const below = tools.subjects.map(({ path }) => path).filter((path) => path.startsWith(item) && !/[:*]/.test(path.slice(item.length)));
  return [...new Set([...above, ...below].flatMap((path) => findGet(tools, path) ?? []))];
}

/** Reads the path of the item, or of the items, without the name of an operation. */
function readItemPath({ path, operation: { kind, endpoint: { isSingleton } } }: Subject): string {
  return kind.isNamed && !isSingleton ? path.replace(/\/[^/]*$/, '') : path;
}

function isEndless({ described: { responses } }: Subject): boolean {
  return Object.values(responses).some((response) => 'content' in response && Object.hasOwn(response.content ?? {}, 'text/event-stream'));
}
