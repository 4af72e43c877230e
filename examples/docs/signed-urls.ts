import { createHmac, randomBytes } from 'node:crypto';
import { ApiServer, defineEndpoint, integerId, reply, type ContextRequest } from 'restpoint';
import { bearer, secretsEqual } from 'restpoint/auth';

const KEY = process.env['LINK_KEY'] ?? randomBytes(32).toString('hex'); // the same in all processes
const sign = (path: string, until: number) => createHmac('sha256', KEY).update(`${path}?${until}`).digest('base64url');

/** A link that anyone can open until it has expired. */
function makeLink(path: string, seconds: number) {
  const until = Math.floor(Date.now() / 1000) + seconds;
  return `${path}?until=${until}&signature=${sign(path, until)}`;
}

/** Admits whoever has such a link to the path of the request. */
function hasLink({ raw }: ContextRequest) {
  const { pathname, searchParams } = new URL(raw.url ?? '', 'http://localhost');
  const until = Number(searchParams.get('until'));
  return until > Date.now() / 1000 && secretsEqual(sign(pathname, until), searchParams.get('signature') ?? '');
}

const signedIn = bearer((token) => token === 'token-of-ann' && { name: 'Ann' });
const server = new ApiServer('/v1', { requireContext: true });
server.registerEndpoints({
  '/report': defineEndpoint({
    id: integerId,
    context: signedIn,
    get: {
      context: Object.assign(hasLink, { security: { name: 'link', scheme: { type: 'apiKey', in: 'query', name: 'signature' } } }),
      run: (id) => reply(200, `the report ${id}`, { 'Content-Type': 'text/plain' }),
    },
    itemCustom: { share: (id) => ({ url: makeLink(`/v1/report/${id}`, 600) }) },
  }),
});
const started = await server.start('127.0.0.1:8080');
if (!started.ok) throw new Error(started.error);
