/** The example as a process: its output, its data, how it ends, and the token of its keepers. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Child } from '../support/child.ts';
import { withTemporaryFolder } from '../support/temporary-folder.ts';
import { ZooProcess, withZooProcess } from '../support/zoo-process.ts';
import { assert, RawClient, suite, waitUntil } from '../support/facts.ts';

const ZOO = fileURLToPath(new URL('../../examples/zoo.js', import.meta.url));
const hasSqlite = process.getBuiltinModule('node:sqlite') !== undefined;
const artis = { name: 'Artis', city: 'Amsterdam' };
const rex = { name: 'Rex', legs: 4, lethal: false };

/** Runs a zoo with a file in a temporary folder. */
function zooInFolder(use: (zoo: ZooProcess, file: string) => Promise<void>): Promise<void> {
  return withTemporaryFolder((folder) => withZooProcess(join(folder, 'zoo.db'), (zoo) => use(zoo, join(folder, 'zoo.db'))));
}

const printed = suite('the output of the zoo');
printed('the store, every route, the token, and commands with its port and the token', () => zooInFolder(async (zoo, file) => {
  const [store, ...rest] = zoo.output.split('\n');
  assert.is(store, hasSqlite ? `store: SQLite in ${file}` : 'store: in memory, this Node has no node:sqlite');
  assert.equal(rest.slice(0, rest.indexOf('')).map((line) => line.replace(/^route: /, '')), [
    'GET /v1/animal/:id', 'OPTIONS /v1/animal', 'OPTIONS /v1/animal/:id',
    'POST /v1/zoo', 'GET /v1/zoo', 'GET /v1/zoo/:id', 'PUT /v1/zoo/:id', 'PATCH /v1/zoo/:id', 'DELETE /v1/zoo/:id',
    'OPTIONS /v1/zoo', 'OPTIONS /v1/zoo/:id',
    'POST /v1/zoo/:zoo/pet', 'GET /v1/zoo/:zoo/pet',
    'GET /v1/zoo/:zoo/pet/:id', 'PUT /v1/zoo/:zoo/pet/:id', 'PATCH /v1/zoo/:zoo/pet/:id', 'DELETE /v1/zoo/:zoo/pet/:id',
    'POST /v1/zoo/:zoo/pet/search', 'POST /v1/zoo/:zoo/pet/:id/feed', 'GET /v1/zoo/:zoo/pet/:id/appetite',
    'OPTIONS /v1/zoo/:zoo/pet', 'OPTIONS /v1/zoo/:zoo/pet/:id', 'OPTIONS /v1/zoo/:zoo/pet/search', 'OPTIONS /v1/zoo/:zoo/pet/:id/feed',
    'OPTIONS /v1/zoo/:zoo/pet/:id/appetite',
    'GET /v1/zoo/:zoo/pet.csv', 'OPTIONS /v1/zoo/:zoo/pet.csv',
    'GET /v1/zoo/:zoo/pet/:pet/photo', 'PUT /v1/zoo/:zoo/pet/:pet/photo', 'DELETE /v1/zoo/:zoo/pet/:pet/photo', 'OPTIONS /v1/zoo/:zoo/pet/:pet/photo',
    'GET /v1/event', 'OPTIONS /v1/event',
    'GET /v1/keeper/me', 'OPTIONS /v1/keeper/me',
    '* /health', '* /openapi.json',
  ]);
  assert.ok(zoo.port > 0);
  assert.is(zoo.suggestions.length, 17);
  for (const suggestion of zoo.suggestions) assert.match(suggestion, ` '${zoo.url}/`);
  const forKeepers = zoo.suggestions.filter((suggestion) => suggestion.includes(` -H "Authorization: Bearer ${zoo.token}"`));
  assert.is(forKeepers.length, 6);
}));
printed('without --all, three commands at its end', () => withTemporaryFolder(async (folder) => {
  const child = new Child([ZOO], { HOST: '', PORT: '0', ZOO_DB: join(folder, 'zoo.db'), ZOO_TOKEN: '' });
  try {
    const [shown] = await child.waitForOutput(/(?:^curl .*\n){3}\n$/m);
    const [, token = ''] = await child.waitForOutput(/^token: (.+)$/m);
    const commands = shown.trim().split('\n');
    assert.is(child.output.split('\ncurl ').length, 4);
    assert.match(child.output, 'npm start -- --all prints a command for each feature');
    assert.equal(commands.map((command) => command.includes(`-H "Authorization: Bearer ${token}"`)), [false, true, true]);
  } finally {
    await child.end();
  }
}));
printed('commands for the first zoo and its first pet, which it stores if they are missing', () => zooInFolder(async (zoo) => {
  assert.ok(zoo.suggestions.some((suggestion) => suggestion.includes(`${zoo.url}/v1/zoo/1/pet/1/feed`)));
  assert.equal(await (await zoo.request('GET', '/v1/zoo')).json(), [{ id: 1, name: 'The zoo', city: 'Utrecht' }]);
  assert.equal(await (await zoo.request('GET', '/v1/zoo/1/pet')).json(), [{ id: 1, ...rex, eaten: 0 }]);
}));

