/** `/v1/zoo/:zoo/pet` of the example: the pets of a zoo, and the same as CSV. */
import { testMethods, testResponses, asp, createItem, NO_TOKEN, NOT_FOUND, problemBody, badRequestBody, rex, makeZooSuite } from '../support/zoo-suite.ts';
import { assert, suite } from '../support/facts.ts';

const ZOO_ID = badRequestBody('zoo: expected a decimal integer from -9007199254740991 to 9007199254740991', { parameter: 'zoo' });
const LEGS = badRequestBody('legs: expected an integer from 0 to 4294967295', { pointer: '#/legs' });
const stored = JSON.stringify({ id: 'PET', ...rex, eaten: 0 }).replace('"PET"', 'PET');

const requests = makeZooSuite(suite('requests for pets'));
testResponses(requests, [
  ['anyone', 'GET', '/v1/zoo/ZOO/pet', undefined, 200, `[${stored}]`],
  ['anyone', 'GET', '/v1/zoo/ZOO/pet?after=PET', undefined, 200, '[]'],
  ['anyone', 'GET', '/v1/zoo/ZOO/pet?limit=no', undefined, 400, badRequestBody('limit: expected an integer from 1', { parameter: 'limit' })],
  ['anyone', 'GET', '/v1/zoo/0/pet', undefined, 404, NOT_FOUND],
  ['anyone', 'GET', '/v1/zoo/first/pet', undefined, 400, ZOO_ID],
  ['anyone', 'GET', '/v1/zoo/ZOO/pet/PET', undefined, 200, stored],
  ['anyone', 'GET', '/v1/zoo/ZOO/pet/0', undefined, 404, NOT_FOUND],
  ['anyone', 'POST', '/v1/zoo/ZOO/pet/search', { name: 'ex' }, 200, `[${stored}]`],
  ['anyone', 'POST', '/v1/zoo/ZOO/pet/search', { name: 'Asp' }, 200, '[]'],
  ['anyone', 'POST', '/v1/zoo/0/pet/search', { name: 'Asp' }, 404, NOT_FOUND],
  ['anyone', 'GET', '/v1/zoo/ZOO/pet/PET/appetite', undefined, 200, '{"grams":3000}'],
  ['anyone', 'GET', '/v1/zoo/0/pet/PET/appetite', undefined, 404, NOT_FOUND],
  ['anyone', 'POST', '/v1/zoo/ZOO/pet', asp, 401, NO_TOKEN],
  ['anyone', 'PUT', '/v1/zoo/ZOO/pet/PET', asp, 401, NO_TOKEN],
  ['anyone', 'PATCH', '/v1/zoo/ZOO/pet/PET', { legs: 3 }, 401, NO_TOKEN],
  ['anyone', 'DELETE', '/v1/zoo/ZOO/pet/PET', undefined, 401, NO_TOKEN],
  ['anyone', 'POST', '/v1/zoo/ZOO/pet/PET/feed', { grams: 1 }, 401, NO_TOKEN],
  ['keeper', 'POST', '/v1/zoo/ZOO/pet', { ...asp, legs: -1 }, 400, LEGS],
  ['keeper', 'POST', '/v1/zoo/0/pet', asp, 404, NOT_FOUND],
  ['keeper', 'PUT', '/v1/zoo/ZOO/pet/PET', asp, 204, ''],
  ['keeper', 'PUT', '/v1/zoo/ZOO/pet/0', asp, 404, NOT_FOUND],
  ['keeper', 'PATCH', '/v1/zoo/ZOO/pet/PET', { legs: 3 }, 204, ''],
  ['keeper', 'PATCH', '/v1/zoo/ZOO/pet/PET', { legs: -1 }, 400, LEGS],
  ['keeper', 'PATCH', '/v1/zoo/ZOO/pet/0', {}, 404, NOT_FOUND],
  ['keeper', 'DELETE', '/v1/zoo/ZOO/pet/PET', undefined, 204, ''],
  ['keeper', 'DELETE', '/v1/zoo/ZOO/pet/0', undefined, 404, NOT_FOUND],
  ['keeper', 'POST', '/v1/zoo/ZOO/pet/PET/feed', { grams: 250 }, 200, '{"name":"Rex","eaten":250}'],
  ['keeper', 'POST', '/v1/zoo/ZOO/pet/PET/feed', { grams: 0 }, 400, badRequestBody('grams: expected an integer from 1 to 1000000', { pointer: '#/grams' })],
  ['keeper', 'POST', '/v1/zoo/ZOO/pet/0/feed', { grams: 250 }, 404, NOT_FOUND],
]);
testMethods(requests, [
  ['OPTIONS', '/v1/zoo/1/pet', 200, 'GET, POST, POST'],
  ['OPTIONS', '/v1/zoo/1/pet/1', 200, 'GET, PUT, PATCH, DELETE'],
  ['OPTIONS', '/v1/zoo/1/pet/1/feed', 200, 'POST'],
  ['OPTIONS', '/v1/zoo/1/pet/1/appetite', 200, 'GET'],
  ['POST', '/v1/zoo/1/pet/1/appetite', 405, 'GET, HEAD, OPTIONS'],
  ['GET', '/v1/zoo/1/pet/1/feed', 405, 'POST, OPTIONS'],
  ['POST', '/v1/zoo/1/pet/1', 405, 'GET, HEAD, PUT, PATCH, DELETE, OPTIONS'],
]);

