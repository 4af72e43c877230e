/** Requests to the example that are sent again with their key. `payments.long.test.ts` kills the zoo in between. */
import { countTo } from '../support/payers.ts';
import { rex, makeZooSuite } from '../support/zoo-suite.ts';
import { assert, suite } from '../support/facts.ts';

const repeated = makeZooSuite(suite('a request with a key that is sent again'));
for (const [what, suffix, json] of [['a pet arrives once', '', rex], ['a pet eats once', '/PET/feed', { grams: 250 }]] as const) {
  repeated(what, async ({ zoo, path, rexId }) => {
    const send = (body: object = json): Promise<Response> => zoo.request('POST', `${path}/pet${suffix.replace('PET', String(rexId))}`, body, {
      'Authorization': `Bearer ${zoo.token}`, 'Idempotency-Key': `"${what} in ${path}"`,
    });
    const [first, ...others] = [await send(), await send(), await send()];
    const body = await first?.text();
    for (const other of others) assert.equal([other.status, other.headers.get('Idempotent-Replayed'), await other.text()], [first?.status, 'true', body]);
    assert.is((await send({ ...json, grams: 1 })).status, 422);
    const pets = await (await zoo.request('GET', `${path}/pet`)).json() as { eaten: number }[];
    assert.equal([pets.length, pets[0]?.eaten], suffix === '' ? [2, 0] : [1, 250]);
  });
}
repeated('while the first runs, or after it: it is done once', async ({ zoo, path, rexId }) => {
  const headers = { 'Authorization': `Bearer ${zoo.token}`, 'Idempotency-Key': `"together in ${path}"` };
  const responses = await Promise.all(countTo(20).map(() => zoo.request('POST', `${path}/pet/${rexId}/feed`, { grams: 1 }, headers)));
  assert.ok(responses.every(({ status }) => status === 200 || status === 409));
  assert.is((await (await zoo.request('GET', `${path}/pet/${rexId}`)).json() as { eaten: number }).eaten, 1);
});
repeated('of a pet that was not there -> 404, and done when it is', async ({ zoo, path, rexId }) => {
  const headers = { 'Authorization': `Bearer ${zoo.token}`, 'Idempotency-Key': `"later in ${path}"` };
  const feed = (): Promise<Response> => zoo.request('POST', `${path}/pet/${rexId + 1}/feed`, { grams: 1 }, headers);
  assert.is((await feed()).status, 404);
  await zoo.keep('POST', `${path}/pet`, rex);
  assert.is((await feed()).status, 200);
});
repeated('events tell of what was done, once', async ({ zoo, path, rexId }) => {
  const before = Number(/^id: (\d+)$/m.exec(await (await zoo.request('GET', '/v1/event?after=0&limit=1')).text())?.[1] ?? 0);
  const headers = { 'Authorization': `Bearer ${zoo.token}`, 'Idempotency-Key': `"told in ${path}"` };
  for (const grams of [1, 1]) await zoo.request('POST', `${path}/pet/${rexId}/feed`, { grams }, headers);
  await zoo.keep('DELETE', `${path}/pet/${rexId}`);
  const text = await (await zoo.request('GET', `/v1/event?after=${before - 1}&limit=1000`, undefined)).body?.getReader().read();
  const events = Buffer.from(text?.value ?? '').toString().match(/^event: .*\ndata: .*$/gm) ?? [];
  assert.equal(events.filter((event) => event.includes(`"pet":${rexId},`)).map((event) => event.split('\n')[0]), ['event: arrived', 'event: fed', 'event: left']);
});
