/**
 * Sends the same requests to the server of each framework, and writes the responses to a file. The output of the process is that of the
 * frameworks: their logs. A line `== name` begins the part of each.
 *
 *   node ask.js responses.json cert.pem key.pem fastify hono …
 */
import { get } from 'node:http';
import { readFileSync, writeFileSync } from 'node:fs';
import { connect } from 'node:http2';

const [, , output, cert, key, ...names] = process.argv;
const certificate = { cert: readFileSync(cert, 'utf8'), key: readFileSync(key, 'utf8') };
const JSON_TYPE = { 'Content-Type': 'application/json' };
const SIZES = [['100 KiB', 100 * 1024], ['1 MiB', 1024 * 1024], ['32 MiB', 32 * 1024 * 1024]];
const REST = { note: '/note/1', update: ['PUT', '/note/1'], create: '/note' };
// A procedure is a path, for queries by GET and for mutations by POST.
const PATHS = { restpoint: { ...REST, cached: '/any' }, trpc: { note: '/get', update: ['POST', '/update'], create: '/create' } };

const { made, seen, SECRET } = await import('./build/program.js');

async function getResponses([url, second], { note, cached = note, update: [method, item], create }, send) {
  const ask = async (how, path, body, headers = body && JSON_TYPE, at = url) => {
    const response = await send(at + path, { method: how, headers, body });
    const [media] = (response.headers.get('content-type') ?? '').split(';');
    const [allow, link, id] = ['allow', 'link', 'x-request-id'].map((header) => response.headers.get(header));
    return { status: response.status, media, allow, link, id, text: await response.text() };
  };
  /** Whether the handler has got the body, and what `see` sees of it. */
  const got = async (body, see) => {
    seen.length = 0;
    const { status } = await ask('POST', '/any', body);
    return seen.length === 0 ? { status } : { status, seen: see(seen[0]) };
  };
  const askAgain = async () => {
    const { headers: { etag: tag = null, 'cache-control': cacheControl = null } } = await getUncached(url + cached, {});
    const again = tag === null ? undefined : await getUncached(url + cached, { 'If-None-Match': tag });
    return { tag, cacheControl, status: again?.statusCode };
  };
  const responses = {
    again: await askAgain(),
    unknown: await ask('GET', '/nothing'),
    other: await ask('POST', note, '{}'),
    options: await ask('OPTIONS', note),
    head: await ask('HEAD', note),
    rejected: await ask('POST', create, '{"text":""}'),
    malformed: await ask('POST', create, '{"text":'),
    number: await got('{"n":18446744073709551615}', ({ n }) => n),
    proto: await got('{"__proto__":{"admin":true}}', (body) => Object.keys(body)),
    bytes: await got(Buffer.from('{"text":"\xff"}', 'latin1'), ({ text }) => text),
    stale: await ask(method, item, '{"text":"oat milk"}', { ...JSON_TYPE, 'If-Match': '"another"' }),
    forged: await ask('DELETE', '/session', undefined, { Cookie: 'session=one', Origin: 'https://evil.example', 'Sec-Fetch-Site': 'cross-site' }),
    listed: await ask('GET', create),
    sorted: await ask('GET', `${create}?sort=-n`),
    metadata: await ask('GET', '/.well-known/oauth-protected-resource'),
    identified: await ask('GET', note, undefined, { 'X-Request-Id': 'chosen' }),
    longest: await longest(ask),
  };
  const makesOf = async (key, urls) => {
    made.length = 0;
    for (const at of urls) await ask('POST', create, '{"text":"milk"}', { ...JSON_TYPE, 'Idempotency-Key': key }, at);
    return made.length;
  };
  return { ...responses, made: await makesOf('"one"', [url, url]), madeByTwo: await makesOf('"two"', [url, second]) };
}

/**
 * `fetch`, again if the connection ends without a response. Several frameworks reset a connection on which they have rejected a body that
 * the client still sends, or close one that the client has just used.
 */
async function fetchAgain(url, options) {
  for (let left = 5; ; left -= 1) {
    try {
      return await fetch(url, options);
    } catch (thrown) {
      if (left === 0) throw thrown;
    }
  }
}

/** Without `fetch`, which adds `Cache-Control: no-cache` to a condition. */
function getUncached(url, headers) {
  return new Promise((resolve, reject) => get(url, { headers }, (response) => resolve(response.resume())).on('error', reject));
}

/** The longest of some sizes that is read: `undefined` if all are. */
async function longest(ask) {
  for (const [name, bytes] of SIZES) {
    const statuses = [];
    for (const length of [bytes, bytes + 1]) statuses.push((await ask('POST', '/any', `{"a":"${'a'.repeat(length - 8)}"}`)).status);
    if (statuses[0] < 300 && statuses[1] === 413) return name;
    if (statuses.some((status) => status >= 300)) throw new Error(`bodies of ${name}: ${statuses}`);
  }
  return undefined;
}

/** Asks for the failing operation, whose log stands after the line with the name. */
async function failureOf(name, url) {
  for (const stream of [process.stdout, process.stderr]) stream.write(`\n== ${name}\n`);
  const response = await fetch(`${url}/fail`);
  const text = await response.text();
  const [media] = (response.headers.get('content-type') ?? '').split(';');
  // Some log in the next turn.
  await new Promise((done) => setTimeout(done, 20));
  for (const stream of [process.stdout, process.stderr]) stream.write('\n== nothing\n');
  return { status: response.status, media, isSent: text.includes(SECRET) };
}

/** Whether a server responds over HTTP/2. */
async function speaksHttp2(program, path) {
  if (program.startHttp2 === undefined) return false;
  const { url, close } = await program.startHttp2(certificate);
  const session = connect(url, { ca: certificate.cert, servername: 'localhost' });
  const request = session.request({ ':path': path });
  const status = await new Promise((done, failed) => {
    request.once('response', (headers) => done(headers[':status']));
    for (const emitter of [session, request]) emitter.once('error', failed);
  });
  request.resume();
  session.close();
  await close();
  return status === 200;
}

/** All facts about a server that do not depend on `NODE_ENV`. */
async function factsOf(program, urls, paths, send) {
  const { typed, inject, document } = program;
  const made = await document?.make();
  return {
    typed,
    ...await getResponses(urls, paths, send),
    http2: await speaksHttp2(program, paths.note),
    inject: inject && { named: inject.named, status: await inject.status() },
    document: made && {
      named: document.named, version: made.openapi, paths: Object.keys(made.paths), schemes: Object.keys(made.components?.securitySchemes ?? {}),
      webhooks: made.webhooks ?? {},
    },
  };
}

const all = {};
for (const name of names) {
  const { program } = await import(`./build/${name}.js`);
  const running = [await program.start(), await program.start()];
  const [url, second] = running.map((each) => each.url);
  const facts = process.env.NODE_ENV === 'production' ? {} : await factsOf(program, [url, second], PATHS[name] ?? REST, name === 'restpoint' ? fetch : fetchAgain);
  all[name] = { ...facts, failure: await failureOf(name, url) };
  for (const { close } of running) close();
}
writeFileSync(output, JSON.stringify(all));
// A PGlite sets the exit code.
process.exit(0);
