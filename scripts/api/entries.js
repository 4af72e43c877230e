/** The entries of the package, as its `exports` have them. */
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

/** The folder of the package. */
export const ROOT = fileURLToPath(new URL('../../', import.meta.url));

/** What `package.json` says. */
export const MANIFEST = JSON.parse(readFileSync(`${ROOT}package.json`, 'utf8'));

/** For each entry, the name of its files, its path in imports (`.`, `./auth`), its types and its source, relative to `ROOT`. */
export const ENTRIES = Object.entries(MANIFEST.exports)
  .filter(([, target]) => target.types)
  .map(([path, { types }]) => ({
    name: path === '.' ? MANIFEST.name : path.slice('./'.length),
    path,
    types: types.slice('./'.length),
    source: types.replace('./dist/', 'src/').replace('.d.ts', '.ts'),
  }));
