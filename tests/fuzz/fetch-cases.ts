/** Makes calls of `server.fetch`: what the caller passes, how its body comes, how it reads the response, and when it aborts. */
import { Buffer, isUtf8 } from 'node:buffer';
import type { Random } from '../support/random.ts';
import { bodyFor } from './corpus.ts';
import type { Draft } from './draft.ts';
import { makeDraft, makeMiddlewareDraft } from './grammar.ts';

/** `request`: the stream of a `Request`, which is passed instead of a URL. `iterable`: an async iterable, as Node's streams are. */
export type BodyForm = 'string' | 'bytes' | 'stream' | 'iterable' | 'request';

export interface FetchDraft {
  readonly which: 'plain' | 'timeout' | 'middleware';
  readonly input: string;
  readonly method: string;
  readonly headers: readonly (readonly [name: string, value: string])[];
  readonly body: {
    readonly form: BodyForm;
    /** One character for each byte. A string or an array of bytes has one piece. */
    readonly pieces: readonly string[];
    /** Whether the stream fails after them. */
    readonly fails: boolean;
  } | undefined;
  /** After how many turns of the event loop the caller aborts: 0 before the call, -1 never. */
  readonly abortsAfter: number;
  /** `cancels`: after the first piece. */
  readonly reads: 'whole' | 'pieces' | 'buffers' | 'cancels';
}

const TIMEOUT_BASES: [string, ...string[]] = ['/v1/now', '/v1/never'];
/** Makes a call. */
export function fetchFor(random: Random, marker: string): FetchDraft {
  const isHeld = random.below(8) === 0;
  const which = isHeld ? 'plain' : random.pick<FetchDraft['which']>(['plain', 'plain', 'plain', 'middleware', 'middleware', 'timeout']);
  const draft = isHeld ? heldDraft(random, marker) : draftFor(random, which, marker);
  const body = draft.body === undefined ? undefined : bodyOf(random, draft.body);
  const isEndless = isHeld && !draft.target.startsWith('/hang/large/');
  return {
    which,
    input: random.below(2) === 0 && draft.target.startsWith('/') ? `http://a${draft.target}` : draft.target,
    method: random.below(10) === 0 ? random.pick(['NOSUCH', 'noSuch', 'get', 'PROPFIND']) : draft.method,
    headers: headersOf(random, draft, body?.form),
    body,
    abortsAfter: isEndless ? 1 + random.below(20) : random.below(8) === 0 ? random.below(10) : -1,
    reads: random.pick(['whole', 'whole', 'pieces', 'buffers', 'cancels']),
  };
}

function draftFor(random: Random, which: FetchDraft['which'], marker: string): Draft {
  if (which === 'middleware') return makeMiddlewareDraft(random, marker);
  return which === 'timeout' ? makeDraft(random, marker, TIMEOUT_BASES) : makeDraft(random, marker);
}

/** A request that gets no whole response, or one that fills the buffers between both sides. */
function heldDraft(random: Random, marker: string): Draft {
  const plain = { version: '1.1', host: 'a', headers: [], body: undefined, chunked: false };
  return random.pick<() => Draft>([
    () => ({ ...plain, method: 'GET', target: `/v1/slow/${marker}` }),
    () => ({ ...plain, method: 'POST', target: '/v1/slow', body: bodyFor(random, marker) }),
    () => ({ ...plain, method: 'GET', target: `/v1/replies/${random.pick(['endless', 'silent'])}-${marker}` }),
    () => ({ ...plain, method: 'GET', target: `/hang/${random.pick(['silent', 'endless', 'pump', 'large'])}/${marker}` }),
    () => {
      const body = 'x'.repeat(random.below(300_000));
      return { ...plain, method: 'POST', target: `/hang/${random.pick(['silent', 'pump', 'large'])}/${marker}`, body };
    },
  ])();
}

/** The header lines that `Headers` takes. */
function headersOf(random: Random, { host, headers }: Draft, form: BodyForm | undefined): [string, string][] {
  const lines = random.below(2) === 0 || host !== 'a' ? [`Host: ${host}`, ...headers] : headers;
  const taken = new Headers();
  for (const line of lines) {
    const [, name = '', value = ''] = /^([^:]*):(.*)$/s.exec(line) ?? [];
    try {
      taken.append(name, value);
    } catch {
      // It is left out.
    }
  }
  // Without a type, a string is text/plain.
  if (form === 'string' && !taken.has('content-type') && random.below(4) > 0) taken.set('content-type', 'application/json');
  return [...taken];
}

function bodyOf(random: Random, bytes: string): FetchDraft['body'] {
  const form = random.pick<BodyForm>(['string', 'string', 'bytes', 'stream', 'stream', 'iterable', 'request']);
  if (form === 'string' && isUtf8(Buffer.from(bytes, 'latin1'))) return { form, pieces: [bytes], fails: false };
  if (form === 'string' || form === 'bytes') return { form: 'bytes', pieces: [bytes], fails: false };
  const pieces: string[] = [];
  const most = random.pick([bytes.length, 700, 100, 20]);
  for (let at = 0; at < bytes.length && pieces.length < 300; ) {
    const size = pieces.length === 299 ? bytes.length : 1 + random.below(most);
    pieces.push(bytes.slice(at, at + size));
    at += size;
  }
  return { form, pieces, fails: random.below(8) === 0 };
}
