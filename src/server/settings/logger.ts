/** The logger: it gets a line for each route and an `Error` for each failure. */
import { disown } from '../../errors/thrown.ts';

/** The two methods that the server calls. `console`, pino and winston have them. */
export interface Logger {
  /** Logs a route at its registration: `route: GET /v1/animal/:id`. */
  readonly info: (message: string) => unknown;
  /**
   * Logs a failure. Its `message` names the route and the failure, and the request if that has an `X-Request-Id`. Its `cause` is what
   * was thrown.
   */
  readonly error: (error: Error) => unknown;
}

/** Wraps a host's logger: when it throws or rejects, neither the request nor the server fails. */
export function safeLogger(logger: Logger): Logger {
  return {
    info: (message) => attempt(() => logger.info(message)),
    error: (error) => attempt(() => logger.error(error)),
  };
}

async function attempt(log: () => unknown): Promise<void> {
  try {
    await log();
  } catch (thrown) {
    // The logger failed, so the failure cannot be logged.
    disown(thrown);
  }
}
