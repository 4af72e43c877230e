/** `validationStatus` and `uniqueKeys`: which rejections of a request they change, and which stay as they are. */
import { ApiError, ApiServer, integerId } from '../../../src/index.ts';
import { testDeliveries } from '../../support/deliveries.ts';
import { assert, facts, readProblem, rejections, suite, type Declare } from '../../support/facts.ts';
import { makeSchema } from '../../support/serve-decoder.ts';

const odd = makeSchema(() => ({ issues: [{ message: 'odd', path: ['legs'] }] }));
const throwWrong = (): never => { throw new Error('wrong'); };
const declare: Declare = (server) => server.registerEndpoint('/zoo/:zoo/pet', {
  params: { zoo: integerId },
  id: integerId,
  schema: odd,
  create: () => 1,
  update: () => {},
  list: { query: odd, run: () => [] },
  get: { query: throwWrong, run: () => 1 },
  delete: () => { throw ApiError.argument('no'); },
  custom: {
    wrong: { input: throwWrong, run: () => 1 },
    later: { input: () => Promise.reject(new Error('wrong')), run: () => 1 },
    own: { input: () => { throw ApiError.argument('no'); }, run: () => 1 },
    sent: { output: odd, run: () => 1 },
  },
});

const statuses = suite('O10 B8: validationStatus: 422');
const INTEGER = 'expected a decimal integer from -9007199254740991 to 9007199254740991';
for (const validationStatus of [422, 400, undefined] as const) {
  const status = validationStatus ?? 400;
  facts(statuses, declare, [
    ['a body, by a schema', 'POST /v1/zoo/7/pet {}', `${status} Bad arguments: odd @#/legs`],
    ['a body, by the schema of an update', 'PUT /v1/zoo/7/pet/1 {}', `${status} Bad arguments: odd @#/legs`],
    ['a body, by a function', 'POST /v1/zoo/7/pet/wrong {}', `${status} Bad arguments: wrong @#`],
    ['a body, by a promise', 'POST /v1/zoo/7/pet/later {}', `${status} Bad arguments: wrong @#`],
    ['a query, by a schema', 'GET /v1/zoo/7/pet', `${status} Bad arguments: odd @legs`],
    ['a query, by a function', 'GET /v1/zoo/7/pet/1', `${status} Bad arguments: wrong @`],
    ['an error of a decoder that has its own status', 'POST /v1/zoo/7/pet/own {}', '400 Bad arguments: no'],
    ['an error of an operation', 'DELETE /v1/zoo/7/pet/1', '400 Bad arguments: no'],
    ['an output', 'POST /v1/zoo/7/pet/sent', '500', 'POST /v1/zoo/:zoo/pet/sent: Internal error: the result does not match output: Bad arguments: odd'],
    ['a body that is not JSON', 'POST /v1/zoo/7/pet {', '400 Bad arguments: the body is not JSON: it ends too early, at byte 1 @#'],
    ['an empty body', 'POST /v1/zoo/7/pet', '400 Bad arguments: the body is empty @#'],
    ['a key named __proto__', 'POST /v1/zoo/7/pet {"__proto__":1}', '400 Bad arguments: the body has a key named "__proto__" @#'],
    ['a number that is not exact', 'POST /v1/zoo/7/pet 1e999', '400 Bad arguments: the body has a number that cannot be represented exactly @#'],
    ['a query that is not encoded', 'GET /v1/zoo/7/pet?a=%ff', '400 Bad arguments: the query is not percent-encoded UTF-8 @'],
    ['an id', 'GET /v1/zoo/7/pet/x', `400 Bad arguments: id: ${INTEGER} @id`],
    ['a parameter', 'GET /v1/zoo/x/pet', `400 Bad arguments: zoo: ${INTEGER} @zoo`],
    ['a parameter that is not encoded', 'GET /v1/zoo/%ff/pet', '400 Bad arguments: the zoo is not percent-encoded UTF-8 @zoo'],
  ], validationStatus && { validationStatus });
}
const withOptions = (options: object) => () => new ApiServer('/v1', options);
rejections(statuses, [
  ['', withOptions({ validationStatus: 409 }), 'validationStatus must be one of 400, 422: 409'],
  ['', withOptions({ validationStatus: '422' }), 'validationStatus must be one of 400, 422: 422'],
  ['', withOptions({ uniqueKeys: 1 }), 'uniqueKeys must be a boolean: 1'],
  ['', withOptions({ uniqueKeys: 'yes' }), 'uniqueKeys must be a boolean: yes'],
]);

const unique = suite('B15: uniqueKeys');
const UNIQUE = { options: { uniqueKeys: true } } as const;
testDeliveries(unique, 'a key twice', { ...UNIQUE, body: '{"name":"ant","legs":6,"name":"bee"}' }, 400, (response) => {
  assert.equal(readProblem(response).errors, [{ detail: 'an object of the body has a key twice', pointer: '#' }]);
});
testDeliveries(unique, 'a key twice, without the option', { body: '{"name":"ant","legs":6,"name":"bee"}' }, 201, (_response, zoo) => assert.is(zoo.pets.get(1)?.name, 'bee'));
testDeliveries(unique, 'each key once', { ...UNIQUE, body: '{"name":"ant","legs":6,"more":[{"name":1},{"name":1}]}' }, 201);
