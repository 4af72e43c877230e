/** Observes the state of a server: the responses to GET at a path, and at the paths above it. */
import type { Items } from './items.ts';
import { type ReceivedResponse, makeFailure, type Requests } from './requests.ts';
import { type Subject, findSubject } from './subject.ts';

/** The response to each GET, by its path. */
export type Observation = ReadonlyMap<string, string>;

export class Observations {
  readonly #subjects: readonly Subject[];
  readonly #requests: Requests;
  readonly #items: Items;

  constructor(subjects: readonly Subject[], requests: Requests, items: Items) {
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
  async observe(subject: Subject, path: string): Promise<Observation> {
    const seen = new Map<string, string>();
    for (const get of this.#listGets(subject)) {
      const own = path.split('/').slice(0, get.path.split('/').length).join('/');
      const { status, body } = await this.#requests.call(get, own, await this.#items.makeParts(get));
      seen.set(`GET ${own}`, `${status} ${body.toString('base64')}`);
    }
    return seen;
  }

  /** Throws if one of the responses to GET has changed. */
  async expectUnchanged(before: Observation, subject: Subject, path: string, response: ReceivedResponse): Promise<void> {
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
