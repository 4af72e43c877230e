/** `requestListener` on a response that an app has had before: it may have set headers, and replaced `writeHead`. */
import { ServerResponse, type IncomingMessage, type RequestListener } from 'node:http';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { ApiError, ApiServer, defineEndpoint, reply, stringId } from '../../src/index.ts';
import { serveListener } from '../support/serve-listener.ts';
import { message } from '../support/messages.ts';
import { send, type RawResponse } from '../support/raw-client.ts';

const VARY = { Vary: 'Accept', 'Set-Cookie': ['c=3'], Link: '</b>; rel=prev' };

async function* pieces(): AsyncGenerator<string> {
  yield 'a';
  yield 'b';
}

/** A server that responds in every way that there is. It has middleware only for paths that begin with `/middleware`. */
function makeServer(target: string): ApiServer {
  const server = new ApiServer('/v1', { logger: { info() {}, error() {} }, limits: { operationMs: 200 } });
  if (target.startsWith('/middleware')) {
    server.use((_request, _response, next) => target === '/middleware/silent' || next(Object.assign(new Error('no'), { status: 403 })));
  }
  server.mount('/mount', (_request, response) => response.end('mounted'));
  server.mount('/passing', (_request, _response, next) => next());
  server.mount('/broken', () => { throw new Error('the disk is full'); });
  server.registerEndpoint('/item', defineEndpoint({
    id: stringId,
    schema: (json: unknown): unknown => json,
    context: () => 'anyone',
    create: String,
    get: (id): unknown => {
      switch (id) {
        case 'none': return undefined;
        case 'never': return new Promise(() => {});
        case 'reply': return reply(202, { a: 1 }, VARY);
        case 'text': return reply(200, 'text', { 'Content-Type': 'text/plain' });
        case 'tagged': return reply(200, 1, { ETag: '"a"' });
        case 'moved': return reply(302, undefined, { Location: '/elsewhere' });
        case 'stream': return reply(200, pieces());
        case 'taken': throw ApiError.status(409, 'taken', { headers: VARY });
        case 'broken': throw new Error('the disk is full');
        default: return id;
      }
    },
    update: () => {},
    delete: () => {},
  }));
  return server;
}

const TAG = ['If-None-Match: "a"'];
/** The last property of a row: whether the response itself has a Vary, a Set-Cookie and a Link. */
const RESPONSES = [
  ['a result', 'GET', '/v1/item/1', '', 200],
  ['HEAD', 'HEAD', '/v1/item/1', '', 200],
  ['a Create', 'POST', '/v1/item', '"a"', 201],
  ['an Update', 'PUT', '/v1/item/1', '"a"', 204],
  ['a Delete', 'DELETE', '/v1/item/1', '', 204],
  ['a reply', 'GET', '/v1/item/reply', '', 202, VARY],
  ['a string', 'GET', '/v1/item/text', '', 200],
  ['a reply without a body', 'GET', '/v1/item/moved', '', 302],
  ['a 304', 'GET', '/v1/item/tagged', '', 304],
  ['a stream', 'GET', '/v1/item/stream', '', 200],
  ['HEAD of a stream', 'HEAD', '/v1/item/stream', '', 200],
  ['an ApiError', 'GET', '/v1/item/taken', '', 409, VARY],
  ['a failure', 'GET', '/v1/item/broken', '', 500],
  ['nothing found', 'GET', '/v1/item/none', '', 404],
  ['a timeout', 'GET', '/v1/item/never', '', 503],
  ['a rejected body', 'POST', '/v1/item', '{', 400],
  ['an unknown path', 'GET', '/nowhere', '', 404],
  ['an unknown method', 'PROPFIND', '/nowhere', '', 501],
  ['a method that the path lacks', 'PATCH', '/v1/item', '', 405],
  ['discovery', 'OPTIONS', '/v1/item', '', 200],
  ['OPTIONS *', 'OPTIONS', '*', '', 200],
  ['an invalid target', 'GET', '/a%00', '', 400],
  ['middleware that rejects', 'GET', '/middleware/rejected', '', 403],
  ['middleware that is silent', 'GET', '/middleware/silent', '', 503],
  ['a mount', 'GET', '/mount', '', 200],
  ['next() of a mount', 'GET', '/passing', '', 404],
  ['a mount that throws', 'GET', '/broken', '', 500],
] as const;

