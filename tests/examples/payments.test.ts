/** Requests to the example that are sent again with their key, also after the zoo was killed. `npm run test:postgres` has the same for PostgreSQL. */
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { killedPayments } from '../support/killed-payments.ts';
import { Payers, payWhileKilled, upTo } from '../support/payers.ts';
import { inTemporaryFolder } from '../support/temporary.ts';
import { rex, withZoo } from '../support/zoo-suite.ts';
import { ZooProcess } from '../support/zoo-process.ts';

const hasSqlite = process.getBuiltinModule('node:sqlite') !== undefined;
const TOKEN = 'the-token-of-the-payers';
const PET = '/v1/zoo/1/pet/1';

const repeated = withZoo(suite('a request with a key that is sent again'));
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
  const responses = await Promise.all(upTo(20).map(() => zoo.request('POST', `${path}/pet/${rexId}/feed`, { grams: 1 }, headers)));
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
repeated.run();

const killed = suite('payments');
killed('of eight clients: each is made once', async () => {
  const zoo = new ZooProcess({ ZOO_DB: ':memory:', ZOO_TOKEN: TOKEN });
  try {
    await zoo.opened();
    const payers = new Payers({ url: () => zoo.url, token: () => TOKEN, pet: PET }, 100);
    await payers.run(8);
    assert.equal([payers.wrong, payers.eaten.sort((one, two) => one - two)], [[], upTo(100)]);
  } finally {
    zoo.kill('SIGKILL');
    await zoo.ended();
  }
});
if (hasSqlite) {
  killed('in a SQLite file: of 1,000 payments and 20 kills, each is made once, and has the response of that once', () => inTemporaryFolder(async (folder) => {
    const start = (): ZooProcess => new ZooProcess({ ZOO_DB: join(folder, 'zoo.db'), ZOO_TOKEN: TOKEN });
    let zoo = start();
    try {
      await zoo.opened();
      let { url } = zoo;
      const payers = new Payers({ url: () => url, token: () => TOKEN, pet: PET }, 1000);
      await payWhileKilled(payers, { payments: 1000, kills: 20, clients: 8 }, async () => {
        zoo.kill('SIGKILL');
        assert.is(await zoo.ended(), 'SIGKILL');
        zoo = start();
        await zoo.opened();
        ({ url } = zoo);
      });
      assert.equal(payers.wrong, []);
      assert.equal(payers.eaten.sort((one, two) => one - two), upTo(1000));
      assert.is((await (await zoo.request('GET', PET)).json() as { eaten: number }).eaten, 1000);
      assert.ok(payers.attempts > 1000);
    } finally {
      zoo.kill('SIGKILL');
      await zoo.ended();
    }
  }));
  killed('in a SQLite file: one that is killed after any of its statements is made once, and has the response of that once', () => inTemporaryFolder(async (folder) => {
    assert.equal(await killedPayments(join(folder, 'zoo.db'), 'together'), {
      statements: ['BEGIN IMMEDIATE', 'SELECT text', 'UPDATE pet', 'DELETE FROM', 'INSERT INTO', 'COMMIT'],
      wrong: [],
    });
  }));
  killed('in a SQLite file: one that is killed is made twice if its response is stored in a later transaction', () => inTemporaryFolder(async (folder) => {
    assert.equal(await killedPayments(join(folder, 'zoo.db'), 'apart'), {
      statements: ['BEGIN IMMEDIATE', 'SELECT text', 'UPDATE pet', 'COMMIT', 'BEGIN IMMEDIATE', 'DELETE FROM', 'INSERT INTO', 'COMMIT'],
      wrong: ['COMMIT', 'BEGIN IMMEDIATE', 'DELETE FROM', 'INSERT INTO'],
    });
  }));
}
killed.run();
