/** The headers that middleware sets on the response, and the methods of the response that it replaces. */
import type { ServerResponse } from 'node:http';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { ApiError, type ApiServer, defineEndpoint, stringId, type Middleware, type MountHandler } from '../../src/index.ts';
import { delay } from '../support/wait.ts';
import { message } from '../support/messages.ts';
import { RawClient, send, sendUntilClosed, type RawResponse } from '../support/raw-client.ts';
import { serve } from '../support/serve.ts';
import { requestFor, readStatuses } from '../support/statuses.ts';

const ITEM = { name: 'Äsp' };
const ITEM_BYTES = Buffer.from(JSON.stringify(ITEM)).toString('latin1');

/** An endpoint with all kinds, a mount at `/files`, and middleware if there is any. */
function declareListener(listener: Middleware | undefined, mount: MountHandler = (_request, response) => response.end('mounted')): (server: ApiServer) => void {
  return (server) => {
    if (listener !== undefined) server.use(listener);
    server.mount('/files', mount);
    server.registerEndpoint('/item', defineEndpoint({
      id: stringId,
      schema: (json: unknown): unknown => json,
      create: String,
      get: (id): unknown => (id === 'none' ? undefined : id === 'later' ? delay(2).then(() => ITEM) : ITEM),
      update: () => {},
      delete: () => {},
      custom: { fail: { run: () => { throw new Error('the disk is full'); } } },
    }));
  };
}

/** Every way in which a request gets its response. */
const RESPONSES = [
  ['GET', '/v1/item/1', '', 200],
  ['GET', '/v1/item/later', '', 200],
  ['HEAD', '/v1/item/1', '', 200],
  ['POST', '/v1/item', '"a"', 201],
  ['PUT', '/v1/item/1', '"a"', 204],
  ['DELETE', '/v1/item/1', '', 204],
  ['GET', '/v1/item/none', '', 404],
  ['POST', '/v1/item', '{', 400],
  ['POST', '/v1/item/fail', '', 500],
  ['OPTIONS', '/v1/item', '', 200],
  ['PATCH', '/v1/item', '', 405],
  ['GET', '/nowhere', '', 404],
  ['OPTIONS', '*', '', 200],
  ['GET', '/files', '', 200],
] as const;

function findLines({ head }: RawResponse, name: string): string[] {
  return head.split('\r\n').filter((line) => line.toLowerCase().startsWith(`${name.toLowerCase()}: `)).map((line) => line.slice(name.length + 2));
}

const passOn: Middleware = (_request, _response, next) => next();
const setCache: Middleware = (_request, response, next) => (response.setHeader('Cache-Control', 'private, max-age=60'), next());
const COOKIES = ['a=1', 'b=2'];
const setHeaders: Middleware = (_request, response, next) => {
  response.setHeader('X-One', 'one');
  response.setHeader('Set-Cookie', [...COOKIES]);
  response.setHeader('Vary', 'Origin');
  response.setHeader('Link', '</a>; rel=next');
  next();
};

