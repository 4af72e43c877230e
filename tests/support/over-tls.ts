/** C14: Which test files run once more over TLS: those of stopping, of limits, and of how a connection closes. */
export const OVER_TLS = new RegExp(`^server/(?:${[
  'connection/(?:drain|framing-order|held-input|hostile-readers|hostile-senders|lingering-close|paused-leavers|stall-watch|tunnels)',
  'operation/body-(?:expect|limits|timeout)',
  '(?:framing|head-limits|limits)\\.',
].join('|')})`);
