/**
 * A service as the files beside it run it. It listens on the address that systemd, Docker or Kubernetes sets, has probes, and stops in a way that
 * loses no request.
 *
 *   PORT=8080 HOST=0.0.0.0 node main.js
 *   DRAIN_MS=0 node main.js                 stops at once: for a listener that outlives the process, as that of systemd does
 */
import { setTimeout } from 'node:timers/promises';
import { ApiServer, stringId } from 'restpoint';

// The first inherited file descriptor, of sd_listen_fds(3).
const SYSTEMD_LISTENER = { fd: 3 };
const { HOST = '127.0.0.1', PORT = '8080', DRAIN_MS = '3000', LISTEN_FDS, LISTEN_PID } = process.env;

let isClosing = false;
const server = new ApiServer('/v1');

/** Mounts a probe, which returns 200 or 503. */
function probe(route, isWell) {
  server.mount(route, (request, response) => {
    response.writeHead(isWell() ? 200 : 503, { 'Cache-Control': 'no-store', 'Content-Length': 0 }).end();
  }, { inFlight: false });
}

probe('/alive', () => true);
probe('/ready', () => !isClosing);
server.registerEndpoint('/animal', { id: stringId, get: (name) => ({ name, legs: 4 }) });

const isInherited = LISTEN_PID === String(process.pid) && Number(LISTEN_FDS) > 0;
const started = await server.start(isInherited ? SYSTEMD_LISTENER : { host: HOST, port: Number(PORT) });
if (started.ok) {
  console.log(`listening on ${started.url}`);
  for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, close);
} else {
  process.exitCode = 1;
}

async function close() {
  isClosing = true;
  // Whoever sends requests here has to find out first that it should not.
  await setTimeout(Number(DRAIN_MS));
  await server.stop();
}
