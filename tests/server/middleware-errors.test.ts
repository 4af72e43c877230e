/** Middleware that fails: by `next(error)`, by a throw and by a rejection. The request gets one response, and the server serves on. */
import { ApiError, defineEndpoint, stringId, type Middleware } from '../../src/index.ts';
import { makeRevokedProxy } from '../support/failing-operations.ts';
import { assert, type Declare, delay, facts, Gate, RawClient, readStatuses, requestFor, sendUntilClosed, serve, suite, waitUntil } from '../support/facts.ts';

const LAST = 'GET /v1/item/last HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n';

/** Items behind a listener for those requests that do not ask for the last one. */
const declareBehind = (listener: Middleware): Declare => (server) => {
  server.use(function first(request, response, next) {
    return request.url === '/v1/item/last' ? next() : listener(request, response, next);
  });
  server.registerEndpoint('/item', defineEndpoint({ id: stringId, get: (id) => id }));
};
const serveBehind = (listener: Middleware, use: (port: number, errors: readonly Error[]) => Promise<void>): Promise<void> => serve(declareBehind(listener), ({ port, errors }) => use(port, errors));

const WAYS: readonly (readonly [how: string, failWith: (thrown: unknown) => Middleware])[] = [
  ['next(error)', (thrown) => (_request, _response, next) => next(thrown)],
  ['next(error), later', (thrown) => (_request, _response, next) => void setTimeout(() => next(thrown), 5)],
  ['a throw', (thrown) => () => { throw thrown; }],
  ['a rejection', (thrown) => async () => { throw thrown; }],
  ['a rejection, later', (thrown) => () => delay(5).then(() => { throw thrown; })],
  ['a thenable that rejects', (thrown) => () => ({ then: (_resolve: unknown, reject: (reason: unknown) => void) => reject(thrown) })],
];

const makeError = (properties: object): Error => Object.assign(new Error('the keeper says no'), properties);

const FAILURES: readonly (readonly [what: string, thrown: unknown, status: number, detail: string | undefined, logged: string | undefined])[] = [
  ['ApiError.argument', ApiError.argument('no key'), 400, 'Bad arguments: no key', undefined],
  ['ApiError.notFound', ApiError.notFound(), 404, 'Not found.', undefined],
  ['ApiError.internal', ApiError.internal('the store is down'), 500, undefined, 'Internal error: the store is down'],
  ['ApiError.status', ApiError.status(409, 'the name is taken'), 409, 'the name is taken', undefined],
  ['ApiError.status of 5xx', ApiError.status(503, 'later'), 503, 'later', 'later'],
  ['an error', new Error('the store is down'), 500, undefined, 'the store is down'],
  ['an error that a store would report as not found', makeError({ code: 'P2025' }), 500, undefined, 'the keeper says no'],
  ['a status', makeError({ status: 429 }), 429, undefined, undefined],
  ['a statusCode', makeError({ statusCode: 403 }), 403, undefined, undefined],
  ['both', makeError({ status: 409, statusCode: 403 }), 409, undefined, undefined],
  ['a status that is none, and a statusCode', makeError({ status: 'bad', statusCode: 403 }), 403, undefined, undefined],
  ['a status and expose', makeError({ status: 401, expose: true }), 401, 'the keeper says no', undefined],
  ['a status and expose that is not true', makeError({ status: 401, expose: 'yes' }), 401, undefined, undefined],
  ['a status of 5xx', makeError({ status: 503 }), 503, undefined, 'the keeper says no'],
  ['a status of 5xx and expose', makeError({ status: 502, expose: true }), 502, 'the keeper says no', 'the keeper says no'],
  ['the highest status', makeError({ status: 599 }), 599, undefined, 'the keeper says no'],
  ['a status of success', makeError({ status: 200, expose: true }), 500, undefined, 'the keeper says no'],
  ['a status that is too high', makeError({ status: 600 }), 500, undefined, 'the keeper says no'],
  ['a status that is not a whole number', makeError({ status: 400.5 }), 500, undefined, 'the keeper says no'],
  ['a status in text', makeError({ status: '404' }), 500, undefined, 'the keeper says no'],
  ['a status that throws', { get status() { throw new Error('spoilt'); } }, 500, undefined, '[object Object]'],
  ['a string', 'no', 500, undefined, 'no'],
  ['a revoked proxy', makeRevokedProxy(), 500, undefined, 'an error without a message'],
];

