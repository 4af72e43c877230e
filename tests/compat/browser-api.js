/**
 * The server that pages send requests to: an endpoint over a map, and at `/page` a page of the same origin. On request,
 * the user's listener before it responds to preflights and lets pages read responses.
 */
import { ApiServer, defineEndpoint, integerId } from '../../dist/index.js';
import { HTML, listen, PAGE } from './browser-chromium.js';

const SILENT = { info: () => {}, error: () => {} };
const CORS = {
  'Access-Control-Allow-Origin': '*',
  'Access-Control-Allow-Methods': 'POST, PUT, DELETE',
  'Access-Control-Allow-Headers': 'Authorization, Content-Type',
  // Without this, the browser would cache the response and send no second preflight.
  'Access-Control-Max-Age': '0',
};

export class Api {
  /** The responses that were sent, as `POST 415`. GETs are left out, since browsers request icons. */
  responded = [];
  /** The browser's description of the page in the last of these requests. */
  site;
  origin;
  invoked = 0;
  #server;

  /** Listens on a free port. */
  static async start(allowsPreflights) {
    const api = new Api();
    api.#server = await listen(api.#listener(allowsPreflights));
    return api;
  }

  get port() {
    return this.#server.port;
  }

  /** Forgets earlier requests. */
  reset() {
    this.responded = [];
    this.site = this.origin = undefined;
    this.invoked = 0;
  }

  close() {
    this.#server.close();
  }

  #listener(allowsPreflights) {
    const { requestListener } = this.#apiServer();
    return (request, response) => {
      response.on('finish', () => this.#note(request, response));
      if (allowsPreflights) for (const [name, value] of Object.entries(CORS)) response.setHeader(name, value);
      if (allowsPreflights && request.headers['access-control-request-method'] !== undefined) response.writeHead(204).end();
      else requestListener(request, response);
    };
  }

  #apiServer() {
    const server = new ApiServer('/v1', { logger: SILENT });
    const invoke = (result) => {
      this.invoked += 1;
      return result;
    };
    server.registerEndpoint('/pet', defineEndpoint({
      id: integerId,
      schema: (json) => json,
      create: () => invoke(1),
      update: () => invoke(undefined),
      delete: () => invoke(undefined),
      custom: { count: { run: () => invoke(7) } },
    }));
    server.mount('/page', (_request, response) => response.writeHead(200, HTML).end(PAGE));
    return server;
  }

  #note({ method, headers }, { statusCode }) {
    if (method === 'GET') return;
    this.responded.push(`${method} ${statusCode}`);
    this.site = headers['sec-fetch-site'];
    this.origin = headers.origin;
  }
}

/** Serves pages on another port: an ordinary one, and at `/sandboxed` one with an opaque origin. */
export function startPages() {
  return listen(({ url }, response) => {
    response.writeHead(200, url === '/sandboxed' ? { ...HTML, 'Content-Security-Policy': 'sandbox allow-scripts allow-forms' } : HTML);
    response.end(PAGE);
  });
}
