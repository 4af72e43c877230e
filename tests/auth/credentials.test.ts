/** Credentials and other secrets of a request never appear in a response or in the log. */
import { inspect } from 'node:util';
import { findDisclosures, encodeSecret } from '../support/find-disclosures.ts';
import { runTogether } from '../support/run-together.ts';
import { declare, nameVariant, optionsOf, VARIANTS } from './credentials-api.ts';
import { SECRET, sendAll } from './credentials-requests.ts';
import { assert, serve, suite } from '../support/facts.ts';

const search = suite('U7: the search for a secret');
for (const [form, shown] of encodeSecret(SECRET)) {
  search(`finds it ${form}`, () => assert.ok(findDisclosures(`Error: wrong token "${shown}"`, SECRET).includes(form)));
}
for (const [what, text] of [
  ['in the credentials of Basic', Buffer.from(`ann:${SECRET}`).toString('base64')],
  ['in those of another user', Buffer.from(`beate:${SECRET}`).toString('base64')],
  ['in a Buffer that is logged', inspect({ rawPacket: Buffer.from(`x: ${SECRET}`) })],
  ['in a request target', new URL(`http://a/?b=${encodeURIComponent(SECRET)}`).href],
  ['in the cause of a cause', inspect(new Error('a', { cause: new Error('b', { cause: new Error(SECRET) }) }), { depth: Infinity })],
] as const) {
  search(`finds it ${what}`, () => assert.ok(findDisclosures(text, SECRET).length > 0, text));
}
search('finds nothing in a part of it', () => assert.equal(findDisclosures(SECRET.slice(0, 10), SECRET), []));

const WHOLE = { depth: Infinity, showHidden: true, maxStringLength: Infinity, maxArrayLength: Infinity };

const hidden = suite('U7: credentials are in neither a response nor the log');
const hiding = runTogether(hidden);
for (const variant of VARIANTS) {
  (variant.isImpatient ? hiding : hidden)(`${nameVariant(variant)}: a logger of the user`, () => serve(declare, async ({ port, infos, errors }) => {
    const failures = await sendAll(port, variant);
    assert.ok(errors.length >= failures, `${errors.length} of ${failures} failures are logged`);
    for (const logged of [...errors, ...infos]) assert.equal(findDisclosures(inspect(logged, WHOLE), SECRET), [], inspect(logged));
  }, optionsOf(variant)));
}
