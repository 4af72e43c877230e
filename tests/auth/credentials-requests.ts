/** Requests that hold credentials: good, wrong and malformed ones, in requests that are served, rejected and broken. */
import * as assert from 'uvu/assert';
import { findDisclosures } from '../support/find-disclosures.ts';
import { head, message } from '../support/messages.ts';
import { sendUntilClosed } from '../support/raw-client.ts';
import type { Variant } from './credentials-api.ts';

// Its percent-encoded form is another. It has each kind of character that a bearer token may have.
export const SECRET = 'Tr0ub4dor+3/zebra~q.s_t';

/** The purpose of a request, its bytes, and the status of its response. */
export type Case = readonly [why: string, bytes: string, status: number];

/** A way to authenticate: its path, and the header line with a secret. */
export interface Scheme {
  readonly path: string;
  readonly line: (secret: string) => string;
  /** Header lines that hold a secret and are malformed, and the status of each. */
  readonly malformed: (secret: string) => readonly (readonly [line: string, status: number])[];
}

const base64 = (text: string): string => Buffer.from(text).toString('base64');

export const SCHEMES: readonly Scheme[] = [
  {
    path: '/v1/bearer',
    line: (secret) => `Authorization: Bearer ${secret}`,
    malformed: (secret) => [
      [`Authorization: Bearer ${secret} behind`, 400],
      [`Authorization: Bearer "${secret}"`, 400],
      [`Authorization: Bearer\t${secret}`, 400],
      [`Authorization: Bearer ${secret}\r\nAuthorization: Bearer ${secret}`, 400],
      [`Authorization: Token ${secret}`, 401],
      [`Authorization: ${secret}`, 401],
    ],
  },
  {
    path: '/v1/basic',
    line: (secret) => `Authorization: Basic ${base64(`ann:${secret}`)}`,
    malformed: (secret) => [
      [`Authorization: Basic ${secret}`, 401],
      [`Authorization: Basic ${base64(secret)}`, 401],
      [`Authorization: Basic ${base64(`ann:${secret}\0`)}`, 401],
      [`Authorization: Basic ${base64(`ann:${secret}`)} behind`, 401],
      [`Authorization: Bearer ${secret}`, 401],
    ],
  },
  {
    path: '/v1/apiKey',
    line: (secret) => `X-API-Key: ${secret}`,
    malformed: (secret) => [
      [`X-API-Key: ${secret}\r\nX-API-Key: ${secret}`, 400],
      [`X-API-Kee: ${secret}`, 401],
      [`Authorization: ApiKey ${secret}`, 401],
    ],
  },
];

const VERDICTS = [
  ['good', 200], ['later', 200], ['wrong', 401], ['thrown', 500], ['rejected', 500], ['internal', 500], ['forbidden', 403], ['expired', 401],
] as const;

const OUTCOMES = [
  ['thrown', 500], ['rejected', 500], ['argument', 400], ['conflict', 409], ['missing', 404], ['unsendable', 500], ['broken', 200],
] as const;

/** The requests of a scheme that get a response at once, with `secret` after a word that determines the result of `verify`. */
export function casesOf(scheme: Scheme, secret: string): readonly Case[] {
  const good = `good-${secret}`;
  return [
    ...VERDICTS.map(([verdict, status]): Case => [verdict, message('GET', `${scheme.path}/fine`, '', [scheme.line(`${verdict}-${secret}`), CLOSE]), status]),
    ...scheme.malformed(good).map(([line, status]): Case => [line.slice(0, 24), message('GET', `${scheme.path}/fine`, '', [line, CLOSE]), status]),
    ...OUTCOMES.map(([id, status]): Case => [id, message('GET', `${scheme.path}/${id}`, '', [scheme.line(good), CLOSE]), status]),
    ...bodyCases(scheme.path, scheme.line(good), secret),
    ...listRejectedCases(scheme.path, scheme.line(good), secret),
    ...brokenCases(scheme.path, scheme.line(good), secret),
  ];
}

/** The requests of a scheme that get a response when they have taken too long. */
export function slowCasesOf({ path, line }: Scheme, secret: string): readonly Case[] {
  const good = line(`good-${secret}`);
  return [
    ['half a head', `GET ${path}/fine HTTP/1.1\r\nHost: a\r\n${good}`, 408],
    ['half a body', `${head('POST', path, [good, 'Content-Length: 100'])}"${secret}`, 408],
    ['a context that does not settle', message('GET', `${path}/fine`, '', [line(`endless-${secret}`), CLOSE]), 503],
    ['an operation that does not settle', message('GET', `${path}/slow`, '', [good, CLOSE]), 503],
  ];
}

const CLOSE = 'Connection: close';

