/** Makes clients that leave: the bytes that they have sent by then, and how and when they leave. */
import type { Random } from '../support/random.ts';
import { bodyFor, SMUGGLED } from './corpus.ts';
import type { Draft } from './draft.ts';
import { format, makeRequest } from './grammar.ts';

/** A FIN while the client goes on reading, an RST, a close, or nothing, because a mounted handler ends the connection. */
export type Leaving = 'ends its side' | 'resets' | 'closes' | 'stays';

export interface Leaver {
  readonly chunks: readonly string[];
  readonly leaving: Leaving;
  /** Whether the client reads the received bytes. */
  readonly reads: boolean;
  /** How long it stays after sending everything: not at all, until the server has read it, or longer than a pause in reading. */
  readonly stays: 'no' | 'some turns' | 'a second';
}

/** A client that leaves, before its bytes are cut into chunks. */
export interface LeaverDraft extends Omit<Leaver, 'chunks'> {
  /** The bytes up to the end of the held request, and the bytes after it. */
  readonly parts: readonly string[];
  readonly isWhole: boolean;
}

/** Makes a client that leaves at a random point of its bytes. */
export function leaverFor(random: Random, [first = '', ...others]: readonly string[]): LeaverDraft {
  const before = others.slice(0, random.below(3)).map((marker) => makeRequest(random, marker)).join('');
  const front = before + draftHeld(random, first);
  const tail = random.pick(TAILS)(random, first);
  const all = front + tail;
  const sent = random.below(2) === 0 ? all : all.slice(0, random.below(all.length));
  return {
    // Node drops bytes that arrive together with an upgrade request.
    parts: random.below(2) === 0 ? [sent] : [sent.slice(0, front.length), sent.slice(front.length)],
    isWhole: tail !== NONSENSE,
    leaving: random.pick(['ends its side', 'ends its side', 'resets', 'closes', 'stays']),
    reads: random.below(3) > 0,
    stays: random.below(10) === 0 ? 'a second' : random.pick(['no', 'some turns']),
  };
}

// Less than the server buffers of an unread body, and more than it buffers of a body whose request waits.
const UNREAD_BYTES = 400_000;
const WAITING_BYTES = 3_000_000;

/** A request that gets no complete response while its client stays. */
function draftHeld(random: Random, marker: string): string {
  const plain = { version: '1.1', host: 'a', headers: [], body: undefined, chunked: random.below(2) === 0 };
  const note = bodyFor(random, marker);
  const hanging = `/hang/${random.pick(['silent', 'endless', 'pump', 'ends', 'large'])}/${marker}`;
  const unread = random.pick([undefined, SMUGGLED, 'x'.repeat(1 + random.below(UNREAD_BYTES))]);
  const draft = random.pick<() => Draft>([
    () => ({ ...plain, method: random.pick(['GET', 'DELETE']), target: `/v1/slow/${marker}`, body: unread }),
    () => ({ ...plain, method: 'POST', target: '/v1/slow', body: note }),
    () => ({ ...plain, method: 'PUT', target: `/v1/slow/${marker}`, body: note }),
    () => ({ ...plain, method: 'POST', target: '/v1/slow/say', body: note }),
    () => ({ ...plain, method: 'POST', target: `/v1/slow/ping?marker=${marker}` }),
    () => ({ ...plain, method: 'GET', target: hanging }),
    () => ({ ...plain, method: 'GET', target: `/v1/replies/${random.pick(['endless', 'silent'])}-${marker}`, body: unread }),
    () => ({ ...plain, method: 'POST', target: '/v1/replies/tell', body: bodyFor(random, `${random.pick(['endless', 'silent'])}-${marker}`) }),
    () => ({ ...plain, method: 'POST', target: hanging, body: unread }),
  ])();
  if (random.below(4) === 0) draft.headers = ['Connection: Upgrade', 'Upgrade: h2c'];
  return format(draft, random);
}

const NONSENSE = 'nonsense\r\n\r\n';

/** The bytes after it. */
const TAILS: [(random: Random, marker: string) => string, ...((random: Random, marker: string) => string)[]] = [
  () => '',
  (random, marker) => makeRequest(random, `${marker}-1`) + makeRequest(random, `${marker}-2`),
  // More than the server reads ahead.
  (random, marker) => random.list(65, 300, () => '').map((_, index) => draftShort(random, `${marker}-${index}`)).join(''),
  (random, marker) => format({
    method: 'POST', target: random.pick(['/v1/now', `/files/read/${marker}`]), version: '1.1', host: 'a', headers: [],
    body: 'x'.repeat(1 + random.below(random.pick([UNREAD_BYTES, WAITING_BYTES]))), chunked: random.below(2) === 0,
  }, random),
  () => NONSENSE,
];

function draftShort(random: Random, marker: string): string {
  const body = `{"marker":"${marker}"}`;
  return random.below(2) === 0 ? `GET /v1/now/${marker} HTTP/1.1\r\nHost: a\r\n\r\n` : `POST /v1/now HTTP/1.1\r\nHost: a\r\nContent-Length: ${body.length}\r\n\r\n${body}`;
}
