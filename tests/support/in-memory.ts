/**
 * Which test files need the network, and do not run over connections in memory: those that count on the buffers of the system, on several
 * requests in one read of it, or on the system's own list of connections.
 */
export const NEEDS_NETWORK = new RegExp(`^(?!server/)|^server/(?:${[
  'connection/(?:connection|drain-upgrade|hostile-pipelines|hostile-readers|lingering-close|memory|paused-leavers|stall-watch)',
  'node/(?:requests|servers|sockets)',
  'operation/(?:body-stream-ends|contexts-bodies|request-signal|stream-reply|stream-source)',
  '(?:limits|tls|upgrade-sockets)',
].join('|')})\\.`);
