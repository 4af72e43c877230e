/** Serves the metadata of protected resources (RFC 9728). It tells clients where their users sign in, and anyone may read it. */
import type { ServerResponse } from 'node:http';
import { NOSNIFF, toHeadersObject } from '../http/headers.ts';
import { describeResource, findOrigin, findResourceUrl, listMetadataPaths, type ProtectedResource } from '../http/protected-resource.ts';
import type { MountRequest } from './listeners.ts';
import type { MountHandler } from './mounts.ts';
import type { Settings } from './options.ts';

const ALLOW = 'GET, HEAD, OPTIONS';
// A cache could keep a response that is made for the host of one client.
const HEADERS = toHeadersObject([...NOSNIFF, 'Cache-Control', 'no-store']);
const NO_URL = 'option resource.url of bearer is missing, and requests can name any host: set it, or the option allowedHosts of the server';

export class ResourceMetadata {
  readonly #settings: Settings;
  readonly #mount: (route: string, handler: MountHandler) => void;
  /** The metadata as JSON, by the paths of the resources. */
  readonly #known = new Map<string, string>();
  #isReported = false;

  constructor(settings: Settings, mount: (route: string, handler: MountHandler) => void) {
    this.#settings = settings;
    this.#mount = mount;
  }

  /** Mounts the metadata of the resource at a path, if it has any. Throws `TypeError` if the path has different metadata already. */
  add(path: string, resources: readonly ProtectedResource[]): void {
    for (const resource of new Set(resources)) {
      const json = JSON.stringify(resource);
      const known = this.#known.get(path);
      if (known === json) continue;
      if (known !== undefined) {
        const both = `as ${known} and as ${json}. Use one function for context`;
        throw new TypeError(`the resource at ${JSON.stringify(path)} is declared twice, ${both}`);
      }
      for (const route of listMetadataPaths(resource, path)) this.#mount(route, this.#makeHandler(path, resource));
      this.#known.set(path, json);
    }
  }

  #makeHandler(path: string, resource: ProtectedResource): MountHandler {
    const handler: MountHandler = (request, response, next) => {
      const { method = '' } = request;
      if (!isWhole(request)) return next();
      if (method === 'OPTIONS') return respond(response, 200, { Allow: ALLOW }, '');
      if (method !== 'GET' && method !== 'HEAD') return respond(response, 405, { Allow: ALLOW }, '');
      const url = findResourceUrl(resource, { origin: this.#findOrigin(request, resource), path });
      if (url === undefined) return next();
      respond(response, 200, { 'Content-Type': 'application/json' }, JSON.stringify(describeResource(resource, url)));
    };
    // Clients of MCP send it.
    return Object.assign(handler, { ' requestHeaders': ['Mcp-Protocol-Version'] });
  }

  #findOrigin(request: MountRequest, { url }: ProtectedResource): string | undefined {
    if (url !== undefined) return undefined;
    const origin = findOrigin({ url: request.originalUrl, rawHeaders: request.rawHeaders, socket: request.socket }, this.#settings.allowedHosts);
    if (origin === undefined && !this.#isReported) {
      this.#isReported = true;
      this.#settings.logger.error(new Error(NO_URL));
    }
    return origin;
  }
}

/** Whether a request is for the route of a mount, and not for a path below it, nor with a slash at its end. */
function isWhole({ url = '', originalUrl = '' }: MountRequest): boolean {
  return /^\/(?:\?|$)/.test(url) && !/^[^?]*\/(?:\?|$)/.test(originalUrl);
}

function respond(response: ServerResponse, status: number, headers: Readonly<Record<string, string>>, body: string): void {
  // Node does not send a body in reply to HEAD.
  response.writeHead(status, { ...HEADERS, ...headers, 'Content-Length': Buffer.byteLength(body) }).end(body);
}
