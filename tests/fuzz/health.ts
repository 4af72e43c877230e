/** Checks that the subject serves another client, and as many requests as `limits.inFlight` allows. */
import { waitUntil } from '../support/wait.ts';
import { readResponses } from './read-responses.ts';
import { connectTo, deliver } from './delivery.ts';
import { IN_FLIGHT, type Subject } from './subject.ts';

const HEALTH = { chunks: ['GET /v1/later/health HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n'], ending: 'wait' } as const;
const SLOW = { chunks: ['GET /v1/slow/full HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n'], ending: 'wait' } as const;

/** Returns how the subject fails another client, or `undefined`. */
export async function healthProblem(subject: Subject, port = subject.port): Promise<string | undefined> {
  const [socket] = await connectTo(subject, port);
  const { received } = await deliver(socket, HEALTH, () => false);
  return received.endsWith('\r\n\r\n{"marker":"health"}') ? undefined : `another client was not served: ${JSON.stringify(received)}`;
}

/**
 * Returns how the count of requests in flight is wrong, or `undefined`. No request may be in flight. As many requests as the limit allows
 * must begin, and one more must be rejected.
 */
export async function capacityProblem(subject: Subject, port = subject.port): Promise<string | undefined> {
  const clients = await Promise.all(Array.from({ length: IN_FLIGHT }, () => connectTo(subject, port)));
  const responses = clients.map(([socket]) => deliver(socket, SLOW, () => false));
  try {
    await waitUntil(() => clients.every(([, { begun, isClosed }]) => begun === 1 || isClosed), 'as many as the limit to begin');
    const more = await healthProblem(subject, port);
    if (more?.includes('HTTP/1.1 503 ') !== true) return `one more than the limit was let in: ${more}`;
  } finally {
    clients.forEach(([, { gate }]) => gate.open());
  }
  const statuses = (await Promise.all(responses)).map(({ received }) => readResponses(received, []).responses[0]?.status);
  return statuses.every((status) => status === 200) ? undefined : `fewer than the limit of ${IN_FLIGHT} were let in: ${statuses.join()}`;
}
