/**
 * Checks as data. A row is a fact that follows from a declaration: the rules of docs/http.md that it is about, where it applies, what it
 * needs from the samples, and how it is verified.
 */
import { fillTemplate } from '../router/pattern.ts';
import { listGets, Probe, type Tools } from './probe.ts';
import { findUpdate, type Subject } from './subject.ts';

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
  /** Where it applies: once for each value. */
  readonly find: (subject: Subject, tools: Tools) => readonly Found[];
  /** The fact. */
  readonly what: (subject: Subject, found: Found) => string;
  /** Whether its requests change nothing. Its name says so, if a GET can show it. */
  readonly keeps?: (found: Found) => boolean;
  /** What it needs, if not that the subject is called. With an empty list, no item is made. */
  readonly needs?: readonly Need<Found>[];
  readonly verify: (probe: Probe, found: Found) => void | Promise<void>;
}

/** A row of any table. Makes its checks for a subject. */
export type AnyRow = (subject: Subject, tools: Tools) => Check[];

export function row<Found>({ rules: ids, find, what, keeps = () => false, needs = [called], verify }: CheckRow<Found>): AnyRow {
  const rules = ids.split(' ');
  return (subject, tools) => find(subject, tools).map((found): Check => {
    const name = `${what(subject, found)}${keeps(found) && listGets(tools, subject).length > 0 ? ', and changes nothing' : ''}`;
    const missing = needs.map((need) => need(subject, tools, found)).find((why) => why !== undefined);
    if (missing !== undefined) return { name: `skipped: ${name}: ${missing}`, rules, run: async () => {}, isSkipped: true };
    const begin = async (): Promise<Probe> => {
      return needs.length === 0 ? new Probe(tools, subject, fillTemplate(subject.path, () => '1')) : Probe.begin(tools, subject);
    };
    return { name, rules, run: async () => verify(await begin(), found), isSkipped: false };
  });
}

/** Where a row applies that needs to find nothing more. */
export function only(applies: boolean): readonly true[] {
  return applies ? [true] : [];
}

/** Where a row applies that is about one more thing. */
export function present<Found>(found: Found | undefined): readonly Found[] {
  return found === undefined ? [] : [found];
}

/** Its path can be reached. */
export const reached: Need = (subject, { items }) => items.explainUnreached(subject);

/** The checks may call it, even without a valid body. */
export const allowed: Need = ({ isCallable, operationId }) => (isCallable ? undefined : `samples.${operationId} is false`);

/** There are credentials of the caller who may do everything. */
export const signedIn: Need = (subject, { requests }) => {
  return requests.hasCredentials(subject) ? undefined : `options.headers have no ${subject.credentials.join(' and no ')}`;
};

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
export const steady: Need = ({ operationId, sample: { varies } }) => (varies === true ? `samples.${operationId}.varies is true` : undefined);

/** What the row has found can be called, too. */
export const foundCalled: Need<Subject> = (_, { items }, found) => items.explainUncalled(found);
