/** The modules of the library that are measured by themselves. Everything else measures the published package. */
import { Rejection } from '../build/modules/errors/problem.js';
import { parseJsonBody } from '../build/modules/http/json.js';
export { parsePattern, skipSegment } from '../build/modules/router/pattern.js';
export { Router } from '../build/modules/router/router.js';

/** Reads JSON as the server does; `undefined` where the server would reject it. */
export function readJsonAsServer(bytes) {
  const value = parseJsonBody(bytes);
  return value instanceof Rejection ? undefined : value;
}
