/** Clients that leave: what they have sent by then, of what they wanted to, and how and when they leave. */
import type { Random } from '../support/random.ts';
import { bodyFor, SMUGGLED } from './corpus.ts';
import { format, makeRequest, type Draft } from './grammar.ts';

/** By FIN, and is there still; by RST; by closing its socket; or it stays, where the server ends the connection by itself. */
export type Leaving = 'ends its side' | 'resets' | 'closes' | 'stays';

export interface Departure {
  readonly chunks: readonly string[];
  readonly leaving: Leaving;
  /** Whether the client reads what it is sent. */
  readonly reads: boolean;
  /** How long it stays when all is sent: until that has been read, or until a pause in reading is seen to last. */
  readonly stays: 'no' | 'some turns' | 'a second';
}

/** A departure that is not cut into its chunks yet. */
export interface DepartureDraft extends Omit<Departure, 'chunks'> {
  /** What is sent up to the request that is held up, and what is sent behind it. */
  readonly parts: readonly string[];
  readonly isWhole: boolean;
}

/** Makes a departure from a point in the bytes that is drawn as well. */
export function departureFor(random: Random, [first = '', ...others]: readonly string[]): DepartureDraft {
  const front = others.slice(0, 2).map((marker) => makeRequest(random, marker)).join('') + held(random, first);
  const behind = random.pick(BEHIND)(random, first);
  const all = front + behind;
  const sent = random.below(2) === 0 ? all : all.slice(0, random.below(all.length));
  return {
    // What comes in one piece with a request for an upgrade is dropped by Node.
    parts: random.below(2) === 0 ? [sent] : [sent.slice(0, front.length), sent.slice(front.length)],
    isWhole: behind !== NONSENSE,
    leaving: random.pick(['ends its side', 'ends its side', 'resets', 'closes', 'stays']),
    reads: random.below(3) > 0,
    stays: random.below(10) === 0 ? 'a second' : random.pick(['no', 'some turns']),
  };
}

// Less than what the server takes of a body that a mounted handler leaves unread, and more than that.
const UNREAD_BYTES = 400_000;
const WAITING_BYTES = 3_000_000;

/** A request that is not answered for as long as its client is there. */
function held(random: Random, marker: string): string {
  const plain = { version: '1.1', host: 'a', headers: [], body: undefined, chunked: random.below(2) === 0 };
  const note = bodyFor(random, marker);
  const hanging = `/hang/${random.pick(['silent', 'endless', 'pump', 'ends', 'large'])}/${marker}`;
  const unread = random.pick([undefined, undefined, SMUGGLED, 'x'.repeat(1 + random.below(UNREAD_BYTES))]);
  const draft = random.pick<() => Draft>([
    () => ({ ...plain, method: random.pick(['GET', 'DELETE']), target: `/v1/slow/${marker}`, body: unread }),
    () => ({ ...plain, method: 'POST', target: '/v1/slow', body: note }),
    () => ({ ...plain, method: 'PUT', target: `/v1/slow/${marker}`, body: note }),
    () => ({ ...plain, method: 'POST', target: '/v1/slow/say', body: note }),
    () => ({ ...plain, method: 'POST', target: `/v1/slow/ping?marker=${marker}` }),
    () => ({ ...plain, method: 'GET', target: hanging }),
    () => ({ ...plain, method: 'POST', target: hanging, body: unread }),
  ])();
  if (random.below(4) === 0) draft.headers = ['Connection: Upgrade', 'Upgrade: h2c'];
  return format(draft, random);
}

const NONSENSE = 'nonsense\r\n\r\n';

/** What is sent behind it. */
const BEHIND: [(random: Random, marker: string) => string, ...((random: Random, marker: string) => string)[]] = [
  () => '',
  (random, marker) => makeRequest(random, `${marker}-1`) + makeRequest(random, `${marker}-2`),
  // More than is taken.
  (random, marker) => random.list(65, 300, () => '').map((_, index) => short(random, `${marker}-${index}`)).join(''),
  (random, marker) => format({
    method: 'POST', target: random.pick(['/v1/now', `/files/read/${marker}`]), version: '1.1', host: 'a', headers: [],
    body: 'x'.repeat(1 + random.below(random.pick([UNREAD_BYTES, WAITING_BYTES]))), chunked: random.below(2) === 0,
  }, random),
  () => NONSENSE,
];

function short(random: Random, marker: string): string {
  const body = `{"marker":"${marker}"}`;
  return random.below(2) === 0 ? `GET /v1/now/${marker} HTTP/1.1\r\nHost: a\r\n\r\n` : `POST /v1/now HTTP/1.1\r\nHost: a\r\nContent-Length: ${body.length}\r\n\r\n${body}`;
}
