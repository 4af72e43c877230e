/** A check, and the tools that all of them use. */
import type { Observations } from './observations.ts';
import type { Items } from './items.ts';
import type { Requests } from './requests.ts';
import type { Subject } from './subject.ts';

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
  readonly items: Items;
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
