/** Serves the document, and other files that are in memory: for GET and HEAD, with an `ETag` that clients compare each time. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { DescribedServer } from '../endpoint/endpoint.ts';
import { type HandledRequest, makeHandler } from '../endpoint/handler.ts';
import { makeProblem, PROBLEM_TYPE } from '../errors/problem.ts';
import { namesTag } from '../http/preconditions.ts';
import { findHeader } from '../http/head.ts';
import type { Outgoing } from '../http/response.ts';
import { cryptoModule } from '../node.ts';
import { listShown, transformDocument, writeDocument } from './open-api.ts';
import { OPEN_API_OPTIONS, type OpenApiOptions } from './open-api-options.ts';

/** A listener for `mount`. */
export type OpenApiHandler = (request: IncomingMessage, response: ServerResponse) => void;

/**
 * Makes a listener that serves the document of a server as JSON. Mounted at `/openapi.json`, it serves it there; mounted at a different
 * route, at that route and at `openapi.json` below it.
 *
 * `start` of the server that it is mounted in makes the document, and fails with the error of `openApi` if it cannot. Without `start`, and
 * after a registration, the next request makes it: then an error is a logged 500. It has an `ETag`: a client that names it in
 * `If-None-Match` gets 304. Methods other than GET and HEAD get 405.
 *
 * @example
 * ```ts
 * server.mount('/openapi.json', openApiHandler(server, { info: { title: 'Zoo', version: '1.0.0' } }));
 * ```
 * @throws `TypeError` for an invalid option.
 */
export function openApiHandler(server: DescribedServer, options: OpenApiOptions): OpenApiHandler {
  const checked = OPEN_API_OPTIONS.check(options, 'options');
  let file: ServedFile | undefined;
  // The number of registrations that the file describes.
  let described = 0;
  const read = (): ServedFile => {
    const { length } = server[' internal'].all;
    if (file === undefined || described !== length) {
      const document = transformDocument(writeDocument(server, checked, listShown(server, checked)), checked);
      file = makeFile('application/json', JSON.stringify(document));
    }
    described = length;
    return file;
  };
  const files = new Map(['/', '/openapi.json'].map((path) => [path, read]));
  return makeHandler((request) => serveFile(request, files), { prepare: read });
}

const { createHash } = cryptoModule();

const METHODS: readonly string[] = ['GET', 'HEAD'];

export interface ServedFile {
  readonly type: string;
  readonly bytes: Buffer;
  readonly tag: string;
  /** Sent with the file, and with a 304 in its place. Names and values alternate. */
  readonly headers: readonly string[];
}

/** Returns a file when it is asked for. */
export type FileSource = (request: HandledRequest) => ServedFile;

export function makeFile(type: string, content: string | Buffer, headers: readonly string[] = []): ServedFile {
  const bytes = Buffer.from(content);
  const tag = `"${createHash('sha256').update(bytes).digest('base64url')}"`;
  // A client may cache the file, but must ask each time whether it has changed.
  return { type, bytes, tag, headers: ['ETag', tag, 'Cache-Control', 'no-cache', ...headers] };
}

/** Serves one of a few files. No other path leads to one. */
export function serveFile(request: HandledRequest, files: ReadonlyMap<string, FileSource>): Outgoing {
  const [path = ''] = request.url.split('?');
  const source = files.get(path);
  if (source === undefined) return NOT_FOUND;
  if (!METHODS.includes(request.method)) return NOT_ALLOWED;
  const { type, bytes, tag, headers } = source(request);
  if (namesTag(findHeader(request.rawHeaders, 'if-none-match') ?? '', tag)) return { status: 304, headers, body: undefined };
  return { status: 200, headers: [...headers, 'Content-Type', type], body: bytes };
}

const NOT_ALLOWED: Outgoing = { status: 405, headers: ['Allow', METHODS.join(', ')], body: undefined };
const NOT_FOUND: Outgoing = {
  status: 404, headers: ['Content-Type', PROBLEM_TYPE], body: JSON.stringify(makeProblem(404, 'Nothing is served at this path.')),
};
