/** The behaviour of a client on a connection: valid, pipelined, slow or invalid requests, or leaving in the middle. */
import { delay } from '../support/wait.ts';
import type { Random } from '../support/random.ts';
import { RawClient } from '../support/raw-client.ts';
import { badQuestion, goodQuestion, longQuestion, type Question } from './questions.ts';
import { Tally } from './tally.ts';

/** Uses a connection. Throws if the server does not respond. */
type Visit = (client: RawClient, tally: Tally, random: Random) => Promise<void>;

/** One request after the other. */
const keepAlive: Visit = async (client, tally, random) => {
  for (const question of random.list(1, 10, () => goodQuestion(random))) {
    sendRequest(client, tally, question.bytes);
    await check(client, tally, question);
    await delay(random.below(50));
  }
};

/** Many requests at once. */
const visitPipelined: Visit = async (client, tally, random) => {
  const questions = random.list(2, 20, () => goodQuestion(random));
  sendRequest(client, tally, questions.map(({ bytes }) => bytes).join(''), questions.length);
  for (const question of questions) await check(client, tally, question);
};

/** A request in pieces, with pauses. */
const slow: Visit = async (client, tally, random) => {
  const question = goodQuestion(random);
  tally.requests += 1;
  const size = Math.ceil(question.bytes.length / (2 + random.below(6)));
  for (let at = 0; at < question.bytes.length; at += size) {
    client.send(question.bytes.slice(at, at + size));
    await delay(random.below(100));
  }
  await check(client, tally, question);
};

/** A request with a late response. */
const visitLong: Visit = async (client, tally, random) => {
  const question = longQuestion(random);
  sendRequest(client, tally, question.bytes);
  await check(client, tally, question);
};

/** Valid requests, then one that the server rejects. */
const invalid: Visit = async (client, tally, random) => {
  for (const question of [...random.list(0, 2, () => goodQuestion(random)), badQuestion(random)]) {
    sendRequest(client, tally, question.bytes);
    await check(client, tally, question);
  }
};

/** A part of a request. */
const halfSent: Visit = async (client, tally, random) => {
  const { bytes } = goodQuestion(random);
  client.send(bytes.slice(0, 1 + random.below(bytes.length - 1)));
  tally.aborted += 1;
  await delay(random.below(100));
  if (random.below(2) === 0) client.socket.end();
};

/** Requests whose client resets the connection before or during their responses. */
const reset: Visit = async (client, tally, random) => {
  const questions = [longQuestion(random), ...random.list(0, 5, () => goodQuestion(random))];
  client.send(questions.map(({ bytes }) => bytes).join(''));
  tally.aborted += questions.length;
  await delay(random.below(700));
  client.socket.resetAndDestroy();
};

const VISITS: [Visit, ...Visit[]] = [keepAlive, keepAlive, visitPipelined, visitPipelined, slow, visitLong, invalid, halfSent, reset];

/** Makes one visit. While `isStopping` returns true, the server may reject and close. */
export async function visit(port: number, tally: Tally, random: Random, isStopping: () => boolean): Promise<void> {
  const stoppedBefore = isStopping();
  const own = new Tally();
  const client = await RawClient.connect(port).catch(() => undefined);
  try {
    if (client === undefined) throw new Error('the connection was rejected');
    await random.pick(VISITS)(client, own, random);
  } catch (error) {
    const left = own.requests - own.responses;
    if (stoppedBefore || isStopping()) own.stopped += left;
    else own.lose(Math.max(left, 1), String(error));
  } finally {
    client?.destroy();
    tally.add(own);
  }
}

function sendRequest(client: RawClient, tally: Tally, bytes: string, requests = 1): void {
  tally.requests += requests;
  client.send(bytes);
}

async function check(client: RawClient, tally: Tally, { method, status, body, bytes }: Question): Promise<void> {
  const response = await client.response(method).catch((error: unknown) => {
    throw new Error(`${String(error)}, to ${formatBytes(bytes)}`);
  });
  tally.responses += 1;
  if (response.status !== status || (body !== undefined && response.body !== body)) {
    tally.mistake(`${response.status} ${response.body.slice(0, 200)} to ${formatBytes(bytes)}`);
  }
}

function formatBytes(bytes: string): string {
  return `${bytes.length} bytes: ${JSON.stringify(bytes.slice(0, 200))}`;
}
