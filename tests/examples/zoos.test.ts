/** `/v1/zoo` of the example: zoos in pages, and their unique names. */
import { testMethods, testResponses, createItem, NO_TOKEN, NOT_FOUND, problemBody, badRequestBody, makeZooSuite } from '../support/zoo-suite.ts';
import { assert, suite } from '../support/facts.ts';

const NAME = badRequestBody('name: expected a string of 1 to 100 characters, without control characters', { pointer: '#/name' });
const ID = badRequestBody('id: expected a decimal integer from -9007199254740991 to 9007199254740991', { parameter: 'id' });
const LIMIT = badRequestBody('limit: expected an integer from 1', { parameter: 'limit' });
const AFTER = badRequestBody('after: expected a cursor from a link to a next page', { parameter: 'after' });

const requests = makeZooSuite(suite('requests for zoos'));
testResponses(requests, [
  ['anyone', 'GET', '/v1/animal/ant', undefined, 200, '{"name":"ant","legs":4,"lethal":false}'],
  ['anyone', 'GET', '/v1/animal/a%2Fb%20c', undefined, 200, '{"name":"a/b c","legs":4,"lethal":false}'],
  ['anyone', 'GET', '/health', undefined, 200, '{"status":"ok"}'],
  ['anyone', 'HEAD', '/health', undefined, 200, ''],
  ['anyone', 'GET', '/v1/zoo/0', undefined, 404, NOT_FOUND],
  ['anyone', 'GET', '/v1/zoo/first', undefined, 400, ID],
  ['anyone', 'GET', '/v1/zoo?limit=0', undefined, 400, LIMIT],
  ['anyone', 'GET', '/v1/zoo?limit=ten', undefined, 400, LIMIT],
  ['anyone', 'GET', '/v1/zoo?limit=1&limit=2', undefined, 400, LIMIT],
  ['anyone', 'GET', '/v1/zoo?after=x', undefined, 400, AFTER],
  ['anyone', 'GET', '/v1/zoo?after=99999999999999999', undefined, 400, AFTER],
  ['anyone', 'POST', '/v1/zoo', { name: 'Artis', city: 'Amsterdam' }, 401, NO_TOKEN],
  ['anyone', 'PUT', '/v1/zoo/ZOO', { name: 'Artis', city: 'Amsterdam' }, 401, NO_TOKEN],
  ['anyone', 'PATCH', '/v1/zoo/ZOO', { city: 'Amsterdam' }, 401, NO_TOKEN],
  ['anyone', 'DELETE', '/v1/zoo/ZOO', undefined, 401, NO_TOKEN],
  ['keeper', 'POST', '/v1/zoo', { city: 'Amsterdam' }, 400, NAME],
  ['keeper', 'PUT', '/v1/zoo/ZOO', { name: 'Zoo ZOO PUT', city: 'Amsterdam' }, 204, ''],
  ['keeper', 'PUT', '/v1/zoo/0', { name: 'Zoo 0', city: 'Amsterdam' }, 404, NOT_FOUND],
  ['keeper', 'PATCH', '/v1/zoo/ZOO', { city: 'Amsterdam' }, 204, ''],
  ['keeper', 'PATCH', '/v1/zoo/ZOO', { name: '' }, 400, NAME],
  ['keeper', 'PATCH', '/v1/zoo/0', { city: 'Amsterdam' }, 404, NOT_FOUND],
  ['keeper', 'DELETE', '/v1/zoo/0', undefined, 404, NOT_FOUND],
  ['keeper', 'DELETE', '/v1/zoo/ZOO', undefined, 409, problemBody(409, 'Conflict', 'the zoo has pets')],
]);
testMethods(requests, [
  ['OPTIONS', '/v1/animal', 200, ''],
  ['OPTIONS', '/v1/animal/ant', 200, 'GET'],
  ['OPTIONS', '/v1/zoo', 200, 'GET, POST'],
  ['OPTIONS', '/v1/zoo/1', 200, 'GET, PUT, PATCH, DELETE'],
  ['PUT', '/v1/animal/ant', 405, 'GET, HEAD, OPTIONS'],
  ['PUT', '/v1/zoo', 405, 'GET, HEAD, POST, OPTIONS'],
  ['POST', '/health', 405, 'GET, HEAD'],
]);

