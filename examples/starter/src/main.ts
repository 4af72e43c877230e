/** Starts the server at HOST and PORT. SIGTERM and Ctrl-C stop it, after the requests in flight. */
import { noteServer } from './server.ts';
import { memoryStore } from './store.ts';

const { server } = noteServer(memoryStore());
const started = await server.start({ host: process.env.HOST || '127.0.0.1', port: Number(process.env.PORT || 8080) });
// The server has logged why.
if (!started.ok) process.exit(1);
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => server.stop());
console.log(`listening on ${started.url}, with a page at ${started.url}/docs`);
