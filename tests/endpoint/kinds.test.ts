/** The tests have a row for each kind of operation. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { KINDS } from '../../src/endpoint/kinds.ts';
import { ROWS } from '../support/kinds.ts';

const kinds = suite('a kind of the table');
for (const { name, method, suffix } of KINDS) {
  kinds(`${name}: its reply, its context and its call by a client are tested`, () => {
    const path = `/pet${suffix.replace(':id', '5').replace('<name>', suffix.includes(':id') ? 'feed' : 'search')}`;
    assert.ok(ROWS.some((row) => row[0] === method && row[1] === path), `${method} ${path}`);
  });
}
kinds.run();
