/** A program that prints how often the CPU time of a JSON list NDJSON takes, with the same half a million items of one byte. */
import { ndjson } from '../../src/formats/index.ts';
import { type ApiServer, defineEndpoint } from '../../src/index.ts';
import { message } from './messages.ts';
import { rawRequest } from './raw-client.ts';
import { serving } from './serving.ts';

const ITEMS = 500_000;
const [ROUNDS, MAX_ROUNDS, ENOUGH] = [5, 15, 8];

const legs = (json: unknown): number => {
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
    lines: { input: ndjson(legs), run: sum },
    list: { input: (json: unknown) => (json as unknown[]).map(legs), run: (items: readonly number[]) => items.reduce((all, item) => all + item, 0) },
  },
}));
const lines = message('POST', '/v1/pet/lines', '1\n'.repeat(ITEMS), ['Content-Type: application/x-ndjson']);
const list = message('POST', '/v1/pet/list', `[1${',1'.repeat(ITEMS - 1)}]`);

/** The CPU time of a request in microseconds: of the client and of the server, which is most of it. */
async function costOf(port: number, request: string): Promise<number> {
  const before = process.cpuUsage();
  const { body } = await rawRequest(port, request);
  const { user, system } = process.cpuUsage(before);
  if (body !== String(ITEMS)) throw new Error(body);
  return user + system;
}

await serving(declare, async ({ port }) => {
  // Other work of the machine, and functions that are not compiled yet, make a round dearer, and never cheaper.
  let [ofLines, ofList] = [Infinity, Infinity];
  for (let round = 0; round < ROUNDS || (round < MAX_ROUNDS && ofLines > ENOUGH * ofList); round += 1) {
    ofLines = Math.min(ofLines, await costOf(port, lines));
    ofList = Math.min(ofList, await costOf(port, list));
  }
  console.log(`cost: ${(ofLines / ofList).toFixed(1)}`);
});
