/**
 * A process that serves a tally.
 *
 *   node build/tests/support/tally-instance.js <place> <options as JSON> [<port>]
 *
 * `killAfter` of the options: after so many changes it kills itself, when the last of them is written and has no response yet.
 */
import { ApiServer } from '../../src/index.ts';
import { openTallies } from './tallies.ts';
import { serveTallies, type TallyOptions } from './tally-server.ts';

export interface InstanceOptions extends Pick<TallyOptions, 'together' | 'compares'> {
  readonly killAfter?: number;
}

const [, , database = '', options = '{}', port = '0'] = process.argv;
const { killAfter, ...rest } = JSON.parse(options) as InstanceOptions;
let written = 0;
const onWritten = (): void => {
  written += 1;
  if (written === killAfter) process.kill(process.pid, 'SIGKILL');
};

const server = new ApiServer('/v1', { logger: { info: () => {}, error: console.error } });
serveTallies(server, openTallies(database), { ...rest, onWritten });
server.mount('/health', (_request, response) => void response.writeHead(200).end());
const started = await server.start(`127.0.0.1:${port}`);
if (!started.ok) throw new Error(started.error);
console.log(`listening at ${started.url}`);
