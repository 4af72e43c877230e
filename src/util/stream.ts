/** Streams of a user: a Node `Readable`, a web `ReadableStream`, or any other async iterable. */

/** A body that a reply can have. The server checks each chunk: it must be a string or bytes. */
export type Stream = AsyncIterable<unknown>;

/** A Node stream. Streams of packages need not be instances of Node's own class. */
export type NodeStream = Stream & {
  readonly destroyed?: boolean;
  readonly errored?: Error | null;
  destroy(): unknown;
  on(event: 'error', listener: () => void): unknown;
};

/** A web stream. */
export type WebStream = Stream & {
  getReader(): { read(): PromiseLike<unknown>; cancel(): unknown };
  cancel(): unknown;
};

export function isStream(value: unknown): value is Stream {
  return typeof value === 'object' && value !== null && hasMethod(value, Symbol.asyncIterator);
}

export function isNodeStream(stream: Stream): stream is NodeStream {
  return hasMethod(stream, 'destroy') && hasMethod(stream, 'on');
}

export function isWebStream(stream: Stream): stream is WebStream {
  return hasMethod(stream, 'getReader') && hasMethod(stream, 'cancel');
}

/** Whether a value is a `Uint8Array`, even one of a different realm, such as a test runner's. */
export function isBytes(value: unknown): value is Uint8Array {
  return ArrayBuffer.isView(value) && (value as { readonly [Symbol.toStringTag]?: unknown })[Symbol.toStringTag] === 'Uint8Array';
}

/** Whether a value is an iterable that may make its items when they are asked for, such as a generator. */
export function isLazy(value: unknown): boolean {
  if (typeof value !== 'object' || value === null || Array.isArray(value) || ArrayBuffer.isView(value)) return false;
  return hasMethod(value, Symbol.iterator);
}

function hasMethod(value: object, name: PropertyKey): boolean {
  return typeof (value as Readonly<Record<PropertyKey, unknown>>)[name] === 'function';
}

/** Closes a stream that nobody has read. Throws, or rejects, if that fails. */
export function closeUnread(stream: Stream): unknown {
  if (isNodeStream(stream)) {
    // Its source may be closed already. An `error` event without a listener would end the process.
    stream.on('error', () => {});
    return stream.destroy();
  }
  return isWebStream(stream) ? stream.cancel() : stream[Symbol.asyncIterator]().return?.();
}

/** A stream that is being read. */
export interface StreamReader {
  /** Returns an `IteratorResult` or a promise of it. A user's stream may return anything. */
  next(): unknown;
  /** Stops a stream that has not ended, even while `next` is pending. */
  close(): unknown;
}

/** Begins to read a stream. */
export function readStream(stream: Stream): StreamReader {
  if (isWebStream(stream)) {
    const reader = stream.getReader();
    return { next: () => reader.read(), close: () => reader.cancel() };
  }
  const iterator = stream[Symbol.asyncIterator]();
  // `return()` of an iterator waits for a pending `next()`; `destroy()` does not.
  const close = isNodeStream(stream) ? () => stream.destroy() : () => iterator.return?.();
  return { next: () => iterator.next(), close };
}
