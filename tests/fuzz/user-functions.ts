/**
 * The functions of the subject: mounts, and operations that settle at once, later, when a gate opens, or never. Each function records its
 * call, with its evidence of the request.
 */
import { ApiError, defineEndpoint, integerId, stringId, type ApiRequest, type ApiServer, type IdCodec, type MaybePromise } from '../../src/index.ts';
import { waitTwoTurns } from '../support/wait.ts';
import type { Begun, CallLog } from './call-log.ts';
import { filesMount, hangingMount } from './mounts.ts';
import { decodeNote, type Note } from './notes.ts';
import { mapError } from './operation-parts.ts';
import { RequestedFailure } from './requested-failure.ts';

interface Invocation {
  readonly marker: string;
  readonly request: ApiRequest;
  readonly begun: Begun;
}

/** When an operation returns its result. */
type Settle = <T>(invocation: Invocation, result: () => T) => MaybePromise<T>;
type Decode = (json: unknown) => MaybePromise<Note>;

/** Registers everything with a server. */
export function registerUserFunctions(server: ApiServer, log: CallLog): void {
  const decode = decodersFor(log);
  const settleNow: Settle = (_invocation, result) => result();
  const settleBehind = (wait: (begun: Begun) => Promise<void>): Settle => async ({ marker, request, begun }, result) => {
    const { signal } = request;
    const abort = (): void => (log.note('abort', marker), begun.end());
    if (signal.aborted) abort();
    else signal.addEventListener('abort', abort);
    await wait(begun);
    log.note('settle', marker);
    return result();
  };
  for (const name of ['now', 'forbidden']) registerNotes(server, log, name, settleNow, decode.now);
  registerNotes(server, log, 'later', settleBehind(waitTwoTurns), decode.later);
  registerNotes(server, log, 'slow', settleBehind(({ gate }) => gate.passed), decode.later);
  registerNotes(server, log, 'never', settleBehind(() => new Promise(() => {})), decode.now, decode.never);
  registerNumber(server, log);
  server.mount('/files', filesMount(log));
  server.mount('/hang', hangingMount(log));
}

/** Decoders that settle at once, later and never. */
function decodersFor(log: CallLog): Readonly<Record<'now' | 'later' | 'never', Decode>> {
  const now: Decode = (json) => {
    const note = decodeNote(json);
    log.note('decode', note.marker);
    return note;
  };
  const decodeLater: Decode = async (json) => {
    const note = await now(json);
    await waitTwoTurns();
    log.note('decoded', note.marker);
    return note;
  };
  const decodeNever: Decode = async (json) => {
    await now(json);
    return new Promise(() => {});
  };
  return { now, later: decodeLater, never: decodeNever };
}

function registerNotes(server: ApiServer, log: CallLog, name: string, settle: Settle, schema: Decode, input: Decode = schema): void {
  const run = <T>(operation: string, marker: string, request: ApiRequest, result: () => T, about = marker): MaybePromise<T> => {
    const begun = log.begin(`${name} ${operation} ${about}`, looksAtRaw(marker) ? request.raw : undefined);
    if (request.id !== undefined) log.note('id', request.id);
    return settle({ marker, request, begun }, () => {
      begun.end();
      if (/^(?:broken|lost)/.test(marker)) throw new RequestedFailure(marker);
      return result();
    });
  };
  const noteOf = (marker: string): Note => {
    const note = { marker, toJSON: () => writtenNote(log, marker) };
    return note;
  };
  server.registerEndpoint(`/${name}`, defineEndpoint({
    id: logCodec(log, stringId),
    schema,
    create: ({ marker }, request) => run('create', marker, request, () => marker),
    get: (id, request) => run('get', id, request, () => {
      if (id.startsWith('missing')) throw ApiError.notFound();
      return noteOf(id);
    }),
    update: (id, { marker }, request) => run('update', marker, request, () => {}, `${id} ${marker}`),
    delete: (id, request) => run('delete', id, request, () => {}),
    custom: {
      say: {
        input,
        run: ({ marker }: Note, request: ApiRequest) => run('say', marker, request, () => noteOf(marker)),
      },
      ping: { run: (request: ApiRequest) => run('ping', markerIn(request), request, () => noteOf(markerIn(request))) },
    },
    mapError: mapError(log),
  }));
}

function registerNumber(server: ApiServer, log: CallLog): void {
  server.registerEndpoint('/number', defineEndpoint({
    id: logCodec(log, integerId),
    get: (id) => (log.begin(`number get ${id}`).end(), { marker: id }),
  }));
}

function logCodec<Id>(log: CallLog, codec: IdCodec<Id>): IdCodec<Id> {
  return {
    parse: (text) => (log.note('parse', text), codec.parse(text)),
    format: (id) => (log.note('format', String(id)), codec.format(id)),
  };
}

function writtenNote(log: CallLog, marker: string): Note {
  log.note('toJSON', marker);
  if (marker.startsWith('unwritable')) throw new RequestedFailure(marker);
  return { marker };
}

/** Whether an operation reads Node's own request. The server then treats it as a stream. */
function looksAtRaw(marker: string): boolean {
  return marker.length % 3 === 0;
}

function markerIn(request: ApiRequest): string {
  return request.query.get('marker') ?? '';
}
