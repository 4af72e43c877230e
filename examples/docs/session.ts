import { createHash, randomBytes, scrypt, timingSafeEqual } from 'node:crypto';
import { promisify } from 'node:util';
import { ApiServer, defineEndpoint, reply } from 'restpoint';
import { anyone, cookie } from 'restpoint/auth';
import { z } from 'zod';

const DAY_MS = 86_400_000;
const COOKIE = '__Host-session'; // browsers take it only from this host, with Secure and Path=/
const ATTRIBUTES = 'Path=/; Secure; HttpOnly; SameSite=Lax';
const hash = (password: string, salt: Buffer) => promisify(scrypt)(password, salt, 32) as Promise<Buffer>;
const digest = (id: string) => createHash('sha256').update(id).digest('hex');

const salt = randomBytes(16);
const users = new Map([['ann', { salt, password: await hash('secret', salt) }]]);
const nobody = { salt, password: randomBytes(32) };
const sessions = new Map<string, { readonly key: string; readonly name: string; readonly until: number }>();
const signedIn = cookie(COOKIE, (id) => {
  const session = sessions.get(digest(id));
  return session !== undefined && session.until > Date.now() ? session : undefined;
});

const server = new ApiServer('/v1', { requireContext: true, cors: { origins: ['https://app.example'], credentials: true } });
server.registerEndpoints({
  '/session': defineEndpoint({
    context: signedIn,
    create: {
      context: anyone,
      input: z.object({ name: z.string(), password: z.string() }),
      run: async ({ name, password }) => {
        const user = users.get(name) ?? nobody;
        if (!timingSafeEqual(await hash(password, user.salt), user.password)) throw signedIn.unauthorized('The name or the password is wrong.');
        const id = randomBytes(24).toString('base64url');
        sessions.set(digest(id), { key: digest(id), name, until: Date.now() + DAY_MS });
        return reply(201, { name }, { 'Set-Cookie': `${COOKIE}=${id}; ${ATTRIBUTES}; Max-Age=${DAY_MS / 1000}`, 'Cache-Control': 'no-store' });
      },
    },
    get: ({ context }) => ({ name: context.name }),
    delete: ({ context }) => {
      sessions.delete(context.key);
      return reply(204, undefined, { 'Set-Cookie': `${COOKIE}=; ${ATTRIBUTES}; Max-Age=0` });
    },
  }),
});
const started = await server.start('127.0.0.1:8080');
if (!started.ok) throw new Error(started.error);
