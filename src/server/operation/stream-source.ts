/** The streams of hosts, as the server reads and closes them. */
import { isNodeStream, isStream, isWebStream, type Stream } from '../../endpoint/stream.ts';
import { adopt, isThenable } from '../../errors/thrown.ts';

/** What is called when a host's stream has failed. */
export type OnStreamError = (thrown: unknown) => void;

/** A stream that is being read. */
export interface Source {
  /** Gives, or promises, an `IteratorResult`. The host can give anything. */
  next(): unknown;
  /** Stops a stream that has not ended, also while it is waited for. */
  close(): unknown;
}

/** Throws for a Node stream that is destroyed, as it is after its end: it would be sent as an empty body, or as a broken one. */
export function refuseDestroyed(stream: Stream): void {
  if (!isNodeStream(stream) || stream.destroyed !== true) return;
  throw stream.errored ?? new TypeError('the stream was destroyed, or read to its end, before it was sent');
}

/** Begins to read a stream. Throws if it cannot be read, as a web stream that is locked. */
export function sourceOf(stream: Stream): Source {
  if (isWebStream(stream)) {
    const reader = stream.getReader();
    return { next: () => reader.read(), close: () => reader.cancel() };
  }
  const iterator = stream[Symbol.asyncIterator]();
  // An iterator that is waited for does not return before it has given what it is waited for.
  const close = isNodeStream(stream) ? () => stream.destroy() : () => iterator.return?.();
  return { next: () => iterator.next(), close };
}

/** Closes a stream that nobody has read. */
export function closeUnread(stream: Stream, onError: OnStreamError): void {
  closeSource(() => {
    if (isNodeStream(stream)) return stream.destroy();
    return isWebStream(stream) ? stream.cancel() : stream[Symbol.asyncIterator]().return?.();
  }, onError);
}

/** Refuses a stream that an operation gives as a plain result. It would be sent as the JSON of an object without members. */
export function refuseStream(result: unknown): void {
  if (!isStream(result) || 'toJSON' in result) return;
  closeUnread(result, () => {});
  throw new TypeError('a stream can only be sent as the body of a reply: reply(200, stream)');
}

/** Closes a stream. If that fails, `onError` is called. */
export function closeSource(call: () => unknown, onError: OnStreamError): void {
  resultOf(call).catch((thrown: unknown) => {
    // The stream has heard of the client's leaving by itself, as by `request.signal`.
    if (!(thrown instanceof Error) || thrown.name !== 'AbortError') onError(thrown);
  });
}

/** Calls a function that may throw, or return any value or a promise of it. */
export async function resultOf(call: () => unknown): Promise<unknown> {
  const result = call();
  return isThenable(result) ? adopt(result) : result;
}
