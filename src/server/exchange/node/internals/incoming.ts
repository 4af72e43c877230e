/**
 * Node's request, which skips the end of its stream if nobody can observe it. A stream ends with two events, over several turns of the
 * event loop. Most requests have no body or one that the server reads as a whole: without this, a Get takes 1.11 times as long, and a
 * request with a body 1.3 to 1.4 times (CPU time).
 */
import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import { findHeader } from '../../../../http/head.ts';
import { toOriginForm } from '../../../../http/target.ts';
import { http } from '../../../../node.ts';
import { ByteBuffer } from '../../../../util/bytes.ts';

type AddHeaderLines = (this: IncomingMessage, lines: string[], count: number) => void;
const { _addHeaderLines: addHeaderLines } = http.IncomingMessage.prototype as { readonly _addHeaderLines?: AddHeaderLines };
// Of any other, the method decides what it means. Node sets that later.
const ABSOLUTE_WITH_PATH = /^[^/]+:\/\/[^/?]*[/?]/;

export class Incoming extends http.IncomingMessage {
  // The user's code may use it as a stream.
  #isShared = false;
  // The body was read to its end, or nobody will read it.
  #isOver = false;
  #areHeadersRead = false;
  #take: ((chunk: Buffer | null) => void) | undefined;
  // All unread chunks but the first. The stream itself would keep an object for each chunk, and a client can send chunks of one byte.
  #unread: ByteBuffer | undefined;

  /** Whether the user's code has not got the request. */
  static isUnseen(request: IncomingMessage): request is Incoming {
    return #isShared in request && !request.#isShared;
  }

  /** Passes on the body chunk by chunk, and `null` after the last. */
  collect(take: (chunk: Buffer | null) => void): void {
    // Chunks that were buffered while the request waited for its turn.
    while (this.readableLength > 0) take(this.read() as Buffer);
    if (this.complete) this.#end(take);
    else this.#take = take;
  }

