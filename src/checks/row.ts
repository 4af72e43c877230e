/**
 * Checks as data. A row is a fact that follows from a declaration: the rules of docs/http.md that it is about, where it applies, what it
 * needs from the samples, and how it is verified. A probe is one run of a check: an item, requests to it, and what GET shows of it.
 */
import { KEY_HEADER, type SubjectItems } from './items.ts';
import type { ReceivedResponse } from './kept-document.ts';
import type { CheckedChecksOptions } from './checks-options.ts';
import { makeFailure, type RequestParts, type Requests } from './requests.ts';
import { findCreate, findSubject, findUpdate, type Subject } from './subject.ts';

/** A check for a test runner: `test(name, run)`. */
export interface Check {
  /** The fact that is checked. The name of a check that is skipped begins with `skipped:`, and ends with what is missing. */
  readonly name: string;
  /** The rules of `docs/http.md` that the fact follows from, such as `['V4', 'V13']`. */
  readonly rules: readonly string[];
  /** Rejects with an `Error` if the server does not keep what it declares. */
  readonly run: () => Promise<void>;
  /** Whether `run` does nothing, because a sample or credentials are missing. */
  readonly isSkipped: boolean;
}

/** Says what is missing for a check of a subject. `undefined` if nothing is. */
export type Need<Found = unknown> = (subject: Subject, tools: Tools, found: Found) => string | undefined;

/** A fact that follows from a declaration. `Found` is what it applies to, beside the subject: a GET, a body, an order. */
export interface CheckRow<Found> {
  /** The ids of the rules, with spaces between them. */
  readonly rules: string;
  /** Where it applies: once, once for each value, or not at all. */
  readonly find: (subject: Subject, tools: Tools) => Found | readonly Found[] | false | undefined;
  /** The fact. */
  readonly what: (subject: Subject, found: Found) => string;
  /** Whether its requests change nothing. Its name says so, if a GET can show it. */
  readonly keeps?: (found: Found) => boolean;
  /** What it needs, if not that the subject is called. */
  readonly needs?: readonly Need<Found>[];
  readonly verify: (probe: Probe, found: Found) => void | Promise<void>;
}

/** A row of any table. Makes its checks for a subject. */
export type AnyRow = (subject: Subject, tools: Tools) => Check[];

export function row<Found>({ rules: ids, find, what, keeps = () => false, needs = [called], verify }: CheckRow<Found>): AnyRow {
  const rules = ids.split(' ');
  return (subject, tools) => [find(subject, tools) || []].flat().map((each): Check => {
    const found = each as Found;
    const name = `${what(subject, found)}${keeps(found) && listGets(tools, subject).length > 0 ? ', and changes nothing' : ''}`;
    const missing = needs.map((need) => need(subject, tools, found)).find((why) => why !== undefined);
    if (missing !== undefined) return { name: `skipped: ${name}: ${missing}`, rules, run: async () => {}, isSkipped: true };
    return { name, rules, run: async () => verify(await Probe.begin(tools, subject), found), isSkipped: false };
  });
}

/** Its path can be reached. */
export const reached: Need = (subject, { items }) => items.explainUnreached(subject);

/** It can be called at a path of its own. The checks delete only items that they have made, and change all items only by a sample. */
export const called: Need = (subject, tools) => {
  const { operation: { kind, endpoint: { isSingleton } }, isSampled, operationId } = subject;
  const { items, subjects } = tools;
  const uncalled = items.explainUncalled(subject) ?? items.explainUnreached(subject);
  if (uncalled !== undefined || isSampled || !(kind.removes || kind.conditions === 'items')) return uncalled;
  if (!isSingleton) return items.isCreated(subject) ? undefined : `no create that makes an item to delete, and no samples.${operationId}`;
  const update = findUpdate(subjects, subject);
  const why = update === undefined ? 'no update that puts something there' : items.explainUncalled(update);
  return why === undefined ? undefined : `${why}, and no samples.${operationId}`;
};

/** Two of its responses are the same. */
export const steady: Need = ({ operationId, sample: { varies } }) => {
  return varies === true ? `samples.${operationId}.varies is true` : undefined;
};

/** What the row has found can be called, too. */
export const foundCalled: Need<Subject> = (_, { items }, found) => items.explainUncalled(found);

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
    const { tools: { items, subjects }, subject } = this;
    const { kind: { readsItems }, endpoint: { isSingleton } } = subject.operation;
    const create = readsItems ? findCreate(subjects, subject.path) : undefined;
    const update = isSingleton ? findUpdate(subjects, subject) : undefined;
    for (const each of [create, update]) if (each !== undefined && items.explainUncalled(each) === undefined) await this.write(each);
  }

  /** Calls a create or an update at this path, with a new sample. */
  async write(writer: Subject): Promise<ReceivedResponse> {
    const { items, requests } = this.tools;
    return requests.call(writer, this.#pathOf(writer), await items.makeParts(writer));
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
  async reject(status: number, changes: RequestParts, expected: string = String(status)): Promise<void> {
    await this.keep(async () => {
      const response = await this.call(changes);
      return this.expect(response.status === status, response, expected);
    });
  }

  /** Sends a request that must change nothing. */
  async keep(send: () => Promise<ReceivedResponse>): Promise<void> {
    const before = await this.observe();
    await this.expectSame(before, await send());
  }

  /** Throws if a GET has a different response than before. */
  async expectSame(before: ReadonlyMap<Subject, ReceivedResponse>, response: ReceivedResponse): Promise<void> {
    const after = await this.observe();
    for (const [get, seen] of before) {
      const again = after.get(get)!;
      // Of an error only the status is compared, since it may have an id or a time.
      const isSame = seen.status === again.status && (seen.status >= 400 || seen.body.equals(again.body));
      const difference = isSame ? '' : formatDifference(seen, again);
      this.expect(isSame, response, `nothing changes, but GET ${seen.path} has a different response than before: ${difference}`);
    }
  }

  /** Returns the response to each GET that can be compared. */
  async observe(isObserved = (_: Subject): boolean => true): Promise<ReadonlyMap<Subject, ReceivedResponse>> {
    const gets = listGets(this.tools, this.subject).filter(isObserved);
    // First of all, since a function that makes samples may make items.
    for (const get of gets) await this.partsOf(get);
    const seen = new Map<Subject, ReceivedResponse>();
    for (const get of gets) seen.set(get, await this.call({}, get));
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
export function readItemPath({ path, operation: { kind } }: Subject): string {
  return kind.isNamed ? path.replace(/\/[^/]*$/, '') : path;
}

function isEndless({ described: { responses } }: Subject): boolean {
  return Object.values(responses).some((response) => 'content' in response && Object.hasOwn(response.content ?? {}, 'text/event-stream'));
}
