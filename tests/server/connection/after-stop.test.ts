/** A process ends after `stop()`, in any state of its requests. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { Child } from '../../support/child.ts';
import { head, message } from '../../support/messages.ts';

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
    server.mount('/mount', (_request, response) => { response.write('first'); return never; });
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
  ['an operation got its response', message('DELETE', '/v1/thing/1')],
  ['an operation never settles', message('GET', '/v1/thing/1')],
  ['an operation with a body never settles', message('POST', '/v1/thing', '0')],
  ['a decoder never settles', message('POST', '/v1/thing', '"decoder"')],
  ['a mounted handler never ends', message('GET', '/mount')],
  ['half a body was received', message('POST', '/v1/thing', '"half"').slice(0, -2)],
  ['half a head was received', head('GET', '/v1/thing/1').slice(0, -2)],
  ['a request was rejected', 'nonsense\r\n\r\n'],
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
