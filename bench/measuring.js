/**
 * What the parts of the bench share: medians and quartiles, ratios taken round by round, and how a part shows its
 * table when it is run alone.
 */
import { realpathSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

/** The value that so much of the values lies below: `quantile(values, 0.5)` is the median. */
export function quantile(values, share) {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))];
}

export const median = (values) => quantile(values, 0.5);

/** Median and quartiles. */
export function spread(values) {
  return { median: median(values), lower: quantile(values, 0.25), upper: quantile(values, 0.75) };
}

/** How one series compares with another that was taken in the same rounds. */
export function ratioOf(values, others) {
  return spread(values.map((value, round) => value / others[round]));
}

export const showRatio = ({ median, lower, upper }) => `${median.toFixed(2)} (${lower.toFixed(2)} to ${upper.toFixed(2)})`;

/** Runs a part whose file was given to node, and prints its table in Markdown. */
export async function runIfMain(url, title, run) {
  if (process.argv[1] === undefined || realpathSync(process.argv[1]) !== fileURLToPath(url)) return;
  const { columns, rows, notes } = await run({ progress: (text) => console.error(text) });
  const line = (cells) => `| ${cells.join(' | ')} |`;
  console.log([`## ${title}`, '', line(columns), line(columns.map(() => '---')), ...rows.map(line), '', ...notes.map((note) => `- ${note}`)].join('\n'));
}
