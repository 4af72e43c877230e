/** Sends every operation to a contender over TCP, and throws on a wrong answer. */
import { Agent, request } from 'node:http';
import { text } from 'node:stream/consumers';
import { OPERATIONS } from './operations.js';

/** Resolves to the answers, all of them right. */
export async function prove(contender, port) {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  try {
    const answers = [];
    for (const operation of OPERATIONS) {
      const answer = await ask(agent, port, operation);
      const flaw = flawOf(answer, operation.expected);
      if (flaw !== undefined) throw new Error(`${contender} answers ${operation.name} wrongly: ${flaw}`);
      answers.push(answer);
    }
    return answers;
  } finally {
    agent.destroy();
  }
}

/** Throws unless two contenders send the same bytes, apart from the date. */
export function proveSame(ours, theirs) {
  OPERATIONS.forEach(({ name }, index) => {
    const [mine, other] = [ours[index], theirs[index]].map(({ status, lines, body }) => JSON.stringify([status, lines, body], undefined, 1));
    if (mine !== other) throw new Error(`${name} is not answered with the same bytes by restpoint and hand-written:\n${mine}\n${other}`);
  });
}

/** Says what is wrong with an answer, or returns `undefined`. */
export function flawOf({ status, headers, body }, expected) {
  if (status !== expected.status) return `status ${status} instead of ${expected.status}`;
  if (!matches(body, expected.body)) return `the body ${JSON.stringify(body)} instead of ${expected.body}`;
  const type = headers['content-type']?.split(';')[0];
  if (expected.type !== undefined && type !== expected.type) return `the type ${type} instead of ${expected.type}`;
  for (const [name, value] of Object.entries(expected.headers ?? {})) {
    if (!matches(headers[name] ?? '', value)) return `${name}: ${headers[name]} instead of ${value}`;
  }
  return undefined;
}

function matches(found, expected) {
  return typeof expected === 'string' ? found === expected : expected.test(found);
}

async function ask(agent, port, { method, path, body }) {
  const headers = body === undefined ? {} : { 'Content-Type': 'application/json', 'Content-Length': Buffer.byteLength(body) };
  const response = await new Promise((resolve, reject) => {
    request({ agent, host: '127.0.0.1', port, method, path, headers }, resolve).on('error', reject).end(body);
  });
  const lines = response.rawHeaders.filter((_, index, all) => all[index - (index % 2)].toLowerCase() !== 'date');
  return { status: response.statusCode, headers: response.headers, lines, body: await text(response) };
}
