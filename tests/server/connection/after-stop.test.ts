/** After `stop()`, in any state of its requests, nothing of a server keeps its process running. */
import { Child } from '../../support/child.ts';
import { assert, head, message, suite } from '../../support/facts.ts';

const library = new URL('../../../src/index.js', import.meta.url).href;

const STATES = [
  ['no request was sent', ''],
  ['an operation got its response', message('DELETE', '/v1/thing/1')],
  ['an operation never settles', message('GET', '/v1/thing/1')],
  ['an operation with a body never settles', message('POST', '/v1/thing', '0')],
  ['a decoder never settles', message('POST', '/v1/thing', '"decoder"')],
  ['a mounted handler never ends', message('GET', '/mount')],
  ['half a body was received', message('POST', '/v1/thing', '"half"').slice(0, -2)],
  ['half a head was received', head('GET', '/v1/thing/1').slice(0, -2)],
  ['a request was rejected', 'nonsense\r\n\r\n'],
] as const;

/** A program that, for each of these, starts a server, sends it the bytes, stops it, and prints what would keep it running. */
const PROGRAM = `
  import { once } from 'node:events';
  import { connect } from 'node:net';
  import { ApiServer, stringId } from '${library}';
  const never = new Promise(() => {});
  for (const bytes of ${JSON.stringify(STATES.map(([, bytes]) => bytes))}) {
    const server = new ApiServer('/v1', { stopGraceMs: 50, logger: { info() {}, error: console.error } });
    const schema = (json) => (json === 'decoder' ? never : json);
    server.registerEndpoint('/thing', { id: stringId, schema, get: () => never, create: () => never, delete: () => {} });
    server.mount('/mount', (_request, response) => { response.write('first'); return never; });
    const { address } = await server.start('127.0.0.1:0');
    const client = connect({ port: address.port, host: '127.0.0.1', allowHalfOpen: false });
    client.on('error', () => {}).resume();
    await once(client, 'connect');
    client.write(bytes);
    await new Promise((resolve) => setTimeout(resolve, 50));
    await server.stop();
    const left = () => process.getActiveResourcesInfo().filter((name) => name !== 'PipeWrap');
    for (let turn = 0; turn < 1000 && left().length > 0; turn += 1) await new Promise((resolve) => setTimeout(resolve, 5));
    console.log('left:', String(left()));
  }`;

const leftover = suite('a process after stop()');
let ran: Promise<readonly [code: number | null, lines: readonly string[]]> | undefined;

async function run(): Promise<readonly [code: number | null, lines: readonly string[]]> {
  const child = new Child(['--input-type=module', '--eval', PROGRAM]);
  const timer = setTimeout(() => child.end('SIGKILL'), 600_000);
  try {
    return [await child.exit(), child.output.split('\n')];
  } finally {
    clearTimeout(timer);
  }
}

for (const [index, [why]] of STATES.entries()) {
  leftover(`has no handle, and no timer of operationMs (60 s), if ${why}`, async () => {
    const [, lines] = await (ran ??= run());
    assert.is(lines[index], 'left: ', lines.join('\n'));
  });
}
leftover('exits by itself', async () => {
  const [code, lines] = await (ran ??= run());
  assert.equal([code, lines.length], [0, STATES.length + 1], lines.join('\n'));
});