const kept = suite('W5 C19: the headers that middleware sets');
for (const [method, target, body, status] of RESPONSES) {
  kept(`are kept on ${method} ${target} -> ${status}, and the rest does not change`, async () => {
    const bytes = message(method, target, body);
    let without: RawResponse | undefined;
    await serve(declareListener(undefined), async ({ port, errors }) => {
      without = await send(port, bytes);
      assert.is(errors.length, status === 500 ? 1 : 0);
    });
    await serve(declareListener(setHeaders), async ({ port, errors }) => {
      const response = await send(port, bytes);
      assert.is(response.status, status);
      assert.equal(findLines(response, 'X-One'), ['one']);
      assert.equal(findLines(response, 'Set-Cookie'), ['a=1', 'b=2']);
      assert.equal([...findLines(response, 'Vary'), ...findLines(response, 'Link')], ['Origin', '</a>; rel=next']);
      const others = [...response.headers].filter(([name]) => !['x-one', 'set-cookie', 'vary', 'link', 'date'].includes(name));
      assert.equal(new Map(others), new Map([...without?.headers ?? []].filter(([name]) => name !== 'date')));
      assert.is(response.body, without?.body);
      assert.is(errors.length, status === 500 ? 1 : 0);
    });
  });
}
for (const [method, target, body, status] of RESPONSES) {
  kept(`${method} ${target} -> the same ${status} behind middleware that does nothing as without any, byte for byte`, async () => {
    const [without, behind] = await Promise.all([undefined, passOn].map(async (listener) => {
      let received = '';
      await serve(declareListener(listener), async ({ port, errors }) => {
        received = await sendUntilClosed(port, message(method, target, body, ['Connection: close']));
        assert.is(errors.length, status === 500 ? 1 : 0);
      });
      return received.replace(/Date: .*\r\n/, '');
    }));
    assert.is(behind, without);
  });
}
kept('are replaced by those of the same name that the response sets, in any case', async () => {
  const same: Middleware = (_request, response, next) => {
    response.setHeader('content-type', 'text/html');
    response.setHeader('LOCATION', '/elsewhere');
    response.setHeader('Allow', 'BREW');
    next();
  };
  await serve(declareListener(same), async ({ port }) => {
    const created = await send(port, message('POST', '/v1/item', '"a"'));
    assert.equal([findLines(created, 'Content-Type'), findLines(created, 'Location')], [['text/plain; charset=utf-8'], ['/v1/item/a']]);
    assert.equal(findLines(await send(port, requestFor('OPTIONS', '/v1/item')), 'Allow'), ['POST, POST']);
    const problem = await send(port, requestFor('GET', '/nowhere'));
    assert.equal([findLines(problem, 'Content-Type'), findLines(problem, 'Allow')], [['application/problem+json'], ['BREW']]);
  });
});
kept('Vary, Set-Cookie and Link are added to by a response that sets them, and the list that middleware gave stays its own', async () => {
  const headers = { Vary: 'Accept', 'Set-Cookie': ['c=3', 'd=4'], Link: '</b>; rel=prev', 'X-One': 'mine' };
  const given = [...COOKIES];
  await serve((server) => {
    server.use((_request, response, next) => {
      response.setHeader('X-One', 'one');
      response.setHeader('set-cookie', given);
      response.setHeader('vary', 'Origin');
      response.setHeader('LINK', '</a>; rel=next');
      next();
    });
    server.registerEndpoint('/item', defineEndpoint({ id: stringId, get: (): unknown => { throw ApiError.status(409, 'taken', { headers }); } }));
  }, async ({ port }) => {
    for (const _ of [1, 2]) {
      const response = await send(port, requestFor('GET', '/v1/item/1'));
      assert.equal([response.status, findLines(response, 'X-One')], [409, ['mine']]);
      assert.equal(findLines(response, 'Vary'), ['Origin', 'Accept']);
      assert.equal(findLines(response, 'Set-Cookie'), ['a=1', 'b=2', 'c=3', 'd=4']);
      assert.equal(findLines(response, 'Link'), ['</a>; rel=next', '</b>; rel=prev']);
      assert.equal(given, COOKIES);
    }
  });
});
kept('Cache-Control stands instead of the one that an endpoint with a context has', async () => {
  for (const [listener, expected] of [[passOn, 'private, no-cache'], [setCache, 'private, max-age=60']] as const) {
    await serve((server) => {
      server.use(listener);
      server.registerEndpoint('/item', defineEndpoint({ id: stringId, context: () => 'anyone', get: (id) => id }));
    }, async ({ port }) => assert.equal(findLines(await send(port, requestFor('GET', '/v1/item/1')), 'Cache-Control'), [expected]));
  }
});
kept('that frame a body are dropped: the length is that of the response', async () => {
  const framing: Middleware = (_request, response, next) => {
    response.setHeader('Content-Length', '5');
    response.setHeader('Transfer-Encoding', 'chunked');
    next();
  };
  await serve(declareListener(framing), async ({ port }) => {
    const client = await RawClient.connect(port);
    client.send(requestFor('DELETE', '/v1/item/1') + requestFor('GET', '/v1/item/1') + requestFor('GET', '/nowhere'));
    const deleted = await client.response();
    assert.equal([deleted.status, deleted.headers.has('content-length'), deleted.headers.has('transfer-encoding')], [204, false, false]);
    const got = await client.response();
    assert.equal([got.body, got.headers.has('transfer-encoding')], [ITEM_BYTES, false]);
    assert.is((await client.response()).status, 404);
  });
});
kept('are kept where middleware fails, also those that earlier listeners have set', () => serve((server) => {
  server.use(setHeaders);
  server.use((_request, response, next) => {
    response.setHeader('WWW-Authenticate', 'Bearer');
    next(Object.assign(new Error('no token'), { status: 401 }));
  });
}, async ({ port }) => {
  const response = await send(port, requestFor('GET', '/'));
  assert.equal([response.status, findLines(response, 'X-One'), findLines(response, 'WWW-Authenticate')], [401, ['one'], ['Bearer']]);
}));
kept('are kept where a mount fails, and those of the mount are not', async () => {
  const failing: MountHandler = (_request, response) => {
    response.setHeader('X-One', 'of the mount');
    response.setHeader('X-Two', 'two');
    response.appendHeader('Set-Cookie', 'secret=1');
    response.removeHeader('Vary');
    throw new Error('the disk is full');
  };
  await serve(declareListener(setHeaders, failing), async ({ port, errors }) => {
    const response = await send(port, requestFor('GET', '/files'));
    assert.equal([response.status, findLines(response, 'X-One'), findLines(response, 'X-Two')], [500, ['one'], []]);
    assert.equal([...findLines(response, 'Vary'), ...findLines(response, 'Link')], ['Origin', '</a>; rel=next']);
    assert.equal(findLines(response, 'Set-Cookie'), COOKIES);
    assert.is(errors.length, 1);
  });
});
kept('Connection: close, set by middleware, closes after the response', async () => {
  const closing: Middleware = (_request, response, next) => (response.setHeader('Connection', 'close'), next());
  await serve(declareListener(closing), async ({ port }) => {
    const received = await sendUntilClosed(port, requestFor('GET', '/v1/item/1') + requestFor('GET', '/v1/item/1'));
    assert.equal(readStatuses(received), [200]);
    assert.match(received, '\r\nConnection: close\r\n');
  });
});
kept.run();

