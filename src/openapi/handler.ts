/** Serves the document. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { DescribedServer } from '../endpoint/endpoint.ts';
import { problemOf } from '../errors/problem.ts';
import { PROBLEM_TYPE } from '../errors/problem.ts';
import { namesTag } from '../http/etag.ts';
import { openApi } from './open-api.ts';
import { checkedOptions, type OpenApiOptions } from './options.ts';

// As in `src/node.ts`, which would load it for hosts that have no document.
const crypto: typeof import('node:crypto') = process.getBuiltinModule('node:crypto');

const PATHS: readonly string[] = ['/', '/openapi.json'];
const METHODS: readonly string[] = ['GET', 'HEAD'];

/** A listener for `registerHandler`. */
export type OpenApiHandler = (request: IncomingMessage, response: ServerResponse) => void;

/** A document as text. */
interface Text {
  readonly bytes: Buffer;
  readonly tag: string;
  /** The number of registrations that it describes. */
  readonly registered: number;
}

/**
 * Makes a listener that serves the document of a server as JSON. Mounted at `/openapi.json`, it answers there; mounted at another route,
 * at that route and at `openapi.json` below it:
 *
 *   server.registerHandler('/openapi.json', openApiHandler(server, { info: { title: 'Zoo', version: '1' } }));
 *
 * The document is made when it is first asked for, and again after a registration. It has an `ETag`: a client that names it in
 * `If-None-Match` gets 304. Another method than GET and HEAD gets 405. Throws `TypeError` for an invalid option. Any other error of
 * `openApi` is a logged 500.
 */
export function openApiHandler(server: DescribedServer, options: OpenApiOptions): OpenApiHandler {
  checkedOptions(options, server['~registered'].formatsProblems);
  let text: Text | undefined;
  return (request, response) => {
    const [path = ''] = (request.url ?? '').split('?');
    if (!PATHS.includes(path)) {
      sendNotFound(response);
    } else if (!METHODS.includes(request.method ?? '')) {
      response.writeHead(405, { Allow: METHODS.join(', '), 'Content-Length': 0 }).end();
    } else {
      const { length } = server['~registered'].all;
      if (text?.registered !== length) text = textOf(server, options, length);
      send(request, response, text);
    }
  };
}

function textOf(server: DescribedServer, options: OpenApiOptions, registered: number): Text {
  const bytes = Buffer.from(JSON.stringify(openApi(server, options)));
  return { bytes, tag: `"${crypto.createHash('sha256').update(bytes).digest('base64url')}"`, registered };
}

function send(request: IncomingMessage, response: ServerResponse, { bytes, tag }: Text): void {
  // A client may cache the document, but must ask each time whether it has changed.
  const headers = { ETag: tag, 'Cache-Control': 'no-cache' };
  if (namesTag(request.headers['if-none-match'] ?? '', tag)) {
    response.writeHead(304, headers).end();
    return;
  }
  response.writeHead(200, { ...headers, 'Content-Type': 'application/json', 'Content-Length': bytes.length });
  // Node does not send a body in reply to HEAD.
  response.end(bytes);
}

function sendNotFound(response: ServerResponse): void {
  const json = JSON.stringify(problemOf(404, 'Nothing is served at this path.'));
  response.writeHead(404, { 'Content-Type': PROBLEM_TYPE, 'Content-Length': Buffer.byteLength(json) }).end(json);
}
