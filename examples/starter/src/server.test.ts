/** The endpoint, called without a port. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { noteServer } from './server.ts';
import { memoryStore } from './store.ts';

test('a note is created and read; one without text is refused', async () => {
  const server = noteServer(memoryStore());
  const create = (note: object) => server.fetch('/v1/note', {
    method: 'POST', headers: { 'Content-Type': 'application/json' }, body: JSON.stringify(note),
  });
  const created = await create({ text: 'buy milk' });
  assert.equal(created.status, 201);
  const read = await server.fetch(`/v1/note/${await created.text()}`);
  assert.deepEqual(await read.json(), { text: 'buy milk' });
  assert.equal((await create({ text: '' })).status, 400);
  await server.stop();
});
