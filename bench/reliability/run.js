/**
 * Measures what restpoint promises, and what the other contenders do in the same situation:
 *
 *   npm run reliability                   all experiments, as tables in Markdown
 *   npm run reliability -- drain heads    some of them
 */
import { cpus } from 'node:os';
import { CONTENDERS } from '../contenders/contender.js';

const EXPERIMENTS = ['close', 'drain', 'too-long', 'too-slow', 'heads', 'bodies', 'slow-clients', 'parsing'];

const asked = process.argv.slice(2);
const unknown = asked.filter((name) => !EXPERIMENTS.includes(name));
if (unknown.length > 0) throw new Error(`no such experiment: ${unknown.join(', ')}; there are ${EXPERIMENTS.join(', ')}`);

console.log(`Node ${process.version}, ${cpus().length} cores of ${cpus()[0]?.model}.`);
for (const name of asked.length > 0 ? asked : EXPERIMENTS) {
  const { title, measure } = await import(`./experiments/${name}.js`);
  const rows = await measure();
  console.log(`\n| ${[title, ...CONTENDERS].join(' | ')} |\n|${'---|'.repeat(CONTENDERS.length + 1)}`);
  for (const [what, figures] of rows) console.log(`| ${[what, ...figures].join(' | ')} |`);
}
