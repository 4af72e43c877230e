/**
 * A program for the recipes of loggers in docs/logging.md: it serves failures with the logger of one, and asks for them.
 *
 *   node failing.js pino
 */
import { recipe } from './observers.js';

const { server } = await recipe(process.argv[2]);

server.registerEndpoint('/pet', {
  get: () => { throw new Error('the keeper is ill', { cause: new RangeError('too much cake') }); },
  custom: { feed: () => { throw 'only a string'; } },
});

const started = await server.start('127.0.0.1:0');
await fetch(`${started.url}/v1/pet`, { headers: { 'X-Request-Id': '7f3c' } });
await fetch(`${started.url}/v1/pet/feed`, { method: 'POST', headers: { 'X-Request-Id': 'a "b' } });
await server.stop();
