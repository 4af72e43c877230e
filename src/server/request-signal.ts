/** The `signal` of a request: it aborts when the client leaves before the reply. */
import { asyncHooks } from '../node.ts';
import type { Exchange } from './connection/exchange.ts';
import { socketOf } from './node/messages.ts';

/** Makes the controller of a request's signal, in the async context of its operation. */
export function abortOnLeave({ request, response }: Exchange): AbortController {
  const controller = new AbortController();
  // After the response it does not matter that the client leaves, and no event would remove the listeners.
  const socket = socketOf(request, response);
  if (response.writableEnded || socket === null) return controller;
  // The listeners of `signal` must run in the async context of the operation. Events of the socket have the socket's.
  const context = new asyncHooks.AsyncResource('RESTPOINT_SIGNAL');
  const abort = (): void => {
    if (response.writableEnded) return;
    context.runInAsyncScope(() => controller.abort(new DOMException('the client left', 'AbortError')));
  };
  if (socket.destroyed || response.destroyed) abort();
  // A connection can have many requests, so the listener is removed after each response. The socket of an injected request may not emit
  // events, but its response does.
  socket.once?.('close', abort);
  response.once('close', () => {
    socket.off?.('close', abort);
    abort();
  });
  return controller;
}
