/**
 * The events of the zoos, as server-sent events. A browser reads them with `new EventSource('/v1/event')`.
 *
 *   GET /v1/event                    those to come, without an end
 *   GET /v1/event?after=0            those that were, too
 *   GET /v1/event?after=0&limit=2    two of them
 */
import { defineEndpoint } from 'restpoint';
import { events } from 'restpoint/formats';
import type { EventLog, LoggedEvent } from '../event-log.ts';
import { anyText, integer, object, optional, query } from '../schema.ts';

const id = integer(1, Number.MAX_SAFE_INTEGER);
const ZooEvent = object('ZooEvent', { zoo: id, pet: id, name: anyText, by: anyText });
const EventQuery = query({ after: optional(integer(0, Number.MAX_SAFE_INTEGER)), limit: optional(integer(1, 1000)) });

export type EventEndpoint = ReturnType<typeof eventEndpoint>;

export function eventEndpoint(log: EventLog) {
  return defineEndpoint({
    get: {
      summary: 'Server-sent events',
      query: EventQuery,
      output: events({ arrived: ZooEvent, fed: ZooEvent, left: ZooEvent }),
      run: ({ query, lastEventId, signal }) => {
        // A browser that connects again sends the id of the last event, and the same query as before.
        const after = idIn(lastEventId) ?? query.after ?? log.lastId;
        return first(query.limit ?? Infinity, log.after(after, signal));
      },
    },
  });
}

function idIn(text = ''): number | undefined {
  return /^\d{1,15}$/.test(text) ? Number(text) : undefined;
}

async function* first(limit: number, events: AsyncIterable<LoggedEvent>): AsyncGenerator<LoggedEvent> {
  let count = 0;
  for await (const event of events) {
    yield event;
    count += 1;
    if (count === limit) return;
  }
}
