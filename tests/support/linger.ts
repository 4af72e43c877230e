/** What users cannot choose: how long idle connections wait for one last request when a server stops, and how many bytes may be unsent. */
import type { ApiServerOptions } from '../../src/index.ts';

export function linger(lingerMs: number): ApiServerOptions {
  return { ' internal': { lingerMs } } as ApiServerOptions;
}

export function limitUnsent(unsentBytes: number): ApiServerOptions {
  return { ' internal': { unsentBytes } } as ApiServerOptions;
}
