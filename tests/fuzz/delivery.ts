/** Puts bytes onto a socket in given pieces, leaves in a given way, and notes what comes back. */
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import type { Subject } from './subject.ts';
import type { Visit } from './witness.ts';

/**
 * How the client ends: it waits until everything is answered and the server ends the connection; it ends its own side
 * when it has sent everything; it resets the connection; it closes it.
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

const PATIENCE_MS = 5000;

/** Opens a connection, and waits until the server has it too. */
export async function visit(subject: Subject, port: number): Promise<[Socket, Visit]> {
  const socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true, noDelay: true });
  await once(socket, 'connect');
  return [socket, await subject.visitOf(socket.localPort, port)];
}

/**
 * Delivers, and resolves when the connection is over. A client that waits, and knows by `isAnswered` that no answer is
 * missing, ends its own side, so that a server that waits for the rest of a request ends the connection.
 */
export async function deliver(socket: Socket, { chunks, ending }: Delivery, isAnswered: (received: string) => boolean): Promise<Transcript> {
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
  const timer = setTimeout(over('late'), PATIENCE_MS);
  if (ending === 'reset' || ending === 'abandon') end ??= 'left';
  while (end === undefined) {
    if (ending === 'wait' && isAnswered(received)) socket.end();
    await new Promise<void>((resolve) => (wake = resolve));
  }
  clearTimeout(timer);
  socket.destroy();
  return { received, ending, end };
}

/** Sends the pieces one by one, until it is over. */
export async function send(socket: Socket, chunks: readonly string[], isOver: () => boolean): Promise<void> {
  for (const chunk of chunks) {
    if (isOver()) return;
    socket.write(chunk, 'latin1');
    // Two turns, so that in this process the server has read a piece before the next is sent.
    for (let turn = 0; turn < 2; turn += 1) await new Promise((resolve) => setImmediate(resolve));
  }
}
