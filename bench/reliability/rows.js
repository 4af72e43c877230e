/** The rows of an experiment: a case, and its result with each contender. */
import { withContenders } from '../contenders/contenders.js';

/** Measures each case, `[what, ...values]`, with a new server of each contender; all at once for those that mostly wait. */
export function makeRows(cases, measure, { atOnce = false, ...options } = {}) {
  const each = atOnce ? (list, use) => Promise.all(list.map(use)) : inOrder;
  return withContenders(async (contenders) => {
    const columns = await each(contenders, ({ child }) => each(cases, async ([, ...values]) => {
      return measure({ child, port: await child.ask('open', options) }, ...values);
    }));
    return cases.map(([what], row) => [what, ...columns.map((column) => column[row])]);
  });
}

async function inOrder(list, use) {
  const results = [];
  for (const item of list) results.push(await use(item));
  return results;
}
