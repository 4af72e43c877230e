/** Draws `chart.svg` from the newest rounds in process: a panel for each of six operations, a bar for each contender. */
import { writeFileSync } from 'node:fs';
import { BASELINE, CONTENDERS } from './contenders/contender.js';
import { allResults } from './results.js';

const SHOWN = ['Get', 'Create, 40 B', 'Create, 10 KB', 'Create, 1 MB', 'Update', 'Unknown path, 404'];
const COLUMNS = 2;
const WIDTH = 860;
const HEAD = 58;
const PANEL = { width: WIDTH / COLUMNS, height: 118, label: 92, bars: 280, bar: 13, step: 17, top: 22 };

// The ground is drawn too, so that the text is legible on pages of either colour.
const STYLE = `
  text { font: 12px system-ui, sans-serif; fill: #24292f }
  .title { font-size: 15px; font-weight: 600 } .operation { font-weight: 600 } .name { text-anchor: end }
  .restpoint { fill: #0969da } .hand-written { fill: #57606a } .peer { fill: #afb8c1 } .ground { fill: #ffffff }
  @media (prefers-color-scheme: dark) {
    text { fill: #e6edf3 } .restpoint { fill: #4493f8 } .hand-written { fill: #9198a1 } .peer { fill: #59636e } .ground { fill: #0d1117 }
  }`;

export function drawChart() {
  const result = allResults().findLast(({ parts }) => parts['in-process'] !== undefined);
  if (result !== undefined) writeFileSync(new URL('chart.svg', import.meta.url), svgOf(result.node, result.parts['in-process'].data));
}

function svgOf(node, data) {
  const height = HEAD + Math.ceil(SHOWN.length / COLUMNS) * PANEL.height;
  const longest = Math.max(...SHOWN.flatMap((operation) => CONTENDERS.map((name) => data[operation][name].ratio[1])));
  const panels = SHOWN.map((operation, index) => {
    const x = (index % COLUMNS) * PANEL.width;
    const y = HEAD + Math.floor(index / COLUMNS) * PANEL.height;
    return `<g transform="translate(${x} ${y})">\n${panelOf(operation, data[operation], longest)}\n</g>`;
  });
  const title = 'How long a server takes to answer a request';
  const remark = `The time of a hand-written node:http handler is 1. Shorter is faster. Node ${node}, without the network.`;
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${height}" role="img" aria-label="${title}. ${remark}">
<style>${STYLE}
</style>
<rect class="ground" width="${WIDTH}" height="${height}"/>
<text class="title" x="14" y="24">${title}</text>
<text x="14" y="43">${remark}</text>
${panels.join('\n')}
</svg>
`;
}

function panelOf(operation, figures, longest) {
  const bars = CONTENDERS.map((name, row) => barOf(name, figures[name].ratio[1], row, longest));
  return [`<text class="operation" x="${PANEL.label}" y="15">${operation}</text>`, ...bars].join('\n');
}

function barOf(name, ratio, row, longest) {
  const y = PANEL.top + row * PANEL.step;
  const width = Math.round((ratio / longest) * PANEL.bars);
  const kind = name === 'restpoint' || name === BASELINE ? name : 'peer';
  const label = `<text class="name" x="${PANEL.label - 6}" y="${y + 11}">${name}</text>`;
  const bar = `<rect class="${kind}" x="${PANEL.label}" y="${y}" width="${width}" height="${PANEL.bar}"/>`;
  return `${label}${bar}<text x="${PANEL.label + width + 6}" y="${y + 11}">${ratio.toFixed(2)}</text>`;
}
