/** The goals, and the worst figure of each kind for each line of Node. A figure that misses its goal is bold. */
import { BASELINE } from './contenders/contender.js';

const KIB = 1024;
const PEERS = ['fastify', 'hono', 'polka'];
const isSmall = (operation) => !/[KM]B/.test(operation);

// `measure` takes a part's figures and returns [value, what it is of]. `most` may depend on the line of Node.
const BARS = [
  { what: `time of a request with a body under 1 KB or none, beside ${BASELINE}`, most: (major) => (major < 24 ? 1 : 1.03), part: 'in-process', measure: (data) => worst(besideBaseline(data).filter(([, of]) => isSmall(of))) },
  { what: `time of a request with 10 KB or 1 MB, beside ${BASELINE}`, most: () => 1.03, part: 'in-process', measure: (data) => worst(besideBaseline(data).filter(([, of]) => !isSmall(of))) },
  { what: 'time of a request, beside the fastest of Fastify, Hono and Polka', most: () => 1, part: 'in-process', measure: (data) => worst(besideFastestPeer(data)) },
  { what: `CPU of a request over TCP, beside ${BASELINE}`, most: () => 1.02, part: 'tcp', measure: (data) => worst(loads(data, 'cpu')) },
  { what: `p99 latency over TCP, 64 connections, beside ${BASELINE}`, most: () => 1.05, part: 'tcp', measure: (data) => worst(loads(data, 'p99').filter(([, of]) => of.endsWith(' 64 connections'))) },
  { what: 'a match with a parameter, beside the fastest other router', most: () => 0.75, part: 'router', measure: (data) => worst(matches(data).map(({ besideFastest, ...of }) => [besideFastest[1], nameOf(of)])) },
  { what: 'a match among 10,000 endpoints, beside one among 10; the same ten asked for', most: () => 1.5, part: 'router', measure: (data) => worst(growth(data, 'ten')) },
  { what: 'the same; all 10,000 asked for', most: () => 1.5, part: 'router', measure: (data) => worst(growth(data, 'all')) },
  { what: `start to first answer, more than ${BASELINE}`, most: (major) => (major < 24 ? 7 : 0), unit: ' ms', part: 'start', measure: ({ restpoint }) => [restpoint.overBaselineMs[1]] },
  { what: `RSS of an idle connection, beside ${BASELINE}`, most: () => 1.05, part: 'memory', measure: ({ contenders }) => [contenders.restpoint.connectionRss / contenders[BASELINE].connectionRss] },
  { what: 'heap of an endpoint with all five operations', most: () => 4, unit: ' KiB', part: 'memory', measure: ({ endpointHeap }) => [endpointHeap / KIB] },
  { what: 'minified and gzipped', most: () => 8, unit: ' KiB', part: 'size', measure: ({ restpoint }) => [restpoint.gzipped / KIB] },
  { what: 'type instantiations for 200 endpoints, beside Hono', most: () => 1, part: 'size', measure: ({ restpoint, hono }) => [restpoint.instantiations / hono.instantiations] },
];

export function barsTable(results) {
  return {
    notes: 'The worst figure of each kind, and in brackets what it belongs to. Bold figures miss their goal.',
    columns: ['', 'goal', ...results.map(({ node }) => `Node ${node}`)],
    rows: BARS.map(({ what, most, unit = '', part, measure }) => {
      const goals = [...new Set([most(20), most(26)])].map((goal) => `≤ ${goal}${unit}`);
      const cells = results.map(({ node, parts }) => (parts[part] === undefined ? '' : cellOf(measure(parts[part].data), most(Number.parseInt(node, 10)), unit)));
      return [what, goals.length === 1 ? goals[0] : `${goals[0]}; from Node 24 on ${goals[1]}`, ...cells];
    }),
  };
}

function cellOf([value, of], most, unit) {
  const digits = unit === '' ? 2 : 1;
  const figure = `${value.toFixed(digits)}${unit}`;
  // A figure that is shown as the goal itself has reached it.
  const isMissed = Number(value.toFixed(digits)) > most;
  return `${isMissed ? `**${figure}**` : figure}${of === undefined ? '' : ` (${of})`}`;
}

function worst(figures) {
  return figures.reduce((most, each) => (each[0] > most[0] ? each : most));
}

function besideBaseline(data) {
  return Object.entries(data).map(([operation, { restpoint }]) => [restpoint.ratio[1], operation]);
}

/** Both were compared with the baseline in the same rounds, so their ratios can be compared. */
function besideFastestPeer(data) {
  return Object.entries(data).flatMap(([operation, figures]) => PEERS.map((peer) => [figures.restpoint.ratio[1] / figures[peer].ratio[1], `${operation}, ${peer}`]));
}

function loads(data, key) {
  return Object.entries(data).map(([load, { restpoint }]) => [restpoint[key].ratio[1], load]);
}

function matches(data) {
  return data.filter(({ match }) => match === 'parameter');
}

function growth(data, wanted) {
  return matches(data).filter(({ asked, size }) => asked === wanted && size === 10_000).map(({ besideTen, names }) => [besideTen[1], names]);
}

function nameOf({ names, asked, size }) {
  return `${names}, ${asked} of ${size.toLocaleString('en')}`;
}
