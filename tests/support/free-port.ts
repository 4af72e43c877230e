/**
 * A port for a program that cannot take any port, or that starts again on the same one. It is below the ports that systems give to clients, so
 * that no connection of a client takes it. This process keeps the UDP port of the same number for as long as it runs, so that no other test gets it.
 */
import { randomInt } from 'node:crypto';
import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { createServer } from 'node:net';

const FIRST = 11_000;
const LAST = 15_999;

export async function findFreePort(): Promise<number> {
  for (;;) {
    const port = randomInt(FIRST, LAST + 1);
    if (await isKept(port) && await isFree(port)) return port;
  }
}

async function isKept(port: number): Promise<boolean> {
  const socket = createSocket('udp4').unref();
  socket.bind({ port, address: '127.0.0.1', exclusive: true });
  return isListening(socket);
}

async function isFree(port: number): Promise<boolean> {
  const server = createServer().listen({ port, exclusive: true });
  if (!await isListening(server)) return false;
  await new Promise((resolve) => server.close(resolve));
  return true;
}

async function isListening(socket: NodeJS.EventEmitter): Promise<boolean> {
  try {
    await once(socket, 'listening');
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EADDRINUSE') return false;
    throw error;
  }
}
