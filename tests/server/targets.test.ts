/** Request targets: the forms that are accepted, and those that get 400 before the route is looked up. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { defineEndpoint, stringId, type ApiServer } from '../../src/index.ts';
import { send, sendUntilClosed } from '../support/raw-client.ts';
import { serve } from '../support/serve.ts';
import { requestFor, readStatuses } from '../support/statuses.ts';

/** A Get that returns its id, and a mount for all other paths. `seen` records the calls. */
function mirror(seen: string[]): (server: ApiServer) => void {
  return (server) => {
    server.registerEndpoint('/pet', defineEndpoint({
      id: stringId,
      get: (id, { query }) => {
        seen.push(`get ${id}`);
        return [id, query.get('full')];
      },
    }));
    server.mount('/', (request, response) => {
      seen.push(`mount ${request.url}`);
      response.end('mounted');
    });
  };
}

const read = suite('P6: an accepted target');
for (const [target, response, why] of [
  ['/v1/pet/1', ['1', null], 'origin-form'],
  ['/v1/pet/1?full=yes', ['1', 'yes'], 'origin-form with a query'],
  ['/v1/pet/1?', ['1', null], 'an empty query'],
  ['/v1/pet/1?full=a/../b', ['1', 'a/../b'], 'slashes and dots in the query'],
  ['/v1/pet/1?full=%00%0d%0A', ['1', '\0\r\n'], 'encoded controls in the query'],
  ['/v1/pet/1?full=\\', ['1', '\\'], 'a backslash in the query'],
  ['http://zoo.example/v1/pet/1', ['1', null], 'absolute-form'],
  ['http://zoo.example/v1/pet/1?full=yes', ['1', 'yes'], 'absolute-form with a query'],
  ['http://zoo.example:8080/v1/pet/1', ['1', null], 'absolute-form with a port'],
  ['http://[::1]:8080/v1/pet/1', ['1', null], 'absolute-form with an IPv6 address'],
  ['HTTP://zoo.example/v1/pet/1', ['1', null], 'absolute-form, its scheme in upper case'],
  ['https://zoo.example/v1/pet/1', ['1', null], 'absolute-form of the other scheme'],
  ['/v1/pet/a%20b', ['a b', null], 'an encoded space in the id'],
  ['/v1/pet/%09', ['\t', null], 'an encoded tab in the id'],
  ['/v1/pet/%C3%A9', ['\u00e9', null], 'an encoded letter in the id'],
  ['/v1/pet/%5c%23', ['\\#', null], 'an encoded backslash and hash in the id'],
  ['/v1/pet/http://x', 'mounted', 'a scheme within the path'],
  ['http://zoo.example', 'mounted', 'absolute-form without a path'],
  ['http://zoo.example?a=b', 'mounted', 'absolute-form with a query and no path'],
  ['/*', 'mounted', 'an asterisk in a path'],
  ['//zoo.example/v1/pet/1', 'mounted', 'a path that begins like an authority'],
] as const) {
  read(`${why}: ${target}`, () => serve(mirror([]), async ({ port }) => {
    const { status, body } = await send(port, requestFor('GET', target));
    assert.is(status, 200);
    assert.equal(body === 'mounted' ? body : JSON.parse(Buffer.from(body, 'latin1').toString()), response);
  }));
}
read('absolute-form reaches a mount with its query and in its own case', async () => {
  const seen: string[] = [];
  await serve(mirror(seen), async ({ port }) => {
    await send(port, requestFor('GET', 'hTTp://Zoo.Example/A/b?C=d?e'));
    await send(port, requestFor('GET', 'http://zoo.example?C=d'));
    assert.equal(seen, ['mount /A/b?C=d?e', 'mount /?C=d']);
  });
});
read.run();

