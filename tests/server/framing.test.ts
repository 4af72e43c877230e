/** Requests whose end is unclear are rejected, the connection closes, and no byte of them is read as another request. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { sendUntilClosed } from '../support/raw-client.ts';
import { serve } from '../support/serve.ts';
import { requestFor, readStatuses } from '../support/statuses.ts';
import { Zoo } from '../support/zoo.ts';

const SMUGGLED = requestFor('POST', '/v1/pet/count') + requestFor('GET', '/files/smuggled');
// This is a body of five bytes and also a complete chunked body. Both readings end in the same place, so only the head decides.
const BODY = '0\r\n\r\n';

/** Serves a zoo, and a handler at `/files` that responds after it has read the body. `urls` records its calls. */
async function servingZoo(use: (port: number, zoo: Zoo, urls: readonly (string | undefined)[]) => Promise<void>): Promise<void> {
  const zoo = new Zoo();
  const urls: (string | undefined)[] = [];
  await serve((server) => {
    zoo.register(server);
    server.mount('/files', (request, response) => {
      urls.push(request.url);
      request.resume().on('end', () => response.end('mounted'));
    });
  }, async ({ port }) => use(port, zoo, urls));
}

const CHUNKED = 'Transfer-Encoding: chunked\r\n';
const heads = suite('C9 C17: a head that leaves the end of the body unclear');
for (const [version, lines, status, why] of [
  ['1.1', `Content-Length: 5\r\n${CHUNKED}`, 400, 'a length and chunks'],
  ['1.1', `${CHUNKED}Content-Length: 5\r\n`, 400, 'chunks and a length'],
  ['1.1', 'Content-Length: 5\r\nContent-Length: 5\r\n', 400, 'two lengths, the same'],
  ['1.1', 'Content-Length: 5\r\nContent-Length: 6\r\n', 400, 'two lengths, different'],
  ['1.1', 'Content-Length: 5, 5\r\n', 400, 'a list of lengths'],
  ['1.1', 'Content-Length: 05\r\n', 400, 'a length with a leading zero'],
  ['1.1', 'Content-Length: 00\r\n', 400, 'zero with a leading zero'],
  ['1.1', 'Content-Length: +5\r\n', 400, 'a length with a sign'],
  ['1.1', 'Content-Length: -1\r\n', 400, 'a length below zero'],
  ['1.1', 'Content-Length: -0\r\n', 400, 'a length of minus zero'],
  ['1.1', 'Content-Length: 0x5\r\n', 400, 'a hexadecimal length'],
  ['1.1', 'Content-Length: 1_0\r\n', 400, 'a length with an underscore'],
  ['1.1', 'Content-Length: 5.0\r\n', 400, 'a length with a fraction'],
  ['1.1', 'Content-Length: 5e0\r\n', 400, 'a length with an exponent'],
  ['1.1', 'Content-Length: 5 5\r\n', 400, 'a length with a space within'],
  ['1.1', 'Content-Length: 5;a\r\n', 400, 'a length with a parameter'],
  ['1.1', 'Content-Length:\r\n', 400, 'an empty length'],
  ['1.1', 'Content-Length: five\r\n', 400, 'a length in letters'],
  ['1.1', 'Content-Length: 18446744073709551621\r\n', 400, 'a length over 64 bits, 5 when it wraps around'],
  ['1.1', 'Content-Length: 9999999999999999999\r\n', 400, 'a length that no double holds'],
  ['1.1', 'Transfer-Encoding:\r\n', 400, 'an empty coding'],
  ['1.1', 'Transfer-Encoding: ,chunked\r\n', 501, 'an empty coding in front'],
  ['1.1', 'Transfer-Encoding: gzip\r\n', 501, 'another coding'],
  ['1.1', 'Transfer-Encoding: identity\r\n', 501, 'identity'],
  ['1.1', 'Transfer-Encoding: xchunked\r\n', 501, 'a coding that ends like chunked'],
  ['1.1', 'Transfer-Encoding: chunkedx\r\n', 501, 'a coding that begins like chunked'],
  ['1.1', 'Transfer-Encoding: "chunked"\r\n', 501, 'chunked in quotes'],
  ['1.1', 'Transfer-Encoding: chunked;a=b\r\n', 501, 'chunked with a parameter'],
  ['1.1', 'Transfer-Encoding: chunked, gzip\r\n', 400, 'another coding after chunked'],
  ['1.1', 'Transfer-Encoding: gzip, chunked\r\n', 501, 'another coding in front of chunked'],
  ['1.1', 'Transfer-Encoding: identity, chunked\r\n', 501, 'identity in front of chunked'],
  ['1.1', 'Transfer-Encoding: chunked, chunked\r\n', 400, 'chunked twice'],
  ['1.1', `${CHUNKED}${CHUNKED}`, 400, 'chunked on two lines'],
  ['1.1', `${CHUNKED}Transfer-Encoding: identity\r\n`, 400, 'chunked, then identity'],
  ['1.1', 'Transfer-Encoding: \x0bchunked\r\n', 400, 'a vertical tab in front of chunked'],
  ['1.0', CHUNKED, 400, 'chunks in HTTP/1.0'],
  ['1.0', `Connection: keep-alive\r\n${CHUNKED}`, 400, 'chunks in HTTP/1.0 that is kept alive'],
  ['1.1', 'Content_Length: 5\r\n', 400, 'a length with an underscore in its name'],
  ['1.1', 'Content-Length: 5\r\nCONTENT_LENGTH: 6\r\n', 400, 'a length, and one with an underscore in its name'],
  ['1.1', 'Transfer_Encoding: chunked\r\n', 400, 'a coding with an underscore in its name'],
  ['1.1', 'Content-Length: 5\r\ntransfer_encoding: chunked\r\n', 400, 'a length, and a coding with an underscore in its name'],
  ['1.1', 'Content-Length : 5\r\n', 400, 'a space before the colon'],
  ['1.1', 'Content-Length\t: 5\r\n', 400, 'a tab before the colon'],
  ['1.1', ' Content-Length: 5\r\n', 400, 'a space before the first name'],
  ['1.1', 'Content-Length: 5\r\n 6\r\n', 400, 'a folded line'],
  ['1.1', 'X: a\r\n\tContent-Length: 5\r\n', 400, 'a length in a folded line'],
  ['1.1', 'X: a\rContent-Length: 5\r\n', 400, 'a bare CR'],
  ['1.1', 'X: a\nContent-Length: 5\r\n', 400, 'a bare LF'],
  ['1.1', 'X: a\r\r\nContent-Length: 5\r\n', 400, 'two CRs'],
  ['1.1', 'X: a\0b\r\nContent-Length: 5\r\n', 400, 'a NUL in a value'],
  ['1.1', 'X: a\x01b\r\nContent-Length: 5\r\n', 400, 'a control character in a value'],
  ['1.1', 'X\0: a\r\nContent-Length: 5\r\n', 400, 'a NUL in a name'],
  ['1.1', 'X(): a\r\nContent-Length: 5\r\n', 400, 'a name that is not a token'],
  ['1.1', ': a\r\nContent-Length: 5\r\n', 400, 'an empty name'],
  ['1.1', 'X\r\nContent-Length: 5\r\n', 400, 'a line without a colon'],
  ['1.1', 'Content-Type: application/json\r\nContent-Type: application/json\r\nContent-Length: 5\r\n', 400, 'two content types, the same'],
  ['1.1', 'Content-Type: application/json\r\ncontent-type: text/plain\r\nContent-Length: 5\r\n', 400, 'two content types, different'],
] as const) {
  heads(`${why} -> ${status}, closed, nothing invoked, no handler called`, async () => {
    await servingZoo(async (port, zoo, urls) => {
      for (const asked of ['POST /v1/pet', 'GET /v1/pet/1', 'HEAD /v1/pet/1', 'OPTIONS /v1/pet', 'POST /files/a', 'HEAD /files/a', 'POST /nowhere']) {
        const received = await sendUntilClosed(port, `${asked} HTTP/${version}\r\nHost: a\r\n${lines}\r\n${BODY}${SMUGGLED}`);
        assert.equal(readStatuses(received), [status], asked);
        assert.match(received, '\r\nConnection: close\r\n', asked);
      }
      assert.is(zoo.invoked, 0);
      assert.equal(urls, []);
    });
  });
}
for (const [line, why, status = 400] of [
  ['GET /v1/pet/1', 'no version'],
  ['GET /v1/pet/1 HTTP/0.9', 'HTTP/0.9'],
  ['GET /v1/pet/1 HTTP/1.2', 'a version that does not exist'],
  ['GET /v1/pet/1 HTTP/2.0', 'HTTP/2'],
  ['GET /v1/pet/1 HTTP/1.1 ', 'a space after the version'],
  ['GET /v1/pet/1 http/1.1', 'a version in lower case'],
  ['get /v1/pet/1 HTTP/1.1', 'a method in lower case', 501],
  ['BREW /v1/pet/1 HTTP/1.1', 'a method that Node does not know', 501],
  ['BR(W /v1/pet/1 HTTP/1.1', 'a method that is not a token'],
  ['BREW /v1/pet/1 HTTP/9', 'a method and a version that Node does not know'],
  ['GE\nBREW /v1/pet/1 HTTP/1.1', 'a line end in the method'],
  ['GET\t/v1/pet/1 HTTP/1.1', 'a tab for a space'],
  ['\0GET /v1/pet/1 HTTP/1.1', 'a NUL in front'],
  ['GET /v1/pet/1 HTTP/1.1\r\nX: y', 'a carriage return alone at the end of the head'],
] as const) {
  const end = why.includes('alone') ? '\r\r\n\r\n' : '\r\nHost: a\r\n\r\n';
  heads(`a request line with ${why} -> ${status}, closed, nothing invoked`, async () => {
    await servingZoo(async (port, zoo, urls) => {
      const received = await sendUntilClosed(port, `${line}${end}${SMUGGLED}`);
      assert.equal(readStatuses(received), [status]);
      if (why.startsWith('HTTP/2')) assert.match(received, 'The request must be HTTP/1.1 or HTTP/1.0.');
      assert.is(zoo.invoked, 0);
      assert.equal(urls, []);
    });
  });
}
heads.run();

