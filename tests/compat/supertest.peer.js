/** `supertest`, which creates a server for a listener. */
import supertest from 'supertest';
import * as restpoint from '../../dist/index.js';
import { assertAnswer, checking } from './checks.js';
import { requests } from './requests.js';
import { zooServer } from './zoo.js';

/** Sends a request of the common list. Returns the response in the form of the list. */
async function send(agent, { method, path, headers = {}, body }) {
  const sending = agent[method.toLowerCase()](path).buffer(true).parse(readText).ok(() => true);
  if (body !== undefined) sending.set('content-type', 'application/json');
  sending.set(headers);
  if (Array.isArray(body)) for (const chunk of body) sending.write(chunk);
  else if (body !== undefined) sending.send(body);
  const answer = await sending;
  return { status: answer.status, headers: answer.headers, body: typeof answer.body === 'string' ? answer.body : '' };
}

function readText(answer, done) {
  let text = '';
  answer.setEncoding('utf8');
  answer.on('data', (chunk) => (text += chunk));
  answer.on('end', () => done(null, text));
}

await checking('supertest', async (check) => {
  const agent = supertest(zooServer(restpoint).requestListener);
  for (const request of requests) {
    await check(request.name, async () => assertAnswer(await send(agent, request), request.answer));
  }
});
