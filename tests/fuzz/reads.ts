/** Named reads: the subject's endpoint, requests for it, and the rules, implemented independently of the server. */
import { createHash } from 'node:crypto';
import { defineEndpoint, type ApiServer } from '../../src/index.ts';
import type { Random } from '../support/random.ts';
import type { CallLog } from './call-log.ts';
import { condition } from './corpus.ts';
import type { Draft } from './draft.ts';
import type { ExpectedResponse } from './expected-response.ts';
import { actor, logStringId, mapError } from './operation-parts.ts';
import { json } from './operation.ts';

const CACHE = 'max-age=60';

/** Registers it with a server. */
export function registerReads(server: ApiServer, log: CallLog): void {
  const act = actor(log, 'read');
  server.registerEndpoint('/read', defineEndpoint({
    id: logStringId(log),
    get: { run: (id: string) => act(`get ${id}`, id, () => ({ marker: id })) },
    custom: {
      listed: {
        method: 'GET', cache: { maxAgeSeconds: 60 }, etag: 'body',
        run: ({ query }) => {
          const marker = query.get('marker') ?? '';
          return act(`listed ${marker}`, marker, () => ({ marker }));
        },
      },
    },
    itemCustom: {
      seen: { method: 'GET', run: (id: string) => act(`seen ${id}`, id, () => ({ marker: id })) },
    },
    mapError: mapError(log),
  }));
}

/** The response of `listed` to a marker. */
export function listedFor(marker: string): ExpectedResponse {
  return withTag(json({ marker }), { 'cache-control': CACHE });
}

function withTag(response: ExpectedResponse, headers: Readonly<Record<string, string>>): ExpectedResponse {
  const tag = `"${createHash('sha256').update(Buffer.from(response.body ?? '', 'latin1')).digest('base64url')}"`;
  return { ...response, tag, headers: { ...response.headers, ...headers, etag: tag } };
}

const OTHER_METHODS: [string, ...string[]] = ['POST', 'QUERY', 'GET', 'OPTIONS', 'PUT', 'HEAD'];

type Picked = Pick<Draft, 'method' | 'target'> & Partial<Draft> & { readonly tag?: string | undefined };

/** A request for one of them, most often by its own method. */
export function readRequest(random: Random, marker: string, plain: Omit<Draft, 'method' | 'target'>): Draft {
  const listed = `/v1/read/listed?marker=${encodeURIComponent(marker)}`;
  const { tag, ...draft } = random.pick<Picked>([
    { method: 'GET', target: listed, tag: listedFor(marker).tag },
    { method: 'HEAD', target: listed, tag: listedFor(marker).tag },
    { method: random.pick(['GET', 'HEAD']), target: `/v1/read/${random.pick([marker, marker, '%ff'])}/seen` },
    { method: random.pick(OTHER_METHODS), target: `/v1/read${random.pick(['', '/listed', `/${marker}`, `/${marker}/seen`])}` },
  ]);
  const conditions = random.below(3) > 0 ? [] : [tag === undefined || random.below(3) === 0 ? condition(random) : `If-None-Match: ${random.pick([tag, `"a", W/${tag}`])}`];
  return { ...plain, ...draft, headers: [...(draft.headers ?? []), ...conditions] };
}
