/** K8: Payments that are sent again with their key, also after the zoo was killed. `npm run test:postgres` has the same for PostgreSQL. */
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { payAndKill } from '../support/killed-payments.ts';
import { Payers, payWhileKilled, countTo } from '../support/payers.ts';
import { withTemporaryFolder } from '../support/temporary-folder.ts';
import { ZooProcess } from '../support/zoo-process.ts';

const hasSqlite = process.getBuiltinModule('node:sqlite') !== undefined;
const TOKEN = 'the-token-of-the-payers';
const PET = '/v1/zoo/1/pet/1';

const killed = suite('payments');
killed('of eight clients: each is made once', async () => {
  const zoo = new ZooProcess({ ZOO_DB: ':memory:', ZOO_TOKEN: TOKEN });
  try {
    await zoo.waitUntilOpen();
    const payers = new Payers({ url: () => zoo.url, token: () => TOKEN, pet: PET }, 100);
    await payers.run(8);
    assert.equal([payers.wrong, payers.eaten.sort((one, two) => one - two)], [[], countTo(100)]);
  } finally {
    zoo.kill('SIGKILL');
    await zoo.waitUntilEnded();
  }
});
if (hasSqlite) {
  killed('in a SQLite file: of 1,000 payments and 20 kills, each is made once, and has the response of that once', () => withTemporaryFolder(async (folder) => {
    const start = (): ZooProcess => new ZooProcess({ ZOO_DB: join(folder, 'zoo.db'), ZOO_TOKEN: TOKEN });
    let zoo = start();
    try {
      await zoo.waitUntilOpen();
      let { url } = zoo;
      const payers = new Payers({ url: () => url, token: () => TOKEN, pet: PET }, 1000);
      await payWhileKilled(payers, { payments: 1000, kills: 20, clients: 8 }, async () => {
        zoo.kill('SIGKILL');
        assert.is(await zoo.waitUntilEnded(), 'SIGKILL');
        zoo = start();
        await zoo.waitUntilOpen();
        ({ url } = zoo);
      });
      assert.equal(payers.wrong, []);
      assert.equal(payers.eaten.sort((one, two) => one - two), countTo(1000));
      assert.is((await (await zoo.request('GET', PET)).json() as { eaten: number }).eaten, 1000);
      assert.ok(payers.attempts > 1000);
    } finally {
      zoo.kill('SIGKILL');
      await zoo.waitUntilEnded();
    }
  }));
  killed('in a SQLite file: one that is killed after any of its statements is made once, and has the response of that once', () => withTemporaryFolder(async (folder) => {
    assert.equal(await payAndKill(join(folder, 'zoo.db'), 'together'), {
      statements: ['BEGIN IMMEDIATE', 'SELECT text', 'UPDATE pet', 'DELETE FROM', 'INSERT INTO', 'COMMIT'],
      wrong: [],
    });
  }));
  killed('in a SQLite file: one that is killed is made twice if its response is stored in a later transaction', () => withTemporaryFolder(async (folder) => {
    assert.equal(await payAndKill(join(folder, 'zoo.db'), 'apart'), {
      statements: ['BEGIN IMMEDIATE', 'SELECT text', 'UPDATE pet', 'COMMIT', 'BEGIN IMMEDIATE', 'DELETE FROM', 'INSERT INTO', 'COMMIT'],
      wrong: ['COMMIT', 'BEGIN IMMEDIATE', 'DELETE FROM', 'INSERT INTO'],
    });
  }));
}
killed.run();
