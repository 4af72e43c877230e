/** A CommonJS program that requires the installed package. */
import assert = require('node:assert/strict');
import restpoint = require('restpoint');
import auth = require('restpoint/auth');
import client = require('restpoint/client');
import openapi = require('restpoint/openapi');

const server: restpoint.ApiServer = new restpoint.ApiServer('/v1', { logger: { info: () => {}, error: console.error } });
const unchanged = <A extends unknown[], T>(run: (...args: A) => T): ((...args: A) => T) => run;
server.registerEndpoint('/animal', { id: restpoint.stringId, get: (name: string) => (name === 'unicorn' ? undefined : { name }) });
server.registerEndpoint('/name', { id: restpoint.stringId, custom: { echo: { input: String, run: unchanged((name) => name.toUpperCase()) } } });

assert.throws(() => auth.bearer(() => true)({ raw: { rawHeaders: [] as string[] } } as restpoint.ApiRequest), restpoint.ApiError);

assert.equal(openapi.openApi(server, { info: { title: 'Pets', version: '1' } }).openapi, '3.1.0');

async function main(): Promise<void> {
  const started = await server.start({ port: 0 });
  assert.ok(started.ok);
  const response = await fetch(`${started.url}/v1/animal/ant`);
  const names = client.client<{ '/animal': { id: restpoint.IdCodec<string>; get: { 200: { name: string } } } }>(`${started.url}/v1`)('/animal');
  assert.deepEqual(await names.get('bee'), { name: 'bee' });
  await server.stop();
  assert.equal(await response.text(), '{"name":"ant"}');
  console.log('required');
}

void main();
