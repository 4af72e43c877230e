/** Credentials and other secrets of a request never appear in a response or in the log. */
import { fileURLToPath } from 'node:url';
import { inspect } from 'node:util';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { Child } from '../support/child.ts';
import { disclosures, formsOf } from '../support/disclosure.ts';
import { rawUntilClosed } from '../support/raw-client.ts';
import { serving } from '../support/serving.ts';
import { together } from '../support/together.ts';
import { casesOf, SCHEMES, slowCasesOf } from './credentials-requests.ts';
import { declare, optionsOf, type Variant } from './credentials-api.ts';

// Its percent-encoded form is another. It has each kind of character that a bearer token may have.
const SECRET = 'Tr0ub4dor+3/zebra~q.s_t';
const PROGRAM = fileURLToPath(new URL('./credentials-process.js', import.meta.url));

const VARIANTS: readonly Variant[] = [false, true].flatMap((exposeInternalErrors) => {
  return (['problem', 'own', 'failing'] as const).flatMap((form) => {
    return [false, true].map((isImpatient) => ({ exposeInternalErrors, form, isImpatient }));
  });
});

/** Sends all requests. Asserts their statuses, and that no response shows the secret. Returns how many failures must be logged. */
async function sendAll(port: number, { isImpatient }: Variant): Promise<number> {
  const cases = SCHEMES.flatMap((scheme) => (isImpatient ? slowCasesOf : casesOf)(scheme, SECRET));
  await Promise.all(cases.map(async ([why, bytes, status]) => {
    const response = await rawUntilClosed(port, bytes);
    assert.match(response, new RegExp(`^HTTP/1\\.1 ${status} `), why);
    assert.equal(disclosures(response, SECRET), [], `${why}: ${response}`);
  }));
  return cases.filter(([, , status]) => status === 500 || (isImpatient && status === 503)).length;
}

const search = suite('the search for a secret');
for (const [form, shown] of formsOf(SECRET)) {
  search(`finds it ${form}`, () => {
    assert.ok(disclosures(`Error: wrong token "${shown}"`, SECRET).includes(form));
  });
}
for (const [what, text] of [
  ['in the credentials of Basic', Buffer.from(`ann:${SECRET}`).toString('base64')],
  ['in those of another user', Buffer.from(`beate:${SECRET}`).toString('base64')],
  ['in a Buffer that is logged', inspect({ rawPacket: Buffer.from(`x: ${SECRET}`) })],
  ['in a request target', new URL(`http://a/?b=${encodeURIComponent(SECRET)}`).href],
  ['in the cause of a cause', inspect(new Error('a', { cause: new Error('b', { cause: new Error(SECRET) }) }), { depth: Infinity })],
] as const) {
  search(`finds it ${what}`, () => assert.ok(disclosures(text, SECRET).length > 0, text));
}
search('finds nothing in a part of it', () => assert.equal(disclosures(SECRET.slice(0, 10), SECRET), []));
search.run();

const WHOLE = { depth: Infinity, showHidden: true, maxStringLength: Infinity, maxArrayLength: Infinity };

const hidden = suite('credentials are in neither a response nor the log');
const hiding = together(hidden);
const child = new Child([PROGRAM, JSON.stringify(VARIANTS)]);
let failuresOfChild = 0;
VARIANTS.forEach((variant, index) => {
  const declared = variant.isImpatient ? hiding : hidden;
  const shown = [
    `${variant.exposeInternalErrors ? 'with' : 'without'} exposeInternalErrors`,
    `form of problems: ${variant.form}`,
    variant.isImpatient ? 'requests that take too long' : 'requests that get a response at once',
  ].join(', ');
  declared(`${shown}: a logger of the user`, async () => {
    await serving(declare, async ({ port, infos, errors }) => {
      const failures = await sendAll(port, variant);
      assert.ok(errors.length >= failures, `${errors.length} of ${failures} failures are logged`);
      for (const logged of [...errors, ...infos]) assert.equal(disclosures(inspect(logged, WHOLE), SECRET), [], inspect(logged));
    }, optionsOf(variant));
  });
  declared(`${shown}: the responses of a process that logs to the console`, async () => {
    const [, port] = await child.printed(new RegExp(`(?:port: (\\d+);[^]*?){${index + 1}}`));
    failuresOfChild += await sendAll(Number(port), variant);
  });
});
hidden('the console of that process, and all else that it prints', async () => {
  assert.is(await child.end(), 0, child.output);
  const printed = child.output.match(/Internal error: |\* \/mount: |middleware: |took longer than/g)?.length ?? 0;
  assert.ok(failuresOfChild > 0);
  assert.ok(printed >= failuresOfChild, `${printed} of ${failuresOfChild} failures are printed`);
  assert.equal(disclosures(child.output, SECRET), [], child.output);
});
hidden.after(async () => void await child.end('SIGKILL'));
hidden.run();
