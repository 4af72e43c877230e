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
import { NOT_RUN } from '../support/debian-package.ts';
import { findFreePort } from '../support/free-port.ts';
import { Haproxy, missingHaproxy } from './haproxy.ts';
import { InstanceProcess } from './instance-process.ts';
import { Load } from './load.ts';

const CLIENTS = 48;
const ROUNDS = 2;
const MAX_RUN_MS = 3_600_000;

const EXAMPLE = join(process.cwd(), 'examples', 'deploy', 'haproxy.cfg');

/** The processes that must be ended, even after a failure. */
interface Running {
  haproxy?: Haproxy;
  readonly instances: InstanceProcess[];
}

/** Stops an instance, and starts it again. Returns the failures. */
async function restart(instance: InstanceProcess, haproxy: Haproxy): Promise<string[]> {
  instance.announceEnd();
  await haproxy.untilOut(instance.name);
  const wrong = await instance.stop();
  await instance.start();
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

/** Starts the instances and the balancer before them. Returns the port of the balancer. */
async function startAll(running: Running, folder: string, journal: string): Promise<{ haproxy: Haproxy; port: number }> {
  const [balancer, one, two] = [await findFreePort(), await findFreePort(), await findFreePort()];
  for (const [name, port] of [['one', one], ['two', two]] as const) {
    const instance = new InstanceProcess(name, port, journal);
    running.instances.push(instance);
    await instance.start();
  }
  const haproxy = new Haproxy(folder, EXAMPLE, { balancer, one, two });
  running.haproxy = haproxy;
  await haproxy.listens();
  return { haproxy, port: balancer };
}

/** Runs everything. Returns the failures. */
async function drive(running: Running, folder: string): Promise<string[]> {
  const journal = join(folder, 'journal');
  writeFileSync(journal, '');
  const { haproxy, port } = await startAll(running, folder, journal);
  const load = new Load(port, CLIENTS);
  const begun = Date.now();
  const ended = load.run(CLIENTS);
  const wrong: string[] = [];
  for (let round = 1; round <= ROUNDS; round += 1) {
    for (const instance of running.instances) wrong.push(...(await restart(instance, haproxy)));
  }
  load.end();
  await ended;
  await report(load, haproxy, ROUNDS * running.instances.length, (Date.now() - begun) / 1000);
  for (const instance of running.instances) wrong.push(...(await instance.stop()));
  if (load.connections !== CLIENTS) wrong.push(`${CLIENTS} clients needed ${load.connections} connections`);
  wrong.push(...load.failures, ...notOnce(load.changes, journal));
  if (wrong.length > 0) wrong.push(...haproxy.complaints.slice(0, 20).map((line) => `haproxy: ${line}`));
  return wrong;
}

/** Rejects if the run takes too long or is interrupted, so that the children are ended in these cases too. */
function waitForInterrupt(): Promise<never> {
  return new Promise((_, reject) => {
    setTimeout(() => reject(new Error(`not over after ${MAX_RUN_MS / 1000} s`)), MAX_RUN_MS).unref();
    for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => reject(new Error(signal)));
  });
}

const missing = missingHaproxy();
if (missing !== undefined) {
  console.log(`not run: ${missing}`);
  process.exit(NOT_RUN);
}

const folder = mkdtempSync(join(tmpdir(), 'restpoint-balancer-'));
const running: Running = { instances: [] };
let wrong: string[];
try {
  wrong = await Promise.race([drive(running, folder), waitForInterrupt()]);
} catch (error) {
  wrong = [String(error)];
} finally {
  for (const instance of running.instances) await instance.kill();
  await running.haproxy?.end();
  rmSync(folder, { recursive: true });
}
for (const line of wrong.slice(0, 40)) console.error(line);
console.log(`${wrong.length === 0 ? 1 : 0} passed, ${wrong.length} failed`);
process.exit(wrong.length === 0 ? 0 : 1);
