/**
 * What the subject serves: operations that answer at once, later, when a gate opens, and never, and mounts. Every function
 * tells the witness that it was called, and what it knows of the request that it was called for.
 */
import { ApiError, defineEndpoint, integerId, stringId, type ApiRequest, type ApiServer, type IdCodec, type MaybePromise } from '../../src/index.ts';
import { Asked, later } from './asked.ts';
import { filesMount, hangingMount } from './mounts.ts';
import { decodeNote, type Note } from './notes.ts';
import type { Begun, Witness } from './witness.ts';

interface Invocation {
  readonly marker: string;
  readonly request: ApiRequest;
  readonly begun: Begun;
}

/** How an operation comes to its result. */
type Settle = <T>(invocation: Invocation, result: () => T) => MaybePromise<T>;
type Decode = (json: unknown) => MaybePromise<Note>;

/** Registers everything with a server. */
export function registerHost(server: ApiServer, witness: Witness): void {
  const decodeNow: Decode = (json) => {
    const note = decodeNote(json);
    witness.note('decode', note.marker);
    return note;
  };
  const decodeLater: Decode = async (json) => {
    const note = await decodeNow(json);
    await later();
    witness.note('decoded', note.marker);
    return note;
  };
  const decodeNever: Decode = async (json) => {
    await decodeNow(json);
    return new Promise(() => {});
  };
  const settleNow: Settle = (_invocation, result) => result();
  const settleBehind = (gate: (begun: Begun) => Promise<void>): Settle => async ({ marker, request, begun }, result) => {
    const { signal } = request;
    const abort = (): void => (witness.note('abort', marker), begun.end());
    if (signal.aborted) abort();
    else signal.addEventListener('abort', abort);
    await gate(begun);
    witness.note('settle', marker);
    return result();
  };
  for (const name of ['now', 'forbidden']) registerNotes(server, witness, name, settleNow, decodeNow);
  registerNotes(server, witness, 'later', settleBehind(later), decodeLater);
  registerNotes(server, witness, 'slow', settleBehind(({ gate }) => gate.passed), decodeLater);
  registerNotes(server, witness, 'never', settleBehind(() => new Promise(() => {})), decodeNow, decodeNever);
  registerNumber(server, witness);
  server.registerHandler('/files', filesMount(witness));
  server.registerHandler('/hang', hangingMount(witness));
}

function registerNotes(server: ApiServer, witness: Witness, name: string, settle: Settle, schema: Decode, input: Decode = schema): void {
  const run = <T>(operation: string, marker: string, request: ApiRequest, result: () => T, about = marker): MaybePromise<T> => {
    const begun = witness.begin(`${name} ${operation} ${about}`, looksAtRaw(marker) ? request.raw : undefined);
    return settle({ marker, request, begun }, () => {
      begun.end();
      if (/^(?:broken|lost)/.test(marker)) throw new Asked(marker);
      return result();
    });
  };
  const noteOf = (marker: string): Note => {
    const note = { marker, toJSON: () => writtenNote(witness, marker) };
    return note;
  };
  server.registerEndpoint(`/${name}`, defineEndpoint({
    id: noting(witness, stringId),
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
        stringify: (note: Note) => (witness.note('stringify', note.marker), JSON.stringify(note)),
      },
      ping: { run: (request: ApiRequest) => run('ping', markerIn(request), request, () => noteOf(markerIn(request))) },
    },
    isNotFound: (error) => {
      if (!(error instanceof Asked)) return false;
      witness.note('isNotFound', error.message);
      return error.message.startsWith('lost');
    },
  }));
}

function registerNumber(server: ApiServer, witness: Witness): void {
  server.registerEndpoint('/number', defineEndpoint({
    id: noting(witness, integerId),
    get: (id) => (witness.begin(`number get ${id}`).end(), { marker: id }),
  }));
}

function noting<Id>(witness: Witness, codec: IdCodec<Id>): IdCodec<Id> {
  return {
    parse: (text) => (witness.note('parse', text), codec.parse(text)),
    format: (id) => (witness.note('format', String(id)), codec.format(id)),
  };
}

function writtenNote(witness: Witness, marker: string): Note {
  witness.note('toJSON', marker);
  if (marker.startsWith('unwritable')) throw new Asked(marker);
  return { marker };
}

/** Some operations look at Node's own request, which makes a stream of it. */
function looksAtRaw(marker: string): boolean {
  return marker.length % 3 === 0;
}

function markerIn(request: ApiRequest): string {
  return request.query.get('marker') ?? '';
}
