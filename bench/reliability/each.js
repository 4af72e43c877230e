/** The contenders as the experiments use them: each with pets of its own that are kept, and its own process. */
import { CONTENDERS, withChildren } from '../contenders/contender.js';

/** Runs `use` with one contender after the other, and resolves to all results. */
export async function withEach(use, options) {
  const results = [];
  for (const name of CONTENDERS) results.push(await withOne(name, use, options));
  return results;
}

/** As `withEach`, all at once: for experiments that wait more than they work. */
export function withAll(use, options) {
  return Promise.all(CONTENDERS.map((name) => withOne(name, use, options)));
}

function withOne(name, use, options) {
  return withChildren(async ([contender]) => {
    contender.port = await contender.child.ask('open', { keeps: true, ...options });
    return use(contender);
  }, [name]);
}
