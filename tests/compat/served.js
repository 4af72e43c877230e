/**
 * The zoo as a program, for other engines. It listens on a free port and prints `listening <port>`. It reads commands, one a line:
 *
 *   stop    calls `stop()`, prints `stopping`, and `stopped` when that has resolved
 *   open    lets the Custom operation `wait` respond. It printed `waiting` when it was called
 *
 * It exits by itself when nothing keeps it running, and at once when its standard input ends.
 */
import * as restpoint from '../../dist/index.js';
import { WAITED_FOR, zooServer } from './zoo.js';

let open;
const opened = new Promise((resolve) => (open = resolve));

const server = zooServer(restpoint, async () => {
  console.log('waiting');
  await opened;
  return WAITED_FOR;
});

const started = await server.start('127.0.0.1:0');
console.log(started.ok ? `listening ${started.address.port}` : `not started: ${started.error}`);

const commands = {
  open,
  stop: async () => {
    const stopped = server.stop();
    // By then `stop()` has done everything that it does immediately.
    setImmediate(() => console.log('stopping'));
    await stopped;
    console.log('stopped');
    process.stdin.pause();
    process.stdin.unref?.();
  },
};

if (started.ok) {
  process.stdin.setEncoding('utf8');
  process.stdin.on('data', (text) => {
    for (const line of text.split('\n').filter((each) => each !== '')) commands[line]();
  });
  process.stdin.on('end', () => process.exit());
}
