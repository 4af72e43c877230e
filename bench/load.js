/** autocannon in a process of its own, which takes commands: start, count, stop. */
import autocannon from 'autocannon';
import { serveCommands } from './contenders/child.js';
import { OPERATIONS } from './contenders/operations.js';
import { quantile } from './statistics.js';

// How often autocannon checks whether it should stop.
const SAMPLE_MS = 50;
// It stops by itself after this, should nobody stop it.
const MOST_SECONDS = 60;

let load;
let finished;
let milliseconds = [];
let begin;
let flaw;

serveCommands({
  start({ port, operation, connections, pipelining }) {
    const { method, path, body, expected } = OPERATIONS[operation];
    const headers = body === undefined ? {} : { 'content-type': 'application/json' };
    flaw = undefined;
    finished = new Promise((resolve, reject) => {
      const options = { url: `http://127.0.0.1:${port}${path}`, method, headers, body, connections, pipelining, duration: MOST_SECONDS, sampleInt: SAMPLE_MS };
      load = autocannon(options, (error, result) => (error ? reject(error) : resolve(result)));
    });
    load.on('response', (_client, status, _bytes, took) => {
      if (status !== expected.status) flaw = `status ${status} instead of ${expected.status}`;
      milliseconds.push(took);
    });
  },

  beginCount() {
    milliseconds = [];
    begin = performance.now();
  },

  /** What was answered since the counting began; p99 in milliseconds. */
  endCount() {
    const seconds = (performance.now() - begin) / 1000;
    const took = milliseconds;
    return { requests: took.length, perSecond: took.length / seconds, p99: quantile(took, 0.99) };
  },

  async stop() {
    load.stop();
    const { errors, timeouts } = await finished;
    if (errors + timeouts > 0) flaw = `${errors} errors, ${timeouts} timeouts`;
    if (flaw !== undefined) throw new Error(`wrong answers under load: ${flaw}`);
  },
});
