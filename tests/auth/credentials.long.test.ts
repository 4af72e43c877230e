/** U7: Credentials and other secrets of a request never appear in the output of a process that logs to the console, nor in its responses. */
import { fileURLToPath } from 'node:url';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { Child } from '../support/child.ts';
import { findDisclosures } from '../support/find-disclosures.ts';
import { runTogether } from '../support/run-together.ts';
import { nameVariant, VARIANTS } from './credentials-api.ts';
import { SECRET, sendAll } from './credentials-requests.ts';

const PROGRAM = fileURLToPath(new URL('./credentials-process.js', import.meta.url));

const hidden = suite('credentials are in no output of a process');
const hiding = runTogether(hidden);
const child = new Child([PROGRAM, JSON.stringify(VARIANTS)]);
let failuresOfChild = 0;
for (const [index, variant] of VARIANTS.entries()) {
  (variant.isImpatient ? hiding : hidden)(`${nameVariant(variant)}: the responses of a process that logs to the console`, async () => {
    const [, port] = await child.waitForOutput(new RegExp(`(?:port: (\\d+);[^]*?){${index + 1}}`));
    failuresOfChild += await sendAll(Number(port), variant);
  });
}
hidden('the console of that process, and all else that it prints', async () => {
  assert.is(await child.end(), 0, child.output);
  const printed = child.output.match(/Internal error: |\* \/mount: |middleware: |took longer than/g)?.length ?? 0;
  assert.ok(failuresOfChild > 0);
  assert.ok(printed >= failuresOfChild, `${printed} of ${failuresOfChild} failures are printed`);
  assert.equal(findDisclosures(child.output, SECRET), [], child.output);
});
hidden.after(async () => void await child.end('SIGKILL'));
hidden.run();