const replaced = suite('W6: methods of the response that middleware replaces');
for (const [method, target, body, status] of RESPONSES) {
  replaced(`${method} ${target} -> ${status} goes through them, as they are then`, async () => {
    const calls: string[] = [];
    await serve(declareListener((_request, response, next) => {
      const { writeHead, end } = response;
      const record = (name: string, method: Function) => (...values: unknown[]): unknown => {
        calls.push(name === 'end' ? 'end' : `${name} ${String(values[0])} ${String(response.getHeader('Content-Length'))}`);
        return Reflect.apply(method, response, values);
      };
      Object.assign(response, { writeHead: record('writeHead', writeHead), end: record('end', end) });
      next();
    }), async ({ port, errors }) => {
      const response = await send(port, message(method, target, body));
      assert.is(response.status, status);
      assert.is(errors.length, status === 500 ? 1 : 0);
      if (target !== '/files') assert.equal(calls, [`writeHead ${status} ${response.headers.get('content-length')}`, 'end']);
      else assert.ok(calls.includes('end'));
    });
  });
}

/** Sends each body later and in chunks, without its length, as middleware does that compresses. */
const callLater: Middleware = (_request, response, next) => {
  const { writeHead, end } = response;
  const lateEnd = async (body: string, encoding: BufferEncoding): Promise<void> => {
    await delay(20);
    response.write(Buffer.from(body, encoding));
    Reflect.apply(end, response, []);
  };
  Object.assign(response, {
    writeHead: (status: number) => (response.removeHeader('Content-Length'), Reflect.apply(writeHead, response, [status])),
    end: (body: string, encoding: BufferEncoding) => (lateEnd(body, encoding), response),
  });
  next();
};
const makeMessage = (connection: string): string => message('GET', '/v1/item/1', '', [`Connection: ${connection}`]);

replaced('a body that is sent later, without its length: is whole, and the next request comes behind it', async () => {
  await serve(declareListener(callLater), async ({ port, errors }) => {
    const client = await RawClient.send(port, makeMessage('keep-alive') + makeMessage('keep-alive') + makeMessage('close'));
    for (const _ of [1, 2, 3]) {
      const { body, headers } = await client.response();
      assert.equal([body, headers.get('transfer-encoding'), headers.has('content-length')], [ITEM_BYTES, 'chunked', false]);
    }
    assert.equal([await client.closed(), errors.length], ['', 0]);
  });
});
replaced('a body that is sent later is waited for by stop()', async () => {
  let ended: ServerResponse | undefined;
  const capture: Middleware = (request, response, next) => {
    callLater(request, response, next);
    ended = response;
  };
  await serve(declareListener(capture), async ({ server, port }) => {
    const client = await RawClient.send(port, makeMessage('keep-alive'));
    while (ended?.headersSent !== true) await delay(1);
    const stopped = server.stop();
    assert.is((await client.response()).body, ITEM_BYTES);
    assert.is(await client.closed(), '');
    client.destroy();
    await stopped;
  });
});
replaced.run();
