/** A client that sends requests and does not read responses. */
import type { Socket } from 'node:net';
import { connectTo } from './transport.ts';

/** Connects a client that reads nothing until it is resumed. */
export async function connectPaused(port: number): Promise<Socket> {
  const socket = await connectTo(port, false);
  socket.on('error', () => {});
  socket.pause();
  return socket;
}
