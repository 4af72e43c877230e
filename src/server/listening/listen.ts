/** Starts to listen. Every failure rejects the promise, however the engine reports it. */
import type { Server } from 'node:http';
import type { ListenOptions } from 'node:net';
import { catchInBind } from '../node-internals/servers.ts';

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
