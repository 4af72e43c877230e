/** Replies of each kind, and callers who are rejected: cases for middleware that the zoo does not have. */
import { Readable } from 'node:stream';
import { ApiError, defineEndpoint, reply, stringId } from '../../dist/index.js';

/** The body of each reply with one, and of each stream. Longer than a socket takes at once. */
export const LONG = Array.from({ length: 200_000 }, (_, at) => `Äsp ${at} has ${at % 5} legs\n`).join('');

const CSV = { 'Content-Type': 'text/csv; charset=utf-8' };
const OWN = { 'Set-Cookie': ['own=1; Path=/', 'other=2'], Vary: 'Accept-Language', 'X-Own': 'yes' };

async function* pieces() {
  for (let at = 0; at < LONG.length; at += 10_000) yield LONG.slice(at, at + 10_000);
}

const REPLIES = {
  json: () => reply(200, { text: LONG }, OWN),
  text: () => reply(200, LONG, { ...CSV, ...OWN }),
  bytes: () => reply(200, Buffer.from(LONG), { ...CSV, ...OWN }),
  iterable: () => reply(200, pieces(), { ...CSV, ...OWN }),
  readable: () => reply(200, Readable.from(pieces()), { ...CSV, ...OWN }),
  web: () => reply(200, ReadableStream.from(pieces()), { ...CSV, ...OWN }),
  sized: () => reply(200, pieces(), { ...CSV, ...OWN, 'Content-Length': String(Buffer.byteLength(LONG)) }),
  created: () => reply(201, undefined, { ...OWN, Location: '/v1/reply/new' }),
  see: () => reply(303, undefined, { ...OWN, Location: '/v1/reply/json' }),
  none: () => reply(204, undefined, OWN),
  same: () => reply(200, { text: LONG }, { ...OWN, ETag: '"1"' }),
};

/** The replies that have `LONG` as their body. */
export const KINDS = ['text', 'bytes', 'iterable', 'readable', 'web', 'sized'];

/** Those without a body, and their statuses. */
export const BODILESS = [['created', 201], ['see', 303], ['none', 204]];

/** Declares `GET /v1/reply/:id`, and `/v1/private`, which is for nobody: 401. */
export function registerReplies(server) {
  server.registerEndpoint('/reply', defineEndpoint({ id: stringId, get: (id) => REPLIES[id]?.() }));
  server.registerEndpoint('/private', defineEndpoint({
    id: stringId,
    context: () => {
      throw ApiError.status(401, 'Who?', { headers: { 'WWW-Authenticate': 'Bearer realm="zoo"' } });
    },
    schema: (json) => json,
    create: () => '1',
    get: () => 1,
  }));
}
