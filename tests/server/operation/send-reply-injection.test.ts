/** Strings of clients that a user puts into the head of a response: they cannot add a header line, or another response. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { ApiError, defineEndpoint, reply, stringId, type ApiServer, type Problem, type ResponseHeaders } from '../../../src/index.ts';
import { message, decodeUtf8, encodeUtf8 } from '../../support/messages.ts';
import { RawClient, send } from '../../support/raw-client.ts';
import { serve } from '../../support/serve.ts';

const STRINGS = [
  ['a line', 'a\r\nX-Injected: 1'],
  ['a line by LF alone', 'a\nX-Injected: 1'],
  ['a line by CR alone', 'a\rX-Injected: 1'],
  ['a folded line', 'a\r\n X-Injected: 1'],
  ['a folded line by a tab', 'a\r\n\tX-Injected: 1'],
  ['another response', 'a\r\n\r\nHTTP/1.1 200 OK\r\nX-Injected: 1\r\nContent-Length: 0\r\n\r\n'],
  ['a line break at the end', 'a\r\n'],
  ['a line break at the start', '\r\nX-Injected: 1'],
  ['a NUL', 'a\0X-Injected: 1'],
  ['a vertical tab', 'a\x0bX-Injected: 1'],
  ['DEL', 'a\x7f'],
  ['NEL in Latin-1', 'a\x85X-Injected: 1'],
  ['a character of Latin-1', 'ä'],
  ['a character whose low byte is LF', 'a\u010aX-Injected: 1'],
  ['characters whose low bytes are CR and LF', 'a\u560d\u560aX-Injected: 1'],
  ['a line separator', 'a\u2028X-Injected: 1'],
  ['an unpaired surrogate', 'a\ud800X-Injected: 1'],
] as const;

/** The places in which a user uses a client's text. */
type Give = (text: string) => unknown;

const raise = (error: Error): never => { throw error; };
const status = (headers: ResponseHeaders): never => raise(ApiError.status(409, 'taken', { headers }));

/** Declares a Custom operation that returns this, and one that succeeds. */
function declareReply(give: Give): (server: ApiServer) => void {
  return (server) => server.registerEndpoint('/thing', defineEndpoint({
    id: stringId,
    custom: { echo: { input: String, run: give }, good: { run: () => 'good' } },
  }));
}

/** Asserts that `text` gets one response, that nothing was injected, and that the connection lives on. Returns its status and body. */
async function getResponse(text: string, port: number): Promise<readonly [status: number, body: string]> {
  const client = await RawClient.connect(port);
  try {
    client.send(message('POST', '/v1/thing/echo', encodeUtf8(JSON.stringify(text))) + message('POST', '/v1/thing/good'));
    const response = await client.response();
    for (const line of response.head.split('\r\n').slice(1)) assert.match(line, /^[A-Za-z-]+: [\x20-\x7e]*$/);
    assert.is(response.headers.get('x-injected'), undefined);
    assert.is((await client.response()).body, '"good"');
    return [response.status, decodeUtf8(response.body)];
  } finally {
    client.destroy();
  }
}

