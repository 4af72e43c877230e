/** `Expect: 100-continue`: the client gets a `100` only if the server will read the body. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { ANT } from '../../support/deliveries.ts';
import { head, readProblem } from '../../support/messages.ts';
import { RawClient, sendUntilClosed } from '../../support/raw-client.ts';
import { serve } from '../../support/serve.ts';
import { Zoo } from '../../support/zoo.ts';

const EXPECT = 'Expect: 100-continue';
const LENGTH = `Content-Length: ${ANT.length}`;
const CHUNKED = 'Transfer-Encoding: chunked';
const ANT_CHUNK = `${ANT.length.toString(16)}\r\n${ANT}\r\n0\r\n\r\n`;

const asked = suite('B11: a client that waits, and whose body is read');
for (const [why, method, target, headers, body, status] of [
  ['Create', 'POST', '/v1/pet', [EXPECT, LENGTH], ANT, 201],
  ['Create, chunked', 'POST', '/v1/pet', [EXPECT, CHUNKED], ANT_CHUNK, 201],
  ['Create, in other letters', 'POST', '/v1/pet', ['expect: 100-Continue', LENGTH], ANT, 201],
  ['Update', 'PUT', '/v1/pet/1', [EXPECT, LENGTH], ANT, 204],
  ['Custom with an input', 'POST', '/v1/pet/feed', [EXPECT, 'Content-Length: 2'], '12', 200],
  ['a body that is not JSON', 'POST', '/v1/pet', [EXPECT, 'Content-Length: 1'], '{', 400],
  ['a chunked body that proves to be too long', 'POST', '/v1/pet', [EXPECT, CHUNKED], `40\r\n${'x'.repeat(64)}\r\n0\r\n\r\n`, 413],
] as const) {
  asked(`${why} -> 100, and ${status} after the body`, async () => {
    const zoo = new Zoo();
    zoo.pets.set(1, { name: 'bee', legs: 6 });
    await serve(zoo.register, async ({ port }) => {
      const client = await RawClient.connect(port);
      try {
        client.send(head(method, target, headers));
        assert.is((await client.response()).head, 'HTTP/1.1 100 Continue');
        assert.is(zoo.invoked, 0);
        client.send(body);
        assert.is((await client.response(method)).status, status);
        assert.is(zoo.invoked, status < 300 ? 1 : 0);
      } finally {
        client.destroy();
      }
    }, { limits: { bodyBytes: 40 } });
  });
}
asked('two requests, one after the other -> each gets a 100', async () => {
  await serve(new Zoo().register, async ({ port }) => {
    const client = await RawClient.connect(port);
    try {
      for (const status of [100, 201, 100, 201]) {
        client.send(status === 100 ? head('POST', '/v1/pet', [EXPECT, LENGTH]) : ANT);
        assert.is((await client.response()).status, status);
      }
    } finally {
      client.destroy();
    }
  });
});
asked.run();

const spared = suite('B11: a client that waits, and whose body is not read');
for (const [why, method, target, headers, status] of [
  ['an unknown path', 'POST', '/v1/nowhere', [EXPECT, LENGTH], 404],
  ['a method that the path lacks', 'PATCH', '/v1/pet/1', [EXPECT, LENGTH], 405],
  ['an unsupported type', 'POST', '/v1/pet', [EXPECT, LENGTH, 'Content-Type: text/plain'], 415],
  ['an unsupported coding', 'POST', '/v1/pet', [EXPECT, LENGTH, 'Content-Encoding: gzip'], 415],
  ['a length over the limit', 'POST', '/v1/pet', [EXPECT, 'Content-Length: 41'], 413],
  ['a rejected id', 'PUT', '/v1/pet/one', [EXPECT, LENGTH], 400],
  ['a repeated host', 'POST', '/v1/pet', [EXPECT, LENGTH, 'Host: b'], 400],
  ['another expectation', 'POST', '/v1/pet', ['Expect: 200-ok', LENGTH], 417],
  ['another expectation too', 'POST', '/v1/pet', ['Expect: 100-continue, 200-ok', LENGTH], 417],
  ['another expectation in a line of its own', 'POST', '/v1/pet', [EXPECT, 'Expect: 200-ok', LENGTH], 417],
  ['another expectation on an unknown path', 'POST', '/v1/nowhere', ['Expect: 200-ok', LENGTH], 417],
  ['another expectation of a Get', 'GET', '/v1/pet/1', ['Expect: 200-ok'], 417],
  ['a Get', 'GET', '/v1/pet/1', [EXPECT, LENGTH], 200],
  ['a Delete', 'DELETE', '/v1/pet/1', [EXPECT, LENGTH], 204],
  ['OPTIONS', 'OPTIONS', '/v1/pet', [EXPECT, LENGTH], 200],
  ['a Create that has no body', 'POST', '/v1/pet', [EXPECT], 400],
  ['a Custom without an input', 'POST', '/v1/pet/count', [EXPECT, LENGTH], 200],
  ['a Custom without an input, in chunks', 'POST', '/v1/pet/count', [EXPECT, CHUNKED], 200],
  ['a Custom that has no body', 'POST', '/v1/pet/count', [EXPECT], 200],
] as const) {
  spared(`${why} -> ${status}, without a 100`, async () => {
    const zoo = new Zoo();
    zoo.pets.set(1, { name: 'bee', legs: 6 });
    await serve(zoo.register, async ({ port }) => {
      const client = await RawClient.connect(port);
      try {
        client.send(head(method, target, headers));
        const response = await client.response(method);
        assert.is(response.status, status);
        if (status === 417) assert.is(readProblem(response).title, 'Expectation Failed');
        assert.is(zoo.invoked, status < 300 && method !== 'OPTIONS' ? 1 : 0);
        // The body may or may not follow, so later bytes cannot be read.
        if (/100-continue.*Content-Length/.test(headers.join())) assert.is(await client.closed(), '');
      } finally {
        client.destroy();
      }
    }, { limits: { bodyBytes: 40 } });
  });
}
for (const [why, target, expectation] of [
  ['of an unknown path', '/v1/nowhere', EXPECT],
  ['whose expectation is not met', '/v1/pet', 'Expect: 200-ok'],
] as const) {
  for (const framing of [LENGTH, CHUNKED]) {
    spared(`${why} (${framing}), and sends its body nevertheless: the body is not read as a request`, async () => {
      const zoo = new Zoo();
      await serve(zoo.register, async ({ port }) => {
        const disguised = head('POST', '/v1/pet/count', ['Connection: close']);
        const sent = head('POST', target, [expectation, framing.replace(/\d+/, String(disguised.length))]);
        const body = framing === CHUNKED ? `${disguised.length.toString(16)}\r\n${disguised}\r\n0\r\n\r\n` : disguised;
        const next = head('GET', '/v1/nowhere', ['Connection: close']);
        const got = await sendUntilClosed(port, sent + body + next);
        assert.not.match(got, / 200 | 100 /);
        assert.is(zoo.invoked, 0);
      });
    });
  }
}
spared.run();

const older = suite('HTTP/1.0');
for (const expectation of ['100-continue', '200-ok']) {
  older(`Expect: ${expectation} is ignored: no 100, and the body is read -> 201`, async () => {
    const zoo = new Zoo();
    await serve(zoo.register, async ({ port }) => {
      const sent = head('POST', '/v1/pet', [`Expect: ${expectation}`, LENGTH]).replace('HTTP/1.1', 'HTTP/1.0');
      const got = await sendUntilClosed(port, sent + ANT);
      assert.match(got, /^HTTP\/1\.1 201 /);
      assert.is(zoo.invoked, 1);
    });
  });
}
older.run();
