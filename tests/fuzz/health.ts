/** Whether the subject serves others: one more client, or as many as there is room for. */
import { readAnswers } from './answers.ts';
import { deliver, visit } from './delivery.ts';
import { IN_FLIGHT, type Subject } from './subject.ts';
import { until } from '../support/gate.ts';

const HEALTH = { chunks: ['GET /v1/later/health HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n'], ending: 'wait' } as const;
const ROOM = { chunks: ['GET /v1/slow/room HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n'], ending: 'wait' } as const;

/** Says what is wrong, or `undefined`. */
export async function healthOf(subject: Subject): Promise<string | undefined> {
  const [socket] = await visit(subject, subject.port);
  const { received } = await deliver(socket, HEALTH, () => false);
  return received.endsWith('\r\n\r\n{"marker":"health"}') ? undefined : `another client was not served: ${JSON.stringify(received)}`;
}

/**
 * Says what is wrong with the count of requests in work, where nothing is, or `undefined`: all that there is room for must be begun, and one
 * more must not.
 */
export async function roomOf(subject: Subject): Promise<string | undefined> {
  const guests = await Promise.all(Array.from({ length: IN_FLIGHT }, () => visit(subject, subject.port)));
  const answers = guests.map(([socket]) => deliver(socket, ROOM, () => false));
  try {
    await until(() => guests.every(([, { begun, isClosed }]) => begun === 1 || isClosed), 'all that there is room for');
    const more = await healthOf(subject);
    if (more?.includes('HTTP/1.1 503 ') !== true) return `one more than there is room for was let in: ${more}`;
  } finally {
    guests.forEach(([, { gate }]) => gate.open());
  }
  const statuses = (await Promise.all(answers)).map(({ received }) => readAnswers(received, []).answers[0]?.status);
  return statuses.every((status) => status === 200) ? undefined : `there was not room for ${IN_FLIGHT}: ${statuses.join()}`;
}
