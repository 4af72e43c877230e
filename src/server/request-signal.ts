/** The `signal` of a request: it aborts when the client leaves before the reply. */
import { asyncHooks } from '../node.ts';
import type { Exchange } from './connection/exchange.ts';
import { socketOf } from './node/messages.ts';

/** Makes the controller of a request's signal, in the async context of its operation. */
export function abortOnLeave({ request, response }: Exchange): AbortController {
  const controller = new AbortController();
  // After the reply it does not matter that the client leaves, and no event would remove the listeners.
  const socket = socketOf(request, response);
  if (response.writableEnded || socket === null) return controller;
  // Events of the socket have the socket's async context. The listeners of `signal` must run in that of the operation.
  const context = new asyncHooks.AsyncResource('RESTPOINT_SIGNAL');
  const abort = (): void => {
    if (response.writableEnded) return;
    context.runInAsyncScope(() => controller.abort(new DOMException('the client left', 'AbortError')));
  };
  if (socket.destroyed || response.destroyed) abort();
  // The connection may be kept after the reply, so the listener is removed then. The socket of an injected request may emit no
  // events, but its response does.
  socket.once?.('close', abort);
  response.once('close', () => {
    socket.off?.('close', abort);
    abort();
  });
  return controller;
}
