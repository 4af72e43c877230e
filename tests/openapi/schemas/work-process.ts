/**
 * Reads JSON Schemas from stdin, as a list of `[input, output]`. Prints for each how much work its document is: how often V8 ran the
 * functions and blocks of the entry. Unlike a time, that is the same on every machine.
 */
import { readFileSync } from 'node:fs';
import { Session, type Profiler } from 'node:inspector';
import { stringId } from '../../../src/index.ts';
import { makeDocument, makeJsonSchema, run } from '../../support/make-document.ts';

// The tests also run on the package, where the entry is one module and a chunk.
const ENTRIES = [new URL('../../../src/openapi/', import.meta.url), new URL('.', import.meta.resolve('restpoint/openapi')), new URL('../document.js', import.meta.resolve('restpoint/openapi'))].map(({ href }) => href);

const session = new Session();
session.connect();
session.post('Profiler.enable');
session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: true });

/** The counts since the last call. */
function takeCounts(): number {
  let total = 0;
  session.post('Profiler.takePreciseCoverage', (_error, { result }: Profiler.TakePreciseCoverageReturnType) => {
    const ranges = result.filter(({ url }) => ENTRIES.some((entry) => url.startsWith(entry))).flatMap(({ functions }) => functions.flatMap((each) => each.ranges));
    for (const { count } of ranges) total += count;
  });
  return total;
}

const works = (JSON.parse(readFileSync(0, 'utf8')) as [unknown, unknown][]).map(([input, output]) => {
  takeCounts();
  makeDocument((server) => server.registerEndpoint('/pet', { id: stringId, schema: makeJsonSchema(input, output), create: () => '1', get: run }));
  return takeCounts();
});
console.log(JSON.stringify(works));
