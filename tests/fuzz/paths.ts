/** The paths of the subject's other endpoints, as a table, with the simplest matcher there is. */
import type { ExpectedResponse } from './expected-response.ts';
import { LOAD_BYTES, PUT_BYTES, PUT_TYPES, findReading } from './bytes-endpoint.ts';
import { PATCH_BYTES } from './endpoints.ts';
import { pathOf } from './heads.ts';
import { makeAllow, decodeSegment, EXISTS, IS_MISSING, json, NO_CONTENT, PLAIN, type Asked, type Operation } from './operation.ts';
import { listedFor } from './reads.ts';
import { sessionRejection, sessionsIn } from './sessions.ts';
import { findReply } from './replies.ts';

/** A path, its response to `OPTIONS`, and its operations by method. */
interface Served {
  readonly template: string;
  readonly allow?: string;
  readonly operations: Readonly<Record<string, (parameters: readonly string[]) => Operation>>;
}

const INTEGER = /^(?:0|-?[1-9]\d*)$/;
const isInteger = (text: string): boolean => INTEGER.test(text) && Number.isSafeInteger(Number(text));
const expectMarker = (marker: string): ExpectedResponse => json({ marker });
const expectCreated = (marker: string, { target }: Asked['request']): ExpectedResponse => {
  const headers = { 'content-type': 'text/plain; charset=utf-8', location: `${pathOf(target)}/${encodeURIComponent(marker)}` };
  return { status: 201, headers, body: Buffer.from(marker).toString('latin1') };
};

const READS = { ...PLAIN, reads: true } as const;
const GUARDED = { readsCaller: true } as const;

/** An operation whose marker is its note. */
function makeWriter(name: string, invocation: string, respond: (note: string, request: Asked['request']) => ExpectedResponse, isCustom = false): Operation {
  return { ...READS, respond: ({ note, request }) => expectSettled(`${name} ${invocation} ${note}`, note, respond(note, request), isCustom) };
}

/** An operation on an item, which takes nothing, and whose marker is its id. */
function onItem(name: string, invocation: string, id: string, response: ExpectedResponse): Operation {
  return { ...PLAIN, respond: () => expectSettled(`${name} ${invocation} ${id}`, id, response) };
}

function expectSettled(invocation: string, marker: string, response: ExpectedResponse, isCustom = false): ExpectedResponse {
  if (marker.startsWith('broken')) return { status: 500, invocation, logs: true };
  if (marker.startsWith('lost')) return { status: 404, invocation, logs: isCustom };
  if (marker.startsWith('mapped')) return { status: 409, invocation, logs: isCustom };
  if (marker.startsWith('teapot')) return { status: 418, headers: { 'x-pot': 'short' }, invocation, logs: isCustom };
  return { ...response, invocation };
}

/** The response of an operation with `errors` that its 409 does not match. */
function expectUnmatched(operation: Operation, marker: string): Operation {
  return { ...operation, respond: (asked) => ({ ...operation.respond(asked), ...(marker.startsWith('mapped') && { logs: true }) }) };
}

/** The response of an operation whose marker may select one. */
function expectReply(operation: string, marker: string, plain: ExpectedResponse): ExpectedResponse {
  const invocation = `replies ${operation} ${marker}`;
  const response = findReply(marker)?.respond(marker) ?? plain;
  return { ...response, invocation };
}

/** The response of a `get` of `/v1/guarded` that is asked for an item: no output decodes it. */
function guardedItem(id: string): ExpectedResponse {
  return expectSettled(`guarded get ${id}`, id, id.startsWith('missing') ? IS_MISSING : EXISTS);
}

/** The same of `/v1/replies`, whose result is not sent. */
function expectReplyItem(id: string): ExpectedResponse {
  return { ...EXISTS, headers: findReply(id)?.respond(id).headers ?? {}, invocation: `replies get ${id}` };
}

const unfit: ExpectedResponse = { status: 500, logs: true };

