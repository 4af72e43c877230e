/** O14 Q1 Q2 Q3 Q4 Q5 Q6 Q7 Q8 Q9 Q10 Q11 Q12 V18: The order in which a request is asked about: who is rejected for one reason learns nothing about the next. */
import { bearer } from '../../../src/auth/index.ts';
import { ApiError, integerId, type ApiServer, type ContextRequest } from '../../../src/index.ts';
import { assert, message, readProblem, send, serve, suite } from '../../support/facts.ts';

/** Notes the steps that a request reaches, with the values that each step sees. */
class Steps {
  readonly taken: unknown[] = [];

  readonly register = (server: ApiServer): void => {
    server.use(({ headers }, _response, next) => {
      this.taken.push('middleware');
      next(headers['x-blocked'] === undefined ? undefined : ApiError.status(403, 'blocked'));
    });
    server.registerEndpoint('/zoo/:zoo/pet', {
      id: integerId,
      params: { zoo: integerId },
      context: ({ raw, params, itemId }: ContextRequest<{ readonly zoo: number }, number>) => {
        this.taken.push(['context', params, itemId]);
        if (raw.headers['x-name'] === undefined) throw ApiError.status(403, 'no name');
        return 'Ann';
      },
      itemCustom: {
        feed: {
          query: (query: unknown) => {
            this.taken.push('query');
            if (Object(query).dry === undefined) throw new Error('dry: expected');
            return 'dry';
          },
          input: (json: unknown) => {
            this.taken.push('input');
            if (typeof json !== 'number') throw new Error('expected a number');
            return json;
          },
          limits: { bodyBytes: 10 },
          use: {
            around: ({ request }, run) => {
              this.taken.push('interceptor');
              if (request.raw.headers['x-held'] !== undefined) throw ApiError.status(409, 'held');
              return run();
            },
          },
          run: (id, grams, { params, query, context }) => {
            this.taken.push('run');
            if (grams === 13) throw ApiError.status(402, 'too dear');
            return [id, grams, params, query, context];
          },
          output: (result: unknown) => {
            this.taken.push('output');
            if (Object(result)[1] === 14) throw new Error('not that');
            return result;
          },
        },
      },
    });
  };
}

