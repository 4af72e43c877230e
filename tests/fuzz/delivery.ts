/** Sends bytes over a socket in chunks, leaves in one of several ways, and records the received bytes. */
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import type { ServedConnection } from './call-log.ts';
import type { Subject } from './subject.ts';

/**
 * How the client ends: it waits until it has all responses and the server ends the connection, it ends its own side after it has sent
 * everything, it resets the connection, or it closes it.
 */
export type Ending = 'wait' | 'half-close' | 'reset' | 'abandon';

export interface Delivery {
  /** One character for each byte. */
  readonly chunks: readonly string[];
  readonly ending: Ending;
}

export interface Transcript {
  readonly received: string;
  readonly ending: Ending;
  /** How the server's side ended. */
  readonly end: 'ended' | 'reset' | 'late' | 'left';
}

const TIMEOUT_MS = 300_000;

/** Connects, and waits until the server has accepted the connection. */
export async function connectTo(subject: Subject, port: number): Promise<[Socket, ServedConnection]> {
  const socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true, noDelay: true });
  await once(socket, 'connect');
  return [socket, await subject.connectionOf(socket.localPort, port)];
}

/**
 * Sends the chunks, and resolves when the connection is closed. A client that waits ends its own side when `isComplete` returns true.
 * Then a server that waits for the rest of a request ends the connection too.
 */
export async function deliver(socket: Socket, { chunks, ending }: Delivery, hasResponse: (received: string) => boolean): Promise<Transcript> {
  let received = '';
  let end: Transcript['end'] | undefined;
  let wake = (): void => {};
  const over = (how: Transcript['end']) => (): void => {
    end ??= how;
    wake();
  };
  socket.on('data', (chunk) => {
    received += chunk.toString('latin1');
    wake();
  });
  socket.on('end', over('ended'));
  socket.on('error', over('reset'));
  await send(socket, chunks, () => end !== undefined);
  if (ending === 'half-close') socket.end();
  if (ending === 'reset') socket.resetAndDestroy();
  const timer = setTimeout(over('late'), TIMEOUT_MS);
  if (ending === 'reset' || ending === 'abandon') end ??= 'left';
  while (end === undefined) {
    if (ending === 'wait' && hasResponse(received)) socket.end();
    await new Promise<void>((resolve) => (wake = resolve));
  }
  clearTimeout(timer);
  socket.destroy();
  return { received, ending, end };
}

/** Sends the chunks one by one, until `isOver` returns true. */
export async function send(socket: Socket, chunks: readonly string[], isOver: () => boolean): Promise<void> {
  for (const chunk of chunks) {
    if (isOver()) return;
    socket.write(chunk, 'latin1');
    // After two turns the server, which runs in this process, has read the chunk.
    for (let turn = 0; turn < 2; turn += 1) await new Promise((resolve) => setImmediate(resolve));
  }
}
