import assert from 'node:assert/strict';
import { test } from 'node:test';
import { handler } from './lambda.ts';

async function call(method: string, rawPath: string, body?: string, domainName = 'api.example') {
  const event = {
    version: '2.0',
    rawPath,
    rawQueryString: '',
    headers: { host: domainName, 'content-type': 'application/json' },
    requestContext: { domainName, http: { method } },
    ...(body !== undefined && { body: Buffer.from(body).toString('base64') }),
    isBase64Encoded: body !== undefined,
  };
  // A part of what Lambda sends.
  const { statusCode, headers, body: sent = '' } = await handler(event as unknown as Parameters<typeof handler>[0]);
  return { statusCode, location: headers?.['location'], text: Buffer.from(sent, 'base64').toString() };
}

test('Lambda responds as the server does', async () => {
  assert.deepEqual(await call('GET', '/v1/pet/1'), { statusCode: 200, location: undefined, text: '{"id":1,"name":"Rex"}' });
  assert.deepEqual(await call('POST', '/v1/pet', '{"name":"Asp"}'), { statusCode: 201, location: '/v1/pet/2', text: '2' });
});

test('a path is what the client has sent, decoded once', async () => {
  const FUNCTION_URL = 'abc.lambda-url.eu-central-1.on.aws';
  for (const [rawPath, domainName, name] of [
    ['/v1/file/a#b', 'api.example', 'a#b'],
    ['/v1/file/a%23b', 'api.example', 'a%23b'],
    ['/v1/file/50% off', 'api.example', '50% off'],
    ['/v1/file/a%23b', FUNCTION_URL, 'a#b'],
  ] as const) {
    assert.equal((await call('GET', rawPath, undefined, domainName)).text, JSON.stringify({ name }));
  }
});
