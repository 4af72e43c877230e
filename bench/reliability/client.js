/** A client that sends exactly the bytes it is given, and tells apart the answers that come. */
import { connect } from 'node:net';

export const after = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

export class Client {
  #received = '';
  #wake = () => {};
  #isClosed = false;

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
        this.#isClosed = true;
        this.#wake();
      });
    }
  }

  static async connect(port) {
    const client = new Client(port);
    await new Promise((resolve, reject) => client.socket.once('connect', resolve).once('error', reject));
    return client;
  }

  get isClosed() {
    return this.#isClosed;
  }

  /** Sends text as Latin-1, one byte for each character. */
  send(text) {
    this.socket.write(text, 'latin1');
  }

  /** The next answer with a `Content-Length`; `undefined` when the server closes, or says nothing for so long. */
  async answer(patienceMs = 3000) {
    const deadline = Date.now() + patienceMs;
    for (;;) {
      const answer = this.#take();
      const left = deadline - Date.now();
      if (answer !== undefined || this.#isClosed || left <= 0) return answer;
      await new Promise((resolve) => {
        const timer = setTimeout(resolve, left);
        this.#wake = () => {
          clearTimeout(timer);
          resolve();
        };
      });
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

/** Sends a request over a connection of its own, and gives the first answer, or `undefined`. */
export async function ask(port, bytes) {
  const client = await Client.connect(port);
  try {
    client.send(bytes);
    return await client.answer();
  } finally {
    client.end();
  }
}
