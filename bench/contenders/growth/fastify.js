import { Readable } from 'node:stream';
import swagger from '@fastify/swagger';
import fastify from 'fastify';
import { z } from 'zod';
import { BODY_BYTES } from '../pets.js';
import { Broadcast, EVENT, makeSchema } from './common.js';

export async function open(_, { endpoints = 0 } = {}) {
  const server = fastify({ bodyLimit: 2 * BODY_BYTES });
  const broadcast = new Broadcast();
  server.get('/v1/event', (_request, reply) => reply.type('text/event-stream').send(Readable.from(broadcast.read())));
  server.post('/v1/vector/length', async (request) => request.body.length);
  for (let at = 0; at < endpoints; at += 1) addRoutes(server, `/v1/resource${at}`);
  await server.listen({ port: 0, host: '127.0.0.1' });
  return { port: server.server.address().port, close: () => server.close(), emit: () => broadcast.emit(EVENT) };
}

export async function prepareDocument(endpoints) {
  const server = fastify();
  await server.register(swagger, { openapi: { info: { title: 'Growth', version: '1.0.0' } } });
  for (let at = 0; at < endpoints; at += 1) addRoutes(server, `/v1/resource${at}`, z.toJSONSchema(makeSchema(at), { target: 'draft-7' }));
  await server.ready();
  return () => server.swagger();
}

const ID = { type: 'object', required: ['id'], properties: { id: { type: 'integer' } } };
const run = async () => 1;

function addRoutes(server, path, body) {
  const [ofAll, ofItem, change] = [{ ...(body && { body }) }, { params: ID }, { params: ID, ...(body && { body }) }];
  server.post(path, { schema: ofAll }, run);
  server.get(`${path}/:id`, { schema: { ...ofItem, ...(body && { response: { 200: body } }) } }, run);
  server.put(`${path}/:id`, { schema: change }, run);
  server.delete(`${path}/:id`, { schema: ofItem }, run);
  server.post(`${path}/feed`, run);
}
