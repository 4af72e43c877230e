/** The cluster of the examples: its workers are restarted one by one, and no request is lost. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { roll } from '../restarts/rolling.ts';

const rolling = suite('rolling restarts of a cluster');
rolling('under load: every request is answered, over connections that are kept and over new ones', async () => {
  const { answered, restarts, lost, exitCode } = await roll({ workers: 2, clients: 16, requests: 200, restarts: 2 });
  assert.equal(lost, []);
  assert.ok(answered >= 200);
  assert.ok(restarts >= 2);
  assert.is(exitCode, 0);
});
rolling.run();
