/**
 * An instance behind the balancer. Its operations take some milliseconds, and it keeps a journal of all changes. Before it stops, its
 * health check fails.
 *
 *   node build/tests/balancer/instance.js <port> <journal>
 */
import { appendFileSync } from 'node:fs';
import { ApiServer, defineEndpoint, stringId } from '../../src/index.ts';
import { after } from '../support/gate.ts';

interface Job {
  readonly marker: string;
  readonly text: string;
}

// The balancer removes the instance 1.5 s after `/health` fails. Requests that it sent before arrive well within the rest.
const ANNOUNCED_MS = 3000;

const [, , port = '', journal = ''] = process.argv;

/** Takes a moment, and writes a line to the journal. The file is opened for appending, so that several instances can write to it. */
async function invoke(method: string, marker: string): Promise<void> {
  appendFileSync(journal, `${method} ${marker}\n`);
  await work();
}

function work(): Promise<void> {
  return after(2 + Math.random() * 40);
}

function parseJob(json: unknown): Job {
  const { marker, text } = Object(json) as Partial<Job>;
  if (typeof marker !== 'string' || typeof text !== 'string') throw new TypeError('expected a marker and a string');
  return { marker, text };
}

const server = new ApiServer('/v1', { logger: { info: () => {}, error: console.error } });
server.registerEndpoint('/job', defineEndpoint({
  id: stringId,
  schema: parseJob,
  create: async ({ marker }) => {
    await invoke('POST', marker);
    return marker;
  },
  get: async (marker) => {
    await work();
    return { marker, text: `the text of ${marker}` };
  },
  update: (marker) => invoke('PUT', marker),
  delete: (marker) => invoke('DELETE', marker),
  custom: {
    reverse: {
      input: parseJob,
      run: async ({ marker, text }) => {
        await invoke('POST', marker);
        return { marker, text: [...text].reverse().join('') };
      },
    },
  },
}));

let healthy = true;
server.mount('/health', (_request, response) => {
  response.writeHead(healthy ? 200 : 503).end();
});

process.once('SIGTERM', async () => {
  healthy = false;
  await after(ANNOUNCED_MS);
  await server.stop();
});

const started = await server.start(`127.0.0.1:${port}`);
if (!started.ok) throw new Error(started.error);
console.log('listening');
