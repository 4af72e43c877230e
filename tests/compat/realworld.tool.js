/**
 * The RealWorld API ("Conduit", 19 operations), written with restpoint, Hono and Fastify over one store and the same schemas. All three
 * check with them what they take and send. They pass the same requests with the same responses, and their sizes are compared. All are
 * formatted by one tool, at 110 columns. Blank lines and comments do not count.
 */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { checks } from '../../dist/checks/index.js';
import { openApi } from '../../dist/openapi/index.js';
import { checking } from './checks.js';
import { lintComplaints } from './openapi-validators.js';
import { isFormatted, LISTENERS, measureSize, withCompiled } from './realworld-programs.js';
import { REQUESTS } from './realworld-requests.js';

const ABOUT = new URL('../../docs/about.md', import.meta.url);
const MIN_ASSERTIONS = 311;
const OPERATIONS = 19;
const MAX_LINES = 190;
const TIME = /^\d{4}-\d\d-\d\dT.*Z$/;
const METHODS = ['get', 'post', 'put', 'patch', 'delete'];

/** Sends a request of the table. `tokens` are those of the users who are signed in. */
async function ask(url, tokens, { method, path, as, token = tokens.get(as), body, text = JSON.stringify(body) }) {
  const headers = { ...(token && { Authorization: `Token ${token}` }), ...(text && { 'Content-Type': 'application/json' }) };
  const response = await fetch(`${url}/api${path}`, { method, headers, body: text });
  const sent = await response.text();
  return { status: response.status, type: response.headers.get('content-type'), body: sent === '' ? undefined : JSON.parse(sent) };
}

/** All assertions of a request: its own, its status, and the type of its body. */
function assertionsOf({ status, holds }) {
  return [
    [`the status is ${status}`, (response) => response.status === status],
    status === 204
      ? ['there is no body', ({ body }) => body === undefined]
      : ['the body is JSON', ({ type }) => /^application\/json(;|$)/.test(type)],
    ...holds.map(([what, predicate]) => [what, ({ body }) => predicate(body)]),
  ];
}

function failuresOf(request, response) {
  return assertionsOf(request).filter(([, holds]) => {
    try {
      return !holds(response);
    } catch {
      return true;
    }
  }).map(([what]) => what);
}

/** A response without what differs by design: tokens, times, and the words of a library. */
function comparable({ isOwnText }, { status, body }) {
  const masked = (name, value) => (name === 'token' ? 'token' : TIME.test(value) ? 'time' : value);
  return { status, body: isOwnText ? 'its own words' : body && JSON.parse(JSON.stringify(body, masked)) };
}

/** Passes the table with a program. Resolves to the responses, to be compared with those of others. */
async function pass(check, name, program, store) {
  store.clear();
  const { url, close } = await LISTENERS[name](program);
  const tokens = new Map();
  const responses = [];
  let passed = 0;
  for (const request of REQUESTS) {
    await check(`${name}: ${request.name}: ${request.method} ${request.path}`, async () => {
      const response = await ask(url, tokens, request);
      if (request.signsIn !== undefined) tokens.set(request.signsIn, response.body?.user?.token);
      responses.push(comparable(request, response));
      const failures = failuresOf(request, response);
      passed += assertionsOf(request).length - failures.length;
      assert.deepEqual(failures, [], JSON.stringify(response));
    });
  }
  await close();
  const all = REQUESTS.flatMap(assertionsOf).length;
  console.log(`${name}: ${passed} of ${all} assertions, ${REQUESTS.length} requests`);
  await check(`${name}: at least ${MIN_ASSERTIONS} assertions, and all pass`, () => {
    assert.ok(passed >= MIN_ASSERTIONS);
    assert.equal(passed, all);
  });
  return responses;
}

/** Calls a function with these methods of the console replaced. */
async function withConsole(methods, use) {
  const own = { ...console };
  Object.assign(console, methods);
  try {
    return await use();
  } finally {
    Object.assign(console, own);
  }
}

async function checkDocument(check, { server }) {
  const told = [];
  const info = { title: 'RealWorld', version: '1.0.0', license: { name: 'MIT', identifier: 'MIT' } };
  const document = openApi(server, { info, servers: [{ url: 'https://conduit.example' }], onWarning: (message) => told.push(message) });
  await check('the document is complete', () => assert.deepEqual(told, []));
  await check(`it has ${OPERATIONS} operations`, () => {
    const operations = Object.values(document.paths).flatMap((path) => METHODS.filter((method) => path[method] !== undefined));
    assert.equal(operations.length, OPERATIONS);
  });
  await check("redocly's recommended rules have no complaint", async () => {
    assert.deepEqual(await lintComplaints(document, 'recommended'), []);
  });
}

/** Calls each operation by the client. */
async function checkClient(check, { tour }, program, store) {
  store.clear();
  const { url, close } = await LISTENERS.restpoint(program);
  await check(`the client calls all ${OPERATIONS} operations`, async () => {
    const [statuses, values] = partsOf(await tour(url));
    assert.equal(statuses.length, OPERATIONS);
    assert.ok(statuses.every((status) => status.startsWith('2')), statuses.join());
    assert.deepEqual(values, ['ann', 'They are legion.', '1', 'ants']);
  });
  await close();
}

