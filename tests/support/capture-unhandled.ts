/** Failures that nobody handles. The test runner fails for each, so a test that expects them replaces its listeners. */

/** The unhandled rejections while `act` runs, and in the turn after it. */
export function captureUnhandled(act: () => unknown): Promise<unknown[]> {
  return captureEmitted('unhandledRejection', act);
}

/** The exceptions that nobody catches, in the same time. */
export function captureUncaught(act: () => unknown): Promise<unknown[]> {
  return captureEmitted('uncaughtException', act);
}

async function captureEmitted(event: 'unhandledRejection' | 'uncaughtException', act: () => unknown): Promise<unknown[]> {
  const emitted: unknown[] = [];
  const listeners = process.rawListeners(event) as ((...values: unknown[]) => void)[];
  process.removeAllListeners(event).on(event, (failure: unknown) => emitted.push(failure));
  try {
    await act();
    await new Promise((resolve) => setImmediate(resolve));
  } finally {
    process.removeAllListeners(event);
    for (const listener of listeners) process.on(event, listener);
  }
  return emitted;
}
