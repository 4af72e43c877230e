/** Which requests with an upgrade become `upgrade` events of a server. */
import type { IncomingMessage, Server } from 'node:http';
import type { Socket } from 'node:net';
import { connectionEventOf } from './servers.ts';

type WantsUpgrade = (request: IncomingMessage) => boolean;

/**
 * Lets a function decide which requests with an upgrade become `upgrade` events. The others are requests, as they are without a
 * listener for that event. Node asks `shouldUpgradeCallback`. Node 20 has none: there, its parser's callback decides before Node does,
 * for the connections that are open and those that come.
 */
export function chooseUpgrades(server: Server, open: Iterable<Socket>, wants: WantsUpgrade): void {
  if ('shouldUpgradeCallback' in server) server.shouldUpgradeCallback = wants;
  else chooseInParsers(server, open, wants);
}

function chooseInParsers(server: Server, open: Iterable<Socket>, wants: WantsUpgrade): void {
  for (const socket of open) chooseInParser(socket, wants);
  server.on(connectionEventOf(server), (socket: Socket) => chooseInParser(socket, wants));
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
