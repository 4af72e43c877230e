/**
 * Sends random requests in random chunks. Each must get one response, in order and by the rules. No body may be read as a request. The
 * host's functions must run in their own request's async context. Calls of `server.fetch` follow the same rules, and get the response that
 * the same request gets over a socket. Published events must have an order and an end. After a client has left, nothing of it may remain.
 * Other tests show that the oracle, which checks this, detects each kind of mistake.
 *
 *   RESTPOINT_SEED=1234 node build/tests/support/run.js fuzz     repeats a failed run
 */
import { AsyncResource } from 'node:async_hooks';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { message } from '../support/messages.ts';
import { readSeed } from '../support/random.ts';
import { RawClient } from '../support/raw-client.ts';
import { CallLog, type Call } from './call-log.ts';
import { complaintAboutLeaving, type LeavingOutcome } from './leaving.ts';
import { complaintAbout, type Outcome } from './oracle.ts';
import { readStream } from './reference.ts';
import { runSeed, runStream } from './runner.ts';
import { Subject } from './subject.ts';

const short = suite('fuzzing');
for (const seed of [3, readSeed()]) short(`60 cases of the seed ${seed} pass`, async () => assert.is(await runSeed(seed, 60), 60));
short.run();

const found = suite('a case that the fuzzer found');
for (const [fact, chunks] of [
  ['an id that begins as the name of an echo is that of another operation', [
    'PUT /v1/bytes/echo1 HTTP/1.1\r\nHost: a\r\nContent-Type: image/png\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n',
  ]],
  ...['application/json; charset=latin1', 'application/jsonx', 'image/png'].map((type) => [
    `an operation without input rejects a POST of another site as ${type}`, [
      `POST /v1/now/ping?marker=a HTTP/1.1\r\nSec-Fetch-Site: cross-site\r\nContent-Type: ${type}\r\nContent-Length: 2\r\nHost: a\r\n\r\n{}`,
    ],
  ] as const),
  ['nothing follows a response that only the end of the connection ends', [
    'HEAD /v1/replies/failing-a HTTP/1.0\r\nHost: a\r\nConnection: keep-alive\r\n\r\nPOST /v1/now HTTP/1.2\r\n',
    'Host: a\r\n\r\n',
  ]],
] as const) {
  found(`${fact}, and passes`, async () => {
    const subject = await Subject.start();
    try {
      await runStream(subject, { kind: 'plain', seed: 0, number: 0, bytes: chunks.join(''), isWhole: false, ending: 'wait', chunks });
    } finally {
      await subject.stop();
    }
  });
}
found.run();

const get = (id: string): string => `GET /v1/now/${id} HTTP/1.1\r\nHost: a\r\n\r\n`;
const two = get('a') + get('b');
const respond = (marker: string, status = '200 OK', length = marker.length + 13): string => {
  return `HTTP/1.1 ${status}\r\nContent-Type: application/json\r\nX-Content-Type-Options: nosniff\r\nContent-Length: ${length}\r\n\r\n{"marker":"${marker}"}`;
};
const PROBLEM = '{"status":500}';
const FAILED = `HTTP/1.1 500 Internal Server Error\r\nContent-Type: application/problem+json\r\nX-Content-Type-Options: nosniff\r\nContent-Length: ${PROBLEM.length}\r\n\r\n${PROBLEM}`;
const begin = (id: string, request: number): Call => ({ what: 'begin', about: `now get ${id}`, request });
const BOTH = [begin('a', 0), begin('b', 1)];
const ALLOWED: Outcome = { received: respond('a') + respond('b'), ending: 'wait', end: 'ended', calls: BOTH };

