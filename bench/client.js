/** A client that sends exactly the bytes it is given, and splits what comes back into answers. */
import { connect } from 'node:net';

export class Client {
  #received = '';
  #isLate = false;
  #wake = () => {};
  isClosed = false;

  constructor(port) {
    this.socket = connect({ port, host: '127.0.0.1', noDelay: true }).setEncoding('latin1').on('error', () => {});
    this.socket.on('data', (text) => {
      this.#received += text;
      this.#wake();
    });
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

  /** The next answer; `undefined` when the server closes, or when the time is over. Without a length, it has no body. */
  async answer(timeMs = 3000) {
    this.#isLate = false;
    const timer = setTimeout(() => {
      this.#isLate = true;
      this.#wake();
    }, timeMs);
    let answer = this.#take();
    for (; answer === undefined && !this.isClosed && !this.#isLate; answer = this.#take()) await new Promise((resolve) => (this.#wake = resolve));
    clearTimeout(timer);
    return answer;
  }

  end() {
    this.socket.destroy();
  }

  #take() {
    const headEnd = this.#received.indexOf('\r\n\r\n');
    if (headEnd === -1) return undefined;
    const head = this.#received.slice(0, headEnd);
    const isChunked = /\r\ntransfer-encoding: *chunked/i.test(head);
    const lastChunk = isChunked ? this.#received.indexOf('\r\n0\r\n\r\n', headEnd + 2) : 0;
    const end = isChunked ? lastChunk + 7 : headEnd + 4 + Number(/\r\ncontent-length: *(\d+)/i.exec(head)?.[1] ?? 0);
    if (lastChunk === -1 || this.#received.length < end) return undefined;
    const raw = this.#received.slice(headEnd + 4, end);
    const body = isChunked ? raw.replace(/[\da-f]+\r\n([^]*?)\r\n/g, '$1') : raw;
    this.#received = this.#received.slice(end);
    return { status: Number(head.slice(9, 12)), closes: /\r\nconnection: *close/i.test(head), head, body, bytes: end };
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
