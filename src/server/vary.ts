/**
 * `Vary: Origin`, for each response that depends on the origin of the page. Without it, a cache would send the response for one origin to
 * a different one.
 */
import type { ServerResponse } from 'node:http';

const NAMES_ORIGIN = /(?:^|[,\s])(?:origin|\*)(?:$|[,\s])/i;

/** Adds `Origin` to the `Vary` that an app has set before it passed the request on. */
export function addVary(response: ServerResponse): void {
  response.setHeader('Vary', withOrigin(response.getHeader('Vary') ?? []));
}

/** Keeps `Origin` in `Vary` while middleware or a mount has the response: many handlers set the header, and do not add to it. */
export function keepVary(response: ServerResponse): void {
  const { setHeader, removeHeader } = response;
  // `writeHead` calls these for the headers that it gets, and so does `setHeaders`.
  response.setHeader = function set(this: ServerResponse, name: string, value: number | string | readonly string[]): ServerResponse {
    return setHeader.call(this, name, isVary(name) && isLines(value) ? withOrigin(value) : value);
  } as ServerResponse['setHeader'];
  response.removeHeader = function remove(this: ServerResponse, name: string): void {
    removeHeader.call(this, name);
    if (isVary(name)) addVary(this);
  };
}

function isVary(name: unknown): boolean {
  return typeof name === 'string' && name.length === 4 && name.toLowerCase() === 'vary';
}

/** Node rejects any other value. */
function isLines(value: unknown): value is string | readonly string[] {
  return typeof value === 'string' || Array.isArray(value);
}

function withOrigin(value: number | string | readonly string[]): string | string[] {
  const lines = [value].flat().map(String);
  if (lines.some((line) => NAMES_ORIGIN.test(line))) return lines;
  return lines.length === 0 ? 'Origin' : [...lines, 'Origin'];
}
