/** The chart of results in process: a panel for each of six operations, a bar for each contender. */
import { CONTENDERS } from './contenders/contenders.js';

const SHOWN = ['Get', 'Create, 40 B', 'Create, 10 KB', 'Create, 1 MB', 'Update', 'Unknown path, 404'];
const WIDTH = 860;
const HEAD = 58;
const PANEL = { width: WIDTH / 2, height: 118, label: 92, bars: 280, step: 17, top: 22 };
const HEIGHT = HEAD + (SHOWN.length / 2) * PANEL.height;
const TITLE = 'How long a server takes to respond';

// The ground is drawn too, so that the text is legible on pages of either colour.
const STYLE = `
  text { font: 12px system-ui, sans-serif; fill: #24292f }
  .title { font-size: 15px; font-weight: 600 } .operation { font-weight: 600 } .name { text-anchor: end }
  rect { fill: #afb8c1 } .restpoint { fill: #0969da } .hand-written { fill: #57606a } .ground { fill: #ffffff }
  @media (prefers-color-scheme: dark) {
    text { fill: #e6edf3 } rect { fill: #59636e } .ground { fill: #0d1117 }
    .restpoint { fill: #4493f8 } .hand-written { fill: #9198a1 }
  }`;

export function drawChart({ node, parts: { 'in-process': { data } } }) {
  const longest = Math.max(...SHOWN.flatMap((operation) => CONTENDERS.map((name) => data[operation][name].ratio[1])));
  const remark = `The time of a hand-written node:http handler is 1. Shorter is faster. Node ${node}, without the network.`;
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${HEIGHT}" role="img" aria-label="${TITLE}. ${remark}">
<style>${STYLE}
</style>
<rect class="ground" width="${WIDTH}" height="${HEIGHT}"/>
<text class="title" x="14" y="24">${TITLE}</text>
<text x="14" y="43">${remark}</text>
${SHOWN.map((operation, index) => panelOf(operation, index, data[operation], longest)).join('\n')}
</svg>
`;
}

function panelOf(operation, index, figures, longest) {
  const bars = CONTENDERS.map((name, row) => {
    const { label, bars: room, step, top } = PANEL;
    const [, ratio] = figures[name].ratio;
    const y = top + row * step;
    const width = Math.round((ratio / longest) * room);
    return `<text class="name" x="${label - 6}" y="${y + 11}">${name}</text>`
      + `<rect class="${name}" x="${label}" y="${y}" width="${width}" height="13"/>`
      + `<text x="${label + width + 6}" y="${y + 11}">${ratio.toFixed(2)}</text>`;
  });
  return `<g transform="translate(${(index % 2) * PANEL.width} ${HEAD + Math.floor(index / 2) * PANEL.height})">
<text class="operation" x="${PANEL.label}" y="15">${operation}</text>
${bars.join('\n')}
</g>`;
}
