/** How long idle connections wait for one last request when a server stops: not an option of users. */
import type { ApiServerOptions } from '../../src/index.ts';

export function linger(lingerMs: number): ApiServerOptions {
  return { ' internal': { lingerMs } } as ApiServerOptions;
}