/** Responses of the operation, or about its body. A secret is in the body or the query as well. */
function bodyCases(path: string, line: string, secret: string): readonly Case[] {
  const post = (body: string, ...headers: string[]): string => message('POST', path, body, [line, CLOSE, ...headers]);
  return [
    ['a created item', post('"ant"'), 201],
    ['a Custom that fails', message('POST', `${path}/fail`, '', [line, CLOSE]), 500],
    ['JSON that breaks off', post(`{"password":"${secret}`), 400],
    ['JSON with something behind it', post(`"${secret}" x`), 400],
    ['a string alone', post(secret), 400],
    ['a body that its decoder rejects', post(JSON.stringify({ password: secret })), 400],
    ['a body that is too long', post(JSON.stringify(secret.repeat(20))), 413],
    ['a different type', post('x', `Content-Type: ${secret}`), 415],
    ['a type of bytes that is not taken', message('POST', `${path}/put`, secret, [line, CLOSE]), 415],
    ['bytes that are too many',
      `${head('POST', `${path}/put`, [line, 'Content-Type: image/png', 'Transfer-Encoding: chunked'])}fff\r\n${secret.repeat(200)}`, 413],
    ['a query that is not percent-encoded', message('POST', `${path}/find?token=${secret}&a=%ff`, '', [line, CLOSE]), 400],
    ['a query with a name __proto__', message('POST', `${path}/find?__proto__=${encodeURIComponent(secret)}`, '', [line, CLOSE]), 400],
  ];
}

/** Rejected before a context is asked. */
function listRejectedCases(path: string, line: string, secret: string): readonly Case[] {
  const get = (target: string, ...headers: string[]): string => message('GET', target, '', [line, CLOSE, ...headers]);
  return [
    ['an unknown path', get(`/v1/nothing/${secret}?token=${secret}`), 404],
    ['a different method', message('PATCH', `${path}/1`, '', [line, CLOSE]), 405],
    ['an id that is not UTF-8', get(`${path}/%ff${encodeURIComponent(secret)}`), 400],
    ['a fragment', get(`${path}/fine#${secret}`), 400],
    ['an encoded NUL', get(`${path}/fine%00${encodeURIComponent(secret)}`), 400],
    ['another expectation', get(`${path}/fine`, `Expect: ${secret}`), 417],
    ['a version that is not spoken', get(`${path}/fine`, 'Upgrade: websocket', 'Sec-WebSocket-Version: 8').replace(CLOSE, 'Connection: Upgrade'), 426],
    ['a host that is none', `GET ${path}/fine HTTP/1.1\r\nHost: ${secret}/\r\n${line}\r\n${CLOSE}\r\n\r\n`, 400],
    ['a mount that fails', get('/mount'), 500],
    ['middleware that rejects', get(`${path}/fine`, 'X-Reject: 429'), 429],
    ['middleware that fails', get(`${path}/fine`, 'X-Reject: 503'), 503],
    ['CONNECT', `CONNECT a:80 HTTP/1.1\r\nHost: a:80\r\n${line}\r\nProxy-${line.replace('X-', '')}\r\n\r\n`, 501],
  ];
}

/** Rejected by Node's parser, or for their framing. */
function brokenCases(path: string, line: string, secret: string): readonly Case[] {
  const begun = `GET ${path}/fine HTTP/1.1\r\nHost: a\r\n${line}`;
  const post = (...headers: string[]): string => head('POST', path, [line, ...headers]);
  return [
    ['a broken header line', `${begun}\r\nbroken line\r\n\r\n`, 400],
    ['a broken first line behind them', `${head('POST', `${path}/fail`, [line, 'Content-Length: 0', 'Connection: close'])}${secret}\r\n\r\n`, 500],
    ['a NUL in the credentials', `${begun}\0\r\n\r\n`, 400],
    ['a folded line', `${begun}\r\n ${secret}\r\n\r\n`, 400],
    ['a method that is none', `${secret} / HTTP/1.1\r\n${line}\r\n\r\n`, 400],
    ['a head that is too long', `${begun}\r\nX-Long: ${secret.repeat(900)}\r\n\r\n`, 431],
    ['too many header lines', `${begun}\r\n${'a:\r\n'.repeat(2001)}\r\n`, 431],
    ['a length and chunks', `${post('Content-Length: 9', 'Transfer-Encoding: chunked')}0\r\n\r\n`, 400],
    ['a length that is none', post(`Content-Length: ${secret}`), 400],
    ['another coding', post('Transfer-Encoding: gzip, chunked'), 501],
    ['a broken chunk', `${post('Transfer-Encoding: chunked')}${secret}\r\n`, 400],
  ];
}

// All that wait for a limit of the server, and few enough that none has to wait for the others.
const AT_ONCE = 12;

/** Sends all requests. Asserts their statuses, and that no response shows the secret. Returns how many failures must be logged. */
export async function sendAll(port: number, { isImpatient }: Variant): Promise<number> {
  const cases = SCHEMES.flatMap((scheme) => (isImpatient ? slowCasesOf : casesOf)(scheme, SECRET));
  for (let at = 0; at < cases.length; at += AT_ONCE) {
    await Promise.all(cases.slice(at, at + AT_ONCE).map(async ([why, bytes, status]) => {
      const response = await sendUntilClosed(port, bytes);
      assert.match(response, new RegExp(`^HTTP/1\\.1 ${status} `), why);
      assert.equal(findDisclosures(response, SECRET), [], `${why}: ${response}`);
    }));
  }
  return cases.filter(([, , status]) => status === 500 || (isImpatient && status === 503)).length;
}
