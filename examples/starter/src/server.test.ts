/** The API, called by its typed client without a port. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { checks } from 'restpoint/checks';
import { client, ProblemError } from 'restpoint/client';
import { noteServer, type Api } from './server.ts';
import { memoryStore } from './store.ts';

test('a note is created and read; one without text is rejected', async () => {
  const { server } = noteServer(memoryStore());
  const notes = client<Api>('/v1', { fetch: server.fetch })('/note');
  const id = await notes.create({ text: 'buy milk' });
  assert.deepEqual(await notes.get(id), { text: 'buy milk' });
  await assert.rejects(notes.create({ text: '' }), (error) => error instanceof ProblemError && error.is(400));
  await server.stop();
});

const { server } = noteServer(memoryStore());
const note = () => ({ body: { text: `note ${Math.random()}` } });
for (const { name, run, isSkipped } of checks(server, { samples: { noteCreate: note, noteUpdate: note } })) test(name, { skip: isSkipped }, run);
