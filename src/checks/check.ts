/** A check, and the tools that all of them use. */
import type { SubjectItems } from './items.ts';
import { makeFailure, type ReceivedResponse, type Requests } from './requests.ts';
import { findSubject, type Subject } from './subject.ts';

/** A check for a test runner: `test(name, run)`. */
export interface Check {
  /** The fact that is checked. The name of a check that is skipped begins with `skipped:`, and ends with what is missing. */
  readonly name: string;
  /** Rejects with an `Error` if the server does not keep what it declares. */
  readonly run: () => Promise<void>;
  /** Whether `run` does nothing, because a sample or credentials are missing. */
  readonly isSkipped: boolean;
}

export interface Tools {
  readonly subjects: readonly Subject[];
  readonly requests: Requests;
  readonly items: SubjectItems;
  readonly observations: Observations;
}

/** A check that runs unless something is missing. */
export function makeCheck(name: string, missing: string | undefined, run: () => Promise<void>): Check {
  if (missing === undefined) return { name, run, isSkipped: false };
  return { name: `skipped: ${name}: ${missing}`, run: async () => {}, isSkipped: true };
}

/** Why a subject cannot be called at a path of its own. `undefined` if it can. */
export function explainNotCalled({ items }: Tools, subject: Subject): string | undefined {
  return items.explainUncalled(subject) ?? items.explainUnreached(subject);
}

/** The response to each GET, by its path. */
export type ReadResponses = ReadonlyMap<string, string>;

/** Observes the state of a server: the responses to GET at a path, and at the paths above it. */
export class Observations {
  readonly #subjects: readonly Subject[];
  readonly #requests: Requests;
  readonly #items: SubjectItems;

  constructor(subjects: readonly Subject[], requests: Requests, items: SubjectItems) {
    this.#subjects = subjects;
    this.#requests = requests;
    this.#items = items;
  }

  /** The GET at the path of a subject, if its responses can be compared. */
  findGet(path: string): Subject | undefined {
    const get = findSubject(this.#subjects, 'GET', path);
    if (get === undefined || get.sample.varies === true || isEndless(get)) return undefined;
    return this.#items.explainUncalled(get) === undefined ? get : undefined;
  }

  /** The end of a check's name. Empty if no GET could show a change. */
  makeClaim(subject: Subject): string {
    return this.#listGets(subject).length === 0 ? '' : ', and changes nothing';
  }

  /** Asks each GET that can be compared. `path` is the path of the subject. */
  async observe(subject: Subject, path: string): Promise<ReadResponses> {
    const seen = new Map<string, string>();
    for (const get of this.#listGets(subject)) {
      const own = path.split('/').slice(0, get.path.split('/').length).join('/');
      const { status, body } = await this.#requests.call(get, own, await this.#items.makeParts(get));
      seen.set(`GET ${own}`, `${status} ${body.toString('base64')}`);
    }
    return seen;
  }

  /** Throws if one of the responses to GET has changed. */
  async expectUnchanged(before: ReadResponses, subject: Subject, path: string, response: ReceivedResponse): Promise<void> {
    const after = await this.observe(subject, path);
    const changed = [...before].find(([get, seen]) => after.get(get) !== seen);
    if (changed === undefined) return;
    throw makeFailure(response, `nothing changes, but ${changed[0]} has a different response than before`, subject);
  }

  #listGets({ path }: Subject): Subject[] {
    const segments = path.split('/');
    const above = segments.map((_, index) => segments.slice(0, segments.length - index).join('/'));
    return above.flatMap((each) => this.findGet(each) ?? []);
  }
}

function isEndless({ described: { responses } }: Subject): boolean {
  return Object.values(responses).some((response) => 'content' in response && Object.hasOwn(response.content ?? {}, 'text/event-stream'));
}
