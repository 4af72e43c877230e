/**
 * An instance behind the balancer. Its operations take some milliseconds, and it keeps a journal of all changes. Before it stops, its
 * health check fails.
 *
 *   node build/tests/balancer/instance.js <port> <journal>
 */
import { appendFileSync } from 'node:fs';
import { ApiServer, defineEndpoint, stringId } from '../../src/index.ts';
import { delay } from '../support/wait.ts';

interface Job {
  readonly marker: string;
  readonly text: string;
}

// For requests that the balancer sent just before it removed the instance.
const LAST_REQUESTS_MS = 1000;

const [, , port = '', journal = ''] = process.argv;

/** Takes a moment, and writes a line to the journal. The file is opened for appending, so that several instances can write to it. */
async function invoke(method: string, marker: string): Promise<void> {
  appendFileSync(journal, `${method} ${marker}\n`);
  await work();
}

function work(): Promise<void> {
  return delay(2 + Math.random() * 40);
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

// An operator waits longer than the balancer needs. Here its state says when it has removed the instance.
process.once('SIGUSR2', () => void (healthy = false));
process.once('SIGTERM', async () => {
  await delay(LAST_REQUESTS_MS);
  await server.stop();
});

const started = await server.start(`127.0.0.1:${port}`);
if (!started.ok) throw new Error(started.error);
console.log('listening');
