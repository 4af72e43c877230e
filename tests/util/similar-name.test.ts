/** The name that a similar one is taken for. */
import { KIND_NAMES } from '../../src/declaration/kinds.ts';
import { findSimilarName } from '../../src/util/similar-name.ts';
import { assert, suite } from '../support/facts.ts';

const NAMES = [...KIND_NAMES, 'max', 'maxAgeSeconds', 'maxParts', 'bodyBytes', 'cors', 'types', 'type'];

const similar = suite('a similar name');
for (const [name, meant] of [
  ['delet', 'delete'], ['deletee', 'delete'], ['dalete', 'delete'], ['deltee', 'delete'], ['daletee', 'delete'], ['Delete', 'delete'],
  ['UPDTAE', 'update'], ['itemcustom', 'itemCustom'], ['itmCustm', 'itemCustom'], ['lists', 'list'], ['mx', 'max'], ['bodybyte', 'bodyBytes'],
  ['maxAge', 'maxAgeSeconds'], ['maxage', 'maxAgeSeconds'], ['del', 'delete'], ['typ', 'type'], ['typo', 'type'], ['typess', 'types'],
  ['remove', 'delete'], ['POST', 'create'], ['port', undefined], ['put', 'update'], ['body', 'bodyBytes'], ['constructor', undefined],
  ['de', undefined], ['', undefined], ['x'.repeat(10_000), undefined], ['dlt', undefined], ['cusxomx', 'custom'],
] as const) {
  similar(`${name.slice(0, 20)} -> ${meant}`, () => assert.is(findSimilarName(name, NAMES), meant));
}
