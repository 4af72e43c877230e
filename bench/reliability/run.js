/**
 * Measures what restpoint promises, and beside it what `node:http` by hand and Fastify do in the same place:
 *
 *   npm run reliability                   all experiments, as tables in Markdown
 *   npm run reliability -- drain heads    some of them
 */
import { cpus } from 'node:os';
import { CONTENDERS } from './contender.js';

const EXPERIMENTS = ['close', 'drain', 'too-long', 'too-slow', 'heads', 'bodies', 'slow-clients', 'parsing', 'cost'];
const MOST_MS = 600_000;

// Children end with this process, since their channel to it does.
setTimeout(() => {
  console.error(`not done after ${MOST_MS / 1000} s`);
  process.exit(1);
}, MOST_MS).unref();

const asked = process.argv.slice(2);
const unknown = asked.filter((name) => !EXPERIMENTS.includes(name));
if (unknown.length > 0) throw new Error(`no such experiment: ${unknown.join(', ')}; there are ${EXPERIMENTS.join(', ')}`);

console.log(`Node ${process.version}, ${process.arch}, ${cpus().length} cores, ${cpus()[0]?.model}.`);
for (const name of asked.length > 0 ? asked : EXPERIMENTS) {
  const { title, measure } = await import(`./experiments/${name}.js`);
  const rows = await measure();
  console.log(`\n| ${[title, ...CONTENDERS].join(' | ')} |\n|${'---|'.repeat(CONTENDERS.length + 1)}`);
  for (const [what, figures] of rows) console.log(`| ${[what, ...figures].join(' | ')} |`);
}