const kept = suite('the data that the zoo keeps');
const RESTARTED = hasSqlite ? 'a restarted zoo has all, and adds nothing' : 'without SQLite a restarted zoo begins again';
kept(RESTARTED, () => withTemporaryFolder(async (folder) => {
  const file = join(folder, 'zoo.db');
  await withZooProcess(file, async (zoo) => {
    assert.is((await zoo.keep('POST', '/v1/zoo', artis)).status, 201);
    assert.is((await zoo.keep('DELETE', '/v1/zoo/1/pet/1')).status, 204);
    assert.is((await zoo.keep('DELETE', '/v1/zoo/1')).status, 204);
    assert.is((await zoo.keep('POST', '/v1/zoo/2/pet', rex)).status, 201);
    zoo.kill('SIGTERM');
    assert.is(await zoo.waitUntilEnded(), 0);
  });
  await withZooProcess(file, async (zoo) => {
    const zoos = await (await zoo.request('GET', '/v1/zoo')).json();
    assert.equal(zoos, hasSqlite ? [{ id: 2, ...artis }] : [{ id: 1, name: 'The zoo', city: 'Utrecht' }]);
    const path = hasSqlite ? '/v1/zoo/2/pet/2' : '/v1/zoo/1/pet/1';
    assert.ok(zoo.suggestions.some((suggestion) => suggestion.includes(`${zoo.url}${path}/feed`)));
  });
}));
if (hasSqlite) {
  kept('a damaged file -> 500 without the reason, which is logged', () => zooInFolder(async (zoo, file) => {
    writeFileSync(file, 'x'.repeat(8192));
    const response = await zoo.request('GET', '/v1/zoo/1/pet/1');
    assert.is(response.status, 500);
    assert.equal(await response.json(), { type: 'about:blank', title: 'Internal Server Error', status: 500 });
    assert.is((await zoo.request('GET', '/health')).status, 200);
    zoo.kill('SIGTERM');
    assert.is(await zoo.waitUntilEnded(), 0);
    assert.match(zoo.errors, /GET \/v1\/zoo\/:zoo\/pet\/:id \(request [\da-f-]{36}\): Internal error: file is not a database/);
  }));
}

const ending = suite('how the zoo ends');
for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  ending(`${signal}, twice -> a request in flight gets its response, an event stream ends, then exit 0`, () => zooInFolder(async (zoo) => {
    const json = JSON.stringify(rex);
    const client = await RawClient.connect(zoo.port);
    const follower = await RawClient.connect(zoo.port);
    try {
      follower.send('GET /v1/event HTTP/1.1\r\nHost: a\r\n\r\n');
      client.send(`POST /v1/zoo/1/pet HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${zoo.token}\r\n`);
      client.send(`Content-Length: ${json.length}\r\nExpect: 100-continue\r\n\r\n`);
      assert.is((await client.response()).status, 100);
      zoo.kill(signal);
      await waitUntilRejecting(zoo.port);
      zoo.kill(signal);
      const { status: streamStatus, body: stream } = await follower.response();
      assert.equal([streamStatus, stream], [200, '']);
      client.send(json);
      const { status, headers, body } = await client.response();
      assert.equal([status, headers.get('connection'), body], [201, 'close', '2']);
    } finally {
      client.destroy();
      follower.destroy();
    }
    assert.is(await zoo.waitUntilEnded(), 0);
    assert.is(zoo.output.split('The zoo is closed.').length, 2);
  }));
}
ending('SIGINT again and again until it exits -> exit 0', () => zooInFolder(async (zoo) => {
  const again = setInterval(() => zoo.kill('SIGINT'), 1);
  try {
    assert.is(await zoo.waitUntilEnded(), 0);
  } finally {
    clearInterval(again);
  }
}));
ending('a port in use -> the reason on stderr, exit 1', () => zooInFolder(async (zoo, file) => {
  const second = new ZooProcess({ ZOO_DB: `${file}.second`, PORT: String(zoo.port) });
  try {
    assert.is(await second.waitUntilEnded(), 1);
    assert.match(second.errors, new RegExp(`^listen EADDRINUSE: address already in use 127\\.0\\.0\\.1:${zoo.port}$`, 'm'));
    assert.is(second.suggestions.length, 0);
    assert.is((await zoo.request('GET', '/health')).status, 200);
  } finally {
    second.kill('SIGKILL');
  }
}));
ending('PostgreSQL without the package pg -> its name on stderr, exit 1', () => withTemporaryFolder(async (folder) => {
  const zoo = new ZooProcess({ ZOO_DB: 'postgres://zoo:a-password@db.example/zoo' }, folder);
  assert.is(await zoo.waitUntilEnded(), 1);
  assert.is(zoo.errors, `The store cannot be opened: PostgreSQL needs the package pg in ${folder}: npm install --no-save pg\n`);
}));
if (hasSqlite) {
  ending('a file that cannot be opened -> the reason on stderr, exit 1', () => withTemporaryFolder(async (folder) => {
    const zoo = new ZooProcess({ ZOO_DB: folder });
    assert.is(await zoo.waitUntilEnded(), 1);
    assert.is(zoo.errors, 'The store cannot be opened: unable to open database file\n');
  }));
}

