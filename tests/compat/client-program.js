/** Makes the calls in this engine, and prints what is wrong. The argument is the URL of the server. */
import * as client from '../../dist/client/index.js';
import * as codecs from '../../dist/codecs/index.js';
import { wrongCalls } from './client-calls.js';

const url = globalThis.Deno?.args[0] ?? globalThis.process.argv[2];
console.log(`wrong: ${JSON.stringify(await wrongCalls(client, codecs, `${url}/v1`))}`);