const rejected = suite('R2: a string that would break a header');
for (const [where, give] of [
  ['a value', (text) => reply(200, 1, { 'X-A': text })],
  ['a value of a list', (text) => reply(200, 1, { 'X-A': ['b', text] })],
  ['Location', (text) => reply(303, undefined, { Location: text })],
  ['Content-Type', (text) => reply(200, 'b', { 'Content-Type': text })],
  ['a name', (text) => reply(200, 1, { [text]: 'b' })],
  ['the head of a stream', (text) => reply(200, (async function* () { yield 'b'; })(), { 'X-A': text })],
  ['a value of an error', (text) => status({ 'X-A': text })],
  ['a value of a list of an error', (text) => status({ 'X-A': ['b', text] })],
  ['a name of an error', (text) => status({ [text]: 'b' })],
] as readonly (readonly [string, Give])[]) {
  rejected(`in ${where} -> 500, logged without the value, and the connection is kept`, async () => {
    await serve(declareReply(give), async ({ port, errors }) => {
      for (const [at, [what, text]] of STRINGS.entries()) {
        const [code, body] = await getResponse(text, port);
        assert.is(code, 500, what);
        assert.not.match(body, /Injected/);
        assert.is(errors.length, at + 1, what);
        assert.instance(errors[at]?.cause, TypeError);
        if (!where.includes('name')) assert.not.match(String(errors[at]?.message), /Injected/);
      }
    });
  });
}
for (const [what, headers] of [
  ...['Content-Length', 'content-length', 'Transfer-Encoding', 'transfer-ENCODING', 'Connection', 'Keep-Alive', 'Upgrade', 'Trailer', 'TE']
    .map((name) => [name, { [name]: '1' }] as const),
  ['a name twice, in two cases', { 'X-A': '1', 'x-a': '2' }],
  ['Content-Type twice, in two cases', { 'Content-Type': 'a/b', 'content-type': 'a/c' }],
  ['Location as a list', { Location: ['/a', '/b'] }],
] as const) {
  rejected(`${what}, of a reply and of an error -> 500, logged, and the connection is kept`, async () => {
    for (const give of [() => reply(200, 1, headers), () => status(headers)]) {
      await serve(declareReply(give), async ({ port, errors }) => {
        assert.is((await getResponse('', port))[0], 500);
        assert.instance(errors[0]?.cause, TypeError);
      });
    }
  });
}
rejected.run();

const harmless = suite('R2: a string that is not a header');
for (const [where, code, give, read] of [
  ['the detail of an error', 409, (text) => raise(ApiError.status(409, text)), (json) => json['detail']],
  ['the title of an error', 409, (text) => raise(ApiError.status(409, 'b', { type: '/a', title: text })), (json) => json['title']],
  ['the type of an error', 409, (text) => raise(ApiError.status(409, 'b', { type: text })), (json) => json['type']],
  ['the instance of an error', 409, (text) => raise(ApiError.status(409, 'b', { instance: text })), (json) => json['instance']],
  ['a property of an error', 409, (text) => raise(ApiError.status(409, 'b', { extensions: { a: text } })), (json) => json['a']],
  ['the message of an error', 400, (text) => raise(ApiError.argument(text)), (json) => String(json['detail']).replace('Bad arguments: ', '')],
  ['a result', 200, (text) => ({ a: text }), (json) => json['a']],
  ['the body of a reply', 202, (text) => reply(202, { a: text }), (json) => json['a']],
] as readonly (readonly [string, number, Give, (json: Problem) => unknown])[]) {
  harmless(`in ${where} -> ${code}: it is in the JSON, and not in the head`, async () => {
    await serve(declareReply(give), async ({ port, errors }) => {
      for (const [at, [what, text]] of STRINGS.entries()) {
        const [status, body] = await getResponse(text, port);
        assert.is(status, code, what);
        assert.is(read(JSON.parse(body) as Problem), text, what);
        // Every error that a Custom operation throws is logged.
        assert.is(errors.length, code >= 400 ? at + 1 : 0, what);
      }
    });
  });
}
harmless('in the id of a new item: Location has it percent-encoded, or is missing', async () => {
  const declare = (server: ApiServer): void => server.registerEndpoint('/thing', defineEndpoint({ id: stringId, schema: String, create: (id) => id }));
  await serve(declare, async ({ port, errors }) => {
    for (const [what, text] of STRINGS) {
      const before = errors.length;
      const response = await send(port, message('POST', '/v1/thing', encodeUtf8(JSON.stringify(text))));
      assert.is(response.headers.get('x-injected'), undefined, what);
      const location = response.headers.get('location');
      if (location !== undefined) assert.is(decodeURIComponent(location), `/v1/thing/${text}`, what);
      assert.is(response.status, 201, what);
      assert.is(location === undefined, /[\r\n\0]/.test(text) || !text.isWellFormed(), String(location));
      assert.is(errors.length - before, location === undefined ? 1 : 0, what);
    }
  });
});
harmless.run();
