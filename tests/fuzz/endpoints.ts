/**
 * The subject's endpoints with all that a declaration can have: a context, outputs, parameters, singletons, common paths, limits
 * of an operation, and responds by `reply`.
 */
import { ApiError, defineEndpoint, integerId, type ApiServer } from '../../src/index.ts';
import { waitTwoTurns } from '../support/wait.ts';
import { actor, mapError, isPrompt, logCodec, logStringId } from './operation-parts.ts';
import type { CallLog } from './call-log.ts';
import { decodeNote, type Note } from './notes.ts';
import { registerReads } from './reads.ts';
import { RequestedFailure } from './requested-failure.ts';
import { registerSession } from './sessions.ts';
import { findReply } from './replies.ts';
import { contextFrom } from './callers.ts';

/** The longest body of a Patch of `/v1/guarded`. */
export const PATCH_BYTES = 200;

/** A decoder of notes that settles at once or later. */
type Decode = (json: unknown) => Note | Promise<Note>;

function decoderFor(log: CallLog): Decode {
  return (json) => {
    const note = decodeNote(json);
    log.note('decode', note.marker);
    return isPrompt(note.marker) ? note : waitTwoTurns().then(() => note);
  };
}

/** Registers them with a server. */
export function registerEndpoints(server: ApiServer, log: CallLog): void {
  registerGuarded(server, log);
  registerZoo(server, log);
  registerLamp(server, log);
  registerReplies(server, log);
  registerReads(server, log);
  registerSession(server, log);
}

function registerGuarded(server: ApiServer, log: CallLog): void {
  const act = actor(log, 'guarded');
  const schema = decoderFor(log);
  const output = (result: unknown): Note | Promise<Note> => {
    const { marker } = result as Note;
    log.note('output', marker);
    if (marker.startsWith('unfit')) throw new RequestedFailure(marker);
    return isPrompt(marker) ? { marker } : waitTwoTurns().then(() => ({ marker }));
  };
  const optionally = (note: Note | undefined): string => note?.marker ?? 'none';
  server.registerEndpoint('/guarded', defineEndpoint({
    id: logStringId(log),
    schema,
    context: contextFrom(log),
    create: ({ marker }) => act(`create ${marker}`, marker, () => marker),
    list: ({ context }) => act(`list ${context}`, context, () => ({ caller: context })),
    get: { output, run: (id: string) => act(`get ${id}`, id, () => (id.startsWith('missing') ? undefined : { marker: id, secret: 'x' })) },
    update: (id, { marker }) => act(`update ${id} ${marker}`, marker, () => {}),
    patch: { input: schema, limits: { bodyBytes: PATCH_BYTES }, run: (id, { marker }) => act(`patch ${id} ${marker}`, marker, () => {}) },
    delete: (id) => act(`delete ${id}`, id, () => {}),
    custom: {
      maybe: {
        input: schema, optional: true,
        run: (note: Note | undefined) => act(`maybe ${optionally(note)}`, optionally(note), () => optionally(note)),
      },
    },
    itemCustom: { feed: { input: schema, run: (id: string, { marker }: Note) => act(`feed ${id} ${marker}`, marker, () => ({ marker })) } },
    mapError: mapError(log),
  }));
}

/** Decoders of the properties of errors. */
const kettle = (): never => { throw new Error('a kettle'); };
const later = (): Promise<never> => waitTwoTurns().then(kettle);
const pot = ({ pot: number, type }: any): object => (type === 'https://a.example/pot' ? { pot: number } : kettle());

function registerZoo(server: ApiServer, log: CallLog): void {
  const act = actor(log, 'zoo');
  const schema = decoderFor(log);
  server.registerEndpoint('/zoo/:zoo/pet', defineEndpoint({
    id: logStringId(log),
    params: { zoo: logCodec(log, integerId) },
    schema,
    create: ({ marker }, { params }) => act(`create ${params.zoo} ${marker}`, marker, () => marker),
    // Of a 409 it has none, and of a 418 it is the second.
    get: { errors: { 409: [kettle, later], 418: [kettle, pot] }, run: (id: string, { params }) => act(`get ${params.zoo} ${id}`, id, () => ({ marker: id })) },
    itemCustom: {
      feed: {
        input: schema,
        run: (id: string, { marker }: Note, { params }) => act(`feed ${params.zoo} ${id} ${marker}`, marker, () => ({ marker })),
      },
    },
    mapError: mapError(log),
  }));
  server.registerEndpoint('/zoo/7/pet', defineEndpoint({
    id: logStringId(log),
    list: () => act('list 7', '', () => ({ zoo: 7 })),
  }));
}

function registerLamp(server: ApiServer, log: CallLog): void {
  const act = actor(log, 'lamp');
  const schema = decoderFor(log);
  const failures = { mapError: mapError(log) };
  server.registerEndpoint('/lamp', defineEndpoint({
    schema,
    create: ({ marker }) => act(`create ${marker}`, marker, () => {}),
    get: { run: () => act('get', '', () => ({ marker: 'lamp' })) },
    update: ({ marker }) => act(`update ${marker}`, marker, () => {}),
    custom: { blink: { input: schema, run: ({ marker }: Note) => act(`blink ${marker}`, marker, () => ({ marker })) } },
    ...failures,
  }));
  server.registerEndpoint('/lamp', defineEndpoint({
    patch: { input: schema, run: ({ marker }) => act(`patch ${marker}`, marker, () => {}) },
    delete: () => act('delete', '', () => {}),
    ...failures,
  }));
}

function registerReplies(server: ApiServer, log: CallLog): void {
  const schema = decoderFor(log);
  const tell = (operation: string, marker: string): unknown => {
    const begun = log.begin(`replies ${operation} ${marker}`);
    const selected = findReply(marker);
    if (selected !== undefined) return selected.give({ marker, begun, log });
    begun.end();
    return { marker };
  };
  server.registerEndpoint('/replies', defineEndpoint({
    id: logStringId(log),
    list: () => tell('list', 'json-list'),
    get: { run: (id: string) => tell('get', id) },
    delete: { run: (id: string) => tell('delete', id) },
    custom: { tell: { input: schema, run: ({ marker }: Note) => tell('tell', marker) } },
    mapError: () => ApiError.notFound(),
  }));
}
