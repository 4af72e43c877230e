/** What else listens to a server of `createServer`: engines such as that of Socket.IO, tracers, and whoever emits requests. */
import { Server, type IncomingMessage, type RequestListener } from 'node:http';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { serveCreatedServer, makePagesListener } from '../support/serve-created-server.ts';
import { message } from '../support/messages.ts';
import { send } from '../support/raw-client.ts';
import { serveListener } from '../support/serve-listener.ts';

/** The bodies of the responses to these targets: the status if it is not 200. */
async function bodiesAt(port: number, targets: readonly string[]): Promise<readonly string[]> {
  const bodies: string[] = [];
  for (const target of targets) {
    const { status, body } = await send(port, message('GET', target));
    bodies.push(status === 200 ? body : String(status));
  }
  return bodies;
}

/** Removes the listeners of a server, and calls them itself for requests that are not its own, as Socket.IO does. */
function addEngine(server: Server): void {
  const before = server.listeners('request') as RequestListener[];
  server.removeAllListeners('request');
  server.on('request', (request, response) => {
    if (request.url === '/engine') response.end('engine');
    else for (const listener of before) listener.call(server, request, response);
  });
}

const deciding = suite('H3: the listeners of a server of createServer: one side responds, and only one');
for (const [why, options, expected] of [
  ['none besides ours', {}, ['404', '"1"', '404']],
  ['ours twice', { prepare: (server: Server) => server.on('request', server.listeners('request')[0] as RequestListener) }, ['404', '"1"', '404']],
  ['an app', { app: makePagesListener }, ['page /page', '"1"', 'page /engine']],
  ['an app that is called once for each request', { app: (): RequestListener => (_request, response) => void setImmediate(() => response.end('app')) },
    ['app', 'app', 'app']],
  ['Socket.IO', { prepare: addEngine }, ['404', '"1"', 'engine']],
  ['Socket.IO, behind an app', { app: makePagesListener, prepare: addEngine }, ['page /page', '"1"', 'engine']],
] as const) {
  deciding(`${why}: ${expected.join(', ')}`, () => serveCreatedServer(async ({ port }) => {
    assert.equal(await bodiesAt(port, ['/page', '/v1/pet/1', '/engine']), expected);
  }, options));
}
deciding('Socket.IO, on a server that listens already', () => serveCreatedServer(async ({ port, server }) => {
  addEngine(server);
  assert.equal(await bodiesAt(port, ['/page', '/v1/pet/1', '/engine']), ['404', '"1"', 'engine']);
}));
deciding.run();

/** Replaces `emit` of all servers, as OpenTelemetry does. Returns the requests that it has seen. */
function trace(): { readonly seen: string[]; restore(): void } {
  const { emit } = Server.prototype;
  const isOwn = Object.hasOwn(Server.prototype, 'emit');
  const seen: string[] = [];
  Server.prototype.emit = function (this: Server, event: string | symbol, ...values: unknown[]): boolean {
    if (event === 'request') seen.push((values[0] as IncomingMessage).url ?? '');
    return Reflect.apply(emit, this, [event, ...values]) as boolean;
  } as Server['emit'];
  return {
    seen,
    restore() {
      if (isOwn) Server.prototype.emit = emit;
      else Reflect.deleteProperty(Server.prototype, 'emit');
    },
  };
}

const tracing = suite('a tracer that replaces emit of all servers');
for (const [when, isBefore] of [['before', true], ['after', false]] as const) {
  tracing(`${when} createServer was called sees each request once, of the app and of the ApiServer`, async () => {
    let tracer = isBefore ? trace() : undefined;
    try {
      await serveCreatedServer(async ({ port }) => {
        tracer ??= trace();
        assert.equal(await bodiesAt(port, ['/page', '/v1/pet/1']), ['page /page', '"1"']);
        assert.equal(tracer.seen, ['/page', '/v1/pet/1']);
      }, { app: makePagesListener });
    } finally {
      tracer?.restore();
    }
  });
}
tracing.run();

const emitting = suite('H3: requests that are emitted on a server of createServer');
for (const [why, options] of [['with the listener that it gets', {}], ['with an app', { app: makePagesListener }]] as const) {
  emitting(`of a different server, ${why}: they get their responses`, () => serveCreatedServer(async ({ server }) => {
    await serveListener((request, response) => void server.emit('request', request, response), async (port) => {
      assert.equal(await bodiesAt(port, ['/v1/pet/1']), ['"1"']);
    });
  }, options));
}
emitting.run();