const oracle = suite('the oracle of the fuzzer');
oracle('accepts allowed outcomes', () => {
  assert.is(complaintAbout(readStream(two), ALLOWED), undefined);
  assert.is(complaintAbout(readStream(`${get('a')}nonsense\r\n\r\n`), { ...ALLOWED, received: respond('a'), calls: [begin('a', 0)] }), undefined);
});
for (const [outcome, why] of [
  [{ received: respond('b') + respond('a') }, 'responses in a different order'],
  [{ received: respond('a') + respond('b') + respond('b') }, 'a response to no request'],
  [{ received: respond('a') }, 'a missing response'],
  [{ received: respond('a') + respond('b').slice(0, -1) }, 'a incomplete response'],
  [{ received: `${respond('a')}x${respond('b')}` }, 'a byte between two responses'],
  [{ received: respond('a', '200 OK', 13) + respond('b') }, 'a length that is too short'],
  [{ received: respond('a') + respond('b', '204 No Content') }, 'a body with a 204'],
  [{ received: respond('a') + respond('b', '404 Not Found') }, 'a different status'],
  [{ received: respond('a') + FAILED }, 'a 500'],
  [{ received: respond('a').replace('\r\n\r\n', '\r\nConnection: close\r\n\r\n') + respond('b') }, 'a response after one that closes'],
  [{ received: `HTTP/1.1 100 Continue\r\n\r\n${respond('a')}${respond('b')}` }, 'an unexpected 100'],
  [{ calls: [begin('a', 0)] }, 'a response without its operation'],
  [{ calls: [begin('b', 1), begin('a', 0)] }, 'operations in a different order'],
  [{ calls: [begin('a', 0), begin('b', 0)] }, "an operation in another request's async context"],
  [{ calls: [...BOTH, { what: 'parse', about: 'b', request: 0 }] }, "a codec in another request's async context"],
  [{ calls: [...BOTH, { what: 'log', about: undefined, request: 1 }] }, 'a logged failure that did not happen'],
  [{ calls: [begin('a', 0), begin('b', 1), begin('c', 2)] }, 'an operation without a request'],
  [{ end: 'late' }, 'a connection that the server does not end'],
] as const) {
  oracle(`detects ${why}`, () => assert.type(complaintAbout(readStream(two), { ...ALLOWED, ...outcome }), 'string'));
}
oracle('detects a requested failure that is not logged in the context of its request', () => {
  const calls = [begin('broken', 0)];
  const outcome: Outcome = { ...ALLOWED, received: FAILED, calls };
  assert.type(complaintAbout(readStream(get('broken')), outcome), 'string');
  assert.is(complaintAbout(readStream(get('broken')), { ...outcome, calls: [...calls, { what: 'log', about: 'broken', request: 0 }] }), undefined);
});
oracle.run();

const WELL_DONE: LeavingOutcome = { pending: [], isClosed: true, begunAtClose: 1, begunAtLast: 1 };

const leaving = suite('the oracle for clients that leave');
leaving('accepts a closed connection on which everything was notified', () => assert.is(complaintAboutLeaving(WELL_DONE), undefined));
for (const [how, why] of [
  [{ pending: ['slow get a'] }, 'an operation that is not notified'],
  [{ isClosed: false }, 'a connection that stays'],
  [{ begunAtLast: 2 }, 'an operation that begins after its client has left'],
  [{ health: 'another client was not served' }, 'another client that is not served'],
] as const) {
  leaving(`detects ${why}`, () => assert.type(complaintAboutLeaving({ ...WELL_DONE, ...how }), 'string'));
}
leaving.run();

const contexts = suite('the log of calls');
contexts("records the async context of each call, and lists calls in none or in another request's", async () => {
  const log = new CallLog();
  const asFirst: ((call: () => void) => void)[] = [];
  const server = createServer((request, response) => {
    log.note('own', request.url, request);
    asFirst.push(AsyncResource.bind((call: () => void) => call()));
    asFirst[0]?.(() => log.note('first', request.url, request));
    response.end();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  try {
    const { port } = server.address() as AddressInfo;
    log.watch(port);
    const client = await RawClient.connect(port);
    const connection = await log.connectionOf(port, client.socket.localPort);
    client.send(message('GET', '/a') + message('GET', '/b'));
    for (let count = 0; count < 2; count += 1) await client.response();
    client.destroy();
    log.note('none', '/c');
    assert.equal(connection.calls, [
      { what: 'own', about: '/a', request: 0 },
      { what: 'first', about: '/a', request: 0 },
      { what: 'own', about: '/b', request: 1 },
    ]);
    assert.equal(log.takeLost(), ["first of /b found another request's async context", 'none of /c found no async context of a request']);
  } finally {
    log.stop();
    server.close();
  }
});
contexts.run();
