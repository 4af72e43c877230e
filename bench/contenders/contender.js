/** The contenders, each in a process of its own. */
import { published } from '../library.js';
import { Child } from './child.js';
import { prove, proveSame } from './proof.js';

export const CONTENDERS = ['restpoint', 'hand-written', 'fastify', 'hono', 'polka'];
/** What the others are compared with. */
export const BASELINE = 'hand-written';

/** The arguments of a process that serves one contender. */
export const argumentsOf = (name) => [name, published().href];

/** Runs `use` with each contender's process of commands, and ends them. */
export async function withChildren(use, names = CONTENDERS, execArgv = []) {
  const children = names.map((name) => ({ name, child: new Child(new URL('serve.js', import.meta.url), argumentsOf(name), execArgv) }));
  try {
    return await use(children);
  } finally {
    for (const { child } of children) await child.end();
  }
}

/** Opens all contenders, lets each prove its answers, and runs `use` with them. */
export function withContenders(use) {
  return withChildren(async (children) => {
    for (const contender of children) {
      contender.port = await contender.child.ask('open');
      contender.answers = await prove(contender.name, contender.port);
    }
    const [ours, theirs] = children;
    proveSame(ours.answers, theirs.answers);
    return use(children);
  });
}

/** Calls `use` with each contender in turn, `rounds` times. The order moves on by one in each round. */
export async function inTurn(contenders, rounds, use) {
  for (let round = 0; round < rounds; round += 1) {
    for (let turn = 0; turn < contenders.length; turn += 1) await use(contenders[(turn + round) % contenders.length], round);
  }
}
