/** Listening, where every way to fail is a rejection. */
import type { Server } from 'node:http';
import type { ListenOptions } from 'node:net';
import { catchInBind } from './connection/node-internals.ts';

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
