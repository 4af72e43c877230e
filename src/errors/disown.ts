/**
 * A promise that nobody will wait for: a host's function gave it where a value was needed. What it rejects with has no
 * other listener, and would end the process.
 */

/** Catches what a promise rejects with. Any other value is left alone. */
export function disown(value: unknown): void {
  try {
    Promise.resolve(value).catch(() => {});
  } catch {
    // A promise may have a `constructor` or a `catch` that throws.
  }
}
