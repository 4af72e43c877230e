/** `supertest`, which creates a server for a listener. */
import supertest from 'supertest';
import * as restpoint from '../../dist/index.js';
import { assertResponse, checking } from './checks.js';
import { requests } from './requests.js';
import { zooServer } from './zoo.js';

/** Sends a request of the common list. Returns the response in the form of the list. */
async function send(agent, { method, path, headers = {}, body }) {
  const sending = agent[method.toLowerCase()](path).buffer(true).parse(readText).ok(() => true);
  if (body !== undefined) sending.set('content-type', 'application/json');
  sending.set(headers);
  if (Array.isArray(body)) for (const chunk of body) sending.write(chunk);
  else if (body !== undefined) sending.send(body);
  const response = await sending;
  return { status: response.status, headers: response.headers, body: typeof response.body === 'string' ? response.body : '' };
}

function readText(response, done) {
  let text = '';
  response.setEncoding('utf8');
  response.on('data', (chunk) => (text += chunk));
  response.on('end', () => done(null, text));
}

await checking('supertest', async (check) => {
  const agent = supertest(zooServer(restpoint).requestListener);
  for (const request of requests) {
    await check(request.name, async () => assertResponse(await send(agent, request), request.response));
  }
});