// Every request has all of the errors that come after its own.
const LONG = '"12345678901"';
const TEXT = 'Content-Type: text/plain';
// The endpoint has no versions.
const STALE = 'If-Match: "1"';
const CONTEXT = ['context', { zoo: 3 }, 7];
const ordered = suite('the order in which a request is rejected');
for (const [why, method, target, headers, body, status, detail, taken] of [
  ['middleware', 'PUT', '/nowhere', ['X-Blocked: 1', TEXT, STALE], LONG, 403, 'blocked', ['middleware']],
  ['an unknown path', 'PUT', '/v1/zoo/x/pet/y/feed/me', [TEXT, STALE], LONG, 404, 'Nothing is served at this path.', ['middleware']],
  ['a different method', 'PUT', '/v1/zoo/x/pet/y/feed', [TEXT, STALE], LONG, 405, undefined, ['middleware']],
  ['a parameter', 'POST', '/v1/zoo/x/pet/7/feed', [TEXT, STALE], LONG, 400, /^Bad arguments: zoo: expected/, ['middleware']],
  ['the id', 'POST', '/v1/zoo/3/pet/y/feed', [TEXT, STALE], LONG, 400, /^Bad arguments: id: expected/, ['middleware']],
  ['the context', 'POST', '/v1/zoo/3/pet/7/feed', [TEXT, STALE], LONG, 403, 'no name', ['middleware', CONTEXT]],
  ['the query', 'POST', '/v1/zoo/3/pet/7/feed', ['X-Name: Ann', TEXT, STALE], LONG, 400, 'Bad arguments: dry: expected', ['middleware', CONTEXT, 'query']],
  ['the type', 'POST', '/v1/zoo/3/pet/7/feed?dry', ['X-Name: Ann', TEXT, STALE], '"a"', 415, /application\/json/, ['middleware', CONTEXT, 'query']],
  ['the length', 'POST', '/v1/zoo/3/pet/7/feed?dry', ['X-Name: Ann', STALE], LONG, 413, /too long|longer|larger/i, ['middleware', CONTEXT, 'query']],
  ['the JSON', 'POST', '/v1/zoo/3/pet/7/feed?dry', ['X-Name: Ann', STALE], '"a', 400, /^Bad arguments: /, ['middleware', CONTEXT, 'query']],
  ['the input', 'POST', '/v1/zoo/3/pet/7/feed?dry', ['X-Name: Ann', STALE], '"a"', 400,
    'Bad arguments: expected a number', ['middleware', CONTEXT, 'query', 'input']],
  ['an interceptor', 'POST', '/v1/zoo/3/pet/7/feed?dry', ['X-Name: Ann', 'X-Held: yes', STALE],
    '13', 409, 'held', ['middleware', CONTEXT, 'query', 'input', 'interceptor']],
  ['a condition', 'POST', '/v1/zoo/3/pet/7/feed?dry', ['X-Name: Ann', STALE], '13', 412,
    'A condition of the request is not met.', ['middleware', CONTEXT, 'query', 'input', 'interceptor']],
  ['the operation', 'POST', '/v1/zoo/3/pet/7/feed?dry', ['X-Name: Ann'], '13', 402, 'too dear', ['middleware', CONTEXT, 'query', 'input', 'interceptor', 'run']],
  ['the output', 'POST', '/v1/zoo/3/pet/7/feed?dry', ['X-Name: Ann'], '14', 500,
    undefined, ['middleware', CONTEXT, 'query', 'input', 'interceptor', 'run', 'output']],
] as const) {
  ordered(`${why} -> ${status}, and nothing behind it is asked`, async () => {
    const steps = new Steps();
    await serve(steps.register, async ({ port, errors }) => {
      const reply = await send(port, message(method, target, body, [...headers]));
      assert.is(reply.status, status);
      // Every failure of the operation itself is logged, as this is an operation of an item.
      assert.is(errors.length, ['an interceptor', 'the operation', 'the output'].includes(why) ? 1 : 0);
      if (status === 500) assert.is(readProblem(reply).detail, undefined);
      else if (detail === undefined) assert.is(reply.body, '');
      else if (typeof detail === 'string') assert.is(readProblem(reply).detail, detail);
      else assert.match(String(readProblem(reply).detail), detail);
      assert.equal(steps.taken, taken);
    });
  });
}
ordered('nothing -> 200, and every step was taken once', async () => {
  const steps = new Steps();
  await serve(steps.register, async ({ port }) => {
    const reply = await send(port, message('POST', '/v1/zoo/3/pet/7/feed?dry', '250', ['X-Name: Ann']));
    assert.is(reply.body, '[7,250,{"zoo":3},"dry","Ann"]');
    assert.equal(steps.taken, ['middleware', CONTEXT, 'query', 'input', 'interceptor', 'run', 'output']);
  });
});
ordered('the scopes -> 403, after the context and before all that is behind it', async () => {
  const taken: string[] = [];
  const context = bearer((token) => (taken.push('context'), token === 'good' ? { scopes: [] as string[] } : undefined), { getScopes: ({ scopes }) => scopes });
  const feed = {
    scopes: ['feed'], query: () => { throw new Error('no query'); }, input: (json: unknown) => json, run: () => taken.push('run'),
  };
  await serve((server) => server.registerEndpoint('/pet', { id: integerId, context, itemCustom: { feed } }), async ({ port }) => {
    for (const [token, status] of [['bad', 401], ['good', 403]] as const) {
      assert.is((await send(port, message('POST', '/v1/pet/7/feed', LONG, [`Authorization: Bearer ${token}`, TEXT, STALE]))).status, status);
    }
    assert.equal(taken, ['context', 'context']);
  });
});
