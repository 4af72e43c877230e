/** A client that sends requests and does not read responses. */
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';

/** Connects a client that reads nothing until it is resumed. */
export async function unreading(port: number): Promise<Socket> {
  const socket = connect({ port, host: '127.0.0.1' });
  socket.on('error', () => {});
  socket.pause();
  await once(socket, 'connect');
  return socket;
}
