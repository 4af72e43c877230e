/**
 * Shows, on random requests in random pieces, that each is answered once and in order, as the rules have it, that no body is
 * ever taken for one, that the host is called in each request's own async context, and that clients who leave leave nothing
 * behind; and that the oracle which says so would notice.
 *
 *   RESTPOINT_SEED=1234 node build/tests/support/run.js fuzz     runs the cases of a run that failed
 */
import { AsyncResource } from 'node:async_hooks';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { message } from '../support/messages.ts';
import { seedForRun } from '../support/random.ts';
import { RawClient } from '../support/raw-client.ts';
import { complaintAboutFarewell, type Farewell } from './leaving.ts';
import { complaintAbout, type Outcome } from './oracle.ts';
import { readStream } from './reference.ts';
import { runCases } from './runner.ts';
import { Subject } from './subject.ts';
import { Witness, type Call } from './witness.ts';

const short = suite('fuzzing');
for (const [seed, cases] of [[1, 300], [seedForRun(), 300]] as const) {
  short(`nothing is found in ${cases} cases of the seed ${seed}`, async () => {
    const subject = await Subject.startFor(seed);
    try {
      assert.is(await runCases(subject, seed, 0, cases), cases);
    } finally {
      await subject.stop();
    }
  });
}
short.run();

const get = (id: string): string => `GET /v1/now/${id} HTTP/1.1\r\nHost: a\r\n\r\n`;
const two = get('a') + get('b');
const answer = (marker: string, status = '200 OK', length = marker.length + 13): string => {
  return `HTTP/1.1 ${status}\r\nContent-Type: application/json\r\nContent-Length: ${length}\r\n\r\n{"marker":"${marker}"}`;
};
const PROBLEM = '{"status":500}';
const FAILED = `HTTP/1.1 500 Internal Server Error\r\nContent-Type: application/problem+json\r\nContent-Length: ${PROBLEM.length}\r\n\r\n${PROBLEM}`;
const begin = (id: string, request: number): Call => ({ what: 'begin', about: `now get ${id}`, request });
const BOTH = [begin('a', 0), begin('b', 1)];
const ALLOWED: Outcome = { received: answer('a') + answer('b'), ending: 'wait', end: 'ended', calls: BOTH };

const oracle = suite('the oracle of the fuzzer');
oracle('has nothing to say of what is allowed', () => {
  assert.is(complaintAbout(readStream(two), ALLOWED), undefined);
  assert.is(complaintAbout(readStream(`${get('a')}nonsense\r\n\r\n`), { ...ALLOWED, received: answer('a'), calls: [begin('a', 0)] }), undefined);
});
for (const [outcome, why] of [
  [{ received: answer('b') + answer('a') }, 'answers in another order'],
  [{ received: answer('a') + answer('b') + answer('b') }, 'an answer to no request'],
  [{ received: answer('a') }, 'a request that is not answered'],
  [{ received: answer('a') + answer('b').slice(0, -1) }, 'an answer that is cut off'],
  [{ received: `${answer('a')}x${answer('b')}` }, 'a byte between two answers'],
  [{ received: answer('a', '200 OK', 13) + answer('b') }, 'a length that is too short'],
  [{ received: answer('a') + answer('b', '204 No Content') }, 'a body with a 204'],
  [{ received: answer('a') + answer('b', '404 Not Found') }, 'another status'],
  [{ received: answer('a') + FAILED }, 'a 500'],
  [{ received: answer('a').replace('\r\n\r\n', '\r\nConnection: close\r\n\r\n') + answer('b') }, 'an answer behind one that closes'],
  [{ received: `HTTP/1.1 100 Continue\r\n\r\n${answer('a')}${answer('b')}` }, 'a 100 that nobody asked for'],
  [{ calls: [begin('a', 0)] }, 'an answer without its operation'],
  [{ calls: [begin('b', 1), begin('a', 0)] }, 'operations in another order'],
  [{ calls: [begin('a', 0), begin('b', 0)] }, "an operation in another request's async context"],
  [{ calls: [...BOTH, { what: 'parse', about: 'b', request: 0 }] }, "a codec in another request's async context"],
  [{ calls: [...BOTH, { what: 'log', about: undefined, request: 1 }] }, 'a failure that is logged where none was'],
  [{ calls: [begin('a', 0), begin('b', 1), begin('c', 2)] }, 'an operation that nobody asked for'],
  [{ end: 'late' }, 'a connection that the server does not end'],
] as const) {
  oracle(`notices ${why}`, () => {
    assert.type(complaintAbout(readStream(two), { ...ALLOWED, ...outcome }), 'string');
  });
}
oracle('notices a failure that is asked for, and is not logged in the context of who asked', () => {
  const calls = [begin('broken', 0)];
  const outcome: Outcome = { ...ALLOWED, received: FAILED, calls };
  assert.type(complaintAbout(readStream(get('broken')), outcome), 'string');
  assert.is(complaintAbout(readStream(get('broken')), { ...outcome, calls: [...calls, { what: 'log', about: 'broken', request: 0 }] }), undefined);
});
oracle.run();

const TAKEN_WELL: Farewell = { untold: [], isClosed: true, begunAtClose: 1, begunAtLast: 1 };

const farewell = suite('the oracle of how a leaving client is taken');
farewell('has nothing to say where all is told, closed, and over', () => {
  assert.is(complaintAboutFarewell(TAKEN_WELL), undefined);
});
for (const [how, why] of [
  [{ untold: ['slow get a'] }, 'an operation that is not told'],
  [{ isClosed: false }, 'a connection that stays'],
  [{ begunAtLast: 2 }, 'an operation that is begun when its client has left'],
  [{ health: 'another client was not served' }, 'another client that is not served'],
] as const) {
  farewell(`notices ${why}`, () => {
    assert.type(complaintAboutFarewell({ ...TAKEN_WELL, ...how }), 'string');
  });
}
farewell.run();

const contexts = suite('the witness of async contexts');
contexts("tells in which request's a function was called, and of those that were in none, or not in their own", async () => {
  const witness = new Witness();
  const asFirst: ((call: () => void) => void)[] = [];
  const server = createServer((request, response) => {
    witness.note('own', request.url, request);
    asFirst.push(AsyncResource.bind((call: () => void) => call()));
    asFirst[0]?.(() => witness.note('first', request.url, request));
    response.end();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  try {
    const { port } = server.address() as AddressInfo;
    witness.watch(port);
    const client = await RawClient.connect(port);
    const visit = await witness.visitOf(port, client.socket.localPort);
    client.send(message('GET', '/a') + message('GET', '/b'));
    for (let count = 0; count < 2; count += 1) await client.response();
    client.destroy();
    witness.note('none', '/c');
    assert.equal(visit.calls, [
      { what: 'own', about: '/a', request: 0 },
      { what: 'first', about: '/a', request: 0 },
      { what: 'own', about: '/b', request: 1 },
    ]);
    assert.equal(witness.takeLost(), ["first of /b found another request's async context", 'none of /c found no async context of a request']);
  } finally {
    witness.stop();
    server.close();
  }
});
contexts.run();
