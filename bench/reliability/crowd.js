/** Slow clients by the thousand, a third each: a head byte by byte, a body byte by byte, and silent. */
import { once } from 'node:events';
import { connect } from 'node:net';
import { serveCommands } from '../contenders/child.js';

const BYTE_MS = 500;
const TURNS = 50;
const HEAD = 'GET /v1/room/a HTTP/1.1\r\nHost: a\r\nX: ';
const BODY = 'POST /v1/pet HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nContent-Length: 1000\r\n\r\n';

const sockets = [];
let turn = 0;

serveCommands({
  async connect({ port, count }) {
    for (let index = 0; index < count; index += 1) {
      const socket = connect({ port, host: '127.0.0.1', noDelay: true });
      await once(socket, 'connect');
      socket.on('error', () => {});
      if (index % 3 < 2) socket.write(index % 3 === 0 ? HEAD : BODY);
      sockets.push(socket);
    }
    setInterval(sendBytes, BYTE_MS / TURNS);
  },
  /** How many are still connected. */
  count: () => sockets.filter(({ closed }) => !closed).length,
});

/** One of fifty parts of the crowd sends at a time, so that it sends steadily. */
function sendBytes() {
  for (let index = turn; index < sockets.length; index += TURNS) if (index % 3 < 2) sockets[index].write('x');
  turn = (turn + 1) % TURNS;
}
