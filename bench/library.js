/** The one place of the bench that knows where the library is. Whoever moves it changes this file alone. */
import { fileURLToPath } from 'node:url';
import { parseJson } from '../build/modules/http/json.js';
import { DecodeFailure } from '../build/modules/errors/decode-failure.js';
export { parsePattern } from '../build/modules/router/pattern.js';
export { Router } from '../build/modules/router/router.js';

/** The module that has the types beside it. */
export const TYPED_MODULE = fileURLToPath(new URL('../dist/index.js', import.meta.url));

/** The URL of the file that a user of the published package imports: what all contenders, start and size measure. */
export function published() {
  return new URL('../dist/index.js', import.meta.url);
}

/** Reads JSON as the server does; `undefined` where the server would refuse it. */
export function readJsonAsServer(bytes) {
  const value = parseJson(bytes);
  return value instanceof DecodeFailure ? undefined : value;
}