const PATHS: readonly Served[] = [
  {
    template: '/v1/guarded', allow: 'GET, POST, POST',
    operations: {
      GET: () => ({ ...PLAIN, ...GUARDED, respond: ({ caller }) => ({ ...json({ caller }), invocation: `guarded list ${caller}` }) }),
      POST: () => ({ ...makeWriter('guarded', 'create', expectCreated), ...GUARDED }),
    },
  },
  {
    template: '/v1/guarded/maybe', allow: 'GET, PUT, PATCH, DELETE, POST',
    operations: {
      POST: () => ({
        ...READS, ...GUARDED, isOptional: true,
        respond: ({ note, isEmpty }) => {
          const text = isEmpty ? 'none' : note;
          return expectSettled(`guarded maybe ${text}`, text, json(text), true);
        },
      }),
    },
  },
  {
    template: '/v1/guarded/:id', allow: 'GET, PUT, PATCH, DELETE',
    operations: {
      GET: ([id = '']) => {
        const response = id.startsWith('missing') ? { status: 404 } : id.startsWith('unfit') ? unfit : expectMarker(id);
        return { ...onItem('guarded', 'get', id, response), ...GUARDED };
      },
      PUT: ([id = '']) => ({ ...makeWriter('guarded', `update ${id}`, () => NO_CONTENT), ...GUARDED, asks: guardedItem(id) }),
      PATCH: ([id = '']) => {
        return { ...makeWriter('guarded', `patch ${id}`, () => NO_CONTENT), ...GUARDED, asks: guardedItem(id), maxBytes: PATCH_BYTES };
      },
      DELETE: ([id = '']) => ({ ...onItem('guarded', 'delete', id, NO_CONTENT), ...GUARDED, asks: guardedItem(id) }),
    },
  },
  {
    template: '/v1/guarded/:id/feed', allow: 'POST',
    operations: { POST: ([id = '']) => ({ ...makeWriter('guarded', `feed ${id}`, expectMarker, true), ...GUARDED, asks: guardedItem(id) }) },
  },
  {
    template: '/v1/zoo/7/pet', allow: 'GET',
    operations: { GET: () => ({ ...PLAIN, respond: () => ({ ...json({ zoo: 7 }), invocation: 'zoo list 7' }) }) },
  },
  { template: '/v1/zoo/7/pet/:id', allow: '', operations: {} },
  {
    template: '/v1/zoo/:zoo/pet', allow: 'POST',
    operations: { POST: ([zoo = '']) => checkZoo(zoo, makeWriter('zoo', `create ${zoo}`, expectCreated)) },
  },
  {
    template: '/v1/zoo/:zoo/pet/:id', allow: 'GET',
    operations: { GET: ([zoo = '', id = '']) => checkZoo(zoo, expectUnmatched(onItem('zoo', `get ${zoo}`, id, expectMarker(id)), id)) },
  },
  {
    template: '/v1/zoo/:zoo/pet/:id/feed', allow: 'POST',
    operations: {
      POST: ([zoo = '', id = '']) => {
        return checkZoo(zoo, { ...makeWriter('zoo', `feed ${zoo} ${id}`, expectMarker, true), asks: expectSettled(`zoo get ${zoo} ${id}`, id, EXISTS) });
      },
    },
  },
  {
    template: '/v1/lamp', allow: 'GET, PUT, PATCH, DELETE, POST, POST',
    operations: {
      GET: () => ({ ...PLAIN, respond: () => ({ ...expectMarker('lamp'), invocation: 'lamp get' }) }),
      PUT: () => ({ ...makeWriter('lamp', 'update', () => NO_CONTENT), asks: { ...EXISTS, invocation: 'lamp get' } }),
      // They are declared without a `get`.
      PATCH: () => ({ ...makeWriter('lamp', 'patch', () => NO_CONTENT), asks: 'nobody' }),
      DELETE: () => ({ ...PLAIN, asks: 'nobody', respond: () => ({ ...NO_CONTENT, invocation: 'lamp delete' }) }),
      POST: () => makeWriter('lamp', 'create', () => ({ status: 201, body: '' })),
    },
  },
  { template: '/v1/lamp/blink', allow: 'POST', operations: { POST: () => makeWriter('lamp', 'blink', expectMarker, true) } },
  {
    template: '/v1/replies', allow: 'GET, POST',
    operations: { GET: () => ({ ...PLAIN, respond: () => expectReply('list', 'json-list', expectMarker('')) }) },
  },
  {
    template: '/v1/replies/tell', allow: 'GET, DELETE, POST',
    operations: { POST: () => ({ ...READS, respond: ({ note }) => expectReply('tell', note, expectMarker(note)) }) },
  },
  {
    template: '/v1/replies/:id', allow: 'GET, DELETE',
    operations: {
      GET: ([id = '']) => ({ ...PLAIN, respond: () => expectReply('get', id, expectMarker(id)) }),
      DELETE: ([id = '']) => ({ ...PLAIN, asks: expectReplyItem(id), respond: () => expectReply('delete', id, NO_CONTENT) }),
    },
  },
  { template: '/v1/read', allow: '', operations: {} },
  {
    template: '/v1/read/listed', allow: 'GET',
    operations: {
      GET: () => ({
        ...PLAIN,
        respond: ({ query }) => {
          const marker = new URLSearchParams(query).get('marker') ?? '';
          return expectSettled(`read listed ${marker}`, marker, listedFor(marker));
        },
      }),
    },
  },
  { template: '/v1/read/:id', allow: 'GET', operations: { GET: ([id = '']) => onItem('read', 'get', id, expectMarker(id)) } },
  { template: '/v1/read/:id/seen', allow: 'GET', operations: { GET: ([id = '']) => onItem('read', 'seen', id, expectMarker(id)) } },
  {
    template: '/v1/session', allow: 'GET, PUT',
    operations: {
      GET: () => ({
        ...PLAIN, rejectsCaller: sessionRejection,
        respond: ({ request }) => ({ ...expectMarker(String(sessionsIn(request)[0])), invocation: 'session get' }),
      }),
      PUT: () => ({
        ...READS, rejectsCaller: sessionRejection, asks: { ...EXISTS, invocation: 'session get' },
        respond: ({ note, request }) => ({ ...NO_CONTENT, invocation: `session update ${sessionsIn(request)[0]} ${note}` }),
      }),
    },
  },
  { template: '/v1/bytes', allow: 'POST', operations: {} },
  {
    template: '/v1/bytes/load', allow: 'PUT, POST',
    operations: {
      POST: () => ({
        ...PLAIN, reads: true, types: [], maxBytes: LOAD_BYTES,
        respond: ({ query, request }) => bytesRead('load', new URLSearchParams(query).get('marker') ?? '', request),
      }),
    },
  },
  {
    template: '/v1/bytes/:id', allow: 'PUT',
    operations: {
      PUT: ([id = '']) => ({
        ...PLAIN, reads: true, types: PUT_TYPES, maxBytes: PUT_BYTES, asks: 'nobody',
        respond: ({ request }) => bytesRead('update', id, request),
      }),
    },
  },
];

