/** Serves the metadata of protected resources (RFC 9728). It tells clients where their users sign in, and anyone may read it. */
import { type HandledRequest, makeHandler } from '../../endpoint/handler.ts';
import type { Outgoing } from '../../http/response.ts';
import { JSON_HEADERS } from '../../util/headers.ts';
import { describeResource, findBase, findResourceUrl, listMetadataPaths, type ProtectedResource } from '../../http/protected-resource.ts';
import type { MountHandler } from '../listeners/mounts.ts';
import type { Settings } from '../settings/server-options.ts';

const ALLOW = ['Allow', 'GET, HEAD, OPTIONS'];
// A cache could keep a response that is made for the host of one client.
const NO_STORE = ['Cache-Control', 'no-store'];
const NO_URL = 'option proxy.url is missing, and requests can name any host: set it, or the option allowedHosts';

/**
 * Makes a function that mounts the metadata of the resources at a path. It throws `TypeError` if the path has different metadata already.
 */
export function makeResourceMetadata(
  settings: Settings, mount: (route: string, handler: MountHandler) => void,
): (path: string, resources: readonly ProtectedResource[]) => void {
  const jsonByPath = new Map<string, string>();
  let isReported = false;
  const findResourceBase = ({ originalUrl: url, rawHeaders, isSecure }: HandledRequest): string | undefined => {
    const base = findBase({ url, rawHeaders, isSecure }, settings);
    if (base === undefined && !isReported) {
      isReported = true;
      settings.logger.error(new Error(NO_URL));
    }
    return base;
  };
  return (path, resources) => {
    for (const resource of new Set(resources)) {
      const json = JSON.stringify(resource);
      const declared = jsonByPath.get(path);
      if (declared === json) continue;
      if (declared !== undefined) {
        const both = `as ${declared} and as ${json}. Use one function for context`;
        throw new TypeError(`the resource at ${JSON.stringify(path)} is declared twice, ${both}`);
      }
      const handler = makeMetadataHandler(resource, path, findResourceBase);
      for (const route of listMetadataPaths(resource.url ?? settings.proxy.url, path)) mount(route, handler);
      jsonByPath.set(path, json);
    }
  };
}

function makeMetadataHandler(
  resource: ProtectedResource, path: string, findResourceBase: (request: HandledRequest) => string | undefined,
): MountHandler {
  const respond = (request: HandledRequest): Outgoing | undefined => {
    const { method } = request;
    if (!isWholePath(request)) return undefined;
    if (method === 'OPTIONS') return { status: 200, headers: [...NO_STORE, ...ALLOW], body: undefined };
    if (method !== 'GET' && method !== 'HEAD') return { status: 405, headers: [...NO_STORE, ...ALLOW], body: undefined };
    const base = resource.url === undefined ? findResourceBase(request) : undefined;
    const url = findResourceUrl(resource, { base, path });
    if (url === undefined) return undefined;
    return { status: 200, headers: [...NO_STORE, ...JSON_HEADERS], body: JSON.stringify(describeResource(resource, url)) };
  };
  // Clients of MCP send it.
  return makeHandler(respond, { requestHeaders: ['Mcp-Protocol-Version'] });
}

/** Whether a request is for the route of a mount, and not for a path below it, nor with a slash at its end. */
function isWholePath({ url, originalUrl }: HandledRequest): boolean {
  return /^\/(?:\?|$)/.test(url) && !/^[^?]*\/(?:\?|$)/.test(originalUrl);
}
