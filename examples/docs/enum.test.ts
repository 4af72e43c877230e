import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ApiServer, defineEndpoint, integerId } from 'restpoint';
import { client } from 'restpoint/client';
import { openApi } from 'restpoint/openapi';
import { z } from 'zod';

const Kind = z.enum(['dog', 'cat']);
const NewPet = z.object({ kind: Kind });
const Pet = z.object({ kind: Kind.or(z.string()) }).meta({ id: 'Pet' });

const pets: z.output<typeof Pet>[] = [{ kind: 'parrot' }]; // by a later version
const server = new ApiServer('/v1', { logger: { info: () => {}, error: console.error } });
const api = server.registerEndpoints({
  '/pet': defineEndpoint({
    id: integerId,
    create: { input: NewPet, run: (pet) => pets.push(pet) },
    get: { output: Pet, run: (id) => pets[id - 1] },
  }),
});
const calls = client<typeof api>('http://localhost/v1', { fetch: server.fetch })('/pet');

function soundOf({ kind }: z.output<typeof Pet>) {
  switch (kind) {
    case 'dog': return 'woof';
    case 'cat': return 'meow';
    default: return `the sound of a ${kind}`;
  }
}

test('a client knows what to do with a later value', async () => {
  assert.equal(soundOf(await calls.get(1)), 'the sound of a parrot');
  assert.equal(soundOf(await calls.get(await calls.create({ kind: 'dog' }))), 'woof');
  // @ts-expect-error: clients send only what is known.
  await assert.rejects(calls.create({ kind: 'parrot' }), { status: 400 });
});

test('the document says that there will be others', () => {
  const { components } = openApi(server, { info: { title: 'Pets', version: '1.0.0' } });
  const { Pet: pet } = components?.schemas as Record<string, { readonly properties: { readonly kind: unknown } }>;
  assert.deepEqual(pet?.properties.kind, { anyOf: [{ type: 'string', enum: ['dog', 'cat'] }, { type: 'string' }] });
});
