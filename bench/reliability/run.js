/**
 * Measures the guarantees of restpoint, and the behaviour of the other contenders in the same situation:
 *
 *   npm run reliability                   all experiments, as tables in Markdown
 *   npm run reliability -- drain heads    some of them
 */
import { CONTENDERS } from '../contenders/contenders.js';
import { MACHINE } from '../results.js';
import { formatMarkdown } from '../tables.js';

const EXPERIMENTS = ['close', 'drain', 'too-long', 'too-slow', 'heads', 'bodies', 'slow-clients', 'parsing'];

const asked = process.argv.slice(2);
console.log(`Node ${process.version}, ${MACHINE}.`);
for (const name of asked.length > 0 ? asked : EXPERIMENTS) {
  const { title, rows } = await import(`./experiments/${name}.js`);
  console.log(formatMarkdown({ notes: '', columns: [title, ...CONTENDERS], rows: await rows() }));
}
