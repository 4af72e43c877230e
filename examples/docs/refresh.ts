import { createHash, randomBytes } from 'node:crypto';
import { ApiServer, defineEndpoint, reply } from 'restpoint';
import { anyone, bearer, cookie, secretsEqual } from 'restpoint/auth';
import { z } from 'zod';

const ACCESS_MS = 10 * 60_000;
const SESSION_MS = 30 * 86_400_000;
const COOKIE = '__Host-refresh'; // browsers take it only from this host, with Secure and Path=/
const ATTRIBUTES = 'Path=/; Secure; HttpOnly; SameSite=Strict';
const makeToken = () => randomBytes(24).toString('base64url');
const digest = (token: string) => createHash('sha256').update(token).digest('hex');

interface Session {
  readonly name: string;
  until: number;
  /** The digest of the newest refresh token. */
  newest: string;
}

const byRefresh = new Map<string, Session>(); // the used tokens of a session, too
const byAccess = new Map<string, { readonly session: Session; readonly until: number }>();

const signedIn = bearer((token) => {
  const { session, until = 0 } = byAccess.get(digest(token)) ?? {};
  return session && Math.min(until, session.until) > Date.now() ? session : undefined;
});
const refreshing = cookie(COOKIE, (token) => {
  const session = byRefresh.get(digest(token));
  if (session === undefined || session.until < Date.now()) return undefined;
  if (session.newest === digest(token)) return session;
  session.until = 0; // Used twice: somebody has copied it. The session ends, for both.
  return undefined;
});

/** Gives a session new tokens, in place of the refresh token that it had. */
function renew(session: Session, status: 200 | 201) {
  const [access, refresh] = [makeToken(), makeToken()];
  session.newest = digest(refresh);
  byRefresh.set(session.newest, session);
  byAccess.set(digest(access), { session, until: Date.now() + ACCESS_MS });
  const cookies = `${COOKIE}=${refresh}; ${ATTRIBUTES}; Max-Age=${Math.ceil((session.until - Date.now()) / 1000)}`;
  return reply(status, { token: access, seconds: ACCESS_MS / 1000 }, { 'Set-Cookie': cookies, 'Cache-Control': 'no-store' });
}

const server = new ApiServer('/v1', { requireContext: true });
server.registerEndpoints({
  '/session': defineEndpoint({
    context: signedIn,
    create: {
      context: anyone,
      input: z.object({ name: z.string(), password: z.string() }),
      run: ({ name, password }) => {
        if (name !== 'ann' || !secretsEqual(password, 'secret')) throw signedIn.unauthorized('The name or the password is wrong.');
        return renew({ name, until: Date.now() + SESSION_MS, newest: '' }, 201);
      },
    },
    get: ({ context }) => ({ name: context.name }),
    delete: {
      context: refreshing,
      run: ({ context }) => {
        context.until = 0;
        return reply(204, undefined, { 'Set-Cookie': `${COOKIE}=; ${ATTRIBUTES}; Max-Age=0` });
      },
    },
    custom: { refresh: { context: refreshing, run: ({ context }) => renew(context, 200) } },
  }),
});

const started = await server.start('127.0.0.1:8080');
if (!started.ok) throw new Error(started.error);
