/** Sends every operation to a contender over TCP, and throws on a wrong response. */
import assert from 'node:assert/strict';
import { ask } from '../client.js';
import { ALL_OPERATIONS, encodeRequest } from './operations.js';

/** Resolves to the responses, all of them right. */
export async function prove(contender, port) {
  const responses = [];
  for (const operation of ALL_OPERATIONS) {
    const response = await ask(port, encodeRequest(operation));
    assert(response, `${contender} gives no response to ${operation.name}`);
    const of = [contender, operation.name];
    assert.deepEqual([...of, factsOf(response, operation.expected)], [...of, operation.expected]);
    responses.push(response);
  }
  return responses;
}

/** Throws unless two contenders send the same bytes, apart from the date. */
export function proveSame(ours, theirs) {
  const textOf = ({ head, body }) => `${head.replace(/\r\nDate: [^\r]*/, '')}\r\n\r\n${body}`;
  assert.deepEqual(ours.map(textOf), theirs.map(textOf));
}

/** Those facts of a response that are expected to be something; headers without parameters, `#` for an id. */
function factsOf({ status, head, body }, expected) {
  const headerOf = (name) => new RegExp(`\r\n${name}: *([^\r;]*)`, 'i').exec(head)?.[1];
  const factOf = (name) => ({ status, body }[name] ?? headerOf(name));
  return Object.fromEntries(Object.keys(expected).map((name) => {
    const fact = factOf(name);
    return [name, typeof fact === 'string' ? fact.replace(/1\d{6}$/, '#') : fact];
  }));
}
