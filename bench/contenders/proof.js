/** Sends every operation to a contender over TCP, and throws on a wrong answer. */
import { Client } from '../client.js';
import { bytesOf, OPERATIONS } from './operations.js';

/** Resolves to the answers, all of them right. */
export async function prove(contender, port) {
  const client = await Client.connect(port);
  try {
    const answers = [];
    for (const operation of OPERATIONS) {
      client.send(bytesOf(operation));
      const answer = await client.answer();
      const flaw = answer === undefined ? 'no answer' : flawOf(answer, operation.expected);
      if (flaw !== undefined) throw new Error(`${contender} answers ${operation.name} wrongly: ${flaw}`);
      answers.push(answer);
    }
    return answers;
  } finally {
    client.end();
  }
}

/** Throws unless two contenders send the same bytes, apart from the date. */
export function proveSame(ours, theirs) {
  const textOf = ({ head, body }) => `${head.replace(/\r\nDate: [^\r]*/, '')}\r\n\r\n${body}`;
  OPERATIONS.forEach(({ name }, index) => {
    const [mine, other] = [textOf(ours[index]), textOf(theirs[index])];
    if (mine !== other) throw new Error(`${name} is not answered with the same bytes:\n${mine}\n\n${other}`);
  });
}

/** Says what is wrong with an answer, or returns `undefined`. */
function flawOf({ status, head, body }, expected) {
  if (status !== expected.status) return `status ${status} instead of ${expected.status}`;
  if (!matches(body, expected.body)) return `the body ${JSON.stringify(body)} instead of ${expected.body}`;
  for (const [name, value] of Object.entries(expected.headers ?? {})) {
    const found = new RegExp(`\r\n${name}: *([^\r;]*)`, 'i').exec(head)?.[1] ?? '';
    if (!matches(found, value)) return `${name}: ${found} instead of ${value}`;
  }
  return undefined;
}

function matches(found, expected) {
  return typeof expected === 'string' ? found === expected : expected.test(found);
}
