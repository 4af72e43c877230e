/** Zoos as processes over one database: the responses to conflicts, and to requests while the database is down. */
import * as assert from 'uvu/assert';
import { ZooProcess } from '../support/zoo-process.ts';
import { othersWait, withPool, withStore, withTransaction, type Case } from './case.ts';
import { rejectZoos } from './rejections.ts';

export const TOKEN = 'the-token-of-both-zoos';
const PNG = new Uint8Array([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 0, 255]);
const artis = { name: 'Artis', city: 'Amsterdam' };
const UNAVAILABLE = { type: 'about:blank', title: 'Service Unavailable', status: 503, detail: 'the store is not available' };

/** Starts a zoo over a database. */
export function startZoo(url: string, port = 0): ZooProcess {
  return new ZooProcess({ ZOO_DB: url, ZOO_TOKEN: TOKEN, PORT: String(port) });
}

/** Starts two zoos, uses them, and ends them as an operator would. Both must end with 0. `meanwhile` runs while they start. */
async function withZoos(
  url: string, use: (one: ZooProcess, two: ZooProcess) => Promise<void>, meanwhile: () => Promise<void> = async () => {},
): Promise<void> {
  const [one, two] = [startZoo(url), startZoo(url)];
  try {
    await meanwhile();
    await Promise.all([one.waitUntilOpen(), two.waitUntilOpen()]);
    await use(one, two);
    for (const zoo of [one, two]) zoo.kill('SIGTERM');
    assert.equal([await one.waitUntilEnded(), await two.waitUntilEnded()], [0, 0]);
  } finally {
    for (const zoo of [one, two]) zoo.kill('SIGKILL');
  }
}

/** Lets two zoos store their first zoo and pet at the same time, in a database that has none. */
async function startTogether(url: string, use: (one: ZooProcess, two: ZooProcess) => Promise<void>): Promise<void> {
  await withStore(url, async () => {});
  await withTransaction(url, (client) => withPool(url, async (pool) => {
    await client.query('LOCK TABLE pet IN SHARE MODE');
    await withZoos(url, use, async () => {
      await othersWait(pool, 2);
      await client.query('ROLLBACK');
    });
  }));
}

/** Sends a request as a keeper. */
function sendAsKeeper(url: string, method: string, path: string, json?: object): Promise<Response> {
  const headers = { 'Authorization': `Bearer ${TOKEN}`, 'Content-Type': 'application/json' };
  return fetch(url + path, { method, headers, ...(json === undefined ? {} : { body: JSON.stringify(json) }) });
}

async function assertUnavailable(response: Response): Promise<void> {
  assert.is(response.status, 503);
  assert.is(response.headers.get('Retry-After'), '1');
  assert.equal(await response.json(), UNAVAILABLE);
}

export const ZOOS: readonly Case[] = [
  ['two that start at the same time over an empty database have one first zoo, with one pet', ({ url }) => startTogether(url, async (one, two) => {
    for (const zoo of [one, two]) {
      assert.match(zoo.output, /^store: PostgreSQL, database postgres\n/);
      const zoos = await (await zoo.request('GET', '/v1/zoo')).json() as { id: number; name: string }[];
      assert.equal(zoos.map(({ name }) => name), ['The zoo']);
      const pets = await (await zoo.request('GET', `/v1/zoo/${zoos[0]?.id}/pet`)).json() as { name: string }[];
      assert.equal(pets.map(({ name }) => name), ['Rex']);
      assert.not.match(zoo.output + zoo.errors, /not-to-be-shown/);
    }
  })],
  ['what one has stored, the other finds, and a name that it has taken is a 409', ({ url }) => withZoos(url, async (one, two) => {
    const made = await sendAsKeeper(one.url, 'POST', '/v1/zoo', artis);
    assert.is(made.status, 201);
    const id = Number(await made.text());
    assert.equal(await (await two.request('GET', `/v1/zoo/${id}`)).json(), { id, ...artis });
    const pets = `/v1/zoo/${id}/pet`;
    const pet = await (await sendAsKeeper(one.url, 'POST', pets, { name: 'Rex', legs: 4, lethal: false })).text();
    const photo = { method: 'PUT', headers: { 'Authorization': `Bearer ${TOKEN}`, 'Content-Type': 'image/png' }, body: PNG };
    assert.is((await fetch(`${one.url}${pets}/${pet}/photo`, photo)).status, 204);
    assert.equal(new Uint8Array(await (await two.request('GET', `${pets}/${pet}/photo`)).arrayBuffer()), PNG);
    assert.is(await (await two.request('GET', `${pets}.csv`)).text(), `id,name,legs,lethal,eaten\r\n${pet},Rex,4,false,0\r\n`);
    const rejected = await sendAsKeeper(two.url, 'POST', '/v1/zoo', artis);
    assert.is(rejected.status, 409);
    const detail = 'another zoo has this name';
    assert.equal(await rejected.json(), { type: 'about:blank', title: 'Conflict', status: 409, detail });
  })],
  ['a serialization failure that stays is a 503 with Retry-After, and the log has the reason', ({ url }) => withZoos(url, async (zoo) => {
    await rejectZoos(url, 3, '40001');
    await assertUnavailable(await sendAsKeeper(zoo.url, 'POST', '/v1/zoo', artis));
    assert.match(zoo.errors, 'rejected by the test');
    // The client tries again, as `Retry-After` says.
    assert.is((await sendAsKeeper(zoo.url, 'POST', '/v1/zoo', artis)).status, 201);
  })],
  ['a database that is gone is a 503 with Retry-After, until it is back', ({ cluster, url }) => withZoos(url, async (zoo) => {
    const zoos = await (await zoo.request('GET', '/v1/zoo')).json();
    cluster.stop();
    try {
      await assertUnavailable(await zoo.request('GET', '/v1/zoo'));
      await assertUnavailable(await zoo.request('GET', '/v1/zoo/1'));
      await assertUnavailable(await sendAsKeeper(zoo.url, 'POST', '/v1/zoo', artis));
      assert.is((await zoo.request('GET', '/health')).status, 200);
    } finally {
      cluster.start();
    }
    assert.equal(await (await zoo.request('GET', '/v1/zoo')).json(), zoos);
    assert.is((await sendAsKeeper(zoo.url, 'POST', '/v1/zoo', artis)).status, 201);
  })],
  ['a database that does not exist -> the reason on stderr, exit 1', async ({ cluster }) => {
    const zoo = startZoo(cluster.url('nothing'));
    assert.is(await zoo.waitUntilEnded(), 1);
    assert.is(zoo.errors, 'The store cannot be opened: database "nothing" does not exist\n');
  }],
];
