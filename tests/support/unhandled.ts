/** Unhandled rejections. The test runner fails for each, so a test that expects them replaces its listener. */

/** The unhandled rejections while `act` runs, and in the turn after it. */
export async function unhandledBy(act: () => unknown): Promise<unknown[]> {
  const unhandled: unknown[] = [];
  const listeners = process.listeners('unhandledRejection');
  process.removeAllListeners('unhandledRejection').on('unhandledRejection', (reason) => unhandled.push(reason));
  try {
    await act();
    await new Promise((resolve) => setImmediate(resolve));
  } finally {
    process.removeAllListeners('unhandledRejection');
    for (const listener of listeners) process.on('unhandledRejection', listener);
  }
  return unhandled;
}
