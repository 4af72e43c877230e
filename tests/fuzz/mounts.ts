/** The subject's mounts: one that responds, and one that lets its clients wait. */
import type { MountHandler } from '../../src/index.ts';
import { waitTwoTurns } from '../support/wait.ts';
import type { CallLog } from './call-log.ts';
import { RequestedFailure } from './requested-failure.ts';

/** The length of a response that is longer than any socket buffer. */
export const LARGE_BYTES = 3_000_000;

/**
 * Responds with its target. Below `/files/read` it reads the body first, and responds with its length too. Below `/files/later` it
 * responds later. It throws below `/files/broken` and, later, below `/files/later/broken`.
 */
export function filesMount(log: CallLog): MountHandler {
  return (request, response) => {
    const { method, url = '' } = request;
    const begun = log.begin(`files ${method} ${url}`, request);
    response.once('close', begun.end);
    const respond = (text: string): void => {
      log.note('response', url);
      if (/^(?:\/later)?\/broken/.test(url)) throw new RequestedFailure(url);
      response.writeHead(200, { 'Content-Length': text.length }).end(text);
    };
    if (url.startsWith('/later')) return waitTwoTurns().then(() => respond(url));
    if (!url.startsWith('/read')) return respond(url);
    let bytes = 0;
    request.on('data', (chunk: Buffer) => (bytes += chunk.length));
    request.on('end', () => response.writeHead(200, { 'Content-Length': `${url} ${bytes}`.length }).end(`${url} ${bytes}`));
  };
}

/**
 * Lets its clients wait. `/silent` sends nothing, `/endless` begins a response, `/pump` sends without end, `/ends` ends the socket in the
 * middle of a response. `/large` sends a complete response that is longer than any socket buffer. Only `/pump` reads the body of its
 * request.
 */
export function hangingMount(log: CallLog): MountHandler {
  return (request, response) => {
    const { method, url = '' } = request;
    const begun = log.begin(`hang ${method} ${url}`, request);
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
