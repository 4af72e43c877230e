/** A request without a connection, as `light-my-request` makes them: its socket has an address and nothing else. */
import { once } from 'node:events';
import { ServerResponse, type IncomingMessage, type RequestListener } from 'node:http';
import type { Socket } from 'node:net';
import { Readable, Writable } from 'node:stream';

/** A request and its response. */
export class Injection {
  readonly response: ServerResponse;
  readonly #request: IncomingMessage;
  #sent = '';

  /** `body` arrives in these pieces. A string becomes a `Buffer`, and bytes stay as they are. `others` are properties of the request. */
  constructor(
    method: string, url: string, body: readonly (string | Uint8Array)[] = [], headers: Readonly<Record<string, string>> = {}, others: object = {},
  ) {
    const rawHeaders = Object.entries({ host: 'a', ...headers }).flat();
    const head = { method, url, rawHeaders, headers: { host: 'a', ...headers }, httpVersion: '1.1', httpVersionMajor: 1, httpVersionMinor: 1 };
    const pieces = body.map((piece) => (typeof piece === 'string' ? Buffer.from(piece) : piece));
    const properties = { ...head, socket: { remoteAddress: '127.0.0.1' }, ...others };
    this.#request = Object.assign(Readable.from(pieces), properties) as unknown as IncomingMessage;
    this.response = new ServerResponse(this.#request);
    const sink = new Writable({
      write: (chunk, _encoding, done) => {
        this.#sent += chunk;
        done();
      },
    });
    this.response.assignSocket(sink as Socket);
    // A server would destroy the response after it has been sent.
    this.response.once('finish', () => this.response.destroy());
  }

  /** Calls the listener. When the response has closed, resolves to its status, its `Location` or `Allow`, and its body. */
  async into(listener: RequestListener): Promise<readonly [status: number, header: string, body: string]> {
    const closed = once(this.response, 'close');
    listener(this.#request, this.response as Parameters<RequestListener>[1]);
    await closed;
    const [, head = '', body = ''] = /^(.*?\r\n)\r\n(.*)$/s.exec(this.#sent) ?? [];
    const header = /^(?:Location|Allow): (.*)\r$/m.exec(head)?.[1] ?? '';
    return [Number(/^HTTP\/1\.1 (\d{3}) /.exec(head)?.[1] ?? 0), header, body];
  }
}