function bytesRead(operation: string, marker: string, { body = '' }: Asked['request']): ExpectedResponse {
  const logsUnread = operation === 'load' && !marker.startsWith('echo');
  return { ...findReading(marker).respond(marker, body), logsUnread, invocation: `bytes ${operation} ${marker}` };
}

function checkZoo(zoo: string, operation: Operation): Operation {
  return isInteger(zoo) ? operation : { ...operation, rejectsId: true };
}

/** Those that an endpoint can have. */
export const METHODS: readonly string[] = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'];

/** The operation, discovery or 405 for a method and a path. `undefined` for an unknown path. */
export function findOperation(method: string, path: string): Operation | undefined {
  const segments = path.split('/');
  // Of two, the one with a literal where they first differ comes first in the table.
  const served = PATHS.filter(({ template }) => matchesTemplate(template.split('/'), segments));
  if (served.length === 0) return undefined;
  const wanted = method === 'HEAD' ? 'GET' : method;
  for (const { template, allow, operations } of served) {
    if (method === 'OPTIONS' && allow !== undefined) return makeAllow(200, allow);
    if (!Object.hasOwn(operations, wanted)) continue;
    const parameters = segments.filter((_, at) => template.split('/')[at]?.startsWith(':')).map(decodeSegment);
    if (parameters.includes(undefined)) return { ...PLAIN, rejectsId: true, respond: () => ({ status: 400 }) };
    return operations[wanted]?.(parameters.map(String));
  }
  const taken = ['OPTIONS', ...served.flatMap(({ operations }) => Object.keys(operations))];
  return makeAllow(405, METHODS.filter((each) => taken.includes(each === 'HEAD' ? 'GET' : each)).join(', '));
}

function matchesTemplate(template: readonly string[], segments: readonly string[]): boolean {
  return template.length === segments.length && template.every((wanted, at) => {
    return wanted.startsWith(':') ? segments[at] !== '' : wanted === segments[at];
  });
}
