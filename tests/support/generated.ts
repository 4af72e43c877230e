/** The files that follow from the code. Run, it writes them: `npm run generate`. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { withImportTable } from './import-tables.ts';

/** Each generated file, with its text. */
export async function makeGenerated(): Promise<(readonly [file: string, text: string])[]> {
  const { makeReports } = await import(pathToFileURL(join('scripts', 'api', 'report.js')).href) as { makeReports: () => [string, string][] };
  return [
    ...makeReports(),
    ['examples/zoo.openapi.json', await makeZooDocument()],
    ...['llms.txt', 'skills/restpoint/SKILL.md'].map((file) => [file, withImportTable(readFileSync(file, 'utf8'))] as const),
  ];
}

// Not imported at the top: `.ci/packed-tests.js` would run the tests of this file on the package, which has no sources.
async function makeZooDocument(): Promise<string> {
  const { openApi } = await import('restpoint/openapi');
  const { DOCUMENT } = await import('../../examples/zoo/document.ts');
  const { zooServer } = await import('../../examples/zoo/server.ts');
  const { MemoryStore } = await import('../../examples/zoo/store/memory-store.ts');
  const server = zooServer(new MemoryStore(), 'a-token-that-nobody-has', { logger: { info: () => {}, error: console.error } });
  return `${JSON.stringify(openApi(server, DOCUMENT), undefined, 2)}\n`;
}

if (process.argv[1]?.endsWith('generated.js') === true) {
  for (const [file, text] of await makeGenerated()) writeFileSync(file, text);
}