const chunks = suite('C9: a body with broken chunks');
for (const [body, why] of [
  ['zz\r\n', 'a size that is not a number'],
  ['\r\n', 'an empty size'],
  ['-1\r\n', 'a size below zero'],
  ['+2\r\n{}\r\n0\r\n\r\n', 'a size with a sign'],
  ['0x2\r\n{}\r\n0\r\n\r\n', 'a size with a prefix'],
  ['2_\r\n{}\r\n0\r\n\r\n', 'a size with an underscore'],
  [' 2\r\n{}\r\n0\r\n\r\n', 'a size with a space in front'],
  ['2 \r\n{}\r\n0\r\n\r\n', 'a size followed by a space'],
  ['10000000000000002\r\n{}\r\n0\r\n\r\n', 'a size over 64 bits, 2 when it wraps around'],
  ['2\n{}\r\n0\r\n\r\n', 'a bare LF after the size'],
  ['2\r{}\r\n0\r\n\r\n', 'a bare CR after the size'],
  ['2;a\n{}\r\n0\r\n\r\n', 'a bare LF after an extension'],
  ['2;a\rb\r\n{}\r\n0\r\n\r\n', 'a bare CR within an extension'],
  ['2;a\0b\r\n{}\r\n0\r\n\r\n', 'a NUL within an extension'],
  ['2;\r\n{}\r\n0\r\n\r\n', 'an extension without a name'],
  ['2\r\n{}0\r\n\r\n', 'no line end after the data'],
  ['2\r\n{}\n0\r\n\r\n', 'a bare LF after the data'],
  ['2\r\n{}}\r\n0\r\n\r\n', 'data longer than its size'],
  ['2\r\n{}\r\nx\r\n\r\n', 'a broken chunk after a good one'],
  ['2\r\n{}\r\n0\r\nX : y\r\n\r\n', 'a trailer with a space before its colon'],
  ['2\r\n{}\r\n0\r\nX: a\0b\r\n\r\n', 'a trailer with a NUL'],
] as const) {
  chunks(`${why} -> 400, closed, and later bytes get no response and invoke nothing`, async () => {
    await servingZoo(async (port, zoo, urls) => {
      for (const asked of ['POST /v1/pet', 'PUT /v1/pet/1', 'POST /v1/pet/feed', 'POST /files/a']) {
        const received = await sendUntilClosed(port, `${asked} HTTP/1.1\r\nHost: a\r\n${CHUNKED}\r\n${body}${SMUGGLED}`);
        assert.equal(readStatuses(received), [400], asked);
        assert.match(received, '\r\nConnection: close\r\n', asked);
      }
      assert.is(zoo.invoked, 0);
      // The handler was called after the head, and got nothing else.
      assert.equal(urls, ['/a']);
    });
  });
}
chunks.run();
