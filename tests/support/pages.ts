/** The pages of docs. `options.md` is made for the package and the site: `tests/options.long.test.ts` reads it. */
import { readdirSync } from 'node:fs';

export const PAGES: readonly string[] = readdirSync('docs').filter((name) => name !== 'options.md');
