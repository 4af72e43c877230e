/** Upgrades on the wire: the bytes that ask for one, and a handler that echoes. */
import type { Socket } from 'node:net';
import type { UpgradeHandler } from '../../src/index.ts';
import { head, type RawClient } from './facts.ts';

export const SWITCH_HEADERS = ['Connection: Upgrade', 'Upgrade: websocket', 'Sec-WebSocket-Version: 13'];

/** A request for an upgrade to WebSocket. */
export function makeUpgrade(target: string, lines: readonly string[] = SWITCH_HEADERS): string {
  return head('GET', target, lines);
}

/** The server's response to an accepted upgrade, in these tests. */
export const SWITCHED = 'HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n';

/** A handler that echoes its input. `onSocket` sees each socket. */
export function makeEchoHandler(onSocket: (socket: Socket, target: string) => void = () => {}): UpgradeHandler {
  return (request, socket, early) => {
    onSocket(socket, `${request.url} of ${request.originalUrl}`);
    socket.write(SWITCHED);
    socket.write(early);
    socket.pipe(socket);
  };
}

/** Asserts that the next response is 101, and reads the echo of a string. */
export async function readEcho(client: RawClient, text: string): Promise<string> {
  const { status } = await client.response();
  if (status !== 101) throw new Error(`no upgrade: ${status}`);
  client.send(text);
  return client.bytes(text.length);
}
