/** A client that sends bytes unchanged and reads the responses one by one, and the common requests sent by it. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { assertResponse } from './checks.js';
import { requestsFor } from './requests.js';
import { PATIENCE_MS } from './until.js';

// Long enough for a server to read each piece separately, nearly always.
const PIECES = 12;
const BETWEEN_PIECES_MS = 2;

/** The bytes of a request of the common list. */
export function formatRequest({ method, path, headers = {}, body }) {
  const chunks = Array.isArray(body) ? body : undefined;
  const allHeaders = { host: 'zoo.example', ...(body === undefined ? {} : { 'content-type': 'application/json' }), ...headers };
  if (chunks !== undefined) allHeaders['transfer-encoding'] = 'chunked';
  else if (body !== undefined) allHeaders['content-length'] = Buffer.byteLength(body);
  const head = [`${method} ${path} HTTP/1.1`, ...Object.entries(allHeaders).map(([name, value]) => `${name}: ${value}`), '', ''].join('\r\n');
  const chunked = chunks?.map((chunk) => `${Buffer.byteLength(chunk).toString(16)}\r\n${chunk}\r\n`).join('');
  return Buffer.from(head + (chunks === undefined ? (body ?? '') : `${chunked}0\r\n\r\n`));
}

export class WireClient {
  #socket;
  #received = Buffer.alloc(0);
  #isClosed = false;

  constructor(socket) {
    this.#socket = socket;
    socket.on('data', (chunk) => (this.#received = Buffer.concat([this.#received, chunk])));
    socket.on('error', () => {});
    for (const event of ['end', 'close']) socket.on(event, () => (this.#isClosed = true));
  }

  /** Connects. Rejects if no server listens there. */
  static async connect(port) {
    const socket = connect({ port, host: '127.0.0.1', noDelay: true });
    await once(socket, 'connect');
    // A failed check leaves the socket open, and must not wait for it.
    socket.unref();
    return new WireClient(socket);
  }

  /** Writes bytes, all at once. */
  write(bytes) {
    this.#socket.write(bytes);
  }

  /** Writes bytes in many pieces, with a pause after each. */
  async writeSlowly(bytes) {
    const length = Math.ceil(bytes.length / PIECES);
    for (let at = 0; at < bytes.length; at += length) {
      this.#socket.write(bytes.subarray(at, at + length));
      await sleep(BETWEEN_PIECES_MS);
    }
  }

  /** The next response: `status`, `headers` by their lower-case names, `body` as text and `bytes`. */
  async response(method) {
    const end = await this.#until('a head', () => orUndefined(this.#received.indexOf('\r\n\r\n')));
    const [first, ...lines] = this.#take(end + 4).toString().trimEnd().split('\r\n');
    const headers = Object.fromEntries(lines.map((line) => [line.slice(0, line.indexOf(':')).toLowerCase(), line.slice(line.indexOf(':') + 1).trim()]));
    const status = Number(/^HTTP\/1\.1 (\d{3}) /.exec(first)?.[1]);
    const isBodiless = method === 'HEAD' || status < 200 || status === 204 || status === 304;
    const bytes = isBodiless ? Buffer.alloc(0) : await this.#body(headers);
    return { status, headers, body: bytes.toString(), bytes };
  }

  /** Resolves when the server has closed the connection, to the received text that was not read. */
  async closed() {
    await this.#until('the end of the connection', () => this.#isClosed || undefined);
    return this.#received.toString();
  }

  destroy() {
    this.#socket.destroy();
  }

  async #body(headers) {
    const length = headers['content-length'];
    if (length !== undefined) return this.#bytes(Number(length));
    if (headers['transfer-encoding'] !== 'chunked') return Buffer.from(await this.closed());
    for (const chunks = []; ; ) {
      const end = await this.#until('a chunk', () => orUndefined(this.#received.indexOf('\r\n')));
      const size = parseInt(this.#take(end + 2).toString(), 16);
      chunks.push((await this.#bytes(size + 2)).subarray(0, -2));
      if (size === 0) return Buffer.concat(chunks);
    }
  }

  async #bytes(count) {
    await this.#until(`${count} bytes`, () => this.#received.length >= count || undefined);
    return this.#take(count);
  }

  #take(count) {
    const taken = this.#received.subarray(0, count);
    this.#received = this.#received.subarray(count);
    return taken;
  }

  async #until(what, find) {
    for (const deadline = Date.now() + PATIENCE_MS; ; await sleep(1)) {
      const found = find();
      if (found !== undefined) return found;
      const received = this.#received.toString().slice(0, 1000);
      if (this.#isClosed) throw new Error(`closed before ${what} arrived; received: ${received}`);
      if (Date.now() > deadline) throw new Error(`waited too long for ${what}; received: ${received}`);
    }
  }
}

/** Sends all requests that are served over as few connections as the responses allow. */
export async function checkRequests(check, port, { how, inPieces, isServed = () => true, isV8 }) {
  let kept;
  for (const request of requestsFor({ isV8 }).filter(isServed)) {
    await check(`${request.name}, ${how}`, async () => {
      const client = kept ?? (await WireClient.connect(port));
      kept = undefined;
      if (inPieces) await client.writeSlowly(formatRequest(request));
      else client.write(formatRequest(request));
      const response = await client.response(request.method);
      assertResponse(response, request.response);
      if (response.headers.connection === 'close') assert.equal(await client.closed(), '');
      else kept = client;
    });
  }
  kept?.destroy();
}

function orUndefined(index) {
  return index === -1 ? undefined : index;
}
