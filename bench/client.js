/** A client that sends bytes unchanged, and splits the received bytes into responses. */
import { once } from 'node:events';
import { connect } from 'node:net';

export class Client {
  #received = '';

  constructor(port) {
    const changed = () => this.socket.emit('change');
    this.socket = connect({ port, host: '127.0.0.1', noDelay: true }).setEncoding('latin1').on('error', () => {});
    this.socket.on('end', changed).on('close', changed).on('data', (text) => {
      this.#received += text;
      changed();
    });
  }

  get isClosed() {
    return this.socket.readableEnded || this.socket.destroyed;
  }

  /** Sends text as Latin-1, one byte for each character. */
  send(text) {
    this.socket.write(text, 'latin1');
  }

  /** The next response; `undefined` when the server closes, or when the time is over. Without a length, it has no body. */
  async respond(timeMs = 3000) {
    const signal = AbortSignal.timeout(timeMs);
    for (;;) {
      const response = this.#take();
      if (response !== undefined || this.isClosed || signal.aborted) return response;
      await once(this.socket, 'change', { signal }).catch(() => {});
    }
  }

  #take() {
    const headEnd = this.#received.indexOf('\r\n\r\n');
    if (headEnd === -1) return undefined;
    const head = this.#received.slice(0, headEnd);
    const isChunked = /\r\ntransfer-encoding: *chunked/i.test(head);
    const lastChunk = isChunked ? this.#received.indexOf('\r\n0\r\n\r\n', headEnd + 2) : 0;
    const length = Number(/\r\ncontent-length: *(\d+)/i.exec(head)?.[1] ?? 0);
    const bytes = isChunked ? lastChunk + 7 : headEnd + 4 + length;
    if (lastChunk === -1 || this.#received.length < bytes) return undefined;
    const raw = this.#received.slice(headEnd + 4, bytes);
    const body = isChunked ? raw.replace(/[\da-f]+\r\n([^]*?)\r\n/g, '$1') : raw;
    this.#received = this.#received.slice(bytes);
    return { status: Number(head.slice(9, 12)), closes: /\r\nconnection: *close/i.test(head), head, body, bytes };
  }
}

/** Sends a request over a new connection, and resolves to the first response, or to `undefined`. */
export async function ask(port, text) {
  const client = new Client(port);
  client.send(text);
  const response = await client.respond();
  client.socket.destroy();
  return response;
}
