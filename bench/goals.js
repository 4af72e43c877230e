/** The goals, and the worst figure of each kind for each line of Node. A figure that misses its goal is bold. */
import { BASELINE } from './contenders/contenders.js';

const KIB = 1024;
const PEERS = ['fastify', 'hono', 'polka'];

// The name of the figure, the part that measures it, the goal (or the goals before Node 24 and from Node 24 on), and a function
// that takes the part's figures and returns a list of [value, the case it was measured in].
const GOALS = [
  [`time of a request with a body under 1 KB or none, beside ${BASELINE}`, 'in-process', [1, 1.03], (data) => times(data, false)],
  [`time of a request with 10 KB or 1 MB, beside ${BASELINE}`, 'in-process', [1.03], (data) => times(data, true)],
  ['time of a request, beside the fastest of Fastify, Hono and Polka', 'in-process', [1], besidePeers],
  [`CPU of a request over TCP, beside ${BASELINE}`, 'tcp', [1.02], (data) => loads(data, 'cpu')],
  [`p99 latency over TCP, 64 connections, beside ${BASELINE}`, 'tcp', [1.05], (data) => {
    return loads(data, 'p99').filter(([, of]) => of.endsWith(' 64 connections'));
  }],
  ['a match, beside the fastest other router', 'router', [1.05], (data) => data.map((row) => [row.besideFastest[1], placeOf(row)])],
  [`start to first response, more than ${BASELINE}`, 'start', [7, 0], ({ restpoint }) => [[restpoint.overBaselineMs[1]]], ' ms'],
  [`RSS of an idle connection, beside ${BASELINE}`, 'memory', [1.05], ({ contenders }) => {
    return [[contenders.restpoint.connectionRss / contenders[BASELINE].connectionRss]];
  }],
  ['heap of an endpoint with five operations', 'growth', [5.5], ({ heap }) => [[heap.restpoint]], ' KiB'],
  ['CPU of a start with 1,000 endpoints', 'growth', [300], ({ start }) => [[start.restpoint]], ' ms'],
  ['CPU of 5,000 idle connections, of one core', 'growth', [0.1], ({ idle }) => [[idle.restpoint]], ' %'],
  [`CPU of an event for each of 5,000 readers, beside ${BASELINE}`, 'growth', [1.3], ({ event }) => [[event.restpoint / event[BASELINE]]]],
  ['CPU of an event for each of 5,000 readers, beside Fastify', 'growth', [1], ({ event }) => [[event.restpoint / event.fastify]]],
  [`CPU of a request with numbers of 17 digits, beside ${BASELINE}`, 'growth', [1.5], ({ digits }) => [[digits.restpoint / digits[BASELINE]]]],
  ['CPU of the OpenAPI document of 1,000 endpoints, beside Hono', 'growth', [1], ({ firstDocument: each }) => [[each.restpoint / each.hono]]],
  ['CPU of the same document again', 'growth', [50], ({ nextDocument }) => [[nextDocument.restpoint]], ' ms'],
  ['minified and gzipped', 'size', [8], ({ restpoint }) => [[restpoint.gzipped / KIB]], ' KiB'],
  ['type instantiations for 200 endpoints, beside Hono', 'size', [1], ({ restpoint, hono }) => {
    return [[restpoint.instantiations / hono.instantiations]];
  }],
];

export function goalsTable(results) {
  return {
    notes: 'The worst figure of each kind, with its case in brackets. Bold figures miss their goal.',
    columns: ['', 'goal', ...results.map(({ node }) => `Node ${node}`)],
    rows: GOALS.map(([what, part, [before, since], figuresOf, unit = '']) => {
      const goal = `≤ ${before}${unit}${since === undefined ? '' : `; from Node 24 on ≤ ${since}${unit}`}`;
      return [what, goal, ...results.map(({ node, parts }) => {
        const most = Number.parseInt(node, 10) < 24 ? before : since ?? before;
        return parts[part] === undefined ? '' : cellOf(figuresOf(parts[part].data), most, unit);
      })];
    }),
  };
}

function cellOf(figures, most, unit) {
  // The results may be older than the goal.
  if (figures.length === 0) return '';
  const [value, of] = figures.reduce((worst, each) => (each[0] > worst[0] ? each : worst));
  const rounded = value.toFixed(unit === '' ? 2 : 1);
  // A figure that is shown as the goal itself has reached it.
  const figure = Number(rounded) > most ? `**${rounded}${unit}**` : `${rounded}${unit}`;
  return of === undefined ? figure : `${figure} (${of})`;
}

function times(data, isLarge) {
  const wanted = Object.entries(data).filter(([operation]) => /[KM]B/.test(operation) === isLarge);
  return wanted.map(([operation, { restpoint }]) => [restpoint.ratio[1], operation]);
}

/** Both were compared with the baseline in the same rounds, so their ratios can be compared. */
function besidePeers(data) {
  return Object.entries(data).flatMap(([operation, figures]) => {
    return PEERS.map((peer) => [figures.restpoint.ratio[1] / figures[peer].ratio[1], `${operation}, ${peer}`]);
  });
}

function loads(data, key) {
  return Object.entries(data).map(([load, { restpoint }]) => [restpoint[key].ratio[1], load]);
}

function placeOf({ match, names, asked, size }) {
  return `${match}, ${names}, ${asked} of ${size.toLocaleString('en')}`;
}
