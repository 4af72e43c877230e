/**
 * TLS connections that have not finished their handshake. `node:http` does not know them yet, so its limits do not apply, and nothing
 * else ends them when the server stops.
 */
import type { Socket } from 'node:net';
import { getTransport } from '../node/sockets.ts';

export class Handshakes {
  readonly #open = new Set<Socket>();
  readonly #forget: (this: Socket) => void;
  // How long a handshake may take while the server stops. `undefined` until it stops.
  #lingerMs: number | undefined;

  constructor() {
    const open = this.#open;
    this.#forget = function () {
      open.delete(this);
    };
  }

  /** Called with the socket that carries the bytes. */
  begin(transport: Socket): void {
    this.#open.add(transport);
    transport.once('close', this.#forget);
    if (this.#lingerMs !== undefined) this.#endSoon([transport], this.#lingerMs);
  }

  /** Called with the TLS socket when its handshake is finished. */
  finish(socket: Socket): void {
    const transport = getTransport(socket);
    transport.off('close', this.#forget);
    this.#open.delete(transport);
  }

  /** Destroys each connection, open or new, whose handshake takes longer than `lingerMs` from now or from its beginning. */
  drain(lingerMs: number): void {
    this.#lingerMs = lingerMs;
    this.#endSoon([...this.#open], lingerMs);
  }

  destroy(): void {
    this.#destroy([...this.#open]);
  }

  #endSoon(transports: readonly Socket[], lingerMs: number): void {
    if (lingerMs === 0) this.#destroy(transports);
    else setTimeout(() => this.#destroy(transports), lingerMs).unref();
  }

  #destroy(transports: readonly Socket[]): void {
    for (const transport of transports) if (this.#open.has(transport)) transport.destroy();
  }
}
