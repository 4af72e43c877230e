/**
 * Slow clients by the thousand, a third each: a head byte by byte, a body byte by byte, and silent.
 *
 *   node crowd.js <port> <count>
 *
 * Tells its parent when all are connected, and, when asked, how many still are.
 */
import { connect } from 'node:net';

const [port, count] = process.argv.slice(2).map(Number);
const BYTE_MS = 500;
const TURNS = 50;

const HEAD = 'GET /v1/room/a HTTP/1.1\r\nHost: a\r\nX: ';
const BODY = 'POST /v1/pet HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nContent-Length: 1000\r\n\r\n';

const sockets = [];
let open = 0;
for (let index = 0; index < count; index += 1) {
  const socket = connect({ port, host: '127.0.0.1', noDelay: true });
  socket.on('error', () => {});
  socket.on('close', () => (open -= 1));
  await new Promise((resolve, reject) => socket.once('connect', resolve).once('close', reject));
  open += 1;
  if (index % 3 === 0) socket.write(HEAD);
  if (index % 3 === 1) socket.write(BODY);
  sockets.push(socket);
}

// In turns, so that they send all the time and never all at once.
let turn = 0;
setInterval(() => {
  for (let index = turn; index < count; index += TURNS) if (index % 3 < 2) sockets[index].write('x');
  turn = (turn + 1) % TURNS;
}, BYTE_MS / TURNS);

process.on('message', () => process.send(open));
process.on('disconnect', () => process.exit());
process.send('connected');