const revisions = makeZooSuite(suite('the revision of a zoo or a pet'));
for (const [what, item, change, whole] of [
  ['a zoo', '', { city: 'Arnhem' }, { name: 'Burgers', city: 'Arnhem' }],
  ['a pet', '/pet/PET', { legs: 3 }, { name: 'Rex', legs: 3, lethal: false }],
] as const) {
  revisions(`${what} has its revision as its ETag, which each change increases`, async ({ zoo, path, rexId }) => {
    const url = path + item.replace('PET', String(rexId));
    const tagOf = async (): Promise<string | null> => (await zoo.request('GET', url)).headers.get('ETag');
    assert.is(await tagOf(), '"1"');
    assert.is((await zoo.keep('PATCH', url, change)).status, 204);
    assert.is(await tagOf(), '"2"');
  });
  revisions(`${what} that the client knows -> 304, and one that has changed -> the whole`, async ({ zoo, path, rexId }) => {
    const url = zoo.url + path + item.replace('PET', String(rexId));
    const headers = { 'If-None-Match': '"1"' };
    assert.is((await fetch(url, { headers })).status, 304);
    await zoo.keep('PATCH', url.slice(zoo.url.length), change);
    assert.is((await fetch(url, { headers })).status, 200);
  });
  revisions(`of 20 keepers who change ${what} that they all know, one does, and the others get 412`, async ({ zoo, path, rexId }) => {
    const url = zoo.url + path + item.replace('PET', String(rexId));
    const headers = { 'Authorization': `Bearer ${zoo.token}`, 'Content-Type': 'application/json', 'If-Match': '"1"' };
    const body = JSON.stringify(change);
    const responses = await Promise.all(Array.from({ length: 20 }, () => fetch(url, { method: 'PATCH', headers, body })));
    assert.equal(responses.map(({ status }) => status).toSorted(), [204, ...Array<number>(19).fill(412)]);
    assert.is((await fetch(url)).headers.get('ETag'), '"2"');
    assert.is((await fetch(url, { method: 'PUT', headers, body: JSON.stringify(whole) })).status, 412);
    assert.is((await fetch(url, { method: 'DELETE', headers })).status, 412);
    assert.is((await fetch(url, { method: 'PATCH', headers: { ...headers, 'If-Match': '"1", "2"' }, body })).status, 204);
  });
}
revisions('a meal changes the revision of a pet, and has one that it is for', async ({ zoo, path, rexId }) => {
  const url = `${zoo.url}${path}/pet/${rexId}/feed`;
  const headers = { 'Authorization': `Bearer ${zoo.token}`, 'Content-Type': 'application/json', 'If-Match': '"1"' };
  const statuses: number[] = [];
  for (const _ of [1, 2]) statuses.push((await fetch(url, { method: 'POST', headers, body: '{"grams":1}' })).status);
  assert.equal(statuses, [200, 412]);
});

const zoos = makeZooSuite(suite('zoos'));
zoos('a new zoo is where Location says, with its id', async ({ zoo }) => {
  const id = await createItem(zoo, '/v1/zoo', { name: 'Artis', city: 'Amsterdam' });
  assert.equal(await (await zoo.request('GET', `/v1/zoo/${id}`)).json(), { id, name: 'Artis', city: 'Amsterdam' });
});
zoos('an update and a patch change it, and a delete removes it', async ({ zoo }) => {
  const path = `/v1/zoo/${await createItem(zoo, '/v1/zoo', { name: 'Blijdorp', city: 'Rotterdam' })}`;
  const found = async (): Promise<object> => {
    const { id: _, ...rest } = await (await zoo.request('GET', path)).json() as { id: number };
    return rest;
  };
  await zoo.keep('PATCH', path, { city: 'Utrecht' });
  assert.equal(await found(), { name: 'Blijdorp', city: 'Utrecht' });
  await zoo.keep('PUT', path, { name: 'Burgers', city: 'Arnhem' });
  assert.equal(await found(), { name: 'Burgers', city: 'Arnhem' });
  assert.is((await zoo.keep('DELETE', path)).status, 204);
  assert.is((await zoo.request('GET', path)).status, 404);
});
for (const [method, suffix] of [['POST', ''], ['PUT', '/ZOO'], ['PATCH', '/ZOO']] as const) {
  zoos(`${method} with the name of another zoo -> 409, and the zoo is as it was`, async ({ zoo, id, path }) => {
    const before = await (await zoo.request('GET', path)).text();
    await zoo.keep('POST', '/v1/zoo', { name: 'Taken', city: 'Utrecht' });
    const response = await zoo.keep(method, `/v1/zoo${suffix.replace('ZOO', String(id))}`, { name: 'Taken', city: 'Utrecht' });
    assert.is(response.status, 409);
    assert.is(response.headers.get('Content-Type'), 'application/problem+json');
    assert.is(await response.text(), problemBody(409, 'Conflict', 'another zoo has this name'));
    assert.is(await (await zoo.request('GET', path)).text(), before);
  });
}
zoos('the pages lead through all zoos, each once, by their links', async ({ zoo }) => {
  const names = ['page 1', 'page 2', 'page 3'];
  for (const name of names) await createItem(zoo, '/v1/zoo', { name, city: 'Utrecht' });
  const whole = await zoo.request('GET', '/v1/zoo?limit=100');
  assert.is(whole.headers.get('Link'), null);
  const listed: unknown[] = [];
  let url: URL | undefined = new URL(`${zoo.url}/v1/zoo?limit=2`);
  while (url !== undefined) {
    const response: Response = await fetch(url);
    assert.is(response.status, 200);
    const page = await response.json() as unknown[];
    assert.ok(page.length === 2 || response.headers.get('Link') === null);
    listed.push(...page);
    const next: string | undefined = /^<([^>]*)>; rel="next"$/.exec(response.headers.get('Link') ?? '')?.[1];
    url = next === undefined ? undefined : new URL(next, url);
  }
  assert.equal(listed, await whole.json());
  assert.ok(listed.length > names.length);
});
