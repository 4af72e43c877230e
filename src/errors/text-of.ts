/** The text of what was thrown. It is no part of `api-error.ts`, of which all entries of the package share one copy. */
import { shownText } from './problem.ts';
import { disown } from './thenable.ts';

/** The text of any thrown value, which may be a promise. Never throws. */
export function textOf(thrown: unknown): string {
  disown(thrown);
  try {
    return shownText(thrown instanceof Error ? String(thrown.message) : String(thrown));
  } catch {
    return 'a failure that has no text';
  }
}
