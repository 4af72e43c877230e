/** Serves the document. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { DescribedServer } from '../endpoint/endpoint.ts';
import { openApi } from './open-api.ts';
import { OPEN_API_OPTIONS, type OpenApiOptions } from './options.ts';
import { makeFile, serveFile, type ServedFile } from './served-file.ts';

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
  OPEN_API_OPTIONS.check(options, 'options');
  let file: ServedFile | undefined;
  // The number of registrations that the file describes.
  let described = 0;
  const read = (): ServedFile => {
    const { length } = server[' registered'].all;
    if (file === undefined || described !== length) file = makeFile('application/json', JSON.stringify(openApi(server, options)));
    described = length;
    return file;
  };
  const files = new Map(['/', '/openapi.json'].map((path) => [path, read]));
  return Object.assign<OpenApiHandler, object>((request, response) => serveFile(request, response, files), { ' prepare': read });
}
