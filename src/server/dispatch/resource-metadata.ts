/** Serves the metadata of protected resources (RFC 9728). It tells clients where their users sign in, and anyone may read it. */
import { type HandledRequest, makeHandler } from '../../endpoint/handler.ts';
import type { Outgoing } from '../../http/response.ts';
import { JSON_HEADERS } from '../../util/headers.ts';
import { describeResource, findOrigin, findResourceUrl, listMetadataPaths, type ProtectedResource } from '../../http/protected-resource.ts';
import type { MountHandler } from '../listeners/mounts.ts';
import type { Settings } from '../settings/server-options.ts';

const ALLOW = ['Allow', 'GET, HEAD, OPTIONS'];
// A cache could keep a response that is made for the host of one client.
const NO_STORE = ['Cache-Control', 'no-store'];
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
    const respond = (request: HandledRequest): Outgoing | undefined => {
      const { method } = request;
      if (!isWholePath(request)) return undefined;
      if (method === 'OPTIONS') return { status: 200, headers: [...NO_STORE, ...ALLOW], body: undefined };
      if (method !== 'GET' && method !== 'HEAD') return { status: 405, headers: [...NO_STORE, ...ALLOW], body: undefined };
      const url = findResourceUrl(resource, { origin: this.#findOrigin(request, resource), path });
      if (url === undefined) return undefined;
      return { status: 200, headers: [...NO_STORE, ...JSON_HEADERS], body: JSON.stringify(describeResource(resource, url)) };
    };
    // Clients of MCP send it.
    return makeHandler(respond, { requestHeaders: ['Mcp-Protocol-Version'] });
  }

  #findOrigin({ originalUrl: url, rawHeaders, isSecure }: HandledRequest, { url: known }: ProtectedResource): string | undefined {
    if (known !== undefined) return undefined;
    const origin = findOrigin({ url, rawHeaders, isSecure }, this.#settings.allowedHosts);
    if (origin === undefined && !this.#isReported) {
      this.#isReported = true;
      this.#settings.logger.error(new Error(NO_URL));
    }
    return origin;
  }
}

/** Whether a request is for the route of a mount, and not for a path below it, nor with a slash at its end. */
function isWholePath({ url, originalUrl }: HandledRequest): boolean {
  return /^\/(?:\?|$)/.test(url) && !/^[^?]*\/(?:\?|$)/.test(originalUrl);
}
