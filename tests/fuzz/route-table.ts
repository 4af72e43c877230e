/** The subject's routes, by the rules on paths and methods. */
import type { ExpectedResponse } from './expected-response.ts';
import { LARGE_BYTES } from './mounts.ts';
import { makeAllow, bytesOf, decodeSegment, EXISTS, IS_MISSING, json, NO_CONTENT, PLAIN, type Asked, type Operation } from './operation.ts';
import { findOperation } from './paths.ts';

const BASES = ['now', 'later', 'forbidden', 'slow', 'never'];
const ITEM_METHODS = 'GET, HEAD, PUT, DELETE, OPTIONS';

/** The operation, discovery or 405 for a method and a path. `undefined` for an unknown path. */
export function operationAt(method: string, path: string): Operation | undefined {
  if (path === '*') return makeAllow(200, 'GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS');
  const served = findOperation(method, path);
  if (served !== undefined) return served;
  const [before, root, name = '', segment, ...more] = path.split('/');
  if (before === '' && root === 'files') return expectMounted(path);
  if (before === '' && root === 'hang') return makeHanging(path);
  if (before !== '' || root !== 'v1' || more.length > 0 || segment === '') return undefined;
  if (name === 'number') return expectAtNumber(method, segment);
  if (!BASES.includes(name)) return undefined;
  return segment === undefined ? expectAtCollection(method, name) : expectAtItem(method, name, segment);
}

function expectAtCollection(method: string, name: string): Operation {
  if (method === 'OPTIONS') return makeAllow(200, 'POST, POST, POST');
  if (method !== 'POST') return makeAllow(405, 'POST, OPTIONS');
  return {
    ...PLAIN, reads: true,
    respond: ({ note }) => {
      const headers = { 'content-type': 'text/plain; charset=utf-8', location: `/v1/${name}/${encodeURIComponent(note)}` };
      return expectSettled(name, note, `create ${note}`, { status: 201, headers, body: bytesOf(note) });
    },
  };
}

function expectAtItem(method: string, name: string, segment: string): Operation {
  const isCustom = segment === 'say' || segment === 'ping';
  if (method === 'OPTIONS') return makeAllow(200, isCustom ? 'GET, PUT, DELETE, POST' : 'GET, PUT, DELETE');
  if (method === 'POST' && isCustom) return custom(name, segment);
  if (!['GET', 'HEAD', 'PUT', 'DELETE'].includes(method)) {
    return makeAllow(405, isCustom ? 'GET, HEAD, POST, PUT, DELETE, OPTIONS' : ITEM_METHODS);
  }
  const id = decodeSegment(segment);
  const item = { ...PLAIN, ...(id === undefined ? {} : { id }), rejectsId: id === undefined };
  const asks = expectSettled(name, id ?? '', `get ${id}`, id?.startsWith('missing') === true ? IS_MISSING : EXISTS);
  if (method === 'PUT') {
    const update = ({ id: its, note }: Asked): ExpectedResponse => expectSettled(name, note, `update ${its} ${note}`, NO_CONTENT);
    return { ...item, reads: true, asks, respond: update };
  }
  if (method === 'DELETE') {
    return { ...item, asks, respond: (asked) => expectSettled(name, asked.id, `delete ${asked.id}`, NO_CONTENT) };
  }
  return {
    ...item,
    respond: (asked) => expectSettled(name, asked.id, `get ${asked.id}`, asked.id.startsWith('missing') ? { status: 404 } : expectNote(asked.id)),
  };
}

/** The response of an endpoint's operation. `response` is the one if the marker does not ask for a failure. */
function expectSettled(name: string, marker: string, operation: string, response: ExpectedResponse): ExpectedResponse {
  const invocation = `${name} ${operation}`;
  if (name === 'slow') return { status: response.status, invocation, hangs: true };
  if (name === 'never') return { status: 503, invocation, logs: true };
  if (marker.startsWith('broken')) return { status: 500, invocation, logs: true };
  // Every failure of a Custom operation is logged.
  if (marker.startsWith('lost')) return { status: 404, invocation, logs: /^(?:say|ping) /.test(operation) };
  return { ...response, invocation };
}

function expectNote(marker: string): ExpectedResponse {
  return marker.startsWith('unwritable') ? { status: 500, logs: true } : json({ marker });
}

function custom(name: string, operation: 'say' | 'ping'): Operation {
  return {
    ...PLAIN, reads: operation === 'say',
    respond: ({ note, query }) => {
      const marker = operation === 'say' ? note : (new URLSearchParams(query).get('marker') ?? '');
      // The decoder never settles, so the operation never begins.
      if (name === 'never' && operation === 'say') return { status: 503, logs: true };
      return expectSettled(name, marker, `${operation} ${marker}`, expectNote(marker));
    },
  };
}

function expectAtNumber(method: string, segment: string | undefined): Operation {
  if (segment === undefined) return makeAllow(method === 'OPTIONS' ? 200 : 405, method === 'OPTIONS' ? '' : 'OPTIONS');
  if (method === 'OPTIONS') return makeAllow(200, 'GET');
  if (method !== 'GET' && method !== 'HEAD') return makeAllow(405, 'GET, HEAD, OPTIONS');
  const id = decodeSegment(segment) ?? '';
  const isInteger = /^(?:0|-?[1-9]\d*)$/.test(id) && Number.isSafeInteger(Number(id));
  return {
    ...PLAIN, id, rejectsId: !isInteger,
    respond: (asked) => ({ ...json({ marker: Number(asked.id) }), invocation: `number get ${Number(asked.id)}` }),
  };
}

function expectMounted(path: string): Operation {
  const reads = path.startsWith('/files/read');
  return {
    ...PLAIN, isMount: true, reads,
    respond: ({ request, query }) => {
      const url = `${path.slice('/files'.length) || '/'}${query}`;
      const body = reads ? `${url} ${request.body?.length ?? 0}` : url;
      const invocation = `files ${request.method} ${url}`;
      return /^(?:\/later)?\/broken/.test(url) ? { status: 500, invocation, logs: true } : { status: 200, body, invocation };
    },
  };
}

const LARGE = 'x'.repeat(LARGE_BYTES);

function makeHanging(path: string): Operation {
  return {
    ...PLAIN, isMount: true,
    respond: ({ request, query }) => {
      const url = `${path.slice('/hang'.length) || '/'}${query}`;
      const invocation = `hang ${request.method} ${url}`;
      return /^\/large(?:[/?]|$)/.test(url) ? { status: 200, body: LARGE, invocation } : { status: 200, invocation, hangs: true };
    },
  };
}
