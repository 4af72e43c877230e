/** Promises that reject and have no listener. The runner of the tests fails for each, so a test that looks for them takes its place. */

/** What was rejected without a listener while `act` ran, and in the turn behind it. */
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
