/**
 * The load test: streams that are long, and streams that are many. Each part has a server in a separate process, a count and a time
 * limit. Exits with 1 if something is lost, if the server holds more than it should, or if a part does not end.
 *
 *   npm run load                    all parts, in about three minutes
 *   npm run load -- download        one part
 *   LOAD_GIGABYTES=1 npm run load   with shorter streams than 5 GB
 */
import { join } from 'node:path';
import { withTemporaryFolder } from '../support/temporary-folder.ts';
import { Checks, type Check } from '../support/checks.ts';
import { download } from './download.ts';
import { events } from './events.ts';
import { bytesUp, linesDown, linesUp, rangesDown } from './formats.ts';
import { LoadServer } from './load-server.ts';
import { testStalled, testStopped } from './readers.ts';
import { upload } from './upload.ts';

const LIMIT_MS = 1_800_000;
const PARTS = { download, upload, events, bytesUp, linesUp, rangesDown, linesDown, stalled: testStalled, stopped: testStopped };

const checks = new Checks();
const [, , filter = ''] = process.argv;
for (const [name, part] of Object.entries(PARTS).filter(([name]) => name.includes(filter))) {
  const check: Check = (what, holds) => checks.check(`${name}: ${what}`, holds);
  await check('it ends', () => withTemporaryFolder(async (folder) => {
    const file = join(folder, 'upload');
    await LoadServer.running(file, (server, port) => runWithLimit(part(server, port, check, file)));
  }));
}
console.log(checks.counts);
// Handles that an unfinished part has left open would keep the process running.
process.exit(checks.areGood ? 0 : 1);

/** Rejects if a part takes too long. Its server is ended then. */
async function runWithLimit(part: Promise<void>): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => reject(new Error(`it takes longer than ${LIMIT_MS} ms`)), LIMIT_MS);
  });
  await Promise.race([part, late]).finally(() => clearTimeout(timer));
}
