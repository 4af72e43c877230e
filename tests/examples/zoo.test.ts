/** The example as a process: every operation over HTTP, what it prints, what it keeps, and how it ends. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { RawClient } from '../support/raw-client.ts';
import { inTemporaryFolder } from '../support/temporary.ts';
import { ZooProcess, zooRunning } from '../support/zoo-process.ts';

const hasSqlite = process.getBuiltinModule('node:sqlite') !== undefined;
const rex = { name: 'Rex', legs: 4, lethal: false };
const asp = { name: 'Asp', legs: 0, lethal: true };

/** Runs a zoo with a file in a temporary folder. */
function zooInFolder(use: (zoo: ZooProcess, file: string) => Promise<void>): Promise<void> {
  return inTemporaryFolder((folder) => zooRunning(join(folder, 'pets.db'), (zoo) => use(zoo, join(folder, 'pets.db'))));
}

function problem(status: number, title: string, detail?: string) {
  return JSON.stringify({ type: 'about:blank', title, status, detail });
}

const NOT_FOUND = problem(404, 'Not Found', 'Not found.');
const REFUSED_LEGS = problem(400, 'Bad Request', 'Bad arguments: legs: expected an integer from 0 to 4294967295');
const REFUSED_GRAMS = problem(400, 'Bad Request', 'Bad arguments: grams: expected an integer from 1 to 1000000');

const answers = suite('the zoo with Rex as pet 1');
for (const [method, path, json, status, body] of [
  ['GET', '/v1/animal/ant', undefined, 200, '{"name":"ant","legs":4,"lethal":false}'],
  ['GET', '/v1/animal/a%2Fb%20c', undefined, 200, '{"name":"a/b c","legs":4,"lethal":false}'],
  ['POST', '/v1/pet', asp, 201, '2'],
  ['POST', '/v1/pet', { ...asp, legs: -1 }, 400, REFUSED_LEGS],
  ['GET', '/v1/pet/1', undefined, 200, JSON.stringify(rex)],
  ['GET', '/v1/pet/2', undefined, 404, NOT_FOUND],
  ['PUT', '/v1/pet/1', asp, 204, ''],
  ['PUT', '/v1/pet/2', asp, 404, NOT_FOUND],
  ['DELETE', '/v1/pet/1', undefined, 204, ''],
  ['DELETE', '/v1/pet/2', undefined, 404, NOT_FOUND],
  ['POST', '/v1/pet/feed', { pet: 1, grams: 250 }, 200, '{"name":"Rex","eaten":250}'],
  ['POST', '/v1/pet/feed', { pet: 2, grams: 250 }, 404, NOT_FOUND],
  ['POST', '/v1/pet/feed', { pet: 1, grams: 0 }, 400, REFUSED_GRAMS],
  ['POST', '/v1/pet/search', { name: 'ex' }, 200, JSON.stringify([{ id: 1, ...rex }])],
  ['POST', '/v1/pet/search', { name: 'Asp' }, 200, '[]'],
  ['GET', '/health', undefined, 200, '{"status":"ok"}'],
  ['HEAD', '/health', undefined, 200, ''],
] as const) {
  answers(`${method} ${path} ${JSON.stringify(json) ?? ''} -> ${status} ${body}`, () => zooInFolder(async (zoo) => {
    assert.is(await (await zoo.request('POST', '/v1/pet', rex)).text(), '1');
    const response = await zoo.request(method, path, json);
    assert.is(response.status, status);
    assert.is(await response.text(), body);
  }));
}
for (const [method, path, status, allow] of [
  ['OPTIONS', '/v1/animal', 200, ''],
  ['OPTIONS', '/v1/animal/ant', 200, 'GET'],
  ['OPTIONS', '/v1/pet', 200, 'POST, POST, POST'],
  ['OPTIONS', '/v1/pet/1', 200, 'GET, PUT, DELETE'],
  ['PUT', '/v1/animal/ant', 405, 'GET, HEAD, OPTIONS'],
  ['POST', '/health', 405, 'GET, HEAD'],
] as const) {
  answers(`${method} ${path} -> ${status}, Allow: ${allow}`, () => zooInFolder(async (zoo) => {
    const response = await zoo.request(method, path);
    assert.is(response.status, status);
    assert.is(response.headers.get('Allow'), allow);
    assert.is(await response.text(), '');
  }));
}
answers('a Get finds the updated pet, and after a Delete nothing', () => zooInFolder(async (zoo) => {
  const created = await zoo.request('POST', '/v1/pet', rex);
  const path = created.headers.get('Location') ?? '';
  assert.is(path, '/v1/pet/1');
  await zoo.request('PUT', path, asp);
  assert.equal(await (await zoo.request('GET', path)).json(), asp);
  await zoo.request('DELETE', path);
  assert.is((await zoo.request('GET', path)).status, 404);
}));
answers.run();

