/** Starts to listen. Every failure rejects the promise. */
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
 * Node and Deno call this method after the DNS lookup, in a callback: what it throws there would end the process. Deno and
 * Node 26 throw without the permission `--allow-net`.
 */
function catchInBind(server: Server, onError: (error: unknown) => void): void {
  const bind = Reflect.get(server, '_listen2');
  Reflect.set(server, '_listen2', (...values: unknown[]) => {
    try {
      Reflect.apply(bind, server, values);
    } catch (error) {
      onError(error);
    }
  });
}
