/** The reports of the public surface in `reports`, one for each entry, made of the types in `dist`. `npm run generate` writes them. */
import { ENTRIES, ROOT } from './entries.js';
import { readSurface } from './surface.js';

/** The report of each entry, by its file. */
export function makeReports() {
  return ENTRIES.map(({ name, types }) => {
    const head = `# The public surface of ${name}\n\n\`npm run generate\` makes this file of the types in \`dist\`.`;
    return [`scripts/api/reports/${name}.api.md`, `${head}\n\n\`\`\`ts\n${readSurface(`${ROOT}${types}`)}\`\`\`\n`];
  });
}
