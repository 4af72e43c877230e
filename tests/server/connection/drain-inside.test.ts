/** `stop()` called by a function that it waits for: an operation, a decoder, a mounted handler. And a process after `stop()`. */
import type { ServerResponse } from 'node:http';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { defineEndpoint, stringId, type ApiServer } from '../../../src/index.ts';
import { Child } from '../../support/child.ts';
import { after } from '../../support/gate.ts';
import { head, message } from '../../support/messages.ts';
import { RawClient } from '../../support/raw-client.ts';
import { serving } from '../../support/serving.ts';

type Stop = () => Promise<void>;

/** Declares `/thing`, whose Get, Create and decoder call `stop` on request, and a mount that calls it too. */
function stopping(onGet: (stop: Stop) => unknown): (server: ApiServer) => void {
  return (server) => {
    const stop: Stop = () => server.stop();
    const answer = async (response: ServerResponse): Promise<void> => {
      await onGet(stop);
      response.end('text');
    };
    server.registerEndpoint('/thing', defineEndpoint({
      id: stringId,
      schema: async (json: unknown) => (json === 'decoder' ? (await onGet(stop), 'text') : 'text'),
      create: (item) => item,
      get: async () => (await onGet(stop), 'text'),
      delete: () => void onGet(stop),
    }));
    server.registerHandler('/mount', (_request, response) => answer(response));
  };
}

const CALLERS = [
  ['a synchronous operation', message('DELETE', '/v1/thing/1'), 204],
  ['an operation', message('GET', '/v1/thing/1'), 200],
  ['a decoder', message('POST', '/v1/thing', '"decoder"'), 201],
  ['a mounted handler', message('GET', '/mount'), 200],
] as const;

const inside = suite('stop() called from within');
for (const [caller, sent, status] of CALLERS) {
  inside(`${caller}: its own request is answered with Connection: close, and the connection ends`, async () => {
    let stopped: Promise<void> | undefined;
    await serving(stopping((stop) => (stopped = stop(), after(5))), async ({ port, errors }) => {
      const client = await RawClient.connect(port, false);
      try {
        client.send(sent + message('GET', '/v1/thing/next'));
        const answer = await client.response();
        assert.is(answer.status, status);
        // Requests that had arrived already are answered too. The last response says `Connection: close`.
        const last = answer.headers.get('connection') === 'close' ? answer : await client.response();
        assert.is(last.headers.get('connection'), 'close');
        assert.is(await client.closed(), '');
        await stopped;
        assert.equal(errors, []);
      } finally {
        client.destroy();
      }
    }, { stopGraceMs: 60_000 });
  });
}
for (const [caller, sent] of CALLERS.slice(1)) {
  inside(`${caller}, which waits for it: both end after stopGraceMs`, async () => {
    const order: string[] = [];
    await serving(stopping((stop) => stop().then(() => order.push('stopped'))), async ({ port, server, errors }) => {
      const client = await RawClient.connect(port, false);
      try {
        client.send(sent);
        assert.is(await client.closed(), '');
        await server.stop();
        await after(10);
        assert.equal(order, ['stopped']);
        assert.equal(errors, []);
      } finally {
        client.destroy();
      }
    }, { stopGraceMs: 100 });
  });
}
inside.run();

const library = new URL('../../../src/index.js', import.meta.url).href;

/** A program that sends itself a request, calls `stop()` and has nothing left to do. */
function program(asked: string): string {
  return `
    import { once } from 'node:events';
    import { connect } from 'node:net';
    import { ApiServer, stringId } from '${library}';
    const never = new Promise(() => {});
    const server = new ApiServer('/v1', { stopGraceMs: 50, logger: { info() {}, error: console.error } });
    const schema = (json) => (json === 'decoder' ? never : json);
    server.registerEndpoint('/thing', { id: stringId, schema, get: () => never, create: () => never, delete: () => {} });
    server.registerHandler('/mount', (_request, response) => { response.write('first'); return never; });
    const { address } = await server.start('127.0.0.1:0');
    const client = connect({ port: address.port, host: '127.0.0.1', allowHalfOpen: false });
    client.on('error', () => {}).resume();
    await once(client, 'connect');
    client.write(${JSON.stringify(asked)});
    await new Promise((resolve) => setTimeout(resolve, 50));
    await server.stop();
    process.on('exit', () => console.log('left by itself, with ' + process.getActiveResourcesInfo().filter((name) => name !== 'PipeWrap')));`;
}

const leftover = suite('a process after stop()');
for (const [why, asked] of [
  ['no request was sent', ''],
  ['an operation was answered', message('DELETE', '/v1/thing/1')],
  ['an operation never settles', message('GET', '/v1/thing/1')],
  ['an operation with a body never settles', message('POST', '/v1/thing', '0')],
  ['a decoder never settles', message('POST', '/v1/thing', '"decoder"')],
  ['a mounted handler never ends', message('GET', '/mount')],
  ['half a body was received', message('POST', '/v1/thing', '"half"').slice(0, -2)],
  ['half a head was received', head('GET', '/v1/thing/1').slice(0, -2)],
  ['a request was refused', 'nonsense\r\n\r\n'],
] as const) {
  leftover(`exits by itself if ${why}: no handle, and no timer of operationMs (60 s), keeps it running`, async () => {
    const child = new Child(['--input-type=module', '--eval', program(asked)]);
    const timer = setTimeout(() => child.end('SIGKILL'), 30_000);
    try {
      assert.is(await child.exit(), 0, child.output);
      assert.is(child.output, 'left by itself, with \n');
    } finally {
      clearTimeout(timer);
    }
  });
}
leftover.run();
