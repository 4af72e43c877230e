/** How V8 lays out requests and responses, in processes whose garbage is collected at the wrong moment. */
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { assert, suite } from '../../support/facts.ts';

const SOURCES = new URL('../../../src/server/exchange/node/internals/', import.meta.url).href;
const REQUESTS = JSON.stringify(`${SOURCES}requests.js`);
const INCOMING = JSON.stringify(`${SOURCES}incoming.js`);

/** Prints whether a request and a response, made after six others were collected, have fast properties. */
const program = (settle: string): string => `
  const http = process.getBuiltinModule('node:http');
  const { settleShapes } = await import(${REQUESTS});
  const { Incoming } = await import(${INCOMING});
  const isFast = new Function('value', 'return %HasFastProperties(value)');
  const make = () => {
    const request = new Incoming(undefined);
    request.httpVersionMajor = 1;
    return [request, new http.ServerResponse(request)];
  };
  ${settle}
  for (let at = 0; at < 6; at += 1) make();
  for (let at = 0; at < 10; at += 1) gc();
  const alive = Array.from({ length: 12 }, make);
  console.log(JSON.stringify(alive.at(-1).map((value) => isFast(value))));
`;

async function runProgram(settle: string): Promise<boolean[]> {
  const flags = ['--expose-gc', '--allow-natives-syntax', '--input-type=module', '--eval', program(settle)];
  const { stdout } = await promisify(execFile)(process.execPath, flags);
  return JSON.parse(stdout) as boolean[];
}

const shapes = suite('the properties of requests and responses, after a garbage collection before the seventh');
shapes('as Node has them, are slow', async () => assert.ok((await runProgram('')).includes(false)));
shapes('after settleShapes, are fast', async () => assert.equal(await runProgram('settleShapes(() => new Incoming(undefined));'), [true, true]));
shapes('settleShapes does nothing where requests cannot be made so', async () => {
  const { settleShapes } = await import('../../../src/server/exchange/node/internals/requests.ts');
  assert.not.throws(() => settleShapes(() => { throw new Error('no'); }));
});