const SET = { 'Cache-Control': 'no-store', Vary: 'Origin', 'Set-Cookie': ['a=1', 'b=2'], Link: '</a>; rel=next', 'X-One': 'one' };

function findLines({ head }: RawResponse, name: string): string[] {
  return head.split('\r\n').filter((line) => line.toLowerCase().startsWith(`${name.toLowerCase()}: `)).map((line) => line.slice(name.length + 2));
}

/** What an app gets that does this to each response, and then passes it on. */
async function getResponse(app: (response: ServerResponse) => void, method: string, target: string, body: string): Promise<RawResponse> {
  let response: RawResponse | undefined;
  const { requestListener } = makeServer(target);
  const listener: RequestListener = (request, response) => {
    app(response);
    requestListener(request, response);
  };
  await serveListener(listener, async (port) => {
    response = await send(port, message(method, target, body, target.endsWith('/tagged') ? TAG : []));
  });
  assert.ok(response !== undefined);
  return response;
}

const kept = suite('C19: headers that an app has set');
for (const [what, method, target, body, status, added] of RESPONSES) {
  kept(`are kept with ${what}: ${method} ${target} -> ${status}`, async () => {
    const response = await getResponse((response) => {
      for (const [name, value] of Object.entries(SET)) response.setHeader(name, Array.isArray(value) ? [...value] : value);
    }, method, target, body);
    assert.is(response.status, status);
    assert.equal(findLines(response, 'Cache-Control'), ['no-store']);
    assert.equal(findLines(response, 'Vary').join(', '), added === undefined ? 'Origin' : 'Origin, Accept');
    assert.equal(findLines(response, 'Set-Cookie'), ['a=1', 'b=2', ...(added === undefined ? [] : ['c=3'])]);
    assert.equal(findLines(response, 'Link').join(', '), added === undefined ? '</a>; rel=next' : '</a>; rel=next, </b>; rel=prev');
    assert.equal(findLines(response, 'X-One'), ['one']);
  });
}
kept.run();

/** Makes an object or pairs of names and values headers, as libraries do that know no flat list. */
function setAll(response: ServerResponse, headers: unknown): void {
  if (!Array.isArray(headers)) {
    for (const [name, value] of Object.entries(Object(headers))) response.setHeader(name, value as string);
    return;
  }
  for (const [name, value] of headers as [string, string][]) response.setHeader(name, value);
}

/** on-headers below 1.1, as in compression 1.7: sets a header when the head is written. */
function wrapAsOnHeaders(response: ServerResponse): void {
  const { writeHead } = response;
  Object.assign(response, {
    writeHead(this: ServerResponse, status: number, ...values: unknown[]): ServerResponse {
      this.statusCode = status;
      setAll(this, values.at(-1));
      this.setHeader('X-Late', 'late');
      return Reflect.apply(writeHead, response, [status]);
    },
  });
}

/** The response of serverless-http, a class of its own. */
class CollectedResponse extends ServerResponse<IncomingMessage> {
  override writeHead(status: number, ...values: unknown[]): this {
    setAll(this, values.at(-1));
    this.setHeader('X-Late', 'late');
    return super.writeHead(status);
  }
}

const wrapped = suite('a response whose writeHead takes no flat list of headers');
for (const [how, wrap] of [
  ['a function instead of it', wrapAsOnHeaders],
  ['a class of the user', (response: ServerResponse) => void Object.setPrototypeOf(response, CollectedResponse.prototype)],
] as const) {
  for (const [what, method, target, body, status] of RESPONSES) {
    if (target === '/mount') continue;
    wrapped(`${how}, ${what}: ${method} ${target} -> ${status}, as without it`, async () => {
      const [plain, response] = [await getResponse(() => {}, method, target, body), await getResponse(wrap, method, target, body)];
      assert.is(response.status, status);
      assert.is(response.headers.get('x-late'), 'late');
      const getHeaders = ({ headers }: RawResponse) => [...headers].filter(([name]) => !['date', 'x-late'].includes(name)).sort();
      assert.equal(getHeaders(response), getHeaders(plain));
      assert.is(response.body, plain.body);
    });
  }
}
wrapped.run();
