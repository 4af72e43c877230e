/** The subject's mounts: one that answers, and one that does not, in several ways. */
import type { MountHandler } from '../../src/index.ts';
import { Asked, later } from './asked.ts';
import type { Witness } from './witness.ts';

/** How long an answer is that no socket takes at once. */
export const LARGE_BYTES = 3_000_000;

/**
 * Answers with what it was asked for; below `/files/read`, when it has read the body, with the body's length too; below
 * `/files/later`, later. Throws below `/files/broken`, at once, and below `/files/later/broken`.
 */
export function filesMount(witness: Witness): MountHandler {
  return (request, response) => {
    const { method, url = '' } = request;
    const begun = witness.begin(`files ${method} ${url}`, request);
    response.once('close', begun.end);
    const answer = (text: string): void => {
      witness.note('answer', url);
      if (/^(?:\/later)?\/broken/.test(url)) throw new Asked(url);
      response.writeHead(200, { 'Content-Length': text.length }).end(text);
    };
    if (url.startsWith('/later')) return later().then(() => answer(url));
    if (!url.startsWith('/read')) return answer(url);
    let bytes = 0;
    request.on('data', (chunk: Buffer) => (bytes += chunk.length));
    request.on('end', () => response.writeHead(200, { 'Content-Length': `${url} ${bytes}`.length }).end(`${url} ${bytes}`));
  };
}

/**
 * Leaves its clients waiting: `/silent` says nothing, `/endless` says something and nothing more, `/pump` goes on for ever, `/ends`
 * ends the socket. Only `/large` comes to an end, with more than a client's socket takes unread. The body is read by none but
 * `/pump`.
 */
export function hangingMount(witness: Witness): MountHandler {
  return (request, response) => {
    const { method, url = '' } = request;
    const begun = witness.begin(`hang ${method} ${url}`, request);
    response.once('close', begun.end);
    const kind = /^\/([^/?]*)/.exec(url)?.[1];
    if (kind === 'large') return void response.writeHead(200, { 'Content-Length': LARGE_BYTES }).end('x'.repeat(LARGE_BYTES));
    if (kind === 'silent') return;
    response.writeHead(200, { 'Content-Length': Number.MAX_SAFE_INTEGER }).write('first');
    if (kind === 'ends') request.socket.end();
    if (kind !== 'pump') return;
    request.resume();
    const pump = (): void => {
      if (!response.destroyed && response.write('x'.repeat(65_536))) setTimeout(pump, 5);
    };
    response.on('drain', () => setTimeout(pump, 5));
    pump();
  };
}
