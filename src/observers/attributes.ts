/** The attributes of the semantic conventions for HTTP servers (https://opentelemetry.io/docs/specs/semconv/http/http-spans/). */
import type { IncomingMessage } from 'node:http';
import type { RequestMessage } from '../endpoint/request-message.ts';
import type { Attributes } from './open-telemetry-api.ts';

// RFC 9110, RFC 5789 and RFC 10008. If any method were accepted, clients could invent an unlimited number of values.
const METHODS: readonly string[] = ['CONNECT', 'DELETE', 'GET', 'HEAD', 'OPTIONS', 'PATCH', 'POST', 'PUT', 'QUERY', 'TRACE'];

/** Returns the method of a request, if the conventions define it. */
export function knownMethod({ method = '' }: IncomingMessage): string | undefined {
  return METHODS.find((known) => known === method);
}

/** Returns the attributes that are known when a request begins. */
export function requestAttributes(request: IncomingMessage & { readonly originalUrl?: string }): Attributes {
  const { socket, headers, httpVersion } = request;
  const [path = '', ...queries] = (request.originalUrl ?? request.url ?? '').split('?');
  const method = knownMethod(request);
  const { host = '', 'user-agent': agent } = headers;
  // An IPv6 address has colons too.
  const [, address = '', port] = /^(.*?)(?::(\d+))?$/.exec(host) ?? [];
  return {
    'http.request.method': method ?? '_OTHER',
    ...(method === undefined && { 'http.request.method_original': request.method ?? '' }),
    'url.scheme': 'encrypted' in socket ? 'https' : 'http',
    'url.path': path,
    ...(queries.length > 0 && { 'url.query': queries.join('?') }),
    ...(address !== '' && { 'server.address': address }),
    ...(port !== undefined && { 'server.port': Number(port) }),
    ...(socket.remoteAddress !== undefined && { 'client.address': socket.remoteAddress }),
    'network.protocol.version': httpVersion,
    ...(agent !== undefined && { 'user_agent.original': agent }),
  };
}

/** Returns the attributes of the route. A mounted server can still refine the route while the request is served. */
export function routeAttributes({ route, operation }: RequestMessage): Attributes {
  return { 'http.route': route.path, ...(operation !== undefined && { 'restpoint.operation': operation }) };
}

/** Returns the type of a failure: for a 5xx, or a response that failed after its head was sent. `undefined` for any other response. */
export function findErrorType({ response: { statusCode }, error }: RequestMessage): string | undefined {
  if (statusCode < 500 && !(error !== undefined && statusCode < 400)) return undefined;
  return error?.name ?? String(statusCode);
}