const pets = makeZooSuite(suite('pets'));
pets('an update, a patch and food change the pet that a get finds', async ({ zoo, path, rexId }) => {
  const pet = `${path}/pet/${rexId}`;
  await zoo.keep('PUT', pet, asp);
  await zoo.keep('PATCH', pet, { name: 'Boa' });
  await zoo.keep('POST', `${pet}/feed`, { grams: 100 });
  await zoo.keep('POST', `${pet}/feed`, { grams: 150 });
  assert.equal(await (await zoo.request('GET', pet)).json(), { id: rexId, ...asp, name: 'Boa', eaten: 250 });
  await zoo.keep('DELETE', pet);
  assert.is((await zoo.request('GET', pet)).status, 404);
});
for (const [method, suffix, json] of [
  ['GET', '', undefined],
  ['PUT', '', asp],
  ['PATCH', '', { legs: 3 }],
  ['DELETE', '', undefined],
  ['POST', '/feed', { grams: 1 }],
  ['GET', '/appetite', undefined],
  ['GET', '/photo', undefined],
  ['DELETE', '/photo', undefined],
] as const) {
  pets(`a pet of another zoo: ${method} …/pet/:id${suffix} -> 404, and the pet is as it was`, async ({ zoo, path, rexId }) => {
    const other = `/v1/zoo/${await createItem(zoo, '/v1/zoo', { name: `not of ${rexId}`, city: 'Utrecht' })}`;
    const response = await zoo.keep(method, `${other}/pet/${rexId}${suffix}`, json);
    assert.is(response.status, 404);
    assert.is(await response.text(), NOT_FOUND);
    assert.equal(await (await zoo.request('GET', `${path}/pet/${rexId}`)).json(), { id: rexId, ...rex, eaten: 0 });
  });
}
pets('a page of pets links to the next', async ({ zoo, path, rexId }) => {
  const aspId = await createItem(zoo, `${path}/pet`, asp);
  const first = await zoo.request('GET', `${path}/pet?limit=1`);
  assert.equal(await first.json(), [{ id: rexId, ...rex, eaten: 0 }]);
  assert.is(first.headers.get('Link'), `<?limit=1&after=${rexId}>; rel="next"`);
  const second = await zoo.request('GET', `${path}/pet?limit=1&after=${rexId}`);
  assert.equal(await second.json(), [{ id: aspId, ...asp, eaten: 0 }]);
  assert.is(second.headers.get('Link'), null);
});

const csv = makeZooSuite(suite('pets as CSV'));
csv('are a file with a head and a line for each, with quotes and formulas made harmless', async ({ zoo, path, rexId }) => {
  for (const name of ['a,b', 'a "b"', '=1+1', '\u{1f40d}']) await createItem(zoo, `${path}/pet`, { ...asp, name });
  const response = await zoo.request('GET', `${path}/pet.csv`);
  assert.is(response.status, 200);
  assert.is(response.headers.get('Content-Type'), 'text/csv; charset=utf-8; header=present');
  assert.is(response.headers.get('Content-Disposition'), 'attachment; filename="pets.csv"');
  assert.equal((await response.text()).split('\r\n'), [
    'id,name,legs,lethal,eaten',
    `${rexId},Rex,4,false,0`,
    `${rexId + 1},"a,b",0,true,0`,
    `${rexId + 2},"a ""b""",0,true,0`,
    `${rexId + 3},'=1+1,0,true,0`,
    `${rexId + 4},\u{1f40d},0,true,0`,
    '',
  ]);
});
csv('are all there, even when there are more than the store returns at once', async ({ zoo, path }) => {
  // One after the other: a store on a slow disk would make the last of 250 at once wait longer than `headersMs`.
  for (let count = 0; count < 250; count += 1) await createItem(zoo, `${path}/pet`, asp);
  const ids = (await (await zoo.request('GET', `${path}/pet.csv`)).text()).match(/^\d+/gm) ?? [];
  assert.is(ids.length, 251);
  assert.equal(ids, [...new Set(ids)].sort((a, b) => Number(a) - Number(b)));
});
csv('of an unknown zoo -> 404', async ({ zoo }) => {
  const response = await zoo.request('GET', '/v1/zoo/0/pet.csv');
  assert.is(response.status, 404);
  assert.is(await response.text(), problemBody(404, 'Not Found', 'Not found.'));
});
