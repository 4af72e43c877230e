/** The contenders, each in a process of its own, as the parts of the bench use them. */
import { Child } from './child.js';
import { prove, proveSame } from './proof.js';

/** The first is measured beside the second, and so are all others. */
export const CONTENDERS = ['restpoint', 'by-hand', 'fastify', 'hono', 'polka', 'h3', 'koa', 'express'];
export const YARDSTICK = CONTENDERS.indexOf('by-hand');

const SERVE = new URL('serve.js', import.meta.url);

/** Opens all contenders, lets each prove that it answers as it should, runs `use` with them, and ends them. */
export async function withContenders(use) {
  const contenders = CONTENDERS.map((name) => new Child(SERVE, name));
  try {
    const opened = [];
    const answers = [];
    for (const [index, name] of CONTENDERS.entries()) {
      const child = contenders[index];
      const port = await child.ask('open');
      answers.push(await prove(name, port));
      opened.push({ name, port, child });
    }
    proveSame(answers[0], answers[YARDSTICK]);
    return await use(opened);
  } finally {
    for (const contender of contenders) await contender.end();
  }
}
