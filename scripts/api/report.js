/**
 * Compares the public names and types of the package with the reports in `reports`, one for each entry. Fails if they differ, and if a
 * public name has no docstring. Reads the types in `dist`.
 *
 *   node report.js             compares
 *   node report.js --write     writes the reports
 */
import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { Extractor, ExtractorConfig } from '@microsoft/api-extractor';
import { ENTRIES, ROOT } from './entries.js';

const FOLDER = fileURLToPath(new URL('reports/', import.meta.url));
const isWriting = process.argv[2] === '--write';

function configOf({ name, types }) {
  return ExtractorConfig.prepare({
    packageJsonFullPath: `${ROOT}package.json`,
    configObject: {
      projectFolder: ROOT,
      mainEntryPointFilePath: `${ROOT}${types}`,
      compiler: {
        overrideTsconfig: {
          compilerOptions: { target: 'es2023', module: 'nodenext', strict: true, types: ['node'] },
          files: [`${ROOT}${types}`],
        },
      },
      apiReport: { enabled: true, reportFileName: `${name}.api.md`, reportFolder: FOLDER, reportTempFolder: `${FOLDER}temp` },
      messages: {
        compilerMessageReporting: { default: { logLevel: 'error' } },
        // The remarks on single names stay out of the reports.
        extractorMessageReporting: { default: { logLevel: 'none' } },
        tsdocMessageReporting: { default: { logLevel: 'none' } },
      },
    },
  });
}

/** The public names in a report that have no docstring. */
function undocumented(name) {
  const file = `${FOLDER}${name}.api.md`;
  const report = existsSync(file) ? readFileSync(file, 'utf8') : '';
  return [...report.matchAll(/^\/\/ @public \(undocumented\)\nexport (?:declare )?(?:\w+ )+?(\w+)/gm)].map(([, exported]) => exported);
}

function complaints({ name, ...entry }) {
  const options = { localBuild: isWriting, messageCallback: (message) => (message.handled = message.logLevel !== 'error') };
  const { apiReportChanged, errorCount } = Extractor.invoke(configOf({ name, ...entry }), options);
  return [
    ...(errorCount > 0 ? [`${name}: the types do not compile`] : []),
    ...(apiReportChanged && !isWriting ? [`${name}: the public surface has changed. If it should: npm run api:write, and look at the difference`] : []),
    ...undocumented(name).map((exported) => `${name}: ${exported} has no docstring`),
  ];
}

const all = ENTRIES.flatMap(complaints);
for (const complaint of all) console.error(complaint);
process.exitCode = all.length > 0 ? 1 : 0;
