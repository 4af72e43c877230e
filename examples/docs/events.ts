import { ApiServer, defineEndpoint } from 'restpoint';
import { events } from 'restpoint/formats';
import { z } from 'zod';

const Message = z.object({ text: z.string() });
type Message = z.output<typeof Message>;

const MAX_EVENTS = 1000;
const RUN = Date.now().toString(36); // A part of each id: a client may have an id from before a restart.
const readers = new Set<() => void>();
let lastId = 0;
let kept: { readonly id: string; readonly data: Message }[] = [];

function add(data: Message) {
  lastId += 1;
  // Frozen, it is checked and written once for all readers.
  kept = [...kept, Object.freeze({ id: `${RUN}-${lastId}`, data: Object.freeze(data) })].slice(-MAX_EVENTS);
  for (const wake of readers) wake();
}

async function* eventsAfter(last: number, signal: AbortSignal) {
  let resume = () => {};
  const wake = () => resume();
  signal.addEventListener('abort', wake);
  readers.add(wake);
  try {
    for (let seen = last; !signal.aborted;) {
      seen = Math.max(seen, lastId - kept.length);
      const next = kept[seen - lastId + kept.length];
      if (next) {
        yield next;
        seen += 1;
      } else {
        await new Promise<void>((resolve) => (resume = resolve));
      }
    }
  } finally {
    readers.delete(wake);
  }
}

/** The number after which the events of a client begin. A new client gets new events, and one from before a restart all of this run. */
function findStart(lastEventId: string | undefined) {
  if (lastEventId === undefined) return lastId;
  const [run, id] = lastEventId.split('-');
  return run === RUN ? Number(id) || 0 : 0;
}

const server = new ApiServer('/v1');
server.registerEndpoints({
  '/event': defineEndpoint({
    create: { input: Message, run: (message) => add(message) },
    get: {
      output: events(Message),
      run: ({ lastEventId, signal }) => eventsAfter(findStart(lastEventId), signal),
    },
  }),
});

const started = await server.start('127.0.0.1:8080');
if (!started.ok) throw new Error(started.error);
