/**
 * Counts the checks of a peer, and prints each result: `ok    Deno: Create`, or `FAIL  Deno: Create` with the reason below it.
 *
 *   await checking('Deno', async (check) => {
 *     await check('Create', async () => assert.equal(…));
 *   });
 */
import assert from 'node:assert/strict';
import { inspect } from 'node:util';

/** Runs a peer's checks, and sets the exit status: 0 if there was at least one and all passed. */
export async function checking(peer, use) {
  let passed = 0;
  let failed = 0;
  const check = async (what, holds) => {
    try {
      await holds();
      passed += 1;
      console.log(`ok    ${peer}: ${what}`);
    } catch (error) {
      failed += 1;
      console.log(`FAIL  ${peer}: ${what}\n${inspect(error).replace(/^/gm, '      ')}`);
    }
  };
  await check('its checks end', () => use(check));
  if (passed + failed === 1) await check('it has checks', () => assert.fail('there are none'));
  console.log(`${passed} passed, ${failed} failed`);
  if (failed > 0) process.exitCode = 1;
}

/**
 * Compares a response (`status`, `headers` by their lower-case names, `body` as text) with the expected one in the common list. A
 * header that is `undefined` there must be missing here.
 */
export function assertResponse(response, { status, headers = {}, body }) {
  const named = Object.fromEntries(Object.keys(headers).map((name) => [name, response.headers[name]]));
  assert.deepEqual({ status: response.status, headers: named, body: response.body }, { status, headers, body });
}
