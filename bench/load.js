/** autocannon in a separate process, which takes commands: start, count, stop. */
import autocannon from 'autocannon';
import { serveCommands } from './contenders/child.js';
import { OPERATIONS } from './contenders/operations.js';
import { quantile } from './statistics.js';

let load;
let milliseconds;
let begin;
let flaw;

serveCommands({
  start({ port, name, connections, pipelining }) {
    const { method, path, body, expected } = OPERATIONS.find((operation) => operation.name === name);
    const headers = body === undefined ? {} : { 'content-type': 'application/json' };
    milliseconds = [];
    flaw = undefined;
    // It is stopped long before `duration`, and checks every `sampleInt` milliseconds whether it should stop.
    const options = { method, headers, body, connections, pipelining, duration: 60, sampleInt: 50 };
    load = autocannon({ url: `http://127.0.0.1:${port}${path}`, ...options });
    load.on('response', (_client, status, _bytes, took) => {
      if (status !== expected.status) flaw = `status ${status} instead of ${expected.status}`;
      milliseconds.push(took);
    });
  },

  /** The responses since the last count; p99 in milliseconds. */
  count() {
    const [from, took] = [begin, milliseconds];
    begin = performance.now();
    milliseconds = [];
    return { requests: took.length, perSecond: (took.length * 1000) / (begin - from), p99: quantile(took, 0.99) };
  },

  async stop() {
    load.stop();
    const { errors, timeouts } = await load;
    if (errors + timeouts > 0) flaw = `${errors} errors, ${timeouts} timeouts`;
    if (flaw !== undefined) throw new Error(`wrong responses under load: ${flaw}`);
  },
});
