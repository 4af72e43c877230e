/**
 * Counts the checks of a peer, and prints each result: `ok    Deno: Create`, or `FAIL  Deno: Create` with the reason below it.
 *
 *   await checking('Deno', async (check) => {
 *     await check('Create', async () => assert.equal(…));
 *   });
 */
import assert from 'node:assert/strict';
import { Checks } from '../../build/tests/support/checks.js';

/** Runs a peer's checks, and sets the exit status: 0 if there was at least one and all passed. */
export async function checking(peer, use) {
  const checks = new Checks();
  let count = 0;
  const check = (what, holds) => {
    count += 1;
    return checks.check(`${peer}: ${what}`, holds);
  };
  await check('its checks end', () => use(check));
  if (count === 1) await check('it has checks', () => assert.fail('there are none'));
  console.log(checks.counts);
  if (!checks.areGood) process.exitCode = 1;
}

/**
 * Compares a response (`status`, `headers` by their lower-case names, `body` as text) with the expected one in the common list. A
 * header that is `undefined` there must be missing here.
 */
export function assertResponse(response, { status, headers = {}, body }) {
  const named = Object.fromEntries(Object.keys(headers).map((name) => [name, response.headers[name]]));
  assert.deepEqual({ status: response.status, headers: named, body: response.body }, { status, headers, body });
}
