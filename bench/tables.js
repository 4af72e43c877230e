/** How figures are shown. */

/** A table in Markdown, below its notes. */
export function formatMarkdown({ notes, columns, rows }) {
  const line = (cells) => `| ${cells.join(' | ')} |`;
  return [notes, '', line(columns), `|${'---|'.repeat(columns.length)}`, ...rows.map(line)].join('\n');
}

/** A ratio with its quartiles. */
export function showRatio([lower, middle, upper]) {
  return `${middle.toFixed(2)} (${lower.toFixed(2)}–${upper.toFixed(2)})`;
}
