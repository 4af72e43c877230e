/** What can be seen of a server's state from a path: the answers to GET there, and at the paths above it. */
import type { Places } from './places.ts';
import { type Answer, failure, type Requests } from './requests.ts';
import { type Subject, subjectAt } from './subject.ts';

/** By the path of each GET, its answer. */
export type Observation = ReadonlyMap<string, string>;

export class Observations {
  readonly #subjects: readonly Subject[];
  readonly #requests: Requests;
  readonly #places: Places;

  constructor(subjects: readonly Subject[], requests: Requests, places: Places) {
    this.#subjects = subjects;
    this.#requests = requests;
    this.#places = places;
  }

  /** The GET at the path of a subject, if its answers can be compared. */
  getAt(path: string): Subject | undefined {
    const get = subjectAt(this.#subjects, 'GET', path);
    return get !== undefined && get.sample.varies !== true && !isEndless(get) && this.#places.whyUncalled(get) === undefined ? get : undefined;
  }

  /** The end of a check's name. Empty if no GET could show a change. */
  claimOf(subject: Subject): string {
    return this.#getsFrom(subject).length === 0 ? '' : ', and changes nothing';
  }

  /** Asks each GET that can be compared. `path` is that of the subject. */
  async observe(subject: Subject, path: string): Promise<Observation> {
    const seen = new Map<string, string>();
    for (const get of this.#getsFrom(subject)) {
      const own = path.split('/').slice(0, get.path.split('/').length).join('/');
      const { status, body } = await this.#requests.call(get, own, await this.#places.partsOf(get));
      seen.set(`GET ${own}`, `${status} ${body.toString('base64')}`);
    }
    return seen;
  }

  /** Throws if something is not as it was before an answer. */
  async expectUnchanged(before: Observation, subject: Subject, path: string, answer: Answer): Promise<void> {
    const after = await this.observe(subject, path);
    const changed = [...before].find(([get, seen]) => after.get(get) !== seen);
    if (changed !== undefined) throw failure(answer, `nothing changes, but ${changed[0]} has another answer than before`, subject);
  }

  #getsFrom({ path }: Subject): Subject[] {
    const segments = path.split('/');
    const above = segments.map((_, index) => segments.slice(0, segments.length - index).join('/'));
    return above.flatMap((each) => this.getAt(each) ?? []);
  }
}

function isEndless({ described: { responses } }: Subject): boolean {
  return Object.values(responses).some((response) => 'content' in response && Object.hasOwn(response.content ?? {}, 'text/event-stream'));
}
