import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ApiServer, defineEndpoint, integerId } from 'restpoint';
import { client } from 'restpoint/client';
import { openApi } from 'restpoint/openapi';
import { z } from 'zod';

const Folder = z.object({
  name: z.string(),
  get children() {
    return z.array(Folder);
  },
}).meta({ id: 'Folder' });

const folders: z.output<typeof Folder>[] = [];
const server = new ApiServer('/v1', { logger: { info: () => {}, error: console.error } });
const api = server.registerEndpoints({
  '/folder': defineEndpoint({
    id: integerId,
    schema: Folder,
    create: (folder) => folders.push(folder),
    get: { output: Folder, run: (id) => folders[id - 1] },
  }),
});
const calls = client<typeof api>('http://localhost/v1', { fetch: server.fetch })('/folder');

test('a tree has its types at any depth', async () => {
  const id = await calls.create({ name: 'root', children: [{ name: 'pets', children: [{ name: 'dogs', children: [] }] }] });
  const name: string | undefined = (await calls.get(id)).children[0]?.children[0]?.name;
  assert.equal(name, 'dogs');
  // @ts-expect-error: a number is not a name.
  await assert.rejects(calls.create({ name: 'root', children: [{ name: 1, children: [] }] }), { status: 400 });
});

test('the document refers to the schema in itself', () => {
  const { components } = openApi(server, { info: { title: 'Folders', version: '1.0.0' } });
  const { Folder: folder } = components?.schemas as Record<string, { readonly properties: { readonly children: unknown } }>;
  assert.deepEqual(folder?.properties.children, { type: 'array', items: { $ref: '#/components/schemas/Folder' } });
});

test('a tree that is too deep gets 400', async () => {
  const depth = 501; // JSON of 1,002 levels
  const body = `${'{"name":"a","children":['.repeat(depth)}${']}'.repeat(depth)}`;
  const response = await server.fetch('/v1/folder', { method: 'POST', headers: { 'Content-Type': 'application/json' }, body });
  assert.equal(response.status, 400);
});
