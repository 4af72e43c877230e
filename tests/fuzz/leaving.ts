/** Lets a client leave, and holds what becomes of it against the rules. */
import type { Socket } from 'node:net';
import { after } from '../support/gate.ts';
import type { LeaverCase } from './cases.ts';
import { later } from './asked.ts';
import { send, visit, type Transcript } from './delivery.ts';
import { healthOf } from './health.ts';
import type { Subject } from './subject.ts';
import type { Visit } from './witness.ts';

/** How a visit stands when its client has left, and some time after. */
export interface Farewell {
  /** What was begun and not told of it. */
  readonly untold: readonly string[];
  readonly isClosed: boolean;
  /** How much was begun when the connection was closed, and when what was held back could go on. */
  readonly begunAtClose: number;
  readonly begunAtLast: number;
  /** What is wrong with another client's service meanwhile. */
  readonly health?: string | undefined;
}

/** Says what is wrong with how a client's leaving was taken, or `undefined`. */
export function complaintAboutFarewell({ untold, isClosed, begunAtClose, begunAtLast, health }: Farewell): string | undefined {
  if (untold.length > 0) return `begun, and never told that its client left: ${untold.join(', ')}`;
  if (!isClosed) return 'the connection stays, though its client left';
  if (begunAtLast > begunAtClose) return `${begunAtLast - begunAtClose} begun for a client that had left`;
  return health;
}

// Two seconds of the time that this process gets: on a crowded machine they are more by the clock.
const TICK_MS = 10;
const TICKS = 200;

/** Sends, leaves, and waits until all is told. */
export async function leave(subject: Subject, it: LeaverCase): Promise<[Transcript, Visit, Farewell]> {
  const [socket, itsVisit] = await visit(subject, subject.port);
  let received = '';
  socket.on('data', (chunk) => (received += chunk.toString('latin1'))).on('error', () => {});
  if (!it.reads) socket.pause();
  await send(socket, it.chunks, () => socket.destroyed);
  for (let turn = 0; turn < 20 && it.stays === 'some turns'; turn += 1) await later();
  if (it.stays === 'a second') await after(1000);
  goAway(socket, it, itsVisit);
  const health = await healthOf(subject);
  const isOver = (): boolean => itsVisit.isClosed && itsVisit.untold.size === 0;
  for (let tick = 0; tick < TICKS && !isOver(); tick += 1) await after(TICK_MS);
  const untold = [...itsVisit.untold].map(({ about }) => about);
  const { isClosed, begunAtClose = itsVisit.begun } = itsVisit;
  itsVisit.gate.open();
  for (let turn = 0; turn < 10; turn += 1) await later();
  socket.destroy();
  const farewell = { untold, isClosed, begunAtClose, begunAtLast: itsVisit.begun, health };
  return [{ received, ending: 'abandon', end: 'left' }, itsVisit, farewell];
}

function goAway(socket: Socket, { leaving }: LeaverCase, { calls }: Visit): void {
  // The server ends the connection by itself where a mount does.
  const canStay = calls.some(({ what, about }) => what === 'begin' && / \/ends\//.test(about ?? ''));
  if (leaving === 'resets') socket.resetAndDestroy();
  else if (leaving === 'closes') socket.destroy();
  else if (leaving === 'ends its side' || !canStay) socket.end();
}
