/** `validationStatus` and `uniqueKeys`: which rejections of a request they change, and which stay as they are. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { ApiError, ApiServer, integerId, type ApiServerOptions } from '../../../src/index.ts';
import { makeSchema } from '../../support/serve-decoder.ts';
import { testDeliveries } from '../../support/deliveries.ts';
import { message, readProblem } from '../../support/messages.ts';
import { send } from '../../support/raw-client.ts';
import { serve } from '../../support/serve.ts';

const odd = makeSchema(() => ({ issues: [{ message: 'odd', path: ['legs'] }] }));
const throwWrong = (): never => { throw new Error('wrong'); };

function declare(server: ApiServer): void {
  server.registerEndpoint('/zoo/:zoo/pet', {
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
}

const BODY = [{ detail: 'odd', pointer: '#/legs' }];
const QUERY = [{ detail: 'odd', parameter: 'legs' }];

const statuses = suite('O10 B8: validationStatus: 422');
const CASES = [
  ['a body, by a schema', 'POST', '/7/pet', '{}', 422, BODY],
  ['a body, by the schema of an update', 'PUT', '/7/pet/1', '{}', 422, BODY],
  ['a body, by a function', 'POST', '/7/pet/wrong', '{}', 422, [{ detail: 'wrong', pointer: '#' }]],
  ['a body, by a promise', 'POST', '/7/pet/later', '{}', 422, [{ detail: 'wrong', pointer: '#' }]],
  ['a query, by a schema', 'GET', '/7/pet', '', 422, QUERY],
  ['a query, by a function', 'GET', '/7/pet/1', '', 422, [{ detail: 'wrong' }]],
  ['an error of a decoder that has its own status', 'POST', '/7/pet/own', '{}', 400, undefined],
  ['an error of an operation', 'DELETE', '/7/pet/1', '', 400, undefined],
  ['an output', 'POST', '/7/pet/sent', '', 500, undefined],
  ['a body that is not JSON', 'POST', '/7/pet', '{', 400, [{ detail: 'the body is not JSON: it ends too early, at byte 1', pointer: '#' }]],
  ['an empty body', 'POST', '/7/pet', '', 400, [{ detail: 'the body is empty', pointer: '#' }]],
  ['a key named __proto__', 'POST', '/7/pet', '{"__proto__":1}', 400, [{ detail: 'the body has a key named "__proto__"', pointer: '#' }]],
  ['a number that is not exact', 'POST', '/7/pet', '1e999', 400, [{ detail: 'the body has a number that cannot be represented exactly', pointer: '#' }]],
  ['a query that is not encoded', 'GET', '/7/pet?a=%ff', '', 400, [{ detail: 'the query is not percent-encoded UTF-8' }]],
  ['an id', 'GET', '/7/pet/x', '', 400,
    [{ detail: 'id: expected a decimal integer from -9007199254740991 to 9007199254740991', parameter: 'id' }]],
  ['a parameter', 'GET', '/x/pet', '', 400,
    [{ detail: 'zoo: expected a decimal integer from -9007199254740991 to 9007199254740991', parameter: 'zoo' }]],
  ['a parameter that is not encoded', 'GET', '/%ff/pet', '', 400, [{ detail: 'the zoo is not percent-encoded UTF-8', parameter: 'zoo' }]],
] as const;
for (const [why, method, path, body, status, errors] of CASES) {
  statuses(`${why} -> ${status}, and 400 without the option`, async () => {
    for (const [options, expected] of [[{ validationStatus: 422 }, status], [{}, status === 422 ? 400 : status]] as const) {
      await serve(declare, async ({ port, errors: logged }) => {
        const problem = readProblem(await send(port, message(method, `/v1/zoo${path}`, body)));
        assert.is(problem.status, expected);
        if (expected === 422) assert.is(problem.title, 'Unprocessable Content');
        assert.equal(problem.errors, errors);
        assert.is(logged.length, expected === 500 ? 1 : 0);
      }, options);
    }
  });
}
for (const [options, error] of [
  [{ validationStatus: 409 }, 'validationStatus must be one of 400, 422: 409'],
  [{ validationStatus: '422' }, 'validationStatus must be one of 400, 422: 422'],
  [{ uniqueKeys: 1 }, 'uniqueKeys must be a boolean: 1'],
  [{ uniqueKeys: 'yes' }, 'uniqueKeys must be a boolean: yes'],
] as const) {
  statuses(`${JSON.stringify(options)} -> TypeError that names the option`, () => {
    assert.throws(
      () => new ApiServer('/v1', options as unknown as ApiServerOptions),
      (thrown: unknown) => thrown instanceof TypeError && thrown.message === error,
    );
  });
}
statuses.run();

const unique = suite('B15: uniqueKeys');
const UNIQUE = { options: { uniqueKeys: true } } as const;
testDeliveries(unique, 'a key twice', { ...UNIQUE, body: '{"name":"ant","legs":6,"name":"bee"}' }, 400, (response) => {
  assert.equal(readProblem(response).errors, [{ detail: 'an object of the body has a key twice', pointer: '#' }]);
});
testDeliveries(unique, 'a key twice, without the option', { body: '{"name":"ant","legs":6,"name":"bee"}' }, 201, (_response, zoo) => {
  assert.is(zoo.pets.get(1)?.name, 'bee');
});
testDeliveries(unique, 'each key once', { ...UNIQUE, body: '{"name":"ant","legs":6,"more":[{"name":1},{"name":1}]}' }, 201);
unique.run();
