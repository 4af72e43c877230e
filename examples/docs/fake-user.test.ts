import assert from 'node:assert/strict';
import { test } from 'node:test';
import { client } from 'restpoint/client';
import { makeServer } from './greeter.ts';

function callAs(user: { readonly name: string; readonly scopes: readonly string[] } | undefined) {
  const { server, api } = makeServer(() => user);
  return client<typeof api>('/v1', { fetch: server.fetch, headers: { authorization: 'Bearer any' } }).one('/me');
}

test('a user is greeted', async () => assert.equal(await callAs({ name: 'Ann', scopes: [] }).get(), 'Hello Ann'));
test('nobody is not', () => assert.rejects(callAs(undefined).get(), { name: 'ProblemError', status: 401 }));
test('a right is needed', () => assert.rejects(callAs({ name: 'Ann', scopes: [] }).delete(), { status: 403 }));
