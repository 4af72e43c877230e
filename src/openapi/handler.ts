/** Serves the document. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { DescribedServer } from '../endpoint/endpoint.ts';
import { openApi } from './open-api.ts';
import { OPEN_API_OPTIONS, type OpenApiOptions } from './options.ts';
import { serveFile, servedFile, type ServedFile } from './served-file.ts';

/** A listener for `mount`. */
export type OpenApiHandler = (request: IncomingMessage, response: ServerResponse) => void;

/** A document as text. */
interface Text {
  readonly file: ServedFile;
  /** The number of registrations that it describes. */
  readonly registered: number;
}

/**
 * Makes a listener that serves the document of a server as JSON. Mounted at `/openapi.json`, it answers there; mounted at another route,
 * at that route and at `openapi.json` below it:
 *
 *   server.mount('/openapi.json', openApiHandler(server, { info: { title: 'Zoo', version: '1' } }));
 *
 * `start` of the server that it is mounted in makes the document, and fails with the error of `openApi` if it cannot. Without `start`, and after
 * a registration, the next request makes it: then an error is a logged 500. It has an `ETag`: a client that names it in `If-None-Match` gets 304.
 * Another method than GET and HEAD gets 405. Throws `TypeError` for an invalid option.
 */
export function openApiHandler(server: DescribedServer, options: OpenApiOptions): OpenApiHandler {
  OPEN_API_OPTIONS.check(options, 'options');
  let text: Text | undefined;
  const current = (): ServedFile => {
    const { length } = server[' registered'].all;
    if (text?.registered !== length) text = textOf(server, options, length);
    return text.file;
  };
  const files = new Map(['/', '/openapi.json'].map((path) => [path, current]));
  return Object.assign<OpenApiHandler, object>((request, response) => serveFile(request, response, files), { ' prepare': current });
}

function textOf(server: DescribedServer, options: OpenApiOptions, registered: number): Text {
  return { file: servedFile('application/json', JSON.stringify(openApi(server, options))), registered };
}
