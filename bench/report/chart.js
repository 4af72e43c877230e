/** Draws `chart.svg` from the newest rounds in process: for each operation a bar for each contender, by hand is the line at 1. */
import { writeFileSync } from 'node:fs';
import { newest } from './results.js';

const COLUMNS = 2;
const WIDTH = 860;
const HEAD = 46;
const PANEL = { width: WIDTH / COLUMNS, height: 124, label: 62, bars: 320, bar: 11, step: 14, top: 22 };
// What is longer is cut, and says how long it would be.
const MOST = 2.2;

const STYLE = `
  text { font: 11px system-ui, sans-serif; fill: #24292f }
  .title { font-size: 14px; font-weight: 600 } .operation { font-weight: 600 } .name { text-anchor: end }
  .ours { fill: #0969da } .peer { fill: #afb8c1 } .one { stroke: #cf222e; stroke-width: 1.5 } .ground { fill: #ffffff }
  @media (prefers-color-scheme: dark) {
    text { fill: #e6edf3 } .ours { fill: #4493f8 } .peer { fill: #59636e } .one { stroke: #ff7b72 } .ground { fill: #0d1117 }
  }`;

export function drawChart() {
  const line = newest('in-process').at(-1);
  if (line === undefined) return;
  writeFileSync(new URL('../chart.svg', import.meta.url), svgOf(line));
}

function svgOf({ node, result }) {
  const { results } = result.data;
  const height = HEAD + Math.ceil(results.length / COLUMNS) * PANEL.height;
  const panels = results.map(({ operation, contenders }, index) => {
    const x = (index % COLUMNS) * PANEL.width;
    const y = HEAD + Math.floor(index / COLUMNS) * PANEL.height;
    return `<g transform="translate(${x} ${y})">\n${panelOf(operation, contenders)}\n</g>`;
  });
  const title = `Time of a request beside the one by hand (the red line, 1.00); shorter is faster. Node ${node.slice(1)}`;
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${height}" role="img" aria-label="${title}">
<style>${STYLE}
</style>
<rect class="ground" width="${WIDTH}" height="${height}"/>
<text class="title" x="14" y="26">${title}</text>
${panels.join('\n')}
</svg>
`;
}

function panelOf(operation, contenders) {
  const bars = contenders.filter(({ name }) => name !== 'by-hand').map(({ name, ratio }, row) => barOf(name, ratio.median, row));
  const one = PANEL.label + PANEL.bars / MOST;
  const line = `<line class="one" x1="${round(one)}" x2="${round(one)}" y1="${PANEL.top - 3}" y2="${PANEL.top + bars.length * PANEL.step}"/>`;
  return [`<text class="operation" x="${PANEL.label}" y="14">${operation}</text>`, ...bars, line].join('\n');
}

function barOf(name, ratio, row) {
  const y = PANEL.top + row * PANEL.step;
  const width = round((Math.min(ratio, MOST) / MOST) * PANEL.bars);
  const isCut = ratio > MOST;
  const kind = name === 'restpoint' ? 'ours' : 'peer';
  const figure = `<text x="${PANEL.label + width + 4}" y="${y + 9}">${ratio.toFixed(2)}${isCut ? ' →' : ''}</text>`;
  return `<text class="name" x="${PANEL.label - 5}" y="${y + 9}">${name}</text><rect class="${kind}" x="${PANEL.label}" y="${y}" width="${width}" height="${PANEL.bar}"/>${figure}`;
}

function round(value) {
  return Math.round(value * 10) / 10;
}
