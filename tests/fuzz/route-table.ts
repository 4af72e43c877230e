/** What the subject serves, as the rules on paths and methods have it. */
import { Buffer } from 'node:buffer';
import type { ReadRequest } from './reference.ts';

export interface Operation {
  readonly status: number;
  /** Set on what only says which methods there are. */
  readonly allow?: string;
  readonly reads: boolean;
  readonly takesInput: boolean;
  readonly isMount: boolean;
  /** The id, decoded. */
  readonly id?: string;
  readonly refusesId: boolean;
  readonly answer: (asked: Asked) => Answer;
}

interface Asked {
  readonly id: string;
  readonly note: string;
  readonly request: ReadRequest;
  readonly query: string;
}

interface Answer {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
  readonly invocation?: string;
}

const BASES = ['now', 'later', 'forbidden'];
const PLAIN = { reads: false, takesInput: false, isMount: false, refusesId: false } as const;
const ITEM_METHODS = 'GET, HEAD, PUT, DELETE, OPTIONS';

/** The operation, the discovery or the 405 that a path has for a method; `undefined` where nothing is served. */
export function operationAt(method: string, path: string): Operation | undefined {
  if (path === '*') return allowing(200, 'GET, HEAD, POST, PUT, DELETE, OPTIONS');
  const [before, root, name = '', segment, ...more] = path.split('/');
  if (before === '' && root === 'files') return mounted(path);
  if (before !== '' || root !== 'v1' || more.length > 0 || segment === '') return undefined;
  if (name === 'number') return atNumber(method, segment);
  if (!BASES.includes(name)) return undefined;
  return segment === undefined ? atCollection(method, name) : atItem(method, name, segment);
}

function atCollection(method: string, name: string): Operation {
  if (method === 'OPTIONS') return allowing(200, 'POST, POST, POST');
  if (method !== 'POST') return allowing(405, 'POST, OPTIONS');
  return {
    ...PLAIN, status: 201, reads: true, takesInput: true,
    answer: ({ note }) => {
      const headers = { 'content-type': 'text/plain; charset=utf-8', location: `/v1/${name}/${encodeURIComponent(note)}` };
      return { status: 201, headers, body: bytesOf(note), invocation: `${name} create ${note}` };
    },
  };
}

function atItem(method: string, name: string, segment: string): Operation {
  const isCustom = segment === 'say' || segment === 'ping';
  if (method === 'OPTIONS') return allowing(200, 'GET, PUT, DELETE');
  if (method === 'POST' && isCustom) return custom(name, segment);
  if (!['GET', 'HEAD', 'PUT', 'DELETE'].includes(method)) {
    return allowing(405, isCustom ? 'GET, HEAD, POST, PUT, DELETE, OPTIONS' : ITEM_METHODS);
  }
  const id = decoded(segment);
  const item = { ...PLAIN, ...(id === undefined ? {} : { id }), refusesId: id === undefined };
  if (method === 'PUT') {
    const update = ({ id: its, note }: Asked): Answer => ({ status: 204, body: '', invocation: `${name} update ${its} ${note}` });
    return { ...item, status: 204, reads: true, takesInput: true, answer: update };
  }
  if (method === 'DELETE') {
    return { ...item, status: 204, answer: (asked) => ({ status: 204, body: '', invocation: `${name} delete ${asked.id}` }) };
  }
  return {
    ...item, status: 200,
    answer: (asked) => {
      const invocation = `${name} get ${asked.id}`;
      return asked.id.startsWith('missing') ? { status: 404, invocation } : { ...json({ marker: asked.id }), invocation };
    },
  };
}

function custom(name: string, operation: 'say' | 'ping'): Operation {
  return {
    ...PLAIN, status: 200, reads: true, takesInput: operation === 'say',
    answer: ({ note, query }) => {
      const marker = operation === 'say' ? note : (new URLSearchParams(query).get('marker') ?? '');
      return { ...json({ marker }), invocation: `${name} ${operation} ${marker}` };
    },
  };
}

function atNumber(method: string, segment: string | undefined): Operation {
  if (segment === undefined) return allowing(method === 'OPTIONS' ? 200 : 405, method === 'OPTIONS' ? '' : 'OPTIONS');
  if (method === 'OPTIONS') return allowing(200, 'GET');
  if (method !== 'GET' && method !== 'HEAD') return allowing(405, 'GET, HEAD, OPTIONS');
  const id = decoded(segment) ?? '';
  const isInteger = /^(?:0|-?[1-9]\d*)$/.test(id) && Number.isSafeInteger(Number(id));
  return {
    ...PLAIN, status: 200, id, refusesId: !isInteger,
    answer: (asked) => ({ ...json({ marker: Number(asked.id) }), invocation: `number get ${Number(asked.id)}` }),
  };
}

function mounted(path: string): Operation {
  const reads = path.startsWith('/files/read');
  return {
    ...PLAIN, status: 200, isMount: true, reads,
    answer: ({ request, query }) => {
      const url = `${path.slice('/files'.length) || '/'}${query}`;
      const body = reads ? `${url} ${request.body?.length ?? 0}` : url;
      return { status: 200, body, invocation: `files ${request.method} ${url}` };
    },
  };
}

function allowing(status: 200 | 405, allow: string): Operation {
  return { ...PLAIN, status, allow, answer: () => ({ status }) };
}

function json(value: unknown): Answer {
  return { status: 200, headers: { 'content-type': 'application/json' }, body: bytesOf(JSON.stringify(value)) };
}

function bytesOf(text: string): string {
  return Buffer.from(text).toString('latin1');
}

function decoded(segment: string): string | undefined {
  try {
    return decodeURIComponent(segment);
  } catch {
    return undefined;
  }
}
