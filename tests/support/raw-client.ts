/** A client that sends bytes unchanged, and reads responses unchanged. */
import type { Socket } from 'node:net';
import { connectTo, IS_TLS } from './transport.ts';

export interface RawResponse {
  readonly status: number;
  /** By lower-case name; repeated headers are joined with `, `. */
  readonly headers: ReadonlyMap<string, string>;
  readonly body: string;
  /** The head unchanged, without the empty line that ends it. */
  readonly head: string;
}

// How often it waits for new bytes, and for how long each time. Only what never comes takes so long, however busy the machine is.
const MAX_WAITS = 600;
const WAIT_MS = 500;
const MAX_SHOWN = 500;

export class RawClient {
  readonly socket: Socket;
  #chunks: Buffer[] = [];
  #length = 0;
  #closed = false;
  #wake: () => void = () => {};

  private constructor(socket: Socket) {
    this.socket = socket;
    socket.on('data', (chunk) => {
      this.#chunks.push(chunk);
      this.#length += chunk.length;
      this.#wake();
    });
    socket.on('error', () => {});
    for (const event of ['end', 'close']) {
      socket.on(event, () => {
        this.#closed = true;
        this.#wake();
      });
    }
  }

  /** Connects, with TLS if the tests do. Our side stays open when the server ends its own, unless `allowHalfOpen` is `false`. */
  static async connect(port: number, allowHalfOpen = true, isTls = IS_TLS): Promise<RawClient> {
    return new RawClient(await connectTo(port, allowHalfOpen, isTls));
  }

  /** Connects, and sends bytes. */
  static async send(port: number, bytes: string | Buffer, allowHalfOpen = true): Promise<RawClient> {
    const client = await RawClient.connect(port, allowHalfOpen);
    client.send(bytes);
    return client;
  }

  /** Sends text as Latin-1, one byte for each character, or bytes as they are. */
  send(bytes: string | Buffer): void {
    this.socket.write(typeof bytes === 'string' ? Buffer.from(bytes, 'latin1') : bytes);
  }

  /** The next response. `method` is that of its request, since a response to HEAD has no body. */
  async response(method = 'GET'): Promise<RawResponse> {
    const headEnd = await this.#until(() => indexOrUndefined(this.#received.indexOf('\r\n\r\n')), 'a response');
    const head = (await this.#take(headEnd + 4)).slice(0, -4);
    const [statusLine = '', ...lines] = head.split('\r\n');
    const status = Number(/^HTTP\/1\.1 (\d{3}) /.exec(statusLine)?.[1]);
    if (!(status >= 100)) throw new Error(`no status line: ${statusLine}`);
    const headers = parseHeaders(lines);
    const bodiless = method === 'HEAD' || status < 200 || status === 204 || status === 304;
    const body = bodiless ? '' : await this.#body(headers);
    return { status, headers, body, head };
  }

  /** So many bytes, as Latin-1. */
  async bytes(count: number): Promise<string> {
    return this.#take(count);
  }

  /** Waits until this has been received, and does not read it. */
  async receives(text: string): Promise<void> {
    await this.#until(() => indexOrUndefined(this.#received.indexOf(text, 0, 'latin1')), text);
  }

  /** Everything else that was received until the server closed the connection. */
  async closed(): Promise<string> {
    await this.#until(() => (this.#closed ? true : undefined), 'the server to close');
    return this.unread;
  }

  /** Whether the client has seen the server close the connection. */
  get isClosed(): boolean {
    return this.#closed;
  }

  /** The received bytes that have not been read yet. */
  get unread(): string {
    return this.#received.toString('latin1');
  }

  destroy(): void {
    this.socket.destroy();
  }

  async #body(headers: ReadonlyMap<string, string>): Promise<string> {
    const length = headers.get('content-length');
    if (length !== undefined) return this.#take(Number(length));
    if (headers.get('transfer-encoding') !== 'chunked') return this.closed();
    let body = '';
    for (;;) {
      const lineEnd = await this.#until(() => indexOrUndefined(this.#received.indexOf('\r\n')), 'a chunk');
      const size = parseInt(await this.#take(lineEnd + 2), 16);
      body += (await this.#take(size + 2)).slice(0, -2);
      if (size === 0) return body;
    }
  }

  async #take(length: number): Promise<string> {
    await this.#until(() => (this.#length >= length ? true : undefined), `${length} bytes`);
    const received = this.#received;
    this.#chunks = [received.subarray(length)];
    this.#length -= length;
    return received.toString('latin1', 0, length);
  }

  /** The received bytes that have not been read yet, in one piece. */
  get #received(): Buffer {
    const received = this.#chunks.length === 1 ? this.#chunks[0] : undefined;
    if (received !== undefined) return received;
    const joined = Buffer.concat(this.#chunks);
    this.#chunks = [joined];
    return joined;
  }

  async #until<T>(ready: () => T | undefined, what: string): Promise<T> {
    let waits = 0;
    for (;;) {
      const value = ready();
      if (value !== undefined) return value;
      if (this.#closed) throw new Error(`closed before ${what} arrived; received: ${this.unread.slice(0, MAX_SHOWN)}`);
      if (waits === MAX_WAITS) throw new Error(`waited too long for ${what}; received: ${this.unread.slice(0, MAX_SHOWN)}`);
      await new Promise<void>((resolve) => {
        const timer = setTimeout(() => {
          waits += 1;
          resolve();
        }, WAIT_MS);
        this.#wake = () => {
          clearTimeout(timer);
          resolve();
        };
      });
    }
  }
}

/** Sends bytes over a new connection. Returns the first response. */
export async function send(port: number, bytes: string | Buffer): Promise<RawResponse> {
  const client = await RawClient.connect(port);
  try {
    client.send(bytes);
    return await client.response(String(bytes.slice(0, 5)).startsWith('HEAD ') ? 'HEAD' : 'GET');
  } finally {
    client.destroy();
  }
}

/** Sends bytes over a new connection. Returns everything that was received until the server closed it. */
export async function sendUntilClosed(port: number, bytes: string | Buffer): Promise<string> {
  const client = await RawClient.connect(port);
  try {
    client.send(bytes);
    return await client.closed();
  } finally {
    client.destroy();
  }
}

function indexOrUndefined(index: number): number | undefined {
  return index === -1 ? undefined : index;
}

function parseHeaders(lines: readonly string[]): Map<string, string> {
  const headers = new Map<string, string>();
  for (const line of lines) {
    const colon = line.indexOf(':');
    const name = line.slice(0, colon).toLowerCase();
    const value = line.slice(colon + 1).trim();
    const before = headers.get(name);
    headers.set(name, before === undefined ? value : `${before}, ${value}`);
  }
  return headers;
}
