/** Serves one contender, asks it for a pet, and prints when it had the response: `node first-response.js fastify`. */
import { connect } from 'node:net';
import { Pets } from './pets.js';

const begin = process.hrtime.bigint();
const { open } = await import(`./${process.argv[2]}.js`);
const importMs = Number(process.hrtime.bigint() - begin) / 1e6;
const { port } = await open(new Pets());
let response = '';
connect(port, '127.0.0.1').on('data', (bytes) => {
  response += bytes;
  if (!response.includes('}')) return;
  const end = String(process.hrtime.bigint());
  process.stdout.write(JSON.stringify({ importMs, end, response }), () => process.exit());
}).write('GET /v1/pet/1 HTTP/1.1\r\nHost: localhost\r\n\r\n');
