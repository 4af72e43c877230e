/** The summary of one line of Node: the medians that most readers look for, with a column for each contender. */
import { BASELINE, CONTENDERS } from './contenders/contenders.js';

const MIB = 1024 ** 2;
const TIMED = ['Get', 'List, three query parameters', 'Create, 40 B', 'Create, 10 KB', 'Create, 1 MB', 'Update'];
const LOADS = ['Get, 64 connections', 'Create, 40 B, 64 connections'];

// What is shown, the part that measures it, and a function from the part's figures and a contender's name to the text.
const ROWS = [
  ...TIMED.map((operation) => [
    `${operation}: time beside ${BASELINE}`, 'in-process',
    (data, name) => (name === BASELINE ? '1' : data[operation][name].ratio[1].toFixed(2)),
  ]),
  ...LOADS.map((load) => [
    `${load}: requests per second over TCP`, 'tcp',
    (data, name) => data[load][name].perSecond.median.toLocaleString('en', { maximumFractionDigits: 0 }),
  ]),
  ['process start to first response', 'start', (data, name) => `${data[name].responseMs[1].toFixed(1)} ms`],
  ['RSS at rest', 'memory', ({ contenders }, name) => `${(contenders[name].rss / MIB).toFixed(1)} MiB`],
  ['RSS of an idle connection', 'memory', ({ contenders }, name) => `${(contenders[name].connectionRss / 1024).toFixed(2)} KiB`],
];

export function summaryTable({ node, parts }) {
  const { date, machine } = parts['in-process'];
  return {
    notes: `Node ${node}, the newest LTS release line that is measured; ${date}, ${machine}. Medians.`,
    columns: ['', ...CONTENDERS],
    rows: ROWS.map(([what, part, textOf]) => [what, ...CONTENDERS.map((name) => textOf(parts[part].data, name))]),
  };
}
