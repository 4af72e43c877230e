/** The contenders, each in a separate process, and how they take turns. */
import { existsSync } from 'node:fs';
import { startChild } from './child.js';
import { prove, proveSame } from './proof.js';

export const CONTENDERS = ['restpoint', 'hand-written', 'fastify', 'hono', 'polka'];
/** The contender that the others are compared with. */
export const BASELINE = 'hand-written';
/** The commit before, if `build-before.js` has built it. Its figures are printed, and not kept. */
export const BEFORE = 'before';
const MEASURED = existsSync(new URL('../before/dist/index.js', import.meta.url)) ? [BEFORE, ...CONTENDERS] : CONTENDERS;

/** An object with a value for each contender. */
export const byName = (valueOf) => Object.fromEntries(MEASURED.map((name) => [name, valueOf(name)]));

/** Starts a process for each name, runs `use` with them, and ends them. If `use` fails, they end with this process. */
export async function withContenders(use, names = MEASURED, execArgv = []) {
  const contenders = names.map((name) => ({ name, child: startChild(new URL('serve.js', import.meta.url), [name], execArgv) }));
  const result = await use(contenders);
  await Promise.all(contenders.map(({ child }) => child.end()));
  return result;
}

/** Opens all contenders, lets each prove its responses, and runs `use` with them. */
export function withProven(use) {
  return withContenders(async (contenders) => {
    for (const contender of contenders) {
      contender.port = await contender.child.ask('open');
      contender.responses = await prove(contender.name, contender.port);
    }
    const [own, baseline] = ['restpoint', BASELINE].map((wanted) => contenders.find(({ name }) => name === wanted));
    proveSame(own.responses, baseline.responses);
    return use(contenders);
  });
}

/** Measures all contenders in each round, beginning with another one each time. Resolves to the figures of each, by name. */
export async function takeTurns({ contenders = MEASURED.map((name) => ({ name })), warmUp = 0, rounds }, measure) {
  const figures = byName(() => []);
  for (let round = 0; round < warmUp + rounds; round += 1) {
    for (let turn = 0; turn < contenders.length; turn += 1) {
      const contender = contenders[(turn + round) % contenders.length];
      const measured = await measure(contender);
      if (round >= warmUp) figures[contender.name].push(measured);
    }
  }
  return figures;
}