const printed = suite('what the zoo prints');
printed('the store, every route, and four commands with its port', () => zooInFolder(async (zoo, file) => {
  const [store, ...rest] = zoo.output.split('\n');
  assert.is(store, hasSqlite ? `store: SQLite in ${file}` : 'store: in memory, this Node has no node:sqlite');
  assert.equal(rest.slice(0, rest.indexOf('')), [
    'route: GET /v1/animal/:id',
    'route: OPTIONS /v1/animal',
    'route: OPTIONS /v1/animal/:id',
    'route: POST /v1/pet',
    'route: GET /v1/pet/:id',
    'route: PUT /v1/pet/:id',
    'route: DELETE /v1/pet/:id',
    'route: POST /v1/pet/feed',
    'route: POST /v1/pet/search',
    'route: OPTIONS /v1/pet',
    'route: OPTIONS /v1/pet/:id',
    'route: * /health',
  ]);
  assert.ok(zoo.port > 0);
  assert.is(zoo.suggestions.length, 4);
  for (const suggestion of zoo.suggestions) assert.ok(suggestion.startsWith(`curl -i '${zoo.url}/`), suggestion);
}));
printed.run();

const kept = suite('what the zoo keeps');
kept(hasSqlite ? 'a restarted zoo has its pets' : 'without SQLite a restarted zoo is empty', () => inTemporaryFolder(async (folder) => {
  const file = join(folder, 'pets.db');
  await zooRunning(file, async (zoo) => {
    assert.is((await zoo.request('POST', '/v1/pet', rex)).status, 201);
    zoo.kill('SIGTERM');
    assert.is(await zoo.ended(), 0);
  });
  await zooRunning(file, async (zoo) => {
    const response = await zoo.request('GET', '/v1/pet/1');
    assert.is(response.status, hasSqlite ? 200 : 404);
    if (hasSqlite) assert.equal(await response.json(), rex);
  });
}));
if (hasSqlite) {
  kept('a damaged file -> 500 without the reason, which is logged', () => zooInFolder(async (zoo, file) => {
    await zoo.request('POST', '/v1/pet', rex);
    writeFileSync(file, 'x'.repeat(8192));
    const response = await zoo.request('GET', '/v1/pet/1');
    assert.is(response.status, 500);
    assert.is(await response.text(), problem(500, 'Internal Server Error'));
    assert.is((await zoo.request('GET', '/health')).status, 200);
    zoo.kill('SIGTERM');
    assert.is(await zoo.ended(), 0);
    assert.match(zoo.errors, 'GET /v1/pet/:id: Internal error: file is not a database');
  }));
}
kept.run();

const ending = suite('how the zoo ends');
for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  ending(`${signal}, sent twice -> a request in flight is answered, then exit 0`, () => zooInFolder(async (zoo) => {
    const json = JSON.stringify(rex);
    const client = await RawClient.connect(zoo.port);
    try {
      client.send(`POST /v1/pet HTTP/1.1\r\nHost: a\r\nContent-Length: ${json.length}\r\nExpect: 100-continue\r\n\r\n`);
      assert.is((await client.response()).status, 100);
      zoo.kill(signal);
      await refusing(zoo.port);
      zoo.kill(signal);
      client.send(json);
      const { status, headers, body } = await client.response();
      assert.equal([status, headers.get('connection'), body], [201, 'close', '1']);
    } finally {
      client.destroy();
    }
    assert.is(await zoo.ended(), 0);
    assert.is(zoo.output.split('The zoo is closed.').length, 2);
  }));
}
ending('SIGINT again and again until it exits -> exit 0', () => zooInFolder(async (zoo) => {
  const again = setInterval(() => zoo.kill('SIGINT'), 1);
  try {
    assert.is(await zoo.ended(), 0);
  } finally {
    clearInterval(again);
  }
}));
ending('a port in use -> the reason on stderr, exit 1', () => zooInFolder(async (zoo, file) => {
  const second = new ZooProcess({ ZOO_DB: `${file}.second`, PORT: String(zoo.port) });
  try {
    assert.is(await second.ended(), 1);
    assert.match(second.errors, new RegExp(`^listen EADDRINUSE: address already in use 127\\.0\\.0\\.1:${zoo.port}$`, 'm'));
    assert.is(second.suggestions.length, 0);
    assert.is((await zoo.request('GET', '/health')).status, 200);
  } finally {
    second.kill('SIGKILL');
  }
}));
ending.run();

/** Resolves when connections are refused. */
async function refusing(port: number): Promise<void> {
  for (let attempt = 0; attempt < 500; attempt += 1) {
    try {
      (await RawClient.connect(port)).destroy();
    } catch {
      return;
    }
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
  throw new Error('the zoo still listens');
}
