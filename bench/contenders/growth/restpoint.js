import { z } from 'zod';
import { ApiServer, defineEndpoint, integerId } from '../../../dist/index.js';
import { events } from '../../../dist/formats/index.js';
import { openApi } from '../../../dist/openapi/index.js';
import { Broadcast, makeSchema, MESSAGE } from './common.js';

const logger = { info() {}, error: console.error };
const noop = () => {};
const one = () => 1;
const makeEndpoint = (schema) => ({
  id: integerId, schema, create: one, get: one, update: noop, delete: noop, custom: { feed: { run: one } },
});

export async function open(_, { endpoints = 0 } = {}) {
  const server = new ApiServer('/v1', { logger });
  const broadcast = new Broadcast();
  server.registerEndpoints({
    '/event': defineEndpoint({ get: { output: events(z.object({ text: z.string() })), run: () => broadcast.read() } }),
    '/vector': defineEndpoint({ custom: { length: { input: (json) => json, run: (vector) => vector.length } } }),
  });
  const resource = makeEndpoint((json) => json);
  for (let at = 0; at < endpoints; at += 1) server.registerEndpoint(`/resource${at}`, resource);
  const started = await server.start('127.0.0.1:0');
  if (!started.ok) throw new Error(started.error);
  return {
    port: started.address.port,
    close: () => server.stop(),
    // Frozen, it is checked and written once for all readers.
    emit: () => broadcast.emit(Object.freeze({ data: Object.freeze({ ...MESSAGE }) })),
  };
}

export function prepareDocument(endpoints) {
  const server = new ApiServer('/v1', { logger });
  for (let at = 0; at < endpoints; at += 1) server.registerEndpoint(`/resource${at}`, makeEndpoint(makeSchema(at)));
  return () => openApi(server, { info: { title: 'Growth', version: '1.0.0' } });
}
