/** W5: Requests that pass middleware, and whose bodies are then broken or too slow: the response keeps the headers of middleware. */
import { defineEndpoint, stringId, type ApiServer, type Middleware, type ProblemFormat } from '../../src/index.ts';
import { runTogether } from '../support/run-together.ts';
import { assert, head, sendUntilClosed, serve, suite } from '../support/facts.ts';

const setHeaders: Middleware = (_request, response, next) => {
  response.setHeader('Access-Control-Allow-Origin', '*');
  response.setHeader('Set-Cookie', ['a=1', 'b=2']);
  response.setHeader('X-Count', 7);
  response.setHeader('X-Latin', 'ä');
  // These are up to the response.
  response.setHeader('Content-Type', 'text/plain');
  response.setHeader('Content-Length', 1);
  response.setHeader('Date', 'today');
  next();
};

/** An endpoint, one with a context, and a mount that has set headers. */
function declareListeners(...listeners: readonly Middleware[]): (server: ApiServer) => void {
  return (server) => {
    for (const listener of listeners) server.use(listener);
    server.registerEndpoint('/pet', defineEndpoint({ id: stringId, schema: String, create: () => '1' }));
    server.registerEndpoint('/own', defineEndpoint({ id: stringId, context: () => 'me', schema: String, create: () => '1' }));
    const timed = { input: String, limits: { requestMs: 200 }, run: () => '1' };
    server.registerEndpoint('/timed', defineEndpoint({ id: stringId, create: timed }));
    server.mount('/mount', (request, response) => {
      response.setHeader('X-Mount', 'yes').setHeader('ETag', '"1"').appendHeader('Set-Cookie', 'c=3');
      request.resume();
    });
  };
}

const TARGETS = ['/v1/pet', '/v1/own', '/mount'] as const;
const CHUNKED = ['Transfer-Encoding: chunked'];
const ENDINGS = [
  ['a broken chunk', `${head('POST', '/', CHUNKED)}zz\r\n`, 400],
  ['half a body', `${head('POST', '/', ['Content-Length: 9'])}half`, 408],
] as const;

function findLines(response: string): string[] {
  const [headers = ''] = response.split('\r\n\r\n');
  return headers.split('\r\n').slice(1).filter((line) => !line.startsWith('Date: ')).map((line) => line.replace(/^[^:]+/, (name) => name.toLowerCase()));
}

const kept = suite('a broken body after middleware that sets headers');
const keeping = runTogether(kept);
for (const [why, bytes, status] of ENDINGS) {
  for (const target of TARGETS) {
    for (const [form, type, formatProblem] of [
      ['a problem', 'application/problem+json', undefined],
      ["the user's format", 'application/json', ((problem) => ({ headers: { 'X-Form': 'own', 'Set-Cookie': 'd=4' }, body: problem })) satisfies ProblemFormat],
    ] as const) {
      keeping(`${why}, ${target} -> ${status} as ${form}, with them; without those of a mount, and without duplicates`, async () => {
        await serve(declareListeners(setHeaders), async ({ port }) => {
          const response = await sendUntilClosed(port, bytes.replace('/', target));
          const [, body = ''] = response.split('\r\n\r\n');
          assert.is((JSON.parse(body) as { status: number }).status, status);
          assert.equal(findLines(response).sort(), [
            'access-control-allow-origin: *', 'connection: close', `content-length: ${body.length}`, `content-type: ${type}`,
            'set-cookie: a=1', 'set-cookie: b=2', 'x-content-type-options: nosniff', 'x-count: 7',
            ...(target === '/v1/own' ? ['cache-control: private, no-cache'] : []),
            ...(formatProblem === undefined ? [] : ['set-cookie: d=4', 'x-form: own']),
          ].sort());
          assert.equal(response.match(/^date: /gim)?.length, 1);
          assert.not.match(response, /today/);
        }, { limits: { requestMs: 300 }, ...(formatProblem !== undefined && { formatProblem }) });
      });
    }
  }
  keeping(`${why}, of an operation with its own time limit -> ${status}, with them`, () => serve(declareListeners(setHeaders), async ({ port }) => {
    const response = await sendUntilClosed(port, bytes.replace('/', '/v1/timed'));
    assert.match(response, new RegExp(`^HTTP/1\\.1 ${status} `));
    assert.ok(findLines(response).includes('access-control-allow-origin: *'));
  }));
  keeping(`${why} without middleware -> ${status}, with no other field`, () => serve(declareListeners(), async ({ port }) => {
    for (const target of ['/v1/pet', '/mount']) {
      const names = findLines(await sendUntilClosed(port, bytes.replace('/', target))).map((line) => line.split(':')[0]);
      assert.equal(names, ['content-type', 'x-content-type-options', 'content-length', 'connection']);
    }
  }, { limits: { requestMs: 300 } }));
}
keeping("middleware's own Cache-Control is kept where the endpoint has a context", async () => {
  const setCache: Middleware = (_request, response, next) => (response.setHeader('Cache-Control', 'no-store'), next());
  await serve(declareListeners(setCache), async ({ port }) => {
    assert.equal(findLines(await sendUntilClosed(port, ENDINGS[0][1].replace('/', '/v1/own'))).filter((line) => line.startsWith('cache')),
      ['cache-control: no-store']);
  });
});
