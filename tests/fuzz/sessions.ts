/** Sessions in a cookie: the subject's endpoint, requests for it, and which callers the rules reject. */
import { cookie } from '../../src/auth/index.ts';
import { defineEndpoint, type ApiServer } from '../../src/index.ts';
import type { Random } from '../support/random.ts';
import type { CallLog } from './call-log.ts';
import { bodyFor } from './corpus.ts';
import type { Draft } from './draft.ts';
import type { ExpectedResponse } from './expected-response.ts';
import { decodeNote } from './notes.ts';
import { isForeign } from './cross-origin.ts';
import type { ReadRequest } from './reference.ts';

const NAME = 'sid';
const CHALLENGE = `Cookie realm="api", cookie-name="${NAME}"`;

/** Registers it with a server. */
export function registerSession(server: ApiServer, log: CallLog): void {
  server.registerEndpoint('/session', defineEndpoint({
    schema: decodeNote,
    context: cookie(NAME, (value) => (value.startsWith('ok') ? value : undefined)),
    get: ({ context }) => (log.begin('session get').end(), { marker: context }),
    update: ({ marker }, { context }) => void log.begin(`session update ${context} ${marker}`).end(),
  }));
}

/** The values of the cookie, without empty ones. */
export function sessionsIn({ headers }: ReadRequest): string[] {
  const pairs = headers.filter(([name]) => name === 'cookie').flatMap(([, value]) => value.split(';'));
  const named = pairs.map((pair) => /^[ \t]*([^=]*?)[ \t]*=[ \t]*(.*?)[ \t]*$/s.exec(pair) ?? []);
  return named.flatMap(([, name, value = '']) => (name === NAME && value !== '' ? [value] : []));
}

/** The response to a caller who is rejected. `undefined` for one who is not. */
export function sessionRejection(request: ReadRequest): ExpectedResponse | undefined {
  const [value, ...others] = sessionsIn(request);
  const headers = { 'www-authenticate': CHALLENGE };
  if (value === undefined) return { status: 401, headers };
  if (!/^(?:GET|HEAD)$/.test(request.method) && isForeign(request)) return { status: 403 };
  if (others.length > 0) return { status: 400, headers };
  return /^ok[^\x00-\x20",;\\\x7f-\xff]*$/.test(value) ? undefined : { status: 401, headers };
}

const COOKIES: [string, ...string[]] = [
  'sid=ok', 'sid=ok', 'a=b; sid=ok1', 'sid=ok;a="b', 'sid="ok"', 'a="; sid=ok; b="', 'sid=ok; sid=ok', 'sid=; sid=ok', 'sid=', 'SID=ok', ' sid = ok ', '\tsid=ok', 'sid', '=sid=ok', 'sid==ok',
  'sid=ok=', 'sid=ok, sid=ok', 'sid=ok b', 'sid=ok\\', 'sid=ok\xe9', '\xa0sid=ok', 'sid=wrong', '__Host-sid=ok', 'sid.=ok', ';;sid=ok;;', 'sid=ok,a', 'a=sid=ok',
];

/** A request with a cookie, or without one. */
export function sessionRequest(random: Random, marker: string, plain: Omit<Draft, 'method' | 'target'>): Draft {
  const headers = random.list(0, random.pick([1, 1, 2]), () => `Cookie: ${random.pick(COOKIES)}`);
  if (random.below(3) === 0) headers.push(random.pick(['Origin: http://a', 'Origin: null', 'Origin: http://evil.example', 'Sec-Fetch-Site: same-origin', 'Sec-Fetch-Site: same-site', 'Sec-Fetch-Site: none']));
  const draft = { ...plain, headers, target: '/v1/session' };
  const method = random.pick(['GET', 'HEAD', 'PUT', 'PUT', 'OPTIONS']);
  return method === 'PUT' ? { ...draft, method, body: bodyFor(random, marker) } : { ...draft, method };
}
