/** What eight writers over one tally show, for every store: in one process, and in two. */
import { fileURLToPath } from 'node:url';
import * as assert from 'uvu/assert';
import { Child } from './child.ts';
import { serve } from './serve.ts';
import type { Tallies } from './tallies.ts';
import type { InstanceOptions } from './tally-instance.ts';
import { serveTallies } from './tally-server.ts';
import { completeTally, CHANGES_OF_EACH, TallyWriters, WRITERS } from './tally-writers.ts';

const PROGRAM = fileURLToPath(new URL('tally-instance.js', import.meta.url));

/** Eight writers over a server in this process, which writes none of their first changes before it has compared the versions of all. */
export async function writeOverOne(tallies: Tallies, changesOfEach = CHANGES_OF_EACH): Promise<void> {
  const complete = completeTally(changesOfEach);
  await serve((server) => serveTallies(server, tallies, { together: WRITERS }), async ({ url }) => {
    const writers = new TallyWriters(url);
    assert.equal(await writers.run(changesOfEach), complete);
    assert.ok(writers.rejectedByStore >= WRITERS - 1, `the store has rejected ${writers.rejectedByStore}`);
    assert.equal([writers.unconfirmed, writers.foundMade], [0, 0]);
    // A list may name strings that no version is.
    const list = `"${complete.revision}", "a", "99999999999999999999", "{a,NULL}"`;
    const put = (ifMatch: string): Promise<Response> => {
      const headers = { 'Content-Type': 'application/json', 'If-Match': ifMatch };
      return fetch(`${url}/v1/tally`, { method: 'PUT', headers, body: JSON.stringify(complete) });
    };
    for (const [ifMatch, status] of [[list, 204], [list, 412], ['*', 204], [`W/"${complete.revision + 2}"`, 204], [`"${complete.revision + 2}"`, 412]] as const) {
      assert.is((await put(ifMatch)).status, status);
    }
  });
}

/** The same, with a store that does not get the versions. Resolves to how many changes are lost. */
export async function countLostWithoutComparison(tallies: Tallies, changesOfEach = CHANGES_OF_EACH): Promise<number> {
  let lost = 0;
  await serve((server) => serveTallies(server, tallies, { together: WRITERS, compares: false }), async ({ url }) => {
    const { counts } = await new TallyWriters(url).run(changesOfEach);
    lost = completeTally(changesOfEach).revision - counts.reduce((sum, count) => sum + count, 0);
  });
  return lost;
}

/** Eight writers over two processes with the store at a place. */
export async function writeOverTwo(database: string): Promise<void> {
  await withTwo(database, { together: WRITERS / 2 }, async (...urls) => {
    const writers = new TallyWriters(...urls);
    assert.equal(await writers.run(), completeTally());
    assert.ok(writers.rejectedByStore > 0 && writers.unconfirmed === 0);
  });
}

/** The same as `lostWithoutComparison`, over two processes. */
export async function countLostOverTwo(database: string): Promise<number> {
  let lost = 0;
  await withTwo(database, { together: WRITERS / 2, compares: false }, async (...urls) => {
    const { counts } = await new TallyWriters(...urls).run();
    lost = completeTally().revision - counts.reduce((sum, count) => sum + count, 0);
  });
  return lost;
}

async function withTwo(database: string, options: InstanceOptions, use: (...urls: readonly string[]) => Promise<void>): Promise<void> {
  const instances = [startInstance(database, options), startInstance(database, options)];
  const kill = (): void => instances.forEach((instance) => instance.send('SIGKILL'));
  process.once('exit', kill);
  try {
    await use(...await Promise.all(instances.map(async (instance) => (await instance.waitForOutput(/^listening at (\S+)$/m))[1] ?? '')));
  } finally {
    process.off('exit', kill);
    for (const instance of instances) await instance.end('SIGKILL');
  }
}

/** Starts a process that serves the tally at a place. */
export function startInstance(database: string, options: InstanceOptions, port = 0): Child {
  return new Child([PROGRAM, database, JSON.stringify(options), String(port)]);
}
