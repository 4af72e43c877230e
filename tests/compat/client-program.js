/** Makes the calls in this engine, and prints the failures. The arguments: the URL of the zoo, its token, the URL of the other server. */
import * as client from '../../dist/client/index.js';
import { findWrongCalls } from './client-calls.js';
import { findWrongZooCalls } from './client-zoo-calls.js';

const [zoo, token, api] = globalThis.Deno?.args ?? globalThis.process.argv.slice(2);
const wrong = [...await findWrongZooCalls(client, `${zoo}/v1`, token), ...await findWrongCalls(client, `${api}/v1`)];
console.log(`wrong: ${JSON.stringify(wrong)}`);
// The time of a raw response goes on while its body is read, and these calls have weeks. Deno would run as long.
globalThis.Deno?.exit();