const rejected = suite('P6 C17: a rejected target');
for (const [target, why] of [
  ['/v1/pet/1#top', 'a fragment'],
  ['/v1/pet/1?a#top', 'a fragment after the query'],
  ['http://zoo.example/v1/pet/1#top', 'a fragment in absolute-form'],
  ['/v1\\pet\\1', 'backslashes for slashes'],
  ['/v1/pet/\\1', 'a backslash in the id'],
  ['http://zoo.example\\v1/pet/1', 'a backslash after the authority'],
  ['/v1/pet/%00', 'an encoded NUL'],
  ['/v1/pet/a%00b', 'an encoded NUL within the id'],
  ['/v1/pet/%0d', 'an encoded CR'],
  ['/v1/pet/%0D', 'an encoded CR in upper case'],
  ['/v1/pet/%0a', 'an encoded LF'],
  ['/v1/pet/%0A', 'an encoded LF in upper case'],
  ['/other%0A', 'an encoded LF below a mount'],
  ['http://zoo.example/v1/pet/%00', 'an encoded NUL in absolute-form'],
  ['/v1/pet/\x00', 'a raw NUL'],
  ['/v1/pet/\x01', 'a raw control character'],
  ['/v1/pet/a\tb', 'a raw tab'],
  ['/v1/pet/\x7f', 'a raw DEL'],
  ['/v1/pet/1?a=\x01', 'a raw control character in the query'],
  ['/v1/pet/a b', 'a raw space'],
  ['/v1/pet/caf\xc3\xa9', 'bytes outside ASCII'],
  ['/v1/pet/1?a=\xe9', 'a byte outside ASCII in the query'],
  ['/\xff', 'a byte that is not UTF-8 either'],
  ['v1/pet/1', 'no slash in front'],
  ['pet', 'a mere word'],
  ['?full=yes', 'a query alone'],
  ['*', 'an asterisk with GET'],
  ['*/v1/pet/1', 'an asterisk in front of a path'],
  ['zoo.example:80', 'authority-form'],
  ['zoo.example:80/v1/pet/1', 'authority-form and a path'],
  ['http:/v1/pet/1', 'absolute-form with one slash'],
  ['http:///v1/pet/1', 'absolute-form without an authority'],
  ['http://?a', 'absolute-form with a query and no authority'],
  ['http://user@zoo.example/v1/pet/1', 'userinfo'],
  ['http://user:word@zoo.example/v1/pet/1', 'userinfo with a password'],
  ['http://zoo.example:8x/v1/pet/1', 'absolute-form with a bad port'],
  ['http://127.0.0.1:99999/v1/pet/1', 'absolute-form with a port over the highest'],
  ['http://zoo.example,evil.example/v1/pet/1', 'absolute-form with two names'],
  ['http://[::1/v1/pet/1', 'absolute-form with half a bracket'],
  ['ftp://zoo.example/v1/pet/1', 'another scheme'],
  ['file:///v1/pet/1', 'a file'],
] as const) {
  rejected(`${why} -> 400, closed, and nothing is called: ${JSON.stringify(target)}`, async () => {
    const seen: string[] = [];
    await serve(mirror(seen), async ({ port }) => {
      const received = await sendUntilClosed(port, requestFor('GET', target) + requestFor('GET', '/v1/pet/next'));
      assert.equal(readStatuses(received), [400]);
      assert.match(received, 'Content-Type: application/problem+json\r\n');
      assert.equal(seen, []);
    });
  });
}
for (const [method, target] of [
  ['HEAD', '*'],
  ['POST', '*'],
  ['OPTIONS', '**'],
  ['OPTIONS', '*?a'],
  ['OPTIONS', 'zoo.example:80'],
  ['HEAD', '/v1/pet/%00'],
  ['OPTIONS', '/v1/pet/%00'],
] as const) {
  rejected(`${method} ${target} -> 400, closed, and nothing is called`, async () => {
    const seen: string[] = [];
    await serve(mirror(seen), async ({ port }) => {
      const received = await sendUntilClosed(port, requestFor(method, target) + requestFor('GET', '/v1/pet/next'));
      assert.equal(readStatuses(received), [400]);
      assert.equal(seen, []);
    });
  });
}
for (const target of ['zoo.example:80', '/v1/pet/1', '*', 'http://zoo.example/'] as const) {
  rejected(`CONNECT ${target} -> a 501 that can be read, and closed`, async () => {
    const seen: string[] = [];
    await serve(mirror(seen), async ({ port }) => {
      const received = await sendUntilClosed(port, requestFor('CONNECT', target) + requestFor('GET', '/v1/pet/next'));
      assert.equal(readStatuses(received), [501]);
      const [head = '', body = ''] = received.split('\r\n\r\n');
      assert.match(head, 'Content-Type: application/problem+json\r\n');
      assert.match(head, `Content-Length: ${body.length}\r\n`);
      assert.is((JSON.parse(body) as { status: number }).status, 501);
      assert.equal(seen, []);
    });
  });
}
rejected.run();
