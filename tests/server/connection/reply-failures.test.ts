// Rules: A12
/**
 * Responses that cannot be written because code before `requestListener` has broken them, such as middleware that replaces their
 * methods.
 */
import { ServerResponse } from 'node:http';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { ApiServer, defineEndpoint, stringId, type StandardSchemaV1 } from '../../../src/index.ts';
import { serveListener } from '../../support/serve-listener.ts';
import { message } from '../../support/messages.ts';
import { RawClient, sendUntilClosed } from '../../support/raw-client.ts';
import { readStatuses } from '../../support/statuses.ts';

type BreakResponse = (response: ServerResponse) => unknown;

const failure = new Error('the middleware is broken');
const raise = (): never => { throw failure; };

const BEFORE: readonly (readonly [why: string, breakResponse: BreakResponse])[] = [
  ['writeHead throws', (response) => Object.assign(response, { writeHead: raise })],
  ['writeHead throws when it has taken the status', (response) => {
    const writeHead = response.writeHead.bind(response);
    Object.assign(response, { writeHead: (status: number) => writeHead(status, ['X', 'a\r\nb']) });
  }],
];
const WITHIN: readonly (readonly [why: string, breakResponse: BreakResponse])[] = [
  ['end throws after the head has been sent', (response) => Object.assign(response, { end: raise })],
  ['end throws after half of the body has been sent', (response) => Object.assign(response, { end: () => {
    response.write('"ha');
    raise();
  } })],
  ['the body has a different length than it says', (response) => Object.assign(response, { strictContentLength: true, end: () => {
    response.write('"ha');
    Reflect.apply(ServerResponse.prototype.end, response, []);
  } })],
];
const AFTER: readonly (readonly [why: string, breakResponse: BreakResponse])[] = [
  ['end throws after the whole response has been sent', (response) => {
    const end = response.end.bind(response);
    Object.assign(response, { end: (body: string) => {
      end(body);
      raise();
    } });
  }],
];

const failing: StandardSchemaV1 = { '~standard': { version: 1, vendor: 'tests', validate: raise } };

/** Serves in a server of the user that breaks the response if the request has a header `Break`. */
async function serveBroken(breakResponse: BreakResponse, use: (port: number, errors: readonly Error[]) => Promise<void>): Promise<void> {
  const errors: Error[] = [];
  const api = new ApiServer('/v1', { logger: { info: () => {}, error: (error) => errors.push(error) } });
  api.registerEndpoint('/thing', defineEndpoint({
    id: stringId,
    schema: failing,
    create: () => 'new',
    get: (id): unknown => (id === 'later' ? Promise.resolve(id) : id),
    custom: {
      feed: { run: () => 'fed' },
      fail: { run: raise },
      reject: { input: (): string => raise(), run: () => 'rejected' },
    },
  }));
  await serveListener((request, response) => {
    if ('break' in request.headers) breakResponse(response);
    api.requestListener(request, response);
  }, (port) => use(port, errors));
}

const ASKED = [
  ['GET', '/v1/thing/now', '', 200],
  ['GET', '/v1/thing/later', '', 200],
  ['POST', '/v1/thing', '0', 500],
  ['POST', '/v1/thing/feed', '', 200],
  ['POST', '/v1/thing/fail', '', 500],
  ['POST', '/v1/thing/reject', '0', 400],
] as const;

/** Responses without an operation. */
const UNROUTED = [
  ['OPTIONS', '/v1/thing'], ['OPTIONS', '*'], ['PATCH', '/v1/thing'], ['PROPFIND', '/v1/thing'], ['GET', '/nowhere'], ['GET', '/v1/thing/%00'],
] as const;

const broken = suite('a response that cannot be written');
for (const [why, breakResponse] of BEFORE) {
  for (const [method, target] of UNROUTED) {
    broken(`${why}: ${method} ${target} -> a 500 and a close, logged, and nothing is thrown into your code`, async () => {
      await serveBroken(breakResponse, async (port, errors) => {
        assert.equal(readStatuses(await sendUntilClosed(port, message(method, target, '', ['Break: yes']))), [500]);
        assert.ok(errors.length > 0);
        assert.equal(readStatuses(await sendUntilClosed(port, message('GET', '/v1/thing/1', '', ['Connection: close']))), [200]);
      });
    });
  }
}
for (const [why, breakResponse] of WITHIN) {
  broken(`${why}: an invalid target, whose reply is the last -> a closed connection, logged`, async () => {
    await serveBroken(breakResponse, async (port, errors) => {
      const received = await sendUntilClosed(port, message('GET', '/v1/thing/%00', '', ['Break: yes']) + message('GET', '/v1/thing/1'));
      assert.not.match(received, /\{"type"|200 OK/);
      assert.ok(errors.length > 0);
    });
  });
}
for (const [breakages, expected, what] of [
  [BEFORE, /^HTTP\/1\.1 500 [^]*\r\n\r\n\{"type":"about:blank","title":"Internal Server Error","status":500\}$/, 'a 500 and a close'],
  [WITHIN, /^(?:HTTP\/1\.1 \d{3} [^]*\r\n\r\n"ha)?$/, 'a closed connection'],
] as const) {
  for (const [why, breakResponse] of breakages) {
    for (const [method, target, sent] of ASKED) {
      broken(`${why}: ${method} ${target} -> ${what}, logged, and other requests are served`, async () => {
        await serveBroken(breakResponse, async (port, errors) => {
          const other = await RawClient.connect(port);
          const received = await sendUntilClosed(port, message(method, target, sent, ['Break: yes']) + message('OPTIONS', '/v1/thing'));
          assert.match(received, expected);
          other.send(message('GET', '/v1/thing/1'));
          assert.is((await other.response()).body, '"1"');
          assert.ok(errors.length > 0);
        });
      });
    }
  }
}
for (const [why, breakResponse] of BEFORE) {
  broken(`${why}, after requests with late responses -> those are sent, then a 500, then the connection closes`, async () => {
    await serveBroken(breakResponse, async (port, errors) => {
      const before = message('GET', '/v1/thing/later') + message('GET', '/v1/thing/now');
      const received = await sendUntilClosed(port, before + message('GET', '/v1/thing/later', '', ['Break: yes']));
      assert.equal(readStatuses(received), [200, 200, 500]);
      assert.is(errors.length, 1);
    });
  });
}
for (const [why, breakResponse] of AFTER) {
  for (const [method, target, sent, expected] of ASKED) {
    broken(`${why}: ${method} ${target} -> the response is complete, and the connection stays open`, async () => {
      await serveBroken(breakResponse, async (port, errors) => {
        const client = await RawClient.send(port, message(method, target, sent, ['Break: yes']));
        assert.is((await client.response()).status, expected);
        client.send(message('OPTIONS', '/v1/thing'));
        assert.is((await client.response()).status, 200);
        assert.is(errors.at(-1)?.cause, failure);
      });
    });
  }
}
broken.run();
