/**
 * Restarts behind a balancer lose nothing: HAProxy with the configuration of the example runs before two instances, which are restarted
 * one after the other under load.
 *
 *   npm run test:balancer
 *
 * Every request must get its response over the one connection of its client. Every change must be made exactly once. Every instance
 * must exit with 0. This program exits with 0 if all of that holds, with 1 if not, and with 77 if HAProxy is missing and cannot be
 * installed.
 */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { NOT_RUN, waitForInterrupt } from '../support/debian-package.ts';
import { type Haproxy, missingHaproxy, withBalancer } from './haproxy.ts';
import { InstanceProcess } from './instance-process.ts';
import { Load } from './load.ts';

const CLIENTS = 48;
const ROUNDS = 2;

const EXAMPLE = join(process.cwd(), 'examples', 'deploy', 'haproxy.cfg');

/** Stops an instance, and starts it again. Returns the failures. */
async function restart(instance: InstanceProcess, haproxy: Haproxy): Promise<string[]> {
  instance.announceEnd();
  await haproxy.untilOut(instance.name);
  const wrong = await instance.stop();
  await instance.listens();
  await haproxy.untilUp(instance.name);
  return wrong;
}

/** The changes that were not made exactly once, or that were never requested. */
function notOnce(asked: readonly string[], journal: string): string[] {
  const made = new Map<string, number>(asked.map((change) => [change, 0]));
  const wrong: string[] = [];
  for (const line of readFileSync(journal, 'utf8').split('\n').slice(0, -1)) {
    const times = made.get(line);
    if (times === undefined) wrong.push(`${line} was made and never requested`);
    else made.set(line, times + 1);
  }
  for (const [change, times] of made) if (times !== 1) wrong.push(`${change} was made ${times} times`);
  return wrong;
}

async function report(load: Load, haproxy: Haproxy, restarts: number, seconds: number): Promise<void> {
  const responded = [...load.responded].map(([method, count]) => `${count} ${method}`).join(', ');
  const servers = (await haproxy.counts()).filter(({ server }) => server === 'one' || server === 'two');
  for (const { backend, server, requests, retries, redispatches } of servers) {
    console.log(`${backend}/${server}: ${requests} requests, ${retries} retries, ${redispatches} redispatches`);
  }
  console.log(`${seconds.toFixed(0)} s, ${CLIENTS} clients over ${load.connections} connections, ${restarts} restarts`);
  console.log(`responses: ${responded}; made once: ${load.changes.length}`);
}

/** Runs everything. Returns the failures. */
async function drive(folder: string): Promise<string[]> {
  const journal = join(folder, 'journal');
  writeFileSync(journal, '');
  const wrong: string[] = [];
  await withBalancer(folder, EXAMPLE, (name, port) => new InstanceProcess(name, port, journal), async ({ one, two, haproxy, base }) => {
    const load = new Load(Number(new URL(base).port), CLIENTS);
    const begun = Date.now();
    const ended = load.run(CLIENTS);
    for (let round = 1; round <= ROUNDS; round += 1) {
      for (const instance of [one, two]) wrong.push(...(await restart(instance, haproxy)));
    }
    load.end();
    await ended;
    await report(load, haproxy, ROUNDS * 2, (Date.now() - begun) / 1000);
    for (const instance of [one, two]) wrong.push(...(await instance.stop()));
    if (load.connections !== CLIENTS) wrong.push(`${CLIENTS} clients needed ${load.connections} connections`);
    wrong.push(...load.failures, ...notOnce(load.changes, journal));
    if (wrong.length > 0) wrong.push(...haproxy.complaints.slice(0, 20).map((line) => `haproxy: ${line}`));
  });
  return wrong;
}

const missing = missingHaproxy();
if (missing !== undefined) {
  console.log(`not run: ${missing}`);
  process.exit(NOT_RUN);
}

const folder = mkdtempSync(join(tmpdir(), 'restpoint-balancer-'));
let wrong: string[];
try {
  wrong = await Promise.race([drive(folder), waitForInterrupt()]);
} catch (error) {
  wrong = [String(error)];
} finally {
  rmSync(folder, { recursive: true });
}
for (const line of wrong.slice(0, 40)) console.error(line);
console.log(`${wrong.length === 0 ? 1 : 0} passed, ${wrong.length} failed`);
process.exit(wrong.length === 0 ? 0 : 1);