  /** Makes it an ordinary stream, before the user's code gets it. If it was read to its end, the stream ends now. */
  share(): void {
    if (this.#isShared) return;
    this.#isShared = this.#areHeadersRead = true;
    if (!this.#isOver) return;
    if (this.#take !== undefined) super.push(null);
    super.resume();
  }

  /** Node calls this with the headers, after it has set the target, and before a tracer gets the request. */
  _addHeaderLines(lines: string[], count: number): void {
    const { length } = lines;
    const isAbsolute = !this.complete && !this.url?.startsWith('/') && ABSOLUTE_WITH_PATH.test(this.url ?? '');
    if (isAbsolute) this.url = toOriginForm(this.url ?? '', '', this.httpVersion, lines);
    addHeaderLines?.call(this, lines, count + lines.length - length);
  }

  override push(chunk: Buffer | null): boolean {
    if (this.#take === undefined) return this.#buffer(chunk);
    if (chunk === null) this.#end(this.#take);
    else this.#take(chunk);
    return true;
  }

  // After the response, Node discards an unread body: by `resume`, and by `read(0)` since Node 26.
  override resume(): this {
    return this.#endUnread() ? this : super.resume();
  }

  override read(size?: number): Buffer | null {
    if (size === 0) return this.#endUnread() ? null : super.read(size);
    this.#flush();
    return super.read(size);
  }

  #buffer(chunk: Buffer | null): boolean {
    // A listener for `readable` expects each chunk.
    if (chunk === null || this.readableLength === 0 || this.readableFlowing === true || this.listenerCount('readable') > 0) {
      this.#flush();
      return super.push(chunk);
    }
    (this.#unread ??= new ByteBuffer()).add(chunk);
    return this.readableLength < this.readableHighWaterMark;
  }

  /** Pushes all received chunks to the stream. */
  #flush(): void {
    const unread = this.#unread;
    this.#unread = undefined;
    if (unread !== undefined) super.push(unread.take());
  }

  #endUnread(): boolean {
    if (this.#isShared || !this.complete) return false;
    this.#isOver = true;
    return true;
  }

  #end(take: (chunk: null) => void): void {
    this.#isOver = true;
    // Node itself listens for the end if the response was sent before it.
    if (this.#isShared || this.listenerCount('end') > 0) {
      super.push(null);
      super.resume();
    }
    take(null);
  }

  static {
    // Node reads `readableEnded` after the response, to release the request, and when a request is destroyed, to tell whether it was
    // aborted. These are not getters of the class, since Node's types declare properties, which an accessor cannot override.
    // Node reads both for each request, so its getters are looked up once.
    const { get: isEnded } = findAccessor('readableEnded');
    const { get: countBuffered } = findAccessor('readableLength');
    const { get: getHeaders, set: setHeaders } = findAccessor('headers');
    Object.defineProperties(Incoming.prototype, {
      readableEnded: {
        get(this: Incoming): boolean {
          return this.#isOver || (isEnded.call(this) as boolean);
        },
      },
      readableLength: {
        get(this: Incoming): number {
          return (countBuffered.call(this) as number) + (this.#unread?.length ?? 0);
        },
      },
      // Node reads `expect` before it emits a request, which would make all headers: without that, a Get with the 14 lines of a browser
      // takes 0.81 to 0.87 times as long (CPU time, Node 20, 24 and 26).
      headers: {
        get(this: Incoming): IncomingHttpHeaders {
          if (this.#areHeadersRead) return getHeaders.call(this) as IncomingHttpHeaders;
          this.#areHeadersRead = true;
          return new Proxy(this, FIRST_HEADERS) as unknown as IncomingHttpHeaders;
        },
        set: setHeaders,
      },
      // `util.inspect` calls this of the target with the proxy, which it would otherwise print as a request.
      [Symbol.for('nodejs.util.inspect.custom')]: {
        value(this: object): object {
          return #isShared in this ? this : { ...this };
        },
      },
    });
  }
}

/**
 * What the first reader of `headers` gets: all of them, made when anything but `expect` is read. That is Node, or a tracer before it. The
 * user's code gets the headers themselves, and so does a tracer that reads them again: `structuredClone` cannot copy a proxy.
 */
const FIRST_HEADERS: ProxyHandler<Incoming> = {
  get: (request, name) => (name === 'expect' ? findHeader(request.rawHeaders, name) : Reflect.get(request.headers, name)),
  has: (request, name) => Reflect.has(request.headers, name),
  ownKeys: (request) => Reflect.ownKeys(request.headers),
  getOwnPropertyDescriptor: (request, name) => Reflect.getOwnPropertyDescriptor(request.headers, name),
  set: (request, name, value) => Reflect.set(request.headers, name, value),
  deleteProperty: (request, name) => Reflect.deleteProperty(request.headers, name),
  defineProperty: (request, name, property) => Reflect.defineProperty(request.headers, name, property),
  getPrototypeOf: (request) => Reflect.getPrototypeOf(request.headers),
};

/** Finds a property with a getter that Node's request has or inherits. */
function findAccessor(name: string, owner: object = http.IncomingMessage.prototype): Required<PropertyDescriptor> {
  const found = Object.getOwnPropertyDescriptor(owner, name);
  return found?.get === undefined ? findAccessor(name, Object.getPrototypeOf(owner) as object) : (found as Required<PropertyDescriptor>);
}

/** Gives a request the origin-form of its target, and the host of that, for all who read it. */
export function useOriginForm(request: IncomingMessage): IncomingMessage {
  const { url = '', method = '', httpVersion, rawHeaders } = request;
  if (url.startsWith('/')) return request;
  request.url = toOriginForm(url, method, httpVersion, rawHeaders);
  if (request.url !== url) request.headers.host = findHeader(rawHeaders, 'host');
  return request;
}

/** Makes a request an ordinary stream, for the user's code. If that destroys it, the `error` event does not end the process. */
export function shareRequest(request: IncomingMessage): IncomingMessage {
  if (request instanceof Incoming) request.share();
  if (request.listenerCount('error') === 0) request.on('error', () => {});
  return request;
}
