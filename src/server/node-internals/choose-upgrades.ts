/** Which requests with an upgrade become `upgrade` events of a server. */
import type { IncomingMessage, Server } from 'node:http';
import type { Socket } from 'node:net';
import { connectionEventOf } from './servers.ts';

type WantsUpgrade = (request: IncomingMessage) => boolean;

/**
 * Lets a function decide which requests with an upgrade become `upgrade` events. The others are requests, as they are without a
 * listener for that event. Node asks `shouldUpgradeCallback`. Node 20 has none: there, its parser's callback decides before Node does,
 * for the connections that are open and those that come. Returns a function that lets Node decide again, for those that come.
 */
export function chooseUpgrades(server: Server, open: Iterable<Socket>, wants: WantsUpgrade): () => void {
  if (!('shouldUpgradeCallback' in server)) return chooseInParsers(server, open, wants);
  const { shouldUpgradeCallback } = server;
  server.shouldUpgradeCallback = wants;
  return () => (server.shouldUpgradeCallback = shouldUpgradeCallback);
}

function chooseInParsers(server: Server, open: Iterable<Socket>, wants: WantsUpgrade): () => void {
  const choose = (socket: Socket): void => chooseInParser(socket, wants);
  const event = connectionEventOf(server);
  for (const socket of open) choose(socket);
  server.on(event, choose);
  return () => server.off(event, choose);
}

function chooseInParser(socket: Socket, wants: WantsUpgrade): void {
  const { parser } = socket as { readonly parser?: Parser | null };
  if (parser?.onIncoming == null) return;
  const { onIncoming } = parser;
  parser.onIncoming = (request, keepAlive) => {
    if (request.upgrade && request.method !== 'CONNECT' && !wants(request)) request.upgrade = false;
    return onIncoming(request, keepAlive);
  };
}

interface Parser {
  onIncoming: ((request: IncomingMessage & { upgrade: boolean }, keepAlive: boolean) => number) | null;
}
