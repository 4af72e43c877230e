/** The zoo keeps what it declares. */
import { checks } from 'restpoint/checks';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { zooServer } from '../../examples/zoo/server.ts';
import { openStore } from '../../examples/zoo/store/open-store.ts';
import { rex } from '../support/zoo-suite.ts';

const TOKEN = 'a-token-for-the-checks';
const PNG = new Uint8Array([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
const { store } = await openStore(':memory:');
const server = zooServer(store, TOKEN, { logger: { info: () => {}, error: () => {} } });
let made = 0;
// No two zoos have one name.
const zoo = () => ({ name: `Zoo ${made += 1}`, city: 'Utrecht' });

const all = checks(server, {
  headers: { authorization: `Bearer ${TOKEN}` },
  samples: {
    animalGet: { params: { id: 'ant' } },
    zooCreate: { body: zoo },
    zooPatch: { body: { city: 'Rome' } },
    zooPetCreate: { body: rex },
    zooPetPatch: { body: { legs: 3 } },
    zooPetSearch: { body: { name: 'Rex' } },
    zooPetItemFeed: { body: { grams: 5 } },
    zooPetPhotoUpdate: { body: PNG },
    // It responds with the first event that happens.
    eventGet: false,
  },
});

const zooChecks = suite('the checks of the zoo');
for (const { name, run, isSkipped } of all) if (!isSkipped) zooChecks(name, run);
zooChecks('reach every operation but the events, which have no end', () => {
  const unreached = all.filter(({ isSkipped }) => isSkipped).map(({ name }) => name);
  assert.equal(unreached, [
    'skipped: GET /v1/event: the response is as the document says: samples.eventGet is false',
    'skipped: GET /v1/event: many at once -> each gets a response, and a later one too: samples.eventGet is false',
  ]);
});
zooChecks.after(() => store.close());
zooChecks.run();
