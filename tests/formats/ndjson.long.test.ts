/** How much CPU time NDJSON takes in comparison with a JSON list of the same half a million items of one byte. */
import { ndjson } from '../../src/formats/index.ts';
import { type ApiServer, defineEndpoint } from '../../src/index.ts';
import { assert, message, send, serve, suite } from '../support/facts.ts';

const ITEMS = 500_000;
const [ROUNDS, MAX_ROUNDS, ENOUGH] = [5, 15, 8];

const decodeLegs = (json: unknown): number => {
  if (!Number.isInteger(json)) throw new Error('no legs');
  return json as number;
};
const sum = async (items: AsyncIterable<number>): Promise<number> => {
  let all = 0;
  for await (const item of items) all += item;
  return all;
};
const declare = (server: ApiServer): void => server.registerEndpoint('/pet', defineEndpoint({
  custom: {
    lines: { input: ndjson(decodeLegs), run: sum },
    list: { input: (json: unknown) => (json as unknown[]).map(decodeLegs), run: (items: readonly number[]) => items.reduce((all, item) => all + item, 0) },
  },
}));
const lines = message('POST', '/v1/pet/lines', '1\n'.repeat(ITEMS), ['Content-Type: application/x-ndjson']);
const list = message('POST', '/v1/pet/list', `[1${',1'.repeat(ITEMS - 1)}]`);

/** The CPU time of a request in microseconds: of the client and of the server, which is most of it. */
async function costOf(port: number, request: string): Promise<number> {
  const before = process.cpuUsage();
  const { body } = await send(port, request);
  const { user, system } = process.cpuUsage(before);
  assert.is(body, String(ITEMS));
  return user + system;
}

const read = suite('half a million short lines');
read('take less than ten times the CPU time of the same JSON', () => serve(declare, async ({ port }) => {
  // Other work of the machine, and functions that are not compiled yet, make a round dearer, and never cheaper.
  let [ofLines, ofList] = [Infinity, Infinity];
  for (let round = 0; round < ROUNDS || (round < MAX_ROUNDS && ofLines > ENOUGH * ofList); round += 1) {
    ofLines = Math.min(ofLines, await costOf(port, lines));
    ofList = Math.min(ofList, await costOf(port, list));
  }
  assert.ok(ofLines < 10 * ofList, `${ofLines / ofList}`);
}));
