/** Serves files that are in memory: for GET and HEAD, with an `ETag` that clients compare each time. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { toHeadersObject, NOSNIFF } from '../http/headers.ts';
import { PROBLEM_TYPE, createProblem } from '../errors/problem.ts';
import { namesTag } from '../http/etag.ts';
import { cryptoModule } from '../node.ts';

const { createHash } = cryptoModule();

const METHODS: readonly string[] = ['GET', 'HEAD'];
const SAFE = toHeadersObject(NOSNIFF);

export interface ServedFile {
  readonly type: string;
  readonly bytes: Buffer;
  /** Sent with the file, and with a 304 in its place. */
  readonly headers: Readonly<Record<string, string>>;
}

/** A request of a mount, whose route is in `baseUrl`. */
export type MountedRequest = IncomingMessage & { readonly baseUrl?: string; readonly ' route'?: string };

/** Returns a file when it is asked for. */
export type FileSource = (request: MountedRequest) => ServedFile;

export function makeFile(type: string, content: string | Buffer, headers: Readonly<Record<string, string>> = {}): ServedFile {
  const bytes = Buffer.from(content);
  const tag = `"${createHash('sha256').update(bytes).digest('base64url')}"`;
  // A client may cache the file, but must ask each time whether it has changed.
  return { type, bytes, headers: { ETag: tag, 'Cache-Control': 'no-cache', ...SAFE, ...headers } };
}

/** Serves one of a few files. No other path leads to one. */
export function serveFile(request: MountedRequest, response: ServerResponse, files: ReadonlyMap<string, FileSource>): void {
  const [path = ''] = (request.url ?? '').split('?');
  const source = files.get(path);
  if (source === undefined) {
    sendNotFound(response);
  } else if (!METHODS.includes(request.method ?? '')) {
    response.writeHead(405, { ...SAFE, Allow: METHODS.join(', '), 'Content-Length': 0 }).end();
  } else {
    send(request, response, source(request));
  }
}

function send(request: IncomingMessage, response: ServerResponse, { type, bytes, headers }: ServedFile): void {
  if (namesTag(request.headers['if-none-match'] ?? '', headers['ETag'] ?? '')) {
    response.writeHead(304, headers).end();
    return;
  }
  response.writeHead(200, { ...headers, 'Content-Type': type, 'Content-Length': bytes.length });
  // Node does not send a body in reply to HEAD.
  response.end(bytes);
}

function sendNotFound(response: ServerResponse): void {
  const json = JSON.stringify(createProblem(404, 'Nothing is served at this path.'));
  response.writeHead(404, { ...SAFE, 'Content-Type': PROBLEM_TYPE, 'Content-Length': Buffer.byteLength(json) }).end(json);
}
