/** What the server says to its host: one line for each route, one `Error` for each failure. */
import { disown } from '../../errors/thenable.ts';

/** The two levels that the server uses, as `console`, pino and winston have them. */
export interface Logger {
  /** Gets the routes as they are registered: `route: GET /v1/animal/:id`. */
  readonly info: (message: string) => unknown;
  /** Gets failures: `message` says where and what, `cause` is what was thrown. */
  readonly error: (error: Error) => unknown;
}

/** Wraps a host's logger, so that one that throws or rejects can not take a request, or the server, with it. */
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
    // There is nowhere left to say it.
    disown(thrown);
  }
}
