/** Requests for each operation of the zoo, with the status of each response: those that succeed, and each problem that can be. */
import { ann, day, KEEPER_ID, rex } from './openapi-zoo.js';

const BEARER = { authorization: 'Bearer secret' };
const BASIC = { authorization: `Basic ${btoa('ann:secret')}` };
const JSON_TYPE = { 'content-type': 'application/json' };
const PET = '/v1/zoo/berlin/pet';
const KEEPER = '/v1/zoo/berlin/keeper';

function json(method, path, status, body, headers = {}) {
  return { method, path, status, headers: { ...JSON_TYPE, ...headers }, body: typeof body === 'string' ? body : JSON.stringify(body) };
}

function bare(method, path, status, headers = {}) {
  return { method, path, status, headers };
}

function makeForm() {
  const form = new FormData();
  form.set('caption', 'A1');
  form.set('photo', new File(['pixels'], 'a1.png', { type: 'image/png' }));
  return form;
}

export const traffic = [
  json('POST', PET, 201, rex, BEARER),
  json('POST', PET, 401, rex),
  json('POST', PET, 401, rex, { authorization: 'Bearer other' }),
  json('POST', PET, 400, rex, { authorization: 'Bearer ?' }),
  json('POST', PET, 400, { name: '', born: 'never', kind: { is: 'cow' } }, BEARER),
  json('POST', PET, 400, '{"name":', BEARER),
  json('POST', PET, 413, { ...rex, name: 'x'.repeat(10_000) }, BEARER),
  json('POST', PET, 415, rex, { ...BEARER, 'content-type': 'text/plain' }),
  bare('GET', `${PET}?limit=5&tag=a&tag=b`, 200, BEARER),
  bare('GET', `${PET}?limit=many`, 400, BEARER),
  bare('GET', `${PET}/1`, 200, BEARER),
  bare('GET', `${PET}/2`, 404, BEARER),
  bare('GET', `${PET}/one`, 400, BEARER),
  bare('GET', '/v1/zoo/%ff/pet/1', 400, BEARER),
  json('PUT', `${PET}/1`, 204, rex, BEARER),
  json('PUT', `${PET}/2`, 404, rex, BEARER),
  json('PATCH', `${PET}/1`, 200, { name: 'Asp' }, BEARER),
  json('PATCH', `${PET}/1`, 202, {}, BEARER),
  json('PATCH', `${PET}/1`, 409, { name: 'taken' }, BEARER),
  bare('DELETE', `${PET}/1`, 204, BEARER),
  json('POST', `${PET}/search`, 200, ['a'], BEARER),
  json('POST', `${PET}/search`, 200, { prefix: 'a' }, BEARER),
  json('POST', `${PET}/search`, 400, { prefix: 7 }, BEARER),
  bare('POST', `${PET}/count`, 200, BEARER),
  json('POST', `${PET}/count`, 200, { any: 'body' }, BEARER),
  json('POST', `${PET}/1/feed`, 200, { is: 'dog' }, BEARER),
  bare('POST', `${PET}/1/feed`, 200, BEARER),
  json('POST', `${PET}/1/feed`, 402, { is: 'cat' }, BEARER),
  { ...bare('POST', `${PET}/1/picture`, 200, { ...BEARER, 'content-type': 'image/png' }), body: 'pixels' },
  { ...bare('POST', `${PET}/1/picture`, 415, { ...BEARER, 'content-type': 'text/plain' }), body: 'pixels' },
  json('POST', KEEPER, 201, ann, BASIC),
  json('POST', KEEPER, 400, { name: 'Ann', since: 'always' }, BASIC),
  bare('GET', `${KEEPER}/${KEEPER_ID}`, 200, BASIC),
  bare('GET', `${KEEPER}/${KEEPER_ID}`, 401),
  bare('GET', `${KEEPER}/1`, 400, BASIC),
  json('PUT', `${KEEPER}/${KEEPER_ID}`, 204, ann, BASIC),
  json('POST', '/v1/ticket', 201, day),
  json('POST', '/v1/ticket', 400, { price: -1, kind: 'week' }),
  bare('GET', '/v1/ticket/1', 200),
  bare('GET', '/v1/ticket/2', 404),
  bare('DELETE', '/v1/ticket/1', 204),
  bare('POST', '/v1/ticket/fail', 500),
  json('POST', '/v1/settings', 201, ann),
  bare('GET', '/v1/settings', 200),
  json('PUT', '/v1/settings', 204, ann),
  json('PATCH', '/v1/settings', 204, { any: 'body' }),
  bare('DELETE', '/v1/settings', 204),
  bare('POST', '/v1/settings/reset', 200),
  bare('GET', '/v1/seat/A1', 200),
  bare('GET', '/v1/seat/A1', 304, { 'if-none-match': '"7"' }),
  bare('GET', '/v1/seat?limit=2', 200),
  bare('GET', '/v1/seat?limit=0', 400),
  json('PUT', '/v1/seat/A1', 409, { row: 1, number: 1 }, { 'if-match': '"7"' }),
  json('PUT', '/v1/seat/A2', 204, { row: 1, number: 2 }, { 'if-match': '"7"' }),
  json('PUT', '/v1/seat/A1', 428, { row: 1, number: 1 }),
  ...[[1, 409], [2, 409], [3, 200]].map(([row, status]) => json('POST', '/v1/seat/buy', status, { row, number: 4 }, { 'idempotency-key': `"${row}"` })),
  json('POST', '/v1/seat/buy', 422, { row: 3, number: 5 }, { 'idempotency-key': '3' }),
  json('POST', '/v1/seat/buy', 400, { row: 3, number: 4 }, { 'idempotency-key': '{}' }),
  bare('GET', '/v1/seat/near?row=2', 200),
  { ...bare('POST', '/v1/seat/view', 200), body: makeForm() },
  bare('GET', '/v1/seat/sales', 200),
];