const failing = suite('Q1 W3: middleware that fails');
for (const [what, thrown, status, detail, logged] of FAILURES) {
  for (const [how, failWith] of WAYS) {
    facts(failing, declareBehind(failWith(thrown)), [
      [`${what}, by ${how}`, ['GET /v1/item/1', 'GET /v1/item/last'], [[status, detail].join(' ').trim(), '200 "last"'],
        ...(logged === undefined ? [] : [`middleware first: ${logged}`])],
    ], { after: ({ errors }) => assert.ok(errors.every(({ cause }) => cause === thrown)) });
  }
}
for (const [how, failWith] of WAYS.filter(([, failWith]) => !String(failWith).includes('next'))) {
  failing(`undefined, by ${how} -> 500, logged`, () => serveBehind(failWith(undefined), async (port, errors) => {
    assert.equal(readStatuses(await sendUntilClosed(port, requestFor('GET', '/v1/item/1') + LAST)), [500, 200]);
    assert.equal(errors.map(({ message }) => message), ['middleware first: undefined']);
  }));
}
for (const [thrown, response, ...logged] of [
  [makeError({ status: 429, expose: true }), '429 {"status":429,"detail":"the keeper says no"} | X-Form: own'],
  [makeError({ status: 403 }), '403 {"status":403} | X-Form: own'],
  [new Error('the store is down'), '500 {"status":500} | X-Form: own', 'middleware first: the store is down'],
  [ApiError.status(409, 'the name is taken'), '409 {"status":409,"detail":"the name is taken"} | X-Form: own'],
] as const) {
  facts(failing, declareBehind((_request, _response, next) => next(thrown)), [['formatProblem formats the response', 'GET /', response, ...logged]], {
    formatProblem: ({ status, detail }) => ({ headers: { 'X-Form': 'own' }, body: { status, detail } }),
  });
}
facts(failing, (server) => {
  server.use((_request, _response, next) => next(makeError({ status: 429 })));
  server.use(() => assert.unreachable());
}, [['no listener behind it is called', 'GET /', '429']]);
facts(failing, (server) => server.use((() => () => { throw new Error('the disk is full'); })()),
  [['a listener without a name is logged without one', 'GET /', '500', 'middleware: the disk is full']]);

const half = suite('W3: middleware that fails when it has begun a response');
const disk = new Error('the disk is full');
for (const [listener, statuses, logged, why] of [
  [(_request, response) => {
    response.end('mine');
    throw disk;
  }, [200, 200], 1, 'it throws after its reply: that stays'],
  [async (_request, response) => {
    response.end('mine');
    throw disk;
  }, [200, 200], 1, 'it rejects after its reply: that stays'],
  [(_request, response, next) => (response.end('mine'), next(makeError({ status: 404 }))), [200, 200], 1, 'it calls next with a 404 after its reply: that stays'],
  [(_request, response) => {
    response.write('half');
    throw disk;
  }, undefined, 1, 'it throws after half of a reply: the connection is cut'],
  [(_request, response, next) => (response.writeHead(200), next(makeError({ status: 404 }))),
    [], 1, 'it calls next with an error after its head: the connection is cut'],
  [(_request, response, next) => (response.writeHead(200), next(), setTimeout(() => response.end(), 5)), [200, 200], 1, 'it calls next after its head: logged'],
  [(_request, response, next) => (response.end(), next()), [200, 200], 0, 'it calls next after its reply: nothing is logged'],
  [(_request, response) => response.writeHead(200, { X: 'a\r\nb' }), [500], 1, 'its head is rejected by Node: a whole 500, and the connection closes'],
  [(_request, response) => {
    response.writeHead(200, { 'Content-Length': '9' });
    response.end('short');
  }, [], 1, 'its body is shorter than it says: the connection is cut'],
  [(_request, response) => response.destroy(disk), [], 0, 'it destroys the response'],
  [(request) => request.destroy(disk), [], 0, 'it destroys the request'],
  [(request, _response, next) => (request.emit('error', disk), next()), [200, 200], 0, 'an error event on the request: it goes on'],
] as const satisfies readonly (readonly [Middleware, readonly number[] | undefined, number, string])[]) {
  half(why, () => serveBehind(listener, async (port, errors) => {
    const received = await sendUntilClosed(port, requestFor('GET', '/v1/item/1') + LAST);
    if (statuses !== undefined) assert.equal(readStatuses(received), statuses);
    assert.is(errors.length, logged);
    assert.equal(readStatuses(await sendUntilClosed(port, LAST)), [200]);
  }));
}

