/** Calls `server.fetch`, reads the response, and waits until nothing of the call is left. */
import { Buffer } from 'node:buffer';
import { waitTwoTurns, waitUntil } from '../support/wait.ts';
import type { ReadResponse } from './read-responses.ts';
import { ServedConnection, type Call } from './call-log.ts';
import type { FetchDraft } from './fetch-cases.ts';
import type { Subject } from './subject.ts';

/** The outcome of a call. */
export interface FetchOutcome {
  readonly response: ReadResponse | undefined;
  /** What the call rejected with. */
  readonly error: unknown;
  /** What the body of the response failed with. */
  readonly bodyError: unknown;
  readonly calls: readonly Call[];
  /** What of the call is still there at its end. */
  readonly left: string | undefined;
}

/** What a stream fails with, and what a caller aborts with. */
export const STREAM_ERROR = new Error('the stream of the caller failed');
export const ABORT_REASON = new Error('the caller aborted');

/** Runs a call to its end. */
export async function callFetch(subject: Subject, draft: FetchDraft): Promise<[FetchOutcome, ServedConnection]> {
  const connection = new ServedConnection();
  const { response, error, bodyError } = await settle(subject, draft, connection);
  const isOver = (): boolean => connection.pending.size === 0 && connection.message?.socket.destroyed !== false;
  const left = await waitUntil(isOver, 'what the call began to end').then(() => undefined, (thrown: Error) => thrown.message);
  connection.gate.open();
  await waitTwoTurns();
  return [{ response, error, bodyError, calls: connection.calls, left }, connection];
}

type Settled = Pick<FetchOutcome, 'response' | 'error' | 'bodyError'>;

async function settle(subject: Subject, draft: FetchDraft, connection: ServedConnection): Promise<Settled> {
  const { input, method, headers, body, abortsAfter, which } = draft;
  const controller = new AbortController();
  if (abortsAfter === 0) controller.abort(ABORT_REASON);
  else if (abortsAfter > 0) void waitTurns(abortsAfter).then(() => controller.abort(ABORT_REASON));
  const init = {
    method,
    headers: headers.map(([name, value]) => [name, value] as [string, string]),
    ...(body === undefined ? {} : { body: makeBody(body), duplex: 'half' }),
    ...(abortsAfter === -1 ? {} : { signal: controller.signal }),
  } as RequestInit;
  try {
    const isRequest = body?.form === 'request';
    const absolute = input.startsWith('/') ? `http://localhost${input}` : input;
    const call = isRequest ? subject.fetch(which, connection, new Request(absolute, init)) : subject.fetch(which, connection, input, init);
    const response = await call;
    return { ...(await read(response, draft)), error: undefined };
  } catch (error) {
    return { response: undefined, error, bodyError: undefined };
  }
}

async function waitTurns(count: number): Promise<void> {
  for (let turn = 0; turn < count; turn += 1) await new Promise((resolve) => setImmediate(resolve));
}

function makeBody({ form, pieces, fails }: NonNullable<FetchDraft['body']>): unknown {
  const chunks = pieces.map((piece) => new Uint8Array(Buffer.from(piece, 'latin1')));
  if (form === 'string') return Buffer.from(pieces.join(''), 'latin1').toString();
  if (form === 'bytes') return chunks[0];
  const iterator = piecesOf(chunks, fails);
  if (form === 'iterable') return iterator;
  return new ReadableStream({
    pull: async (controller) => {
      const { done, value } = await iterator.next();
      if (done === true) controller.close();
      else controller.enqueue(value);
    },
    cancel: async () => void (await iterator.return()),
  });
}

/** Some pieces come at once, and others later. */
async function* piecesOf(chunks: readonly Uint8Array[], fails: boolean): AsyncGenerator<Uint8Array, void> {
  for (const chunk of chunks) {
    if (chunk.length % 2 === 1) await waitTwoTurns();
    yield chunk;
  }
  if (fails) throw STREAM_ERROR;
}

async function read(response: Response, { reads }: FetchDraft): Promise<Pick<FetchOutcome, 'response' | 'bodyError'>> {
  let bytes = '';
  let bodyError: unknown;
  const take = (chunk: Uint8Array): void => void (bytes += Buffer.from(chunk.buffer, chunk.byteOffset, chunk.length).toString('latin1'));
  try {
    if (reads === 'whole' || response.body === null) take(new Uint8Array(await response.arrayBuffer()));
    else if (reads === 'buffers') await readInto(response.body, take);
    else await readPieces(response.body, reads === 'cancels', take);
  } catch (thrown) {
    bodyError = thrown;
  }
  const { status, headers } = response;
  return { response: { status, headers: new Map(headers), body: bytes, continued: false, closes: false, isOpenEnded: false }, bodyError };
}

async function readPieces(body: ReadableStream<Uint8Array>, cancels: boolean, take: (chunk: Uint8Array) => void): Promise<void> {
  for await (const chunk of body) {
    take(chunk);
    // The end of the loop cancels the stream.
    if (cancels) return;
  }
}

async function readInto(body: ReadableStream<Uint8Array>, take: (chunk: Uint8Array) => void): Promise<void> {
  const reader = body.getReader({ mode: 'byob' });
  for (;;) {
    const { done, value } = await reader.read(new Uint8Array(1000));
    if (done) return;
    take(value);
  }
}
