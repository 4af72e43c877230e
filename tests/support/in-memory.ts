/** Tests over connections in memory, with `RESTPOINT_TRANSPORT=memory`. */

export const IS_IN_MEMORY = process.env['RESTPOINT_TRANSPORT'] === 'memory';

/**
 * The test files that need the network, and do not run over connections in memory: those that count on the buffers of the system, on several
 * requests in one read of it, on the address of a client, or on the system's own list of connections.
 */
export const NEEDS_NETWORK = new RegExp(`^(?!server/)|^server/(?:${[
  'connection/(?:connection|drain-unread|drain-upgrade|hostile-pipelines|hostile-readers|lingering-close|memory|paused-leavers|stall-watch)',
  'node/(?:requests|servers|sockets)',
  'operation/(?:body-stream-ends|contexts-bodies|request-signal|stream-reply|stream-source)',
  '(?:limits|proxy|request-id-option|tls|upgrade-sockets)',
].join('|')})\\.`);
