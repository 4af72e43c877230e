/**
 * Restarts a service at SIGHUP, as `systemctl restart` does: it stops, then the next one starts. Holds the listener that it has inherited,
 * and hands it on as sd_listen_fds(3) has it. Ends with its service at SIGTERM.
 *
 *   systemd-socket-activate -l 127.0.0.1:8080 node systemd-supervisor.js main.js
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';

const LISTENER = 3;
const [, , main] = process.argv;
let service = start();

function start() {
  // The shell becomes the service, and so has its process id.
  const script = 'export LISTEN_PID=$$; exec "$@"';
  const env = { ...process.env, LISTEN_FDS: '1' };
  return spawn('sh', ['-c', script, 'sh', process.execPath, main], { stdio: ['ignore', 'inherit', 'inherit', LISTENER], env });
}

async function stop() {
  service.kill('SIGTERM');
  const [status] = await once(service, 'exit');
  if (status !== 0) process.exitCode = 1;
}

process.on('SIGHUP', async () => {
  await stop();
  service = start();
});
process.on('SIGTERM', async () => {
  await stop();
  process.exit();
});
// Whoever ended the supervisor in another way would leave the service behind.
process.on('exit', () => service.kill('SIGKILL'));
