/** Lists of the names of headers, as options have them. */
import { checkStrings } from '../util/options.ts';
import { TOKEN } from './headers.ts';

/** Throws `TypeError` for a value that is not a list of names. `*` is not one: browsers and caches give it a meaning of its own. */
export function checkHeaderNames(value: unknown, path: string): readonly string[] {
  const names = checkStrings(value, path);
  const wrong = names.find((name) => name === '*' || !TOKEN.test(name));
  if (wrong === undefined) return names;
  throw new TypeError(`${path} must be names of headers, such as X-Request-Id: ${JSON.stringify(wrong)}`);
}
