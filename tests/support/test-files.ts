/**
 * The properties of the compiled test files, by their imports and those of the support files:
 *
 *   starts processes   ->   imports `node:child_process`
 *   serves             ->   imports a module of Node that opens sockets, starts a server, or fetches
 *   computes           ->   none of these
 */
import { readFileSync } from 'node:fs';
import { dirname, resolve, sep } from 'node:path';

/** In the order in which the files run, so that a long one is never the last. */
export const WORKS = ['starts processes', 'serves', 'computes'] as const;

export type Work = (typeof WORKS)[number];

const SERVES = /^import (?:.* from )?'node:(?:net|tls|http|https|http2)';$|\bfetch\(|\.start\(/m;
const STARTS_PROCESSES = /^import (?:.* from )?'node:(?:child_process|cluster)';$/m;
const OWN_IMPORT = /^(?:import|export) .*'(\.\.?\/.+)';$/gm;
// The library's imports do not show how a test uses it.
const LIBRARY = `${sep}src${sep}`;

/** The properties and the imports of the file at this path. */
export function workOf(file: string, seen: Set<string> = new Set()): Work {
  const source = readFileSync(file, 'utf8');
  const imported = [...source.matchAll(OWN_IMPORT)].map(([, specifier = '']) => resolve(dirname(file), specifier));
  const works = new Set<Work>([STARTS_PROCESSES.test(source) ? 'starts processes' : SERVES.test(source) ? 'serves' : 'computes']);
  for (const other of imported) {
    if (seen.has(other) || other.includes(LIBRARY)) continue;
    seen.add(other);
    works.add(workOf(other, seen));
  }
  return WORKS.find((work) => works.has(work)) ?? 'computes';
}