function partsOf(seen) {
  return [seen.slice(0, OPERATIONS), seen.slice(OPERATIONS)];
}

/** Runs the checks that follow from the declarations, with a user who has an article with a comment. */
async function checkDeclarations(check, { server }, store) {
  store.clear();
  let count = 0;
  const user = () => ({ user: { username: `user ${count += 1}`, email: `user${count}@example.com`, password: 'a long password' } });
  const article = () => ({ article: { title: `Article ${count += 1}`, description: 'short', body: 'long', tagList: [] } });
  const comment = { comment: { body: 'a comment' } };
  const login = user();
  const signed = await posted('/api/users', login, {});
  const headers = { authorization: `Token ${signed.user.token}` };
  const { article: { slug } } = await posted('/api/articles', article(), headers);
  const ofArticle = { params: { slug } };
  const { username } = login.user;
  const all = checks(server, {
    headers,
    samples: {
      usersCreate: { body: user },
      usersLogin: { body: login },
      userUpdate: { body: { user: { bio: 'a keeper' } } },
      profilesGet: { params: { id: username } },
      profilesFollowCreate: { params: { name: (await posted('/api/users', user(), {})).user.username } },
      profilesFollowDelete: { params: { name: username } },
      articlesCreate: { body: article },
      articlesGet: { params: { id: slug } },
      articlesUpdate: { params: { id: slug }, body: { article: { body: 'longer' } } },
      articlesDelete: false,
      articlesCommentsList: ofArticle,
      articlesCommentsCreate: { ...ofArticle, body: comment },
      articlesCommentsDelete: false,
      articlesFavoriteCreate: ofArticle,
      articlesFavoriteDelete: ofArticle,
    },
  });
  for (const { name, run, isSkipped } of all) if (!isSkipped) await check(`the declarations: ${name}`, run);
  await check('the declarations of all but two operations are reached', () => {
    const unreached = all.filter(({ isSkipped }) => isSkipped).map(({ name }) => name);
    assert.deepEqual(unreached.filter((name) => !name.includes('Delete is false')), []);
  });

  async function posted(path, body, allHeaders) {
    const response = await server.fetch(path, { method: 'POST', headers: { 'content-type': 'application/json', ...allHeaders }, body: JSON.stringify(body) });
    assert.equal(response.status, 201);
    return response.json();
  }
}

async function checkSizes(check) {
  const sizes = {};
  for (const name of Object.keys(LISTENERS)) {
    sizes[name] = await measureSize(`with-${name}`);
    console.log(`${name}: ${sizes[name].lines} lines, ${sizes[name].tokens} tokens`);
    await check(`${name} is formatted as the others are`, async () => assert.ok(await isFormatted(`with-${name}`)));
  }
  const { restpoint, hono, fastify } = sizes;
  await check('docs/about.md has these sizes', () => {
    const [here, other, third] = [restpoint, hono, fastify].map(({ lines, tokens }) => [lines, tokens.toLocaleString('en')]);
    const sentence = `takes ${here.join(' lines and ')} tokens here, ${other.join(' and ')} with Hono, ${third.join(' and ')} with Fastify`;
    assert.ok(readFileSync(ABOUT, 'utf8').includes(sentence), sentence);
  });
  const whole = sizes.restpoint.lines + (await measureSize('client-restpoint')).lines;
  console.log(`restpoint: ${whole} lines with a document and a client`);
  await check('its client is formatted as the others are', async () => assert.ok(await isFormatted('client-restpoint')));
  await check(`restpoint takes at most ${MAX_LINES} lines with a document and a client`, () => assert.ok(whole <= MAX_LINES));
  await check("at most three quarters of Hono's tokens", () => assert.ok(restpoint.tokens <= hono.tokens * 0.75));
}

await checking('RealWorld', async (check) => {
  await checkSizes(check);
  await withCompiled(async (load, compilers) => {
    for (const { name, messages } of compilers) await check(`${name} compiles all programs`, () => assert.deepEqual(messages, []));
    const { store } = await load('store');
    const responses = {};
    const logged = [];
    const error = (what) => logged.push(what.message);
    for (const name of Object.keys(LISTENERS)) {
      // Routes are logged when they are registered.
      const program = await withConsole({ info: () => {} }, () => load(`with-${name}`));
      // Once it is stopped, it has no `fetch`.
      if (name === 'restpoint') await withConsole({ error: () => {} }, () => checkDeclarations(check, program, store));
      if (name === 'restpoint') await checkClient(check, await load('client-restpoint'), program, store);
      responses[name] = await withConsole({ error }, () => pass(check, name, program, store));
      if (name === 'restpoint') await checkDocument(check, program);
    }
    // A Custom operation that fails is logged, whatever its status.
    await check('no program has logged another error', () => {
      assert.deepEqual(logged, ['POST /api/users/login: email or password is invalid']);
    });
    for (const peer of ['hono', 'fastify']) {
      await check(`${peer} gives the same responses`, () => assert.deepEqual(responses[peer], responses.restpoint));
    }
  });
});
