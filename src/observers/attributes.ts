/** The attributes of the semantic conventions for HTTP servers (https://opentelemetry.io/docs/specs/semconv/http/http-spans/). */
import type { IncomingMessage } from 'node:http';
import type { RequestMessage } from '../endpoint/request-message.ts';
import type { Attributes } from './open-telemetry-api.ts';

// RFC 9110, RFC 5789 and RFC 10008. Others would be as many values as clients invent.
const METHODS: readonly string[] = ['CONNECT', 'DELETE', 'GET', 'HEAD', 'OPTIONS', 'PATCH', 'POST', 'PUT', 'QUERY', 'TRACE'];

/** The method, if the conventions know it. */
export function knownMethod({ method = '' }: IncomingMessage): string | undefined {
  return METHODS.find((known) => known === method);
}

/** Those that are known when a request begins. */
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

/** Those of the route, which the server within a mount may still refine. */
export function routeAttributes({ route, operation }: RequestMessage): Attributes {
  return { 'http.route': route.path, ...(operation !== undefined && { 'restpoint.operation': operation }) };
}

/** The type of a failure of the server: a 5xx answer, or one that had begun and is destroyed. `undefined` for all other answers. */
export function findErrorType({ response: { statusCode }, error }: RequestMessage): string | undefined {
  if (statusCode < 500 && !(error !== undefined && statusCode < 400)) return undefined;
  return error?.name ?? String(statusCode);
}
