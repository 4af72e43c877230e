/** `light-my-request`, which calls a listener without a port. */
import assert from 'node:assert/strict';
import inject from 'light-my-request';
import * as restpoint from '../../dist/index.js';
import { checking } from './checks.js';
import { checkInjections } from './injection.js';
import { zooServer } from './zoo.js';

await checking('light-my-request', async (check) => {
  const { requestListener } = zooServer(restpoint);
  await checkInjections(check, (request) => inject(requestListener, request));
  await check('destroying the request aborts the signal of the operation', async () => {
    const left = new AbortController();
    const aborted = new Promise((resolve) => {
      const waiting = zooServer(restpoint, ({ signal }) => {
        signal.addEventListener('abort', () => resolve(signal.reason));
        left.abort();
        return new Promise(() => {});
      });
      inject(waiting.requestListener, { method: 'POST', url: '/v1/pet/wait', signal: left.signal }).then(resolve, () => {});
    });
    assert.equal((await aborted).message, 'the client left');
  });
});
