/** Listening, where every way to fail is a rejection. */
import type { Server } from 'node:http';
import type { ListenOptions } from 'node:net';

/** Listens. Rejects with the engine's error when that fails. */
export function listen(server: Server, options: ListenOptions): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    catchInBind(server, reject);
    server.listen(options, () => {
      server.off('error', reject);
      resolve();
    });
  });
}

/**
 * Node, and Deno with it, binds by this method when the host is looked up, in a turn of its own: what it throws there would be uncaught
 * and end the process. Node 26 throws for want of `--allow-net`, and Deno does.
 */
function catchInBind(server: Server, fail: (error: unknown) => void): void {
  const bind = Reflect.get(server, '_listen2');
  Reflect.set(server, '_listen2', (...values: unknown[]) => {
    try {
      Reflect.apply(bind, server, values);
    } catch (error) {
      fail(error);
    }
  });
}
