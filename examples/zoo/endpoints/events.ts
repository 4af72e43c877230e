/**
 * The events of the zoos, as server-sent events. A browser reads them with `new EventSource('/v1/event')`.
 *
 *   GET /v1/event                    those to come, without an end
 *   GET /v1/event?after=0            those that were, too
 *   GET /v1/event?after=0&limit=2    two of them
 */
import { bytes, defineEndpoint, reply } from 'restpoint';
import type { EventLog, LoggedEvent } from '../event-log.ts';
import { integer, optional, query } from '../schema.ts';

const EVENT_STREAM = { 'Content-Type': 'text/event-stream', 'Cache-Control': 'no-store' };

const EventQuery = query({ after: optional(integer(0, Number.MAX_SAFE_INTEGER)), limit: optional(integer(1, 1000)) });

/** `stopping` returns the signal that aborts when the server stops. */
export function eventsForAnyone(events: EventLog, stopping: () => AbortSignal) {
  return defineEndpoint({
    get: {
      summary: 'Server-sent events',
      query: EventQuery,
      output: { 200: bytes({ types: ['text/event-stream'] }) },
      run: ({ query, raw, signal }) => {
        // A browser that connects again sends this header, and the same query as before.
        const after = idIn(raw.headers['last-event-id']) ?? query.after ?? events.lastId;
        const found = events.after(after, AbortSignal.any([signal, stopping()]));
        return reply(200, framesOf(found, query.limit ?? Infinity), EVENT_STREAM);
      },
    },
  });
}

function idIn(lastEventId: string | string[] | undefined): number | undefined {
  return typeof lastEventId === 'string' && /^\d{1,15}$/.test(lastEventId) ? Number(lastEventId) : undefined;
}

async function* framesOf(events: AsyncIterable<LoggedEvent>, limit: number): AsyncGenerator<string> {
  let count = 0;
  for await (const { id, kind, ...data } of events) {
    yield `id: ${id}\nevent: ${kind}\ndata: ${JSON.stringify(data)}\n\n`;
    count += 1;
    if (count === limit) return;
  }
}
