/** Runs a client that leaves, and checks the server's reaction. */
import type { Socket } from 'node:net';
import { delay, waitTwoTurns } from '../support/wait.ts';
import type { LeaverCase } from './cases.ts';
import type { ServedConnection } from './call-log.ts';
import { connectTo, send, type Transcript } from './delivery.ts';
import { healthProblem } from './health.ts';
import type { Subject } from './subject.ts';

/** The state of a connection a minute after its client left, or after it closed. */
export interface LeavingOutcome {
  /** The functions that had begun, and were not notified that the client left. */
  readonly pending: readonly string[];
  readonly isClosed: boolean;
  /** How much had begun when the connection closed, and after the gate of the slow operations was opened. */
  readonly begunAtClose: number;
  readonly begunAtLast: number;
  /** How the server failed another client meanwhile. */
  readonly health?: string | undefined;
}

/** Returns the server's mistake when a client left, or `undefined`. */
export function complaintAboutLeaving({ pending, isClosed, begunAtClose, begunAtLast, health }: LeavingOutcome): string | undefined {
  if (pending.length > 0) return `not notified that its client left: ${pending.join(', ')}`;
  if (!isClosed) return 'the connection stays, though its client left';
  if (begunAtLast > begunAtClose) return `${begunAtLast - begunAtClose} begun for a client that had left`;
  return health;
}

// Measured in time in which this process runs. On a busy machine that is longer by the clock.
const TICK_MS = 10;
const TICKS = 6000;

/** Sends, leaves, and waits until the connection is closed and everything has been notified. */
export async function leave(subject: Subject, it: LeaverCase): Promise<[Transcript, ServedConnection, LeavingOutcome]> {
  const [socket, connection] = await connectTo(subject, subject.port);
  let received = '';
  socket.on('data', (chunk) => (received += chunk.toString('latin1'))).on('error', () => {});
  if (!it.reads) socket.pause();
  await send(socket, it.chunks, () => socket.destroyed);
  for (let turn = 0; turn < 20 && it.stays === 'some turns'; turn += 1) await waitTwoTurns();
  if (it.stays === 'a second') await delay(1000);
  goAway(socket, it, connection);
  const health = await healthProblem(subject);
  const isOver = (): boolean => connection.isClosed && connection.pending.size === 0;
  for (let tick = 0; tick < TICKS && !isOver(); tick += 1) await delay(TICK_MS);
  const pending = [...connection.pending].map(({ about }) => about);
  const { isClosed, begunAtClose = connection.begun } = connection;
  connection.gate.open();
  for (let turn = 0; turn < 10; turn += 1) await waitTwoTurns();
  socket.destroy();
  const outcome = { pending, isClosed, begunAtClose, begunAtLast: connection.begun, health };
  return [{ received, ending: 'abandon', end: 'left' }, connection, outcome];
}

function goAway(socket: Socket, { leaving }: LeaverCase, { calls }: ServedConnection): void {
  // The client can stay if a mount ends the connection.
  const canStay = calls.some(({ what, about }) => what === 'begin' && / \/ends\//.test(about ?? ''));
  if (leaving === 'resets') socket.resetAndDestroy();
  else if (leaving === 'closes') socket.destroy();
  else if (leaving === 'ends its side' || !canStay) socket.end();
}
