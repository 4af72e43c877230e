/** Makes requests to the endpoints that have more than the five basic operations. */
import type { Random } from '../support/random.ts';
import { READING_NAMES } from './bytes-endpoint.ts';
import { bodyFor, condition, SMUGGLED } from './corpus.ts';
import type { Draft } from './draft.ts';
import { readRequest } from './reads.ts';
import { sessionRequest } from './sessions.ts';
import { REPLY_NAMES } from './replies.ts';

const FAILURES: [string, ...string[]] = ['broken-', 'lost-', 'mapped-', 'teapot-', 'missing-', 'unfit-'];
const CALLERS: [string, ...string[]] = ['ok', 'ok1', 'ok-later', 'forbidden', 'forbidden-later', 'denied', 'denied-later', 'unknown', 'unknown-later', 'failing', 'failing-later', 'nobody', ''];

/** A request to one of them. */
export function endpointRequest(random: Random, marker: string): Draft {
  const asked = (random.below(6) === 0 ? random.pick(FAILURES) : '') + marker;
  const plain = { version: '1.1', host: 'a', headers: [], body: undefined, chunked: random.below(2) === 0 };
  const make = random.pick<(random: Random, marker: string, plain: Omit<Draft, 'method' | 'target'>) => Draft>([
    draftGuarded, draftGuarded, draftZoo, draftLamp, draftReply, draftReply, draftBytes, draftBytes, sessionRequest, readRequest, readRequest,
  ]);
  return make(random, asked, plain);
}

type Plain = Omit<Draft, 'method' | 'target'>;

function draftGuarded(random: Random, marker: string, plain: Plain): Draft {
  const note = bodyFor(random, marker);
  const headers = [`X-Caller: ${random.below(2) === 0 ? 'ok' : random.pick(CALLERS)}`];
  const base = '/v1/guarded';
  return {
    ...plain,
    headers,
    ...random.pick([
      { method: 'POST', target: base, body: note },
      { method: random.pick(['GET', 'HEAD']), target: base },
      { method: 'GET', target: `${base}/${marker}` },
      { method: 'HEAD', target: `${base}/${marker}` },
      { method: 'PUT', target: `${base}/${marker}`, body: note },
      { method: 'PATCH', target: `${base}/${marker}`, body: note },
      { method: 'DELETE', target: `${base}/${marker}`, body: random.pick([undefined, SMUGGLED]) },
      { method: 'OPTIONS', target: random.pick([base, `${base}/1`, `${base}/maybe`, `${base}/1/feed`]) },
      { method: 'POST', target: `${base}/maybe`, body: random.pick([undefined, '', 'null', note]) },
      { method: 'POST', target: `${base}/${marker}/feed`, body: note },
    ]),
  };
}

function draftZoo(random: Random, marker: string, plain: Plain): Draft {
  const base = `/v1/zoo/${random.pick(['7', '7', '8', '-1', 'x', '08', '%37', '9007199254740993', ''])}/pet`;
  return {
    ...plain,
    ...random.pick([
      { method: random.pick(['GET', 'HEAD', 'PATCH']), target: base },
      { method: 'GET', target: `${base}/${marker}` },
      { method: 'PUT', target: `${base}/${marker}`, body: SMUGGLED },
      { method: 'POST', target: base, body: bodyFor(random, marker) },
      { method: 'POST', target: `${base}/${marker}/feed`, body: bodyFor(random, marker) },
      { method: 'OPTIONS', target: base + random.pick(['', '/1', '/1/feed', '/%ff']) },
    ]),
  };
}

function draftLamp(random: Random, marker: string, plain: Plain): Draft {
  const note = bodyFor(random, marker);
  return {
    ...plain,
    ...random.pick([
      { method: random.pick(['POST', 'PUT', 'PATCH']), target: '/v1/lamp', body: note },
      { method: random.pick(['GET', 'HEAD', 'DELETE', 'OPTIONS']), target: '/v1/lamp' },
      { method: random.pick(['POST', 'GET', 'OPTIONS']), target: '/v1/lamp/blink', body: note },
    ]),
  };
}

function draftReply(random: Random, marker: string, plain: Plain): Draft {
  const name = `${random.pick(REPLY_NAMES)}-${marker}`;
  const draft = random.pick([
    { method: 'GET', target: `/v1/replies/${name}`, body: random.pick([undefined, SMUGGLED]) },
    { method: 'HEAD', target: `/v1/replies/${name}` },
    { method: 'DELETE', target: `/v1/replies/${name}`, body: random.pick([undefined, SMUGGLED]) },
    { method: 'POST', target: '/v1/replies/tell', body: bodyFor(random, name) },
    { method: random.pick(['GET', 'OPTIONS', 'PUT']), target: '/v1/replies' },
  ]);
  return { ...plain, headers: random.below(3) === 0 ? [condition(random)] : [], ...draft };
}

function draftBytes(random: Random, marker: string, plain: Plain): Draft {
  const name = `${random.pick(READING_NAMES)}-${marker}`;
  const body = random.pick([
    undefined, '', SMUGGLED, `0\r\n\r\n${SMUGGLED}`, 'x'.repeat(random.below(700)), SMUGGLED.repeat(60), SMUGGLED.repeat(random.pick([130, 700, 1300])),
  ]);
  const types = ['Content-Type: image/png', 'Content-Type: application/octet-stream; x=y', 'Content-Type: text/plain', 'Content-Type: image'] as const;
  const isPut = random.below(2) === 0;
  return {
    ...plain,
    headers: random.below(2) === 0 ? [] : [random.pick(types)],
    method: isPut ? 'PUT' : 'POST',
    target: isPut ? `/v1/bytes/${name}` : `/v1/bytes/load?marker=${name}`,
    body,
  };
}
