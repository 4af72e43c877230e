/** A server with TLS as a program, for other engines: `served-tls.js CERT KEY`, in PEM. It reads commands as `served.js` does: `renew`, `stop`. */
import { ApiServer, stringId } from '../../dist/index.js';

const [, , cert, key] = process.argv;
const server = new ApiServer('/v1', { logger: { info() {}, error: console.error }, tls: { cert, key }, stopGraceMs: 500 });
server.registerEndpoint('/animal', { id: stringId, get: (name) => ({ name }) });

const commands = {
  renew: () => {
    try {
      server.setSecureContext({ cert, key });
      console.log('renewed');
    } catch (error) {
      console.log(`not renewed: ${error.message}`);
    }
  },
  stop: async () => {
    await server.stop();
    console.log('stopped');
    process.exit();
  },
};

const started = await server.start('127.0.0.1:0');
console.log(started.ok ? `listening ${started.address.port}` : `not started: ${started.error}`);
process.stdin.setEncoding('utf8');
process.stdin.on('data', (text) => {
  for (const line of text.split('\n').filter((each) => each !== '')) commands[line]();
});
process.stdin.on('end', () => process.exit());
