/** Takes the requests that a host passes on, from its own server or app. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { Connections } from './connection/connections.ts';
import type { Exchange } from './connection/exchange.ts';
import { acceptHandedOn, passOn } from './connection/handed-on.ts';
import type { Dispatcher } from './dispatcher.ts';
import type { Attachments } from './listening/attachments.ts';
import { isHttp2, refuseHttp2 } from './reply/http2-refusal.ts';
import type { Settings } from './settings/options.ts';

/** A listener for `http.createServer`, and for `app.use` of Express, Connect and the like. */
export type MountableListener = (request: IncomingMessage, response: ServerResponse, next?: () => void) => void;

/** Makes `ApiServer.requestListener`. */
export function requestListenerOf(dispatcher: Dispatcher, attachments: Attachments, settings: Settings): MountableListener {
  // A host may pass requests on late and in any order. Its own server sets the timeouts.
  const connections = new Connections<Exchange>((exchange) => dispatcher.dispatch(exchange), false, Infinity);
  return (request, response, next) => {
    if (typeof next === 'function' && !dispatcher.serves(request)) passOn(response, next);
    else if (isHttp2(request)) refuseHttp2(request, response, settings.formatProblem);
    else if (attachments.has(request)) attachments.take(request);
    else acceptHandedOn(connections, request, response);
  };
}