const passed = suite('W3: middleware that fails when it has passed the request on');
for (const [listener, why] of [
  [(_request, _response, next) => {
    next();
    throw disk;
  }, 'it throws'],
  [async (_request, _response, next) => {
    next();
    throw disk;
  }, 'it rejects'],
  [async (_request, _response, next) => {
    next();
    await delay(5);
    throw disk;
  }, 'it rejects later'],
] as const satisfies readonly (readonly [Middleware, string])[]) {
  for (const isLate of [false, true]) {
    passed(`${why}, and the operation replies ${isLate ? 'later' : 'at once'}: the reply stays, and it is logged`, async () => {
      const gate = new Gate();
      await serve((server) => {
        server.use(listener);
        server.registerEndpoint('/item', defineEndpoint({ id: stringId, get: (id): unknown => (isLate ? gate.passed.then(() => id) : id) }));
      }, async ({ port, errors }) => {
        const client = await RawClient.send(port, requestFor('GET', '/v1/item/1'));
        await waitUntil(() => errors.length === 1, 'the log');
        gate.open();
        assert.is((await client.response()).body, '"1"');
        assert.equal(errors.map(({ cause }) => cause), [disk]);
      });
    });
  }
}

const spoilt = suite('W3: middleware that spoils the response');
for (const [spoil, target, expected, why] of [
  [{ writeHead: () => { throw disk; } }, '/v1/item/1', [500], 'writeHead throws, for an operation'],
  [{ writeHead: () => { throw disk; } }, '/nowhere', [500], 'writeHead throws, for a path that nobody has'],
  [{ setHeader: () => { throw disk; } }, '/v1/item/1', [500], 'setHeader throws'],
  [{ writeHead: () => { throw disk; }, spoils: 'later' }, '/nowhere', [500], 'writeHead throws, when next is called later'],
] as const) {
  spoilt(`${why} -> 500, and the connection closes; it is logged, and nothing is thrown into the listener`, () => serveBehind((_request, response, next) => {
    Object.assign(response, spoil);
    if ('spoils' in spoil) setTimeout(next, 5);
    else next();
  }, async (port, errors) => {
    assert.equal(readStatuses(await sendUntilClosed(port, requestFor('GET', target) + LAST)), expected);
    assert.equal([...new Set(errors.map(({ cause }) => cause))], [disk]);
    assert.equal(readStatuses(await sendUntilClosed(port, LAST)), [200]);
  }));
}
spoilt('setHeader throws, for an error of the listener\'s own -> 500, and the connection closes', () => serveBehind((_request, response, next) => {
  Object.assign(response, { setHeader: () => { throw disk; } });
  next(makeError({ status: 404 }));
}, async (port) => assert.equal(readStatuses(await sendUntilClosed(port, requestFor('GET', '/nowhere') + LAST)), [500])));
spoilt('its end changes the body of an operation\'s reply -> the connection is cut, and that is logged', () => serveBehind((_request, response, next) => {
  const end = response.end.bind(response) as (body: string) => typeof response;
  Object.assign(response, { end: (body: string) => end(`${body}!`) });
  next();
}, async (port, errors) => {
  assert.equal(readStatuses(await sendUntilClosed(port, requestFor('GET', '/v1/item/1') + LAST)), []);
  assert.equal(errors.map(({ cause }) => (cause as NodeJS.ErrnoException).code), ['ERR_HTTP_CONTENT_LENGTH_MISMATCH']);
}));