const token = suite('the token of keepers');
const zooWith = (environment: Record<string, string>, use: (zoo: ZooProcess) => Promise<void>): Promise<void> => {
  return withTemporaryFolder((folder) => withZooProcess(join(folder, 'zoo.db'), use, environment));
};
token('is another at each start', () => zooWith({}, async (first) => zooWith({}, async (second) => {
  assert.match(first.token, /^[\w-]{24}$/);
  assert.is.not(first.token, second.token);
  assert.is((await second.request('GET', '/v1/keeper/me', undefined, { Authorization: `Bearer ${first.token}` })).status, 401);
})));
token('is that of ZOO_TOKEN, which is not printed', () => zooWith({ ZOO_TOKEN: 'a-token-for-tests+/~.==' }, async (zoo) => {
  assert.is(zoo.token, 'the one in ZOO_TOKEN');
  assert.not.match(zoo.output, 'a-token-for-tests');
  assert.ok(zoo.suggestions.some((line) => line.includes('-H "Authorization: Bearer $ZOO_TOKEN"')));
  assert.is((await zoo.request('GET', '/v1/keeper/me', undefined, { Authorization: 'Bearer a-token-for-tests+/~.==' })).status, 200);
}));
for (const given of ['short', 'with spaces in the middle', 'quotes-"-in-the-middle', 'a-token\nof-two-lines-of-text']) {
  token(`ZOO_TOKEN=${JSON.stringify(given)} -> exit 1 with the reason, and without the token`, () => withTemporaryFolder(async (folder) => {
    const zoo = new ZooProcess({ ZOO_DB: join(folder, 'zoo.db'), ZOO_TOKEN: given });
    try {
      assert.is(await zoo.waitUntilEnded(), 1);
      assert.match(zoo.errors, 'TypeError: a token has 16 or more of');
      assert.not.match(zoo.output + zoo.errors, given);
    } finally {
      zoo.kill('SIGKILL');
    }
  }));
}
token('never appears in the log', () => zooWith({}, async (zoo) => {
  const { length } = zoo.output;
  const wrong = 'a-wrong-token-of-somebody';
  for (const authorization of [`Bearer ${zoo.token}`, `Bearer ${wrong}`, `Bearer ${wrong} ${wrong}`, `Basic ${wrong}`]) {
    for (const [method, path, json] of [
      ['GET', '/v1/keeper/me', undefined],
      ['POST', '/v1/zoo/0/pet', rex],
      ['POST', '/v1/zoo/1/pet/0/feed', { grams: 1 }],
      ['DELETE', '/v1/zoo/0', undefined],
    ] as const) {
      const response = await zoo.request(method, path, json, { Authorization: authorization });
      assert.not.match(await response.text(), new RegExp(`${zoo.token}|${wrong}`));
    }
  }
  zoo.kill('SIGTERM');
  assert.is(await zoo.waitUntilEnded(), 0);
  assert.match(zoo.errors, /POST \/v1\/zoo\/:zoo\/pet\/:id\/feed \(request [\da-f-]{36}\): Not found\./);
  assert.not.match(zoo.errors + zoo.output.slice(length), new RegExp(`${zoo.token}|${wrong}`));
}));

/** Resolves when connections are rejected. */
async function waitUntilRejecting(port: number): Promise<void> {
  await waitUntil(() => RawClient.connect(port).then((client) => (client.destroy(), false), () => true), 'the zoo to stop listening');
}
