/** C7: The limits on the bytes and lines of a head: a head over either is a 431, and no head is truncated silently. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { Limits } from '../../src/index.ts';
import { sendUntilClosed } from '../support/raw-client.ts';
import { serve } from '../support/serve.ts';
import { requestFor, readStatuses } from '../support/statuses.ts';
import { Zoo } from '../support/zoo.ts';

const SMUGGLED = requestFor('POST', '/v1/pet/count');
const START = 'POST /v1/pet/count HTTP/1.1\r\n';
const END = 'Host: a\r\nConnection: close\r\n\r\n';

/** Makes `count` header lines, of which `END` is the last two. */
function ofLines(count: number): string {
  return START + 'a:b\r\n'.repeat(count - 2) + END;
}

const limits = suite('the limits of a head');
for (const [request, given, status, why] of [
  [`${START}X: ${'x'.repeat(15_000)}\r\n${END}`, {}, 200, '15,000 bytes in one line'],
  [`${START}X: ${'x'.repeat(17_000)}\r\n${END}`, {}, 431, '17,000 bytes in one line'],
  [`${START}${'x'.repeat(17_000)}: y\r\n${END}`, {}, 431, '17,000 bytes in one name'],
  [`${START}${`X: ${'x'.repeat(100)}\r\n`.repeat(170)}${END}`, {}, 431, '17,000 bytes in many lines'],
  [`POST /v1/pet/count?${'x'.repeat(17_000)} HTTP/1.1\r\n${END}`, {}, 431, '17,000 bytes in the target'],
  [`${START}X: ${'x'.repeat(800)}\r\n${END}`, { headerBytes: 1000 }, 200, '800 bytes of 1,000'],
  [`${START}X: ${'x'.repeat(1100)}\r\n${END}`, { headerBytes: 1000 }, 431, '1,100 bytes of 1,000'],
  [`${START}X: ${'x'.repeat(90_000)}\r\n${END}`, { headerBytes: 100_000 }, 200, '90,000 bytes of 100,000'],
  [ofLines(2000), {}, 200, '2,000 lines, Host the last but one'],
  [ofLines(2001), {}, 431, '2,001 lines'],
  [ofLines(2001), { headerBytes: 1_000_000 }, 431, '2,001 lines where more bytes are allowed'],
  [ofLines(5000), { headerBytes: 1_000_000 }, 431, '5,000 lines where more bytes are allowed'],
  [ofLines(2000).replace(END, `Content-Length: ${SMUGGLED.length}\r\n${END}`), {}, 431, 'a length as one line too many'],
  [ofLines(1999).replace(END, `Content_Length: 0\r\n${END}`), {}, 400, 'a rejected name as the last but two of 2,000 lines'],
] as const satisfies readonly (readonly [string, Limits, number, string])[]) {
  limits(`${why} -> ${status}, and later bytes get no response`, async () => {
    const zoo = new Zoo();
    let called = 0;
    await serve((server) => {
      zoo.register(server);
      server.mount('/files', (_request, response) => {
        called += 1;
        response.end('mounted');
      });
    }, async ({ port }) => {
      for (const path of ['/v1/pet/count', '/files/abcdefg', '/nowhere/abcd']) {
        const received = await sendUntilClosed(port, request.replace('/v1/pet/count', path) + SMUGGLED);
        const expected = status === 200 && path.startsWith('/nowhere') ? 404 : status;
        assert.equal(readStatuses(received), [expected], path);
        assert.match(received, '\r\nConnection: close\r\n');
        if (status !== 200) assert.match(received, 'Content-Type: application/problem+json\r\n');
        if (why === '17,000 bytes in one line') assert.match(received, 'The header section is too long.');
      }
      assert.equal([zoo.invoked, called], status === 200 ? [1, 1] : [0, 0]);
    }, { limits: given });
  });
}
limits('a trailer section that is too long -> 431, and the operation is not invoked', async () => {
  const zoo = new Zoo();
  await serve(zoo.register, async ({ port }) => {
    const chunked = `POST /v1/pet/feed HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n1\r\n7\r\n0\r\nX: ${'x'.repeat(17_000)}\r\n\r\n`;
    assert.equal(readStatuses(await sendUntilClosed(port, chunked + SMUGGLED)), [431]);
    assert.is(zoo.invoked, 0);
  });
});
limits.run();
