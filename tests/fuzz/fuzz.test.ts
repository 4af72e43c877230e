/**
 * Shows, on random requests in random pieces, that each is answered once and in order, as the rules have it, and that no
 * body is ever taken for one; and that the oracle which says so would notice.
 *
 *   RESTPOINT_SEED=1234 node build/tests/support/run.js fuzz     runs the cases of a run that failed
 */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { seedForRun } from '../support/random.ts';
import { complaintAbout, type Outcome } from './oracle.ts';
import { readStream } from './reference.ts';
import { runCases } from './runner.ts';
import { Subject } from './subject.ts';

const short = suite('fuzzing');
for (const [seed, cases] of [[1, 300], [seedForRun(), 300]] as const) {
  short(`nothing is found in ${cases} cases of the seed ${seed}`, async () => {
    const subject = await Subject.start();
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
const ALLOWED: Outcome = { received: answer('a') + answer('b'), ending: 'wait', end: 'ended', invocations: ['now get a', 'now get b'] };

const oracle = suite('the oracle of the fuzzer');
oracle('has nothing to say of what is allowed', () => {
  assert.is(complaintAbout(readStream(two), ALLOWED), undefined);
  assert.is(complaintAbout(readStream(`${get('a')}nonsense\r\n\r\n`), { ...ALLOWED, received: answer('a'), invocations: ['now get a'] }), undefined);
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
  [{ invocations: ['now get a'] }, 'an answer without its operation'],
  [{ invocations: ['now get b', 'now get a'] }, 'operations in another order'],
  [{ invocations: ['now get a', 'now get b', 'forbidden get body'] }, 'an operation that nobody asked for'],
  [{ end: 'late' }, 'a connection that the server does not end'],
] as const) {
  oracle(`notices ${why}`, () => {
    assert.type(complaintAbout(readStream(two), { ...ALLOWED, ...outcome }), 'string');
  });
}
oracle.run();
