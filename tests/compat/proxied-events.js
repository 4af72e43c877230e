/** Events behind a proxy, whose clients are curl: by HTTP/2 and by HTTP/1.1, with TLS. */
import assert from 'node:assert/strict';
import { makeQuickEvents, withEvents } from './events-api.js';
import { Program } from './program.js';
import { waitUntil } from './until.js';

const SILENCE_SECONDS = 3;
const HEARTBEAT_MS = 100;
const COUNT = 20;
// An exit status of curl.
const TIMED_OUT = 28;

/** curl, which prints the head of a response, and its body as it arrives. */
class Follower extends Program {
  constructor(url, certificate, options) {
    super('curl', ['-q', '-siN', '--noproxy', '*', '--cacert', certificate, '--max-time', '600', ...options, url]);
  }

  /** Waits for the whole of an event with this data. */
  received(data) {
    return this.printed(new RegExp(`data: ${data}\n\n`));
  }
}

/** Makes all checks. `withProxy` starts a proxy before the server at a port, which closes silent connections after so many seconds. */
export async function checkProxiedEvents(check, certificate, withProxy) {
  for (const [name, options] of [['HTTP/2', ['--http2']], ['HTTP/1.1', ['--http1.1']], ['HTTP/2, compressed', ['--compressed']]]) {
    const output = makeQuickEvents(HEARTBEAT_MS);
    await withEvents({ output }, (api) => withProxy(api.port, SILENCE_SECONDS, async (port) => {
      const following = async (paths, use) => {
        const before = api.lastEventIds.length;
        const followers = paths.map((path) => new Follower(`https://localhost:${port}/v1/${path}`, certificate, options));
        try {
          await api.asked(before + paths.length);
          await use(...followers);
        } finally {
          for (const follower of followers) follower.kill();
        }
      };
      const checkFollowing = (what, paths, use) => {
        return check(`events, ${name}: ${what}`, () => following(paths, (...followers) => use(api, ...followers)));
      };
      await checkFollowing('each arrives as it is sent', ['event'], checkEach);
      await checkFollowing('heartbeats keep the connection, and without them it is closed', ['event', 'silent'], checkSilence);
      await checkFollowing('a reader that leaves: the iterator is returned', ['event'], checkLeaving);
      await checkFollowing('stop() ends them', ['event'], checkStop);
    }));
  }
}

async function checkEach(api, follower) {
  for (let data = 1; data <= COUNT; data += 1) {
    api.send({ data });
    await follower.received(data);
  }
  assert.match(follower.output, /^content-type: text\/event-stream\r$/im);
  assert.match(follower.output, /^cache-control: no-store, no-transform\r$/im);
}

async function checkSilence(api, kept, silent) {
  api.send({ data: 1 });
  await Promise.all([kept.received(1), silent.received(1)]);
  assert.notEqual(await silent.ended(), TIMED_OUT);
  api.send({ data: 2 });
  await kept.received(2);
}

async function checkLeaving(api, follower) {
  api.send({ data: 1 });
  await follower.received(1);
  const before = api.closed;
  follower.kill();
  await waitUntil(() => api.closed > before, () => 'the end of the stream');
}

async function checkStop(api, follower) {
  api.send({ data: 1 });
  await follower.received(1);
  await api.stop();
  assert.equal(await follower.ended(), 0);
}
