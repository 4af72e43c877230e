import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { rawRequest } from '../support/raw-client.ts';
import { serving } from '../support/serving.ts';
import { Zoo } from '../support/zoo.ts';

const smoke = suite('smoke');
smoke('a get', async () => {
  const zoo = new Zoo();
  await serving(zoo.register, async ({ port }) => {
    assert.is((await rawRequest(port, 'GET /v1/pet/1 HTTP/1.1\r\nHost: a\r\n\r\n')).status, 404);
    assert.is(zoo.invoked, 1);
  });
});
smoke.run();
