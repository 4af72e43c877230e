/**
 * What the library wants to reach, and what was measured of it: a row for each goal, a column for each line of Node, drawn
 * from the newest results. Where a figure is the worst of several, it says of which.
 */
import { newest } from './results.js';

const KIB = 1024;

// `measure` gets a part's data, and gives the worst of its figures with what it is of; what is over `most` is missed.
const BARS = [
  { what: 'time of a request with a small body or none, beside by hand', most: 1, part: 'in-process', measure: (data) => worst(operations(data, isSmall).map(besideByHand)) },
  { what: 'time of a request with 10 KB and with 1 MB, beside by hand', most: 1.03, part: 'in-process', measure: (data) => worst(operations(data, (name) => !isSmall(name)).map(besideByHand)) },
  { what: 'time of a request, beside the fastest peer', most: 1, part: 'in-process', measure: (data) => worst(operations(data, () => true).map(besideFastestPeer)) },
  { what: 'CPU of a request over TCP, beside by hand', most: 1.02, part: 'tcp', measure: (data) => worst(loads(data, 'cpu')) },
  { what: 'p99 latency over TCP, 64 connections, beside by hand', most: 1.05, part: 'tcp', measure: (data) => worst(loads(data, 'p99').filter(({ of }) => of.includes(' 64 ') && !of.includes('pipelined'))) },
  { what: 'a match with a parameter, beside the fastest router', most: 0.75, part: 'router', measure: (data) => worst(matches(data).filter(({ size }) => size >= 10)) },
  { what: 'a match among 10,000 endpoints, beside one among 10; ten asked for', most: 1.5, part: 'router', measure: (data) => worst(growth(data, 'ten')) },
  { what: 'the same; all 10,000 asked for in turn', most: 1.5, part: 'router', measure: (data) => worst(growth(data, 'all')) },
  { what: 'start to first answer, over bare node:http', most: 5, part: 'start', measure: ({ restpoint }) => ({ value: restpoint.overBareMs.median }), unit: 'ms' },
  { what: 'RSS of an idle connection, beside bare node:http', most: 1.05, part: 'memory', measure: ({ connectionRatio }) => ({ value: connectionRatio.rss }) },
  { what: 'heap for an endpoint with all five operations', most: 4, part: 'memory', measure: ({ endpointHeap }) => ({ value: endpointHeap / KIB }), unit: 'KiB' },
  { what: 'minified and gzipped', most: 8, part: 'size', measure: ({ sizes }) => ({ value: named(sizes, 'restpoint').gzipped / KIB }), unit: 'KiB' },
  { what: 'type instantiations for 200 endpoints, beside Hono', most: 1, part: 'size', measure: ({ types }) => ({ value: instantiations(types, 'restpoint') / instantiations(types, 'hono') }) },
];

/** The goals and what was reached, as a table; a figure that misses its bar is bold. */
export function barsTable() {
  const lines = Object.fromEntries(BARS.map(({ part }) => [part, newest(part)]));
  const nodes = [...new Set(Object.values(lines).flat().map(({ node }) => node))].sort((a, b) => Number(/\d+/.exec(a)) - Number(/\d+/.exec(b)));
  const rows = BARS.map(({ what, most, part, measure, unit = '' }) => {
    const cells = nodes.map((node) => {
      const line = lines[part].find((each) => each.node === node);
      return line === undefined ? '' : cellOf(measure(line.result.data), most, unit);
    });
    return [what, `≤ ${most} ${unit}`.trim(), ...cells];
  });
  return { columns: ['', 'bar', ...nodes.map((node) => `Node ${node.slice(1)}`)], rows };
}

function cellOf({ value, of }, most, unit) {
  const digits = unit === '' ? 2 : 1;
  const figure = `${value.toFixed(digits)} ${unit}`.trim();
  // What is shown as the bar itself has reached it.
  const isMissed = Number(value.toFixed(digits)) > most;
  return `${isMissed ? `**${figure}**` : figure}${of === undefined ? '' : ` (${of})`}`;
}

function worst(figures) {
  return figures.reduce((most, each) => (each.value > most.value ? each : most));
}

function named(list, wanted) {
  return list.find(({ name }) => name === wanted);
}

function isSmall(operation) {
  return !/[KM]B/.test(operation);
}

function operations({ results }, isWanted) {
  return results.filter(({ operation }) => isWanted(operation));
}

function besideByHand({ operation, contenders }) {
  return { value: named(contenders, 'restpoint').ratio.median, of: operation };
}

/** Both were set beside the one by hand in the same rounds, so that their ratios can be set beside each other. */
function besideFastestPeer({ operation, contenders }) {
  const peers = contenders.filter(({ name }) => name !== 'restpoint' && name !== 'by-hand');
  const ratios = peers.map(({ name, ratio }) => ({ value: named(contenders, 'restpoint').ratio.median / ratio.median, of: `${operation}, ${name}` }));
  return worst(ratios);
}

function loads({ results }, key) {
  return results.map(({ name, figures }) => ({ value: named(figures, 'restpoint')[key].ratio.median, of: name }));
}

function matches({ series }) {
  const wanted = series.filter(({ match }) => match === 'parameter');
  return wanted.map(({ names, access, size, besideFastest }) => {
    return { value: besideFastest.median, size, of: `${names}, ${access} of ${size.toLocaleString('en')}` };
  });
}

function growth({ series }, wanted) {
  const most = series.filter(({ match, access, size }) => match === 'parameter' && access === wanted && size === 10_000);
  return most.map(({ names, besideTen }) => ({ value: besideTen.median, of: names }));
}

function instantiations(types, name) {
  return named(types, name).counts[200].instantiations;
}
