/** Makes the calls in this engine, and prints the failures. The arguments: the URL of the zoo, its token, the URL of the other server. */
import * as client from '../../dist/client/index.js';
import { wrongCalls } from './client-calls.js';
import { wrongZooCalls } from './client-zoo-calls.js';

const [zoo, token, api] = globalThis.Deno?.args ?? globalThis.process.argv.slice(2);
const wrong = [...await wrongZooCalls(client, `${zoo}/v1`, token), ...await wrongCalls(client, `${api}/v1`)];
console.log(`wrong: ${JSON.stringify(wrong)}`);
// The time of a raw response goes on while its body is read, and these calls have weeks. Deno would run as long.
globalThis.Deno?.exit();
