/** A client that sends exactly the bytes it is given, and splits what comes back into answers. */
import { connect } from 'node:net';
import { setTimeout as after } from 'node:timers/promises';

export class Client {
  #received = '';
  #wake = () => {};
  isClosed = false;

  constructor(port) {
    this.socket = connect({ port, host: '127.0.0.1', noDelay: true });
    this.socket.setEncoding('latin1');
    this.socket.on('data', (text) => {
      this.#received += text;
      this.#wake();
    });
    this.socket.on('error', () => {});
    for (const event of ['end', 'close']) {
      this.socket.on(event, () => {
        this.isClosed = true;
        this.#wake();
      });
    }
  }

  static async connect(port) {
    const client = new Client(port);
    await new Promise((resolve, reject) => client.socket.once('connect', resolve).once('error', reject));
    return client;
  }

  /** Sends text as Latin-1, one byte for each character. */
  send(text) {
    this.socket.write(text, 'latin1');
  }

  /** The next answer with a `Content-Length`; `undefined` when the server closes, or when the time is over. */
  async answer(timeMs = 3000) {
    const timer = new AbortController();
    const late = after(timeMs, true, { signal: timer.signal }).catch(() => true);
    try {
      for (let isLate = false; ; ) {
        const answer = this.#take();
        if (answer !== undefined || this.isClosed || isLate) return answer;
        isLate = await Promise.race([late, new Promise((resolve) => (this.#wake = () => resolve(false)))]);
      }
    } finally {
      timer.abort();
    }
  }

  end() {
    this.socket.destroy();
  }

  #take() {
    const headEnd = this.#received.indexOf('\r\n\r\n');
    if (headEnd === -1) return undefined;
    const head = this.#received.slice(0, headEnd);
    const length = Number(/\r\ncontent-length: *(\d+)/i.exec(head)?.[1] ?? 0);
    const end = headEnd + 4 + length;
    if (this.#received.length < end) return undefined;
    const body = this.#received.slice(headEnd + 4, end);
    this.#received = this.#received.slice(end);
    return { status: Number(head.slice(9, 12)), closes: /\r\nconnection: *close/i.test(head), body };
  }
}

/** Sends a request over a connection of its own, and resolves to the first answer, or to `undefined`. */
export async function ask(port, bytes) {
  const client = await Client.connect(port);
  try {
    client.send(bytes);
    return await client.answer();
  } finally {
    client.end();
  }
}
