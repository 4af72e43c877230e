/** `/v1/zoo/:zoo/pet/:pet/photo` of the example: a body of bytes, stored and sent back as it came. */
import { NO_TOKEN, NOT_FOUND, problemBody, makeZooSuite, type TestZoo } from '../support/zoo-suite.ts';
import { assert, RawClient, suite } from '../support/facts.ts';

const PNG = Buffer.from('\x89PNG\r\n\x1a\n\0\xff a photo', 'latin1');
const JPEG = Buffer.from('\xff\xd8\xff\xe0 another', 'latin1');
const MAX_BYTES = 256 * 1024;
const OTHER_TYPE = problemBody(415, 'Unsupported Media Type', 'The body must be image/png or image/jpeg.');
const NO_PHOTO = problemBody(415, 'Unsupported Media Type', 'The photo is neither PNG nor JPEG.');
const TOO_LONG = problemBody(413, 'Content Too Large', `The body must not be longer than ${MAX_BYTES} bytes.`);

interface Sent {
  readonly body: Buffer;
  readonly type?: string;
  readonly token?: string;
  /** Another path than Rex's. */
  readonly to?: string;
}

/** Sends a photo of Rex. */
function put({ zoo, path, rexId }: TestZoo, sent: Sent): Promise<Response> {
  const { body, type = 'image/png', token = zoo.token, to = `${path}/pet/${rexId}/photo` } = sent;
  const headers = { 'Content-Type': type, ...(token === '' ? {} : { Authorization: `Bearer ${token}` }) };
  return fetch(zoo.url + to, { method: 'PUT', headers, body: new Uint8Array(body) });
}

function get({ zoo, path, rexId }: TestZoo, headers: Record<string, string> = {}, method = 'GET'): Promise<Response> {
  return zoo.request(method, `${path}/pet/${rexId}/photo`, undefined, headers);
}

const photos = makeZooSuite(suite('a photo'));
for (const [type, body, sentAs] of [
  ['image/png', PNG, 'image/png'],
  ['image/jpeg', JPEG, 'image/jpeg'],
  ['image/jpeg', JPEG, 'IMAGE/PNG; q=1'],
  ['image/png', Buffer.concat([PNG, Buffer.alloc(MAX_BYTES - PNG.length)]), 'image/png'],
] as const) {
  photos(`${body.length} bytes of ${type}, sent as ${sentAs} -> 204, and anyone gets them as ${type}`, async (own) => {
    assert.is((await put(own, { body, type: sentAs })).status, 204);
    const response = await get(own);
    assert.is(response.status, 200);
    assert.is(response.headers.get('Content-Type'), type);
    assert.is(response.headers.get('X-Content-Type-Options'), 'nosniff');
    assert.ok(Buffer.from(await response.arrayBuffer()).equals(body));
  });
}
photos('replaces the one before', async (own) => {
  await put(own, { body: PNG });
  await put(own, { body: JPEG, type: 'image/jpeg' });
  assert.is((await get(own)).headers.get('Content-Type'), 'image/jpeg');
});
photos('is sent again only if the client has another: 304 by its ETag, for GET and HEAD', async (own) => {
  await put(own, { body: PNG });
  const tag = (await get(own)).headers.get('ETag') ?? '';
  assert.match(tag, /^"[\w-]{43}"$/);
  for (const method of ['GET', 'HEAD']) {
    const same = await get(own, { 'If-None-Match': tag }, method);
    assert.equal([same.status, same.headers.get('ETag'), same.headers.get('Content-Type'), await same.text()], [304, tag, null, '']);
  }
  await put(own, { body: JPEG, type: 'image/jpeg' });
  const other = await get(own, { 'If-None-Match': tag });
  assert.is(other.status, 200);
  assert.is.not(other.headers.get('ETag'), tag);
});
photos('is sent in part: 206 for a Range, also by If-Range with its ETag, and the whole by another', async (own) => {
  await put(own, { body: PNG });
  const tag = (await get(own)).headers.get('ETag') ?? '';
  for (const headers of [{ Range: 'bytes=1-3' }, { 'Range': 'bytes=1-3', 'If-Range': tag }]) {
    const part = await get(own, headers);
    assert.equal([part.status, part.headers.get('Content-Range'), await part.text()], [206, `bytes 1-3/${PNG.length}`, 'PNG']);
  }
  const whole = await get(own, { 'Range': 'bytes=1-3', 'If-Range': '"another"' });
  assert.is(whole.status, 200);
  assert.ok(Buffer.from(await whole.arrayBuffer()).equals(PNG));
  assert.is((await get(own, { Range: 'bytes=1000-' })).status, 416);
});
photos('is gone after a delete, and a second delete finds nothing', async (own) => {
  await put(own, { body: PNG });
  const remove = (): Promise<Response> => own.zoo.keep('DELETE', `${own.path}/pet/${own.rexId}/photo`);
  assert.is((await remove()).status, 204);
  assert.is((await get(own)).status, 404);
  assert.is((await remove()).status, 404);
});
photos('leaves with its pet', async (own) => {
  await put(own, { body: PNG });
  await own.zoo.keep('DELETE', `${own.path}/pet/${own.rexId}`);
  assert.is((await get(own)).status, 404);
});

const rejected = makeZooSuite(suite('a photo that is rejected'));
for (const [why, sent, status, body] of [
  ['a different type', { body: PNG, type: 'image/gif' }, 415, OTHER_TYPE],
  ['JSON', { body: Buffer.from('{}'), type: 'application/json' }, 415, OTHER_TYPE],
  ['bytes of a different type', { body: Buffer.from('GIF89a') }, 415, NO_PHOTO],
  ['no bytes', { body: Buffer.alloc(0) }, 415, NO_PHOTO],
  ['a byte too many', { body: Buffer.alloc(MAX_BYTES + 1) }, 413, TOO_LONG],
  ['no token', { body: PNG, token: '' }, 401, NO_TOKEN],
  ['of an unknown pet', { body: PNG, to: '/v1/zoo/1/pet/0/photo' }, 404, NOT_FOUND],
  ['of an unknown zoo', { body: PNG, to: '/v1/zoo/0/pet/1/photo' }, 404, NOT_FOUND],
] as const) {
  rejected(`${why} -> ${status}, and nothing is stored`, async (own) => {
    const response = await put(own, sent);
    assert.is(response.status, status);
    assert.is(await response.text(), body);
    assert.is((await get(own)).status, 404);
  });
}
rejected('of an unknown pet -> 404, without asking for the bytes', async ({ zoo, path }) => {
  const client = await RawClient.connect(zoo.port);
  try {
    client.send(`PUT ${path}/pet/0/photo HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${zoo.token}\r\n`);
    client.send('Content-Type: image/png\r\nContent-Length: 8\r\nExpect: 100-continue\r\n\r\n');
    assert.is((await client.response()).status, 404);
  } finally {
    client.destroy();
  }
});
rejected('a stream of more bytes than it may have -> 413', async (own) => {
  async function* endless(): AsyncGenerator<Uint8Array> {
    yield PNG;
    for (let bytes = 0; bytes <= 4 * MAX_BYTES; bytes += 65_536) yield new Uint8Array(65_536);
  }
  const response = await fetch(`${own.zoo.url}${own.path}/pet/${own.rexId}/photo`, {
    method: 'PUT',
    headers: { 'Content-Type': 'image/png', Authorization: `Bearer ${own.zoo.token}` },
    body: ReadableStream.from(endless()),
    duplex: 'half',
  });
  assert.is(response.status, 413);
  assert.is((await get(own)).status, 404);
});
